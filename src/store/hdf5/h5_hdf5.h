#ifndef H5_HDF5_H
#define H5_HDF5_H
/* The calls of HDF5 that this program needs. An open file remembers its first failure: later calls on it do nothing
 * (reads leave zeros), so a schema reads as a list, and the status is asked for once, at the latest by close. Messages
 * carry the path and the system's reason. Paths of objects are absolute: "/n00064/u". Nothing of a file stays open
 * after its close, whatever failed. */
#include <hdf5.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/sw_checksum.h"
#include "base/sw_err.h"
#include "base/sw_status.h"

struct sw_h5_heap;

struct sw_h5 {
    hid_t          file;
    char          *path;     /* of the file, for messages                      */
    bool           writing;
    hsize_t        bytes;    /* of a file that is read: its length             */
    hsize_t        charged;  /* bytes of memory that it has asked for          */
    struct sw_h5_heap *heap; /* its texts (h5_heap_hdf5.c)                     */
    struct sw_checksum_writer *checksum;  /* of a file that is written         */
    bool           damaged;  /* the system can read it, HDF5 or we cannot      */
    enum sw_status status;   /* of the first failure; its message is sw_fail's */
};

enum sw_h5_type { SW_H5_BYTE, SW_H5_INTEGER, SW_H5_UNSIGNED, SW_H5_SINGLE, SW_H5_DOUBLE, SW_H5_TEXT, SW_H5_TYPES };
/* in memory:    unsigned char, int64_t,       uint64_t,       float,        double,       char *        */
size_t sw_h5_size(enum sw_h5_type type);
hid_t sw_h5_native(enum sw_h5_type type);  /* not to be closed */

enum { SW_H5_RANK = 12 };  /* statistics: axes of a sweep, quantiles, time, z, y, x */

/* The root's attribute that says that the file was written with checksums (base/sw_checksum.h). */
#define SW_H5_CHECKSUM "sweep_checksum"

struct sw_h5_shape {
    int     rank;               /* 0: a single value                                           */
    hsize_t dim[SW_H5_RANK];
    hsize_t chunk[SW_H5_RANK];  /* chunk[0] = 0: contiguous                                    */
    hsize_t most[SW_H5_RANK];   /* chunked: what dim may grow to, 0: not at all, H5S_UNLIMITED */
    bool    is_virtual;         /* its values are in other files, and never read through it    */
};

/** Write into an empty file, which is there. @return SW_E_IO, also for one that is not empty */
enum sw_status sw_h5_create(struct sw_h5 *h, const char *path);
/** @return SW_E_IO, also for what is no HDF5 file: the message says so */
enum sw_status sw_h5_open(struct sw_h5 *h, const char *path);
/** Flush and close; the status of all that was done. Fine on {0} and on a closed file. */
enum sw_status sw_h5_close(struct sw_h5 *h);
/** The same of a file that was created, and gets its checksums; what was written is not on disk yet.
 * @param sealed  out: for sw_files_sync(); its fd is -1 if it failed */
enum sw_status sw_h5_close_written(struct sw_h5 *h, struct sw_sealed *sealed);
/** Close a file whose content does not matter any more, without writing what is still in memory. */
void sw_h5_drop(struct sw_h5 *h);

void sw_h5_group(struct sw_h5 *h, const char *path);

/* Attributes of the object at `path` ("/" for the file's own). */
void sw_h5_attr_text(struct sw_h5 *h, const char *path, const char *name, const char *text);
void sw_h5_attr_texts(struct sw_h5 *h, const char *path, const char *name, char *const *text, int count);
void sw_h5_attr(struct sw_h5 *h, const char *path, const char *name, enum sw_h5_type type, int count,
                const void *value);

/** Make a dataset. Its values are undefined until written, but floating-point ones carry NaN as their fill value. */
hid_t sw_h5_make(struct sw_h5 *h, const char *path, enum sw_h5_type type, const struct sw_h5_shape *shape);
/** What a transfer of so many values takes that HDF5 converts, as texts: buffers of their size. Its own have 1 MiB, and
 * are cleared at each call. Close it. @return < 0: no memory */
hid_t sw_h5_transfer(hsize_t count);
/** Make a dataset and write all of it. */
void sw_h5_put(struct sw_h5 *h, const char *path, enum sw_h5_type type, const struct sw_h5_shape *shape,
               const void *data);
void sw_h5_put_list(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, const void *data);
/** The same for a column of a table. Where all numbers are the same to the bit, or all texts empty, none is stored:
 * they are the fill value of the dataset, which readers see as they see others. A fill value that is a text would be
 * lost by copies, as h5repack and H5Ocopy() of HDF5 1.10 leave its reference as it is; an empty one has none, and is
 * HDF5's. */
void sw_h5_put_column(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, const void *data);
/** A scalar text. */
void sw_h5_put_text(struct sw_h5 *h, const char *path, const char *text);

/** Make a list of numbers the scale of a dimension. */
/** A scale of the numbers first, first + 1, ...: not all of them are in memory. @param written  else only its length */
void sw_h5_put_numbers(struct sw_h5 *h, const char *path, int64_t first, int64_t count, bool written);
void sw_h5_put_scale(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, bool unlimited,
                     const void *data);
/** Give dimension `axis` of a dataset its scale. */
void sw_h5_attach(struct sw_h5 *h, const char *path, int axis, const char *scale);

/* Blocks of an open dataset; data is packed. Of one of rank 0 its value. */
void sw_h5_grow(struct sw_h5 *h, hid_t dataset, const hsize_t *dim);
void sw_h5_write(struct sw_h5 *h, hid_t dataset, enum sw_h5_type type, int rank, const hsize_t *start,
                 const hsize_t *count, const void *data);
void sw_h5_read(struct sw_h5 *h, hid_t dataset, enum sw_h5_type type, int rank, const hsize_t *start,
                const hsize_t *count, void *data);

/* Reading. Whether an object exists: false also where the file cannot be read; h->status then says so. */
bool sw_h5_has(struct sw_h5 *h, const char *path);
bool sw_h5_has_attr(struct sw_h5 *h, const char *path, const char *name);
/** "" if there is none. Free with sw_free(). */
char *sw_h5_get_attr_text(struct sw_h5 *h, const char *path, const char *name);
/* More than any file has of runs, points, steps or outputs; sums of some, and products with 2^15, do not overflow. */
#define SW_H5_MOST ((int64_t)1 << 45)
/** A count, 0 .. SW_H5_MOST: any other is a failure. 0 if there is none. An attribute of another class, or of several
 * entries, is a failure, here and below. */
int64_t sw_h5_get_attr_count(struct sw_h5 *h, const char *path, const char *name);
/** How many there are: 0 if there is no such attribute; more than `most` is a failure. */
int sw_h5_get_attr_integers(struct sw_h5 *h, const char *path, const char *name, int most, int64_t *value);
/** Free each and the list with sw_h5_free_texts(). */
char **sw_h5_get_attr_texts(struct sw_h5 *h, const char *path, const char *name, int *count);
void sw_h5_free_texts(char ***text, int64_t count);

hid_t sw_h5_dataset(struct sw_h5 *h, const char *path, struct sw_h5_shape *shape, enum sw_h5_type *type);  /* open */
void sw_h5_dataset_close(hid_t dataset);  /* < 0 is fine */
/** Walk through the index of a dataset's chunks, without their values: what HDF5 cannot find it cannot read. So many of
 * its entries, -1: all, must be in the file, which is as long; not of a virtual dataset, nor of a column of which
 * sw_h5_put_column() stored none. */
void sw_h5_check_stored(struct sw_h5 *h, const char *path, int64_t entries);
/** The length of a list, which the file is large enough to hold: so much may be allocated. */
int64_t sw_h5_length(struct sw_h5 *h, const char *path);
/** Read a whole dataset that must have `count` entries of such a class. */
void sw_h5_get_list(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, void *data);
/** The same for texts: calls visit for each; its failure is the file's. */
void sw_h5_get_texts(struct sw_h5 *h, const char *path, int64_t count,
                     enum sw_status (*visit)(void *user, int64_t k, const char *text), void *user);
/** Whether sw_h5_put_column() stored no text of a column, as all are empty. */
bool sw_h5_all_empty(struct sw_h5 *h, const char *path, int64_t count);
/** The same for what sw_h5_put_column() wrote. Of other datasets no less than their extent must be stored. */
void sw_h5_get_column(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, void *data);
/** Free with sw_free(). */
char *sw_h5_get_text(struct sw_h5 *h, const char *path);
/** Call visit with the name of each member of a group, in the order they were made. */
void sw_h5_members(struct sw_h5 *h, const char *path,
                   enum sw_status (*visit)(void *user, const char *name, bool is_group), void *user);

/* ---- what goes wrong (h5_base_hdf5.c) */

/** Fail in the name of the file: "PATH: TEXT" or "PATH is TEXT"; or with what HDF5 just failed of. */
void sw_h5_fail(struct sw_h5 *h, enum sw_status st, const char *text);
void sw_h5_fail_hdf5(struct sw_h5 *h);
void sw_h5_fail_errno(struct sw_h5 *h, int error);
/** Fail because HDF5 cannot open the file: say what it is instead. */
void sw_h5_fail_open(struct sw_h5 *h);
/** Fail with SW_E_IO because of what is in the file. */
enum sw_status sw_h5_damaged(struct sw_h5 *h, const char *text);
/** The same for another cause than SW_CAUSE_DAMAGED. */
enum sw_status sw_h5_fail_damaged(struct sw_h5 *h, enum sw_cause cause, const char *text);
/** Note the first failure, without a message. Nothing is written any more. */
void sw_h5_give_up(struct sw_h5 *h, enum sw_status st);
/** Before memory is allocated that a file asks for: fail once it asks for more, in all, than a file of its length can
 * hold. */
void sw_h5_charge(struct sw_h5 *h, int64_t count, size_t size);
/** Let no way to an object lead into another file (external links). */
void sw_h5_refuse_links(hid_t access_list);
/** Access list of datasets: whole blocks go straight between memory and file, and no link is followed; to be closed. */
hid_t sw_h5_no_cache(void);
/** Whether the name of a file is one that a virtual dataset may have: relative, and not above the folder. */
bool sw_h5_is_below(const char *name);

/* The driver of files (h5_driver_hdf5.c). */
void sw_h5_driver_use(hid_t access_list);
/** Let writes from memory of the caller's go on when HDF5 says that they have ended: its bytes stay as they are until
 * something else is written or read, or the file is closed. NULL: no longer. */
void sw_h5_driver_lend(hid_t file, const void *memory, size_t bytes);
/** errno of a file's first failure, 0: none so far (a write that goes on is told of later). file < 0: of the last one
 * that was closed, or could not be opened. */
int sw_h5_driver_error(hid_t file);
/** A descriptor of the file being written, to be closed by the caller: what is synced through it has been written
 * through it. -1: there is none. */
int sw_h5_driver_descriptor(hid_t file);
void sw_h5_driver_give_up(hid_t file);  /* write nothing any more; closing succeeds */
/** Let what is written from now on go by a writer of checksums, which has to stay until the file is closed.
 * @param file    < 0: the one that is created next
 * @param writer  NULL: no checksums */
void sw_h5_driver_checksum(hid_t file, struct sw_checksum_writer *writer);
/** The checksums of a file that is read; they go with it. NULL: it is written. */
const struct sw_checksum *sw_h5_driver_sum(hid_t file);
/** Say which bytes were not what was written (sw_checksum_describe()). file < 0: of the file that was closed last, or
 * could not be opened. @return false: none were */
bool sw_h5_driver_fault(hid_t file, struct sw_text *text);
/** Whether a file without checksums has bytes behind what HDF5 says is its end. */
bool sw_h5_driver_ends_early(hid_t file);
/** Read bytes of a file as HDF5 reads them. @return false: they cannot be read, or are not what was written */
bool sw_h5_driver_read(hid_t file, uint64_t at, size_t count, void *to);

/* ---- texts of variable length (h5_heap_hdf5.c) */

enum { SW_H5_REFERENCE = 16 };  /* bytes of a reference in the file: length, address of a heap, number in the heap */

/** Type in memory of references; reading texts as this type does not follow them. Not to be closed. */
hid_t sw_h5_references(void);
/** The text that a reference leads to, up to its first zero byte; NULL where h->status has become a failure: the heap
 * is not what it should be, or the texts read so far are longer than the file. It stays until the next call.
 * @param length  out: of the text; no zero byte need follow it */
const char *sw_h5_heap_find(struct sw_h5 *h, const unsigned char reference[SW_H5_REFERENCE], size_t *length);
/** A copy of it; free with sw_free(). */
char *sw_h5_heap_text(struct sw_h5 *h, const unsigned char reference[SW_H5_REFERENCE]);
void sw_h5_heap_close(struct sw_h5 *h);
#endif
