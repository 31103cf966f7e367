/* Files are opened, written and closed. */
#include <errno.h>
#include <hdf5_hl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "store/files/sw_files.h"
#include "store/hdf5/h5_hdf5.h"

/* ---- writing */

/* Fail if a write has failed. */
static void check_disk(struct sw_h5 *h)
{
    int error = h->status || !h->writing ? 0 : sw_h5_driver_error(h->file);
    if (error) sw_h5_fail_errno(h, error);
}

static const unsigned ORDER = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

/* Every step below is skipped once something has failed; an id < 0 is what a failed or skipped step leaves. */
static hid_t check(struct sw_h5 *h, hid_t id)
{
    if (id < 0) sw_h5_fail_hdf5(h);
    return id;
}

void sw_h5_group(struct sw_h5 *h, const char *path)
{
    if (h->status) return;
    hid_t list = H5Pcreate(H5P_GROUP_CREATE), group;
    H5Pset_link_creation_order(list, ORDER);
    H5Pset_attr_creation_order(list, ORDER);
    group = check(h, H5Gcreate2(h->file, path, H5P_DEFAULT, list, H5P_DEFAULT));
    if (group >= 0) H5Gclose(group);
    H5Pclose(list);
}

static void attribute(struct sw_h5 *h, const char *path, const char *name, hid_t type, int count, const void *value)
{
    hid_t space = -1, attr = -1;
    hsize_t dim = (hsize_t)count;
    if (h->status) return;
    space = check(h, count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dim, NULL));
    if (space >= 0)
        attr = check(h, H5Acreate_by_name(h->file, path, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (attr >= 0 && H5Awrite(attr, type, value) < 0) sw_h5_fail_hdf5(h);
    if (attr >= 0) H5Aclose(attr);
    if (space >= 0) H5Sclose(space);
}

void sw_h5_attr(struct sw_h5 *h, const char *path, const char *name, enum sw_h5_type type, int count, const void *value)
{
    attribute(h, path, name, sw_h5_native(type), count, value);
}

void sw_h5_attr_text(struct sw_h5 *h, const char *path, const char *name, const char *text)
{
    attribute(h, path, name, sw_h5_native(SW_H5_TEXT), 1, &text);
}

void sw_h5_attr_texts(struct sw_h5 *h, const char *path, const char *name, char *const *text, int count)
{
    if (count) attribute(h, path, name, sw_h5_native(SW_H5_TEXT), count, text);
}

static void set_fill(hid_t list, enum sw_h5_type type)
{
    const double nan_double = NAN;
    const float nan_single = NAN;
    if (type == SW_H5_DOUBLE) H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &nan_double);
    if (type == SW_H5_SINGLE) H5Pset_fill_value(list, H5T_NATIVE_FLOAT, &nan_single);
}

static hid_t creation_list(enum sw_h5_type type, const struct sw_h5_shape *shape)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_attr_creation_order(list, ORDER);
    set_fill(list, type);
    if (type != SW_H5_TEXT) H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);  /* all is written: do not write it twice */
    if (shape->rank && shape->chunk[0]) H5Pset_chunk(list, shape->rank, shape->chunk);
    return list;
}

void sw_h5_dataset_close(hid_t dataset)
{
    if (dataset >= 0) H5Dclose(dataset);
}

static hid_t space_of(const struct sw_h5_shape *shape)
{
    hsize_t most[SW_H5_RANK];
    if (!shape->rank) return H5Screate(H5S_SCALAR);
    for (int k = 0; k < shape->rank; k++) most[k] = shape->most[k] ? shape->most[k] : shape->dim[k];
    return H5Screate_simple(shape->rank, shape->dim, most);
}

/* @param create  closed */
static hid_t make(struct sw_h5 *h, const char *path, enum sw_h5_type type, const struct sw_h5_shape *shape,
                  hid_t create)
{
    hid_t dataset = -1, access = sw_h5_no_cache(), space = check(h, space_of(shape));
    if (space >= 0) {
        dataset = check(h, H5Dcreate2(h->file, path, sw_h5_native(type), space, H5P_DEFAULT, create, access));
        H5Sclose(space);
    }
    H5Pclose(create);
    H5Pclose(access);
    return dataset;
}

hid_t sw_h5_make(struct sw_h5 *h, const char *path, enum sw_h5_type type, const struct sw_h5_shape *shape)
{
    return h->status ? -1 : make(h, path, type, shape, creation_list(type, shape));
}

hid_t sw_h5_transfer(hsize_t count)
{
    enum { VALUE = 64, MOST = 1 << 20 };  /* a reference to a text has 16 bytes; HDF5's own buffer has 1 MiB */
    hid_t list = H5Pcreate(H5P_DATASET_XFER);
    if (list >= 0) H5Pset_buffer(list, count < 1 ? VALUE : count < MOST / VALUE ? count * VALUE : MOST, NULL, NULL);
    return list;
}

void sw_h5_put(struct sw_h5 *h, const char *path, enum sw_h5_type type, const struct sw_h5_shape *shape,
               const void *data)
{
    hid_t dataset = sw_h5_make(h, path, type, shape);
    if (dataset < 0) return;
    bool empty = shape->rank && shape->dim[0] == 0;
    hid_t transfer = type == SW_H5_TEXT ? sw_h5_transfer(shape->rank ? shape->dim[0] : 1) : H5P_DEFAULT;
    if (transfer < 0 || (!empty && H5Dwrite(dataset, sw_h5_native(type), H5S_ALL, H5S_ALL, transfer, data) < 0))
        sw_h5_fail_hdf5(h);
    if (type == SW_H5_TEXT && transfer >= 0) H5Pclose(transfer);
    H5Dclose(dataset);
}

void sw_h5_put_list(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, const void *data)
{
    sw_h5_put(h, path, type, &(struct sw_h5_shape){.rank = 1, .dim = {(hsize_t)count}}, data);
}

/* Whether all entries have the same bytes; of texts, whether all are empty. */
static bool is_constant(enum sw_h5_type type, int64_t count, const void *data)
{
    const size_t size = sw_h5_size(type);
    const char *const *text = data;
    for (int64_t k = 0; type == SW_H5_TEXT && k < count; k++)
        if (*text[k]) return false;
    if (type == SW_H5_TEXT) return count > 1;
    return count > 1 && !memcmp(data, (const char *)data + size, (size_t)(count - 1) * size);
}

void sw_h5_put_column(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, const void *data)
{
    const struct sw_h5_shape shape = {.rank = 1, .dim = {(hsize_t)count}};
    if (h->status) return;
    if (!is_constant(type, count, data)) { sw_h5_put(h, path, type, &shape, data); return; }
    hid_t create = creation_list(type, &shape);
    H5Pset_fill_time(create, H5D_FILL_TIME_IFSET);  /* of texts HDF5 makes H5D_FILL_TIME_ALLOC of it */
    if (type != SW_H5_TEXT && H5Pset_fill_value(create, sw_h5_native(type), data) < 0) sw_h5_fail_hdf5(h);
    sw_h5_dataset_close(make(h, path, type, &shape, create));
}

void sw_h5_put_text(struct sw_h5 *h, const char *path, const char *text)
{
    sw_h5_put(h, path, SW_H5_TEXT, &(struct sw_h5_shape){0}, &text);
}

static hid_t open_dataset(struct sw_h5 *h, const char *path)
{
    return h->status ? -1 : check(h, H5Dopen2(h->file, path, H5P_DEFAULT));
}

static void make_scale(struct sw_h5 *h, const char *path)
{
    hid_t scale = open_dataset(h, path);
    if (scale < 0) return;
    if (H5DSset_scale(scale, "") < 0) sw_h5_fail_hdf5(h);
    H5Dclose(scale);
}

void sw_h5_put_scale(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, bool unlimited,
                     const void *data)
{
    struct sw_h5_shape shape = {.rank = 1, .dim = {(hsize_t)count}};
    if (unlimited) {  /* may grow only in chunks: one, of what there is now, within 8 MiB */
        shape.chunk[0] = count < 1 ? 1 : count > 1 << 20 ? 1 << 20 : (hsize_t)count;
        shape.most[0] = H5S_UNLIMITED;
    }
    sw_h5_put(h, path, type, &shape, data);
    make_scale(h, path);
}

void sw_h5_put_numbers(struct sw_h5 *h, const char *path, int64_t first, int64_t count, bool written)
{
    enum { PIECE = 1 << 18 };
    const struct sw_h5_shape shape = {.rank = 1, .dim = {(hsize_t)count}};
    double *number = NULL;
    if (h->status) return;
    if (sw_alloc((size_t)(count < PIECE ? count : PIECE), &number)) {
        sw_h5_fail(h, SW_E_MEMORY, "out of memory");
        return;
    }
    hid_t dataset = sw_h5_make(h, path, SW_H5_DOUBLE, &shape);
    for (int64_t at = 0; at < count && written && !h->status; at += PIECE) {
        const hsize_t start[] = {(hsize_t)at}, size[] = {(hsize_t)(count - at < PIECE ? count - at : PIECE)};
        for (int64_t k = 0; k < (int64_t)size[0]; k++) number[k] = (double)(first + at + k);
        sw_h5_write(h, dataset, SW_H5_DOUBLE, 1, start, size, number);
    }
    sw_h5_dataset_close(dataset);
    sw_free(number);
    make_scale(h, path);
}

void sw_h5_attach(struct sw_h5 *h, const char *path, int axis, const char *scale)
{
    hid_t dataset = open_dataset(h, path), s = open_dataset(h, scale);
    if (dataset >= 0 && s >= 0 && H5DSattach_scale(dataset, s, (unsigned)axis) < 0) sw_h5_fail_hdf5(h);
    sw_h5_dataset_close(dataset);
    sw_h5_dataset_close(s);
}

void sw_h5_grow(struct sw_h5 *h, hid_t dataset, const hsize_t *dim)
{
    if (!h->status && H5Dset_extent(dataset, dim) < 0) sw_h5_fail_hdf5(h);
}

void sw_h5_write(struct sw_h5 *h, hid_t dataset, enum sw_h5_type type, int rank, const hsize_t *start,
                 const hsize_t *count, const void *data)
{
    if (!h->status && sw_mem_check_margin()) sw_h5_give_up(h, SW_E_MEMORY);
    if (h->status) return;
    hid_t file_space = check(h, H5Dget_space(dataset)), memory = check(h, rank ? H5Screate_simple(rank, count, NULL)
                                                                               : H5Screate(H5S_SCALAR));
    if (file_space >= 0 && memory >= 0 &&
        ((rank && H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) < 0) ||
         H5Dwrite(dataset, sw_h5_native(type), memory, file_space, H5P_DEFAULT, data) < 0))
        sw_h5_fail_hdf5(h);
    if (memory >= 0) H5Sclose(memory);
    if (file_space >= 0) H5Sclose(file_space);
    check_disk(h);
}

/* ---- opening and closing */

/* At exit HDF5 would close what it could not close before, after an error of the system, and crash at that. All that is
 * written is closed by then, or given up. Before its first call, wherever that is. */
__attribute__((constructor)) static void leave_hdf5_at_exit(void) { H5dont_atexit(); }

static hid_t access_list(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (list < 0) return list;
    sw_h5_driver_use(list);  /* whatever HDF5_DRIVER says */
    H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);  /* with the file goes all that is open in it */
    H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(list, false, true);        /* fails on file systems without locks; ours is sw_output_lock() */
#endif
    return list;
}

static enum sw_status begin_file(struct sw_h5 *h, const char *path, bool writing)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);  /* we print, not HDF5 */
    *h = (struct sw_h5){.file = -1, .writing = writing};
    h->path = sw_strdup(path);
    return h->status = h->path ? sw_mem_check_margin() : SW_E_MEMORY;
}

enum sw_status sw_h5_create(struct sw_h5 *h, const char *path)
{
    SW_TRY(begin_file(h, path, true));
    hid_t access = access_list(), create = H5Pcreate(H5P_FILE_CREATE);
    unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;  /* netCDF-4 asks for it */
    if (access < 0 || create < 0) sw_h5_fail_hdf5(h);
    else if (sw_checksum_begin(&h->checksum)) sw_h5_give_up(h, SW_E_MEMORY);
    else {
        sw_h5_driver_checksum(-1, h->checksum);
        H5Pset_link_creation_order(create, order);
        H5Pset_attr_creation_order(create, order);
        h->file = H5Fcreate(path, H5F_ACC_TRUNC, create, access);
        sw_h5_driver_checksum(-1, NULL);
        if (h->file < 0) sw_h5_fail_hdf5(h);
    }
    H5Pclose(access);
    H5Pclose(create);
    if (h->status) return h->status;
    sw_h5_attr_text(h, "/", SW_H5_CHECKSUM, "XXH3 of 128 bits, of each 64 KiB, behind the end of the HDF5 data");
    return h->status;
}

enum sw_status sw_h5_open(struct sw_h5 *h, const char *path)
{
    SW_TRY(begin_file(h, path, false));
    if (sw_files_regular(path)) return h->status = SW_E_IO;
    hid_t access = access_list();
    h->file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (h->file < 0) sw_h5_fail_open(h);
    else if (H5Fget_filesize(h->file, &h->bytes) < 0) sw_h5_fail_hdf5(h);
    H5Pclose(access);
    return h->status;
}

static void close_file(struct sw_h5 *h)
{
    if (!h->status && h->writing && sw_mem_check_margin()) sw_h5_give_up(h, SW_E_MEMORY);
    if (!h->status && h->writing && H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0) sw_h5_fail_hdf5(h);
    check_disk(h);
    sw_h5_heap_close(h);
    bool closed = h->file < 0 || H5Fclose(h->file) >= 0;
    h->file = -1;
    check_disk(h);
    if (!closed) sw_h5_fail_hdf5(h);
}

static enum sw_status end_file(struct sw_h5 *h)
{
    sw_checksum_drop(&h->checksum);
    sw_free(h->path);
    h->path = NULL;
    return h->status;
}

enum sw_status sw_h5_close(struct sw_h5 *h)
{
    if (!h->path) return h->status;
    close_file(h);
    return end_file(h);
}

enum sw_status sw_h5_close_written(struct sw_h5 *h, struct sw_sealed *sealed)
{
    sealed->fd = h->status ? -1 : sw_h5_driver_descriptor(h->file);
    if (sealed->fd < 0) sw_h5_fail_errno(h, errno);
    close_file(h);
    if (!h->status) h->status = sw_checksum_seal(&h->checksum, sealed, h->path);
    if (!end_file(h)) return SW_OK;
    if (sealed->fd >= 0) close(sealed->fd);
    sealed->fd = -1;
    return h->status;
}

void sw_h5_drop(struct sw_h5 *h)
{
    sw_h5_give_up(h, SW_E_STOPPED);
    sw_h5_close(h);
}
