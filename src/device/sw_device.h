#ifndef SW_DEVICE_H
#define SW_DEVICE_H
/* Where arrays live and work is done: the CPU, or a CUDA device; or several of a kind, side by side. */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_space.h"
#include "base/sw_status.h"

/* Why the rows for CUDA are absent, where they are. */
#define SW_WITHOUT_CUDA "built without CUDA: install the CUDA toolkit and run make again"

/* Bytes of shared memory: of a multiprocessor, what the driver reserves for each block, the most that a block may have;
 * and bytes of the L2 cache. */
struct sw_on_chip { int per_multiprocessor, reserved_per_block, per_block, l2_cache; };

struct sw_device {              /* made by sw_device_open(); read only to others                        */
    const struct sw_device_ops *ops;
    enum sw_space space;        /* where sw_device_alloc() puts arrays                                   */
    int    index;               /* CUDA ordinal; 0 on the CPU                                            */
    int    threads;             /* host threads the work may use, at least 1                             */
    char   label[16];           /* as one writes it: "cuda:1", "cpu"; a group of threads is "cpu:1"      */
    char   name[128];           /* "NVIDIA H200", "Intel(R) Xeon(R) ... (2 threads)"                     */
    char   driver[32], runtime[32];  /* "580.159", "13.0"; "" on the CPU                                  */
    int    sm;                  /* compute capability, 90 for 9.0; 0 on the CPU                          */
    int    processors;          /* streaming multiprocessors; cores on the CPU                           */
    size_t memory_total;        /* bytes                                                                 */
    struct sw_on_chip on_chip;  /* zeros on the CPU                                                      */
    bool   compiles_only;       /* an architecture: what is compiled at run time is, and no launch does anything */
    unsigned char uuid[16];     /* of a GPU, the same in all processes; 0 on the CPU                     */
    bool   urgent;              /* its kernels go before those of others on the same GPU                  */
    void  *compute, *copy;      /* two CUDA streams (cudaStream_t); NULL on the CPU                      */
};

/** Open a device.
 * @param spec     "auto" (a CUDA device if there is one, else the CPU), "cpu", "cuda" (the first), "cuda:1"
 * @param threads  host threads; 0: all this process may use
 * @param device   out; close with sw_device_close()
 * @return SW_E_USAGE not such a spec, or several devices; SW_E_ABSENT no such device, or built without CUDA; SW_E_CUDA;
 *         SW_E_MEMORY */
enum sw_status sw_device_open(const char *spec, int threads, struct sw_device **device);
/** Open an architecture as if it was a device. What is made on it is made as on a GPU, so that its kernels are compiled
 * for it, on any machine that has the compiler; nothing is computed.
 * @param name  "sm_90"  @return SW_E_USAGE there is none such; SW_E_ABSENT built without CUDA; SW_E_MEMORY */
enum sw_status sw_device_open_architecture(const char *name, int threads, struct sw_device **device);
/** Open a device once more, with streams of its own, for work beside that of the other: of a GPU work that goes first.
 * @param threads  host threads; 0: as many as the other  @return SW_E_CUDA; SW_E_MEMORY */
enum sw_status sw_device_open_beside(const struct sw_device *other, int threads, struct sw_device **device);
void sw_device_close(struct sw_device **device);

/* Devices that work side by side, each for a host thread of its own. */
enum { SW_DEVICES_MOST = 64 };
struct sw_devices { int count; struct sw_device *device[SW_DEVICES_MOST]; };

/** Open all that a spec names: "cuda" and "auto" are all visible GPUs of the model of the first one; "cuda:0,2" these;
 * "cpu:0,1" the CPU twice, in two groups of threads.
 * @param threads  host threads of all of them together, divided among them (each has one at least); 0: all
 * @param most     how many there is work for: not more of them, the first, are opened; at least 1
 * @param devices  out; close with sw_devices_close()
 * @return as sw_device_open() */
enum sw_status sw_devices_open(const char *spec, int threads, int most, struct sw_devices *devices);
/** The same for one of several processes of this machine that compute together: its share of the devices, every
 * `of`-th from number `turn` on, without opening the others; where there are fewer devices than processes, one, which
 * others have too. The CPU, or groups of its threads, is everybody's.
 * @param turn   0 .. of-1
 * @param users  out: how many processes have its devices, at most */
enum sw_status sw_devices_open_share(const char *spec, int threads, int most, int turn, int of, int *users,
                                     struct sw_devices *devices);
void sw_devices_close(struct sw_devices *devices);

/** Whether a spec is written right, be there such devices or not. @return SW_E_USAGE what is wrong, and a hint */
enum sw_status sw_device_check(const char *spec);

/** Make a device the calling thread's: launches and copies that it queues afterwards are for this one. A thread of one
 * device calls it once; others before they go over to another. @return SW_E_CUDA */
enum sw_status sw_device_use(const struct sw_device *device);

/** Bytes an allocation could get now. */
size_t sw_device_memory_free(const struct sw_device *device);

/** Arrays of zeros in the device's space. @return SW_E_MEMORY with bytes asked for and free in the message */
enum sw_status sw_device_alloc_bytes(struct sw_device *device, size_t count, size_t size, void *out);
#define sw_device_alloc(device, count, out) sw_device_alloc_bytes((device), (count), sizeof **(out), (out))
void sw_device_free(struct sw_device *device, void *memory);

/** Host arrays that the device can copy to and from at full speed while it computes (pinned; plain on the CPU). */
enum sw_status sw_device_alloc_host_bytes(struct sw_device *device, size_t count, size_t size, void *out);
#define sw_device_alloc_host(device, count, out) sw_device_alloc_host_bytes((device), (count), sizeof **(out), (out))
void sw_device_free_host(struct sw_device *device, void *memory);

/** Blocking copies, in order with the work queued on the compute stream. */
enum sw_status sw_device_upload(struct sw_device *device, void *to_device, const void *from_host, size_t bytes);
enum sw_status sw_device_download(struct sw_device *device, void *to_host, const void *from_device, size_t bytes);

/** Download some of the blocks of so many bytes that lie one after another on the device, into [count][bytes]. Blocks
 * that follow one another come at once. */
enum sw_status sw_device_download_some(struct sw_device *device, void *to_host, const void *from_device, size_t bytes,
                                       int count, const int *which);

/** Wait until all queued work is done. @return SW_E_CUDA what a kernel broke with */
enum sw_status sw_device_wait(struct sw_device *device);

struct sw_snapshot_ops;          /* device/snapshot_impl.h */

/* One row a kind of device; device_table.c lists them, "auto" takes the first that opens. */
struct sw_device_ops {
    const char    *kind;     /* "cuda", "cpu"                              */
    const char    *absent;   /* NULL, or why this build lacks it           */
    int          (*count)(void);  /* how many are visible; NULL: one, whose threads may be divided: "cpu:0,1" */
    enum sw_status (*open)(int index, struct sw_device *device);
    void           (*close)(struct sw_device *device);
    enum sw_status (*use)(const struct sw_device *device);  /* NULL: there is nothing to do */
    size_t         (*memory_free)(const struct sw_device *device);
    enum sw_status (*alloc)(struct sw_device *device, size_t bytes, void **out);
    void           (*free)(struct sw_device *device, void *memory);
    enum sw_status (*alloc_host)(struct sw_device *device, size_t bytes, void **out);
    void           (*free_host)(struct sw_device *device, void *memory);
    enum sw_status (*upload)(struct sw_device *device, void *to, const void *from, size_t bytes);
    enum sw_status (*download)(struct sw_device *device, void *to, const void *from, size_t bytes);
    enum sw_status (*wait)(struct sw_device *device);
    const struct sw_snapshot_ops *snapshot;  /* how snapshots leave; NULL: they are formed on the host */
};
extern const struct sw_device_ops *const sw_device_table[];  /* ends with NULL; order is preference */
#endif
