/* What all of the HDF5 layer needs: types in memory; what goes wrong with a file; and what no file may have: a link out
 * of it, or more than a file of its length holds. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_private.h"
#include "store/hdf5/h5_hdf5.h"

/* ---- types in memory */

/* Strings are of variable length and UTF-8 throughout: fixed ones crash readers built on netCDF-C. Made once. */
static hid_t text_type(void)
{
    static hid_t type = -1;
    if (type < 0) {
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        H5Tset_cset(type, H5T_CSET_UTF8);
    }
    return type;
}

hid_t sw_h5_native(enum sw_h5_type type)
{
    switch (type) {
    case SW_H5_BYTE: return H5T_NATIVE_UCHAR;
    case SW_H5_INTEGER: return H5T_NATIVE_INT64;
    case SW_H5_UNSIGNED: return H5T_NATIVE_UINT64;
    case SW_H5_SINGLE: return H5T_NATIVE_FLOAT;
    case SW_H5_DOUBLE: return H5T_NATIVE_DOUBLE;
    default: return text_type();
    }
}

size_t sw_h5_size(enum sw_h5_type type)
{
    static const size_t size[] = {1, sizeof(int64_t), sizeof(uint64_t), sizeof(float), sizeof(double), sizeof(char *)};
    return size[type];
}

/* ---- links into other files: HDF5 asks before it follows one */
static bool met_link;

static herr_t refuse_link(const char *file, const char *group, const char *to_file, const char *to_object,
                          unsigned *flags, hid_t access, void *user)
{
    (void)file; (void)group; (void)to_file; (void)to_object; (void)flags; (void)access; (void)user;
    met_link = true;
    return -1;
}

void sw_h5_refuse_links(hid_t access_list) { H5Pset_elink_cb(access_list, refuse_link, NULL); }

/* Whether that has happened since it was asked last. */
static bool has_met_link(void)
{
    const bool met = met_link;
    met_link = false;
    return met;
}

/* Without a chunk cache whole blocks go straight from the caller's memory to the file. */
hid_t sw_h5_no_cache(void)
{
    hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(list, 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT);
    sw_h5_refuse_links(list);
    return list;
}

/* ---- what HDF5 says went wrong */
struct reason {
    bool memory;
    char text[200];  /* of the innermost entry */
};

static herr_t note_entry(unsigned n, const H5E_error2_t *entry, void *user)
{
    struct reason *r = user;
    if (entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC) r->memory |= entry->maj_num == H5E_RESOURCE;
    if (n == 0 && entry->desc) snprintf(r->text, sizeof r->text, "%s", entry->desc);
    return 0;
}

void sw_h5_give_up(struct sw_h5 *h, enum sw_status st)
{
    if (!h->status) h->status = st;
    if (h->writing && h->file >= 0) sw_h5_driver_give_up(h->file);
}

void sw_h5_fail(struct sw_h5 *h, enum sw_status st, const char *text)
{
    if (!h->status) SW_FAIL(st, strncmp(text, "is ", 3) ? "%s: %s" : "%s %s", h->path, text);
    sw_h5_give_up(h, st);
}

void sw_h5_fail_errno(struct sw_h5 *h, int error)
{
    const enum sw_status st = h->status ? h->status : sw_checksum_fail(h->checksum, error, h->path);
    sw_h5_give_up(h, st);
}

void sw_h5_fail_hdf5(struct sw_h5 *h)
{
    struct reason r = {0};
    const bool link = has_met_link();
    if (h->status) return;
    if (link) { sw_h5_damaged(h, "has a link into another file, as sweep never writes one"); return; }
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_entry, &r);  /* before any other call of HDF5: it forgets */
    const int error = sw_h5_driver_error(h->file);
    if (error == ENOMEM || (r.memory && !error)) sw_h5_fail(h, SW_E_MEMORY, "out of memory");
    else if (error) sw_h5_fail_errno(h, error);
    else sw_h5_damaged(h, r.text[0] ? r.text : "HDF5 failed without saying why");
}

enum sw_status sw_h5_damaged(struct sw_h5 *h, const char *text)
{
    return sw_h5_fail_damaged(h, SW_CAUSE_DAMAGED, text);
}

enum sw_status sw_h5_fail_damaged(struct sw_h5 *h, enum sw_cause cause, const char *text)
{
    struct sw_text fault = SW_SHORT_TEXT;  /* whatever came of bytes that HDF5 was not given: why it was not */
    h->damaged = h->writing || !sw_open_elsewhere(h->path);
    const bool first = !h->status, by_driver = h->damaged && !h->writing && sw_h5_driver_fault(h->file, &fault);
    sw_h5_fail(h, SW_E_IO, !h->damaged ? SW_OPEN_ELSEWHERE : by_driver ? sw_text_get(&fault) : text);
    if (first && h->damaged) sw_err_set_cause(by_driver ? SW_CAUSE_DAMAGED : cause);
    return h->status;
}

/* @return errno; 0: the system reads the file, and *yes says whether it begins as HDF5 files do */
static int find_signature(const char *path, bool *yes)
{
    unsigned char head[8] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, head, sizeof head) : -1;
    const int error = length < 0 ? errno : 0;
    if (fd >= 0) close(fd);
    *yes = length == (ssize_t)sizeof head && !memcmp(head, "\211HDF\r\n\032\n", sizeof head);
    return error;
}

void sw_h5_fail_open(struct sw_h5 *h)
{
    struct reason r = {0};
    char text[300];
    bool is_hdf5 = false;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_entry, &r);
    if (r.memory || sw_h5_driver_error(-1)) {
        sw_h5_fail_hdf5(h);
        return;
    }
    const int error = find_signature(h->path, &is_hdf5);
    snprintf(text, sizeof text, "is a damaged HDF5 file: %s", r.text);
    if (error) sw_h5_fail_errno(h, error);
    else if (is_hdf5) sw_h5_damaged(h, text);
    else sw_h5_fail_damaged(h, SW_CAUSE_UNKNOWN, "is not an HDF5 file");
}

/* ---- memory */

/* Each list of a file is read once or twice, and takes no more memory than the file (a byte that is read as an integer
 * is never in a list). What a list of names or of members takes besides is small. */
void sw_h5_charge(struct sw_h5 *h, int64_t count, size_t size)
{
    enum { TIMES = 4, FREELY = 1 << 20 };
    int64_t bytes;
    if (h->status || h->writing) return;
    const bool fits = count >= 0 && !__builtin_mul_overflow(count, (int64_t)size, &bytes);
    if (fits && (hsize_t)bytes <= TIMES * h->bytes + FREELY - h->charged) h->charged += (hsize_t)bytes;
    else sw_h5_damaged(h, "says that it holds more than a file of its length can");
}
