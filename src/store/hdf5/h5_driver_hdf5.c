/* The file driver below HDF5.
 *
 * When it writes: HDF5 cannot let go of a file whose metadata it cannot write: it keeps the ids and tries again until
 * exit. So here a write always succeeds: the first error of the system is kept, later writes are dropped, and the file
 * closes like any other; sw_h5_driver_error() returns the error. What is written goes by the checksums on its way, and
 * what HDF5 reads of it meanwhile is compared with them. It gets no sieve buffer, by which it would read and write
 * 64 KiB for each row of an array. A write from lent memory goes on in a thread while the caller fills other memory; it
 * ends before any other access to its file.
 *
 * When it reads: HDF5 sees no byte of a file with checksums that has not been compared with them, and not the checksums
 * themselves. */
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "store/hdf5/h5_hdf5.h"

struct disk {
    H5FD_t  hdf5;   /* HDF5's part: first, and the rest unknown to it */
    int     fd;
    haddr_t used;   /* what HDF5 has given out so far                 */
    haddr_t end;    /* of the file; of one that is read, of its content */
    int     error;  /* errno of the first failure, 0: none            */
    size_t  late;   /* bytes since the system was last told to write  */
    bool    reading;
    const char *lent;                   /* [lent_bytes], borrowed     */
    size_t  lent_bytes;
    pthread_t thread;                   /* while `begun`: it writes, and `error`, `late`, `writer` are its own */
    bool    begun;
    struct write { haddr_t at; size_t size; const void *bytes; } write;  /* the thread's */
    struct sw_checksum sum;             /* of a file without a writer */
    struct sw_checksum_writer *writer;  /* of one that is written, borrowed; NULL: none */
};

/* Of the file that was closed last, or could not be opened. */
static int last_error;
static char last_fault[200];  /* "": none */

static struct sw_checksum_writer *next_writer;  /* of the file that is opened next to be written */

static bool note_fault(const struct sw_checksum *sum)
{
    struct sw_text fault = sw_text_in(last_fault, sizeof last_fault);
    return sw_checksum_describe(sum, &fault);
}

static struct disk *disk_of(H5FD_t *file) { return (struct disk *)file; }
static const struct disk *disk_of_const(const H5FD_t *file) { return (const struct disk *)file; }

static H5FD_t *open_to_read(const char *name)
{
    struct stat s;
    const int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct disk *d = fd < 0 ? NULL : calloc(1, sizeof *d);
    last_error = d && !fstat(fd, &s) ? S_ISREG(s.st_mode) ? sw_checksum_open(fd, &d->sum) : EINVAL : errno;
    *last_fault = 0;
    if (last_error || note_fault(&d->sum)) {
        if (d) sw_checksum_free(&d->sum);
        free(d);
        if (fd >= 0) close(fd);
        return NULL;
    }
    d->fd = fd;
    d->reading = true;
    d->end = (haddr_t)d->sum.bytes;
    return &d->hdf5;
}

/* What is written is an empty file that the caller has made (sw_files_new_part(), sw_files_new()). If another one, or a
 * link, has its name by now, nothing in it is lost. */
static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    struct stat s;
    (void)access;
    (void)most;
    if (!(flags & H5F_ACC_RDWR)) return open_to_read(name);
    const int fd = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct disk *d = fd < 0 ? NULL : calloc(1, sizeof *d);
    const bool known = d && !fstat(fd, &s);
    if (!known || !S_ISREG(s.st_mode) || s.st_size || s.st_nlink > 1) {
        last_error = known ? EEXIST : errno;
        free(d);
        if (fd >= 0) close(fd);
        return NULL;
    }
    d->fd = fd;
    d->writer = next_writer;
    d->sum = (struct sw_checksum){.fd = fd, .bytes = INT64_MAX};
    return &d->hdf5;
}

static void end_write(struct disk *d)
{
    if (d->begun) pthread_join(d->thread, NULL);
    d->begun = false;
}

static herr_t disk_close(H5FD_t *file)
{
    end_write(disk_of(file));
    last_error = disk_of(file)->error;
    *last_fault = 0;
    if (disk_of(file)->reading) note_fault(&disk_of(file)->sum);
    if (close(disk_of(file)->fd) && !last_error) last_error = errno;
    sw_checksum_free(&disk_of(file)->sum);
    free(file);
    return 0;
}

static int disk_compare(const H5FD_t *a, const H5FD_t *b)
{
    struct stat s, t;
    if (fstat(disk_of_const(a)->fd, &s) || fstat(disk_of_const(b)->fd, &t)) return -1;
    if (s.st_dev != t.st_dev) return s.st_dev < t.st_dev ? -1 : 1;
    return (s.st_ino > t.st_ino) - (s.st_ino < t.st_ino);
}

/* @param file  NULL: the driver in general is asked about */
static herr_t disk_query(const H5FD_t *file, unsigned long *flags)
{
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE | (file && !disk_of_const(file)->reading ? 0 : H5FD_FEAT_DATA_SIEVE);
    return 0;
}

static haddr_t disk_used(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return disk_of_const(file)->used;
}

static herr_t disk_set_used(H5FD_t *file, H5FD_mem_t type, haddr_t used)
{
    (void)type;
    disk_of(file)->used = used;
    return 0;
}

static haddr_t disk_end(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return disk_of_const(file)->end;
}

static herr_t disk_handle(H5FD_t *file, hid_t access, void **handle)
{
    (void)access;
    *handle = file;
    return 0;
}

static herr_t disk_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, void *buffer)
{
    struct disk *d = disk_of(file);
    (void)type;
    (void)transfer;
    end_write(d);
    const int error = !d->writer ? sw_checksum_read(&d->sum, at, size, buffer)
                      : d->error ? sw_read_at(d->fd, at, size, buffer)  /* what was not written cannot be compared */
                                 : sw_checksum_read_kept(d->writer, d->fd, at, size, buffer);
    if ((d->writer || error != EBADMSG) && !d->error) d->error = error;
    return error ? -1 : 0;
}

/* The disk writes while more is handed over, and the sync at the end is shorter. What fails is told by that sync. */
static void begin_to_write(struct disk *d, size_t size)
{
    enum { AT_ONCE = 8 << 20 };
    d->late += size;
    if (d->late < AT_ONCE) return;
    sync_file_range(d->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    d->late = 0;
}

static void *write_now(void *user)
{
    struct disk *d = user;
    const struct write *w = &d->write;
    if (d->error) return NULL;
    if (d->writer) d->error = sw_checksum_add(d->writer, d->fd, w->at, w->bytes, w->size);
    if (!d->error) d->error = sw_write_at(d->fd, w->at, w->size, w->bytes);
    if (!d->error) begin_to_write(d, w->size);
    return NULL;
}

static bool is_lent(const struct disk *d, const char *bytes, size_t size)
{
    return d->lent && bytes >= d->lent && bytes + size <= d->lent + d->lent_bytes;
}

static herr_t disk_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size, const void *buffer)
{
    enum { WORTH_A_THREAD = 256 << 10 };  /* some 100 us of writing; to begin a thread and to wait for it takes 30 */
    struct disk *d = disk_of(file);
    (void)type;
    (void)transfer;
    end_write(d);
    if (at + size > d->end) d->end = at + size;
    d->write = (struct write){at, size, buffer};
    d->begun = size >= WORTH_A_THREAD && is_lent(d, buffer, size) && !pthread_create(&d->thread, NULL, write_now, d);
    if (!d->begun) write_now(d);
    return 0;
}

static herr_t disk_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
    struct disk *d = disk_of(file);
    (void)transfer;
    (void)closing;
    end_write(d);
    if (d->reading) return 0;
    if (d->end != d->used && d->writer && !d->error)
        d->error = sw_checksum_cut(d->writer, d->fd, d->end < d->used ? d->end : d->used);
    if (d->end != d->used && !d->error && ftruncate(d->fd, (off_t)d->used)) d->error = errno;
    d->end = d->used;
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 2)
    .version = H5FD_CLASS_VERSION,
    .value = 300,  /* any of those that are nobody's (256 .. 511) */
#endif
    .name = "sweep_disk",
    .maxaddr = (haddr_t)1 << 62,
    .fc_degree = H5F_CLOSE_STRONG,
    .open = disk_open,
    .close = disk_close,
    .cmp = disk_compare,
    .query = disk_query,
    .get_eoa = disk_used,
    .set_eoa = disk_set_used,
    .get_eof = disk_end,
    .get_handle = disk_handle,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

void sw_h5_driver_use(hid_t access_list)
{
    static hid_t id = -1;
    if (id < 0) id = H5FDregister(&driver);
    if (id >= 0) H5Pset_driver(access_list, id, NULL);
}

static struct disk *find(hid_t file)
{
    void *handle = NULL;
    return file >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 ? handle : NULL;
}

int sw_h5_driver_error(hid_t file)
{
    struct disk *d = find(file);
    return !d ? last_error : d->begun ? 0 : d->error;
}

int sw_h5_driver_descriptor(hid_t file)
{
    struct disk *d = find(file);
    return d ? fcntl(d->fd, F_DUPFD_CLOEXEC, 0) : -1;
}

void sw_h5_driver_checksum(hid_t file, struct sw_checksum_writer *writer)
{
    struct disk *d = find(file);
    if (d) d->writer = writer;
    else next_writer = writer;
}

const struct sw_checksum *sw_h5_driver_sum(hid_t file)
{
    struct disk *d = find(file);
    return d && d->reading ? &d->sum : NULL;
}

bool sw_h5_driver_fault(hid_t file, struct sw_text *text)
{
    struct disk *d = find(file);
    if (d) return d->reading && sw_checksum_describe(&d->sum, text);
    sw_text_set(text, "%s", last_fault);
    return *last_fault;
}

bool sw_h5_driver_ends_early(hid_t file)
{
    struct disk *d = find(file);
    return d && d->reading && d->used < d->end;
}

bool sw_h5_driver_read(hid_t file, uint64_t at, size_t count, void *to)
{
    struct disk *d = find(file);
    return d && disk_read(&d->hdf5, H5FD_MEM_DEFAULT, H5P_DEFAULT, at, count, to) >= 0;
}

void sw_h5_driver_give_up(hid_t file)
{
    struct disk *d = find(file);
    if (d) end_write(d);
    if (d && !d->error) d->error = ECANCELED;
}

void sw_h5_driver_lend(hid_t file, const void *memory, size_t bytes)
{
    struct disk *d = find(file);
    if (d) { d->lent = memory; d->lent_bytes = bytes; }
}
