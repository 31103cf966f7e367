#include "store/hdf5/h5_hdf5.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "store/files/sw_files.h"

/* At exit HDF5 would close what it could not close before, after an error of the system, and crash at that. All that is
 * written is closed by then, or given up. Before its first call, wherever that is. */
__attribute__((constructor)) static void leave_hdf5_at_exit(void) { H5dont_atexit(); }

/* ---- open and close */
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
    return h->status = h->path ? SW_OK : SW_E_MEMORY;
}

enum sw_status sw_h5_create(struct sw_h5 *h, const char *path)
{
    SW_TRY(begin_file(h, path, true));
    hid_t access = access_list(), create = H5Pcreate(H5P_FILE_CREATE);
    unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;  /* netCDF-4 asks for it */
    if (access >= 0 && create >= 0) {
        H5Pset_link_creation_order(create, order);
        H5Pset_attr_creation_order(create, order);
        h->file = H5Fcreate(path, H5F_ACC_TRUNC, create, access);
    }
    if (h->file < 0) sw_h5_fail_hdf5(h);
    else if (sw_checksum_begin(&h->checksum)) sw_h5_give_up(h, SW_E_MEMORY);
    H5Pclose(access);
    H5Pclose(create);
    if (h->status) return h->status;
    sw_h5_driver_checksum(h->file, h->checksum);
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
    if (!h->status && h->writing && H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0) sw_h5_fail_hdf5(h);
    sw_h5_check_disk(h);
    sw_h5_heap_close(h);
    bool closed = h->file < 0 || H5Fclose(h->file) >= 0;
    h->file = -1;
    sw_h5_check_disk(h);
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

enum sw_status sw_h5_close_written(struct sw_h5 *h, int *fd)
{
    *fd = h->status ? -1 : sw_h5_driver_descriptor(h->file);
    if (*fd < 0) sw_h5_fail(h, SW_E_IO, strerror(errno));
    close_file(h);
    if (!h->status) h->status = sw_checksum_seal(&h->checksum, *fd, h->path);
    if (!end_file(h)) return SW_OK;
    if (*fd >= 0) close(*fd);
    *fd = -1;
    return h->status;
}

void sw_h5_drop(struct sw_h5 *h)
{
    sw_h5_give_up(h, SW_E_STOPPED);
    sw_h5_close(h);
}
