/* Virtual datasets (HDF5 1.10): a dataset whose values stay in others, in files beside it. Where such a file is not
 * there any more, HDF5 gives the fill value and says nothing; so the file lists these files with their sizes, and our
 * own readers check them before they read. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "store/hdf5/virtual_dataset_hdf5.h"

static const char parts[] = "/provenance/parts", sizes[] = "/provenance/part_bytes",
                  scale[] = "/provenance/part";

/* "%b" in a name stands for a number. */
static char *escaped(const char *name)
{
    struct sw_text t = {0};
    for (; *name; name++) sw_text_add_bytes(&t, *name == '%' ? "%%" : name, *name == '%' ? 2 : 1);
    return sw_text_take(&t);
}

static void add_mapping(struct sw_h5 *h, hid_t list, const struct sw_h5_shape *shape,
                        const struct sw_h5_virtual_source *p)
{
    hsize_t stride[SW_H5_RANK], count[SW_H5_RANK], block[SW_H5_RANK];  /* a row is a block */
    for (int k = 0; k < shape->rank; k++) stride[k] = count[k] = 1;
    memcpy(block, p->count, sizeof block);
    if (p->step > 1) {
        stride[0] = p->step;
        count[0] = p->count[0];
        block[0] = 1;
    }
    char *file = escaped(p->file);
    hid_t here = H5Screate_simple(shape->rank, shape->dim, NULL), there = H5Screate_simple(shape->rank, p->dim, NULL);
    if (!file) sw_h5_fail(h, SW_E_MEMORY, "out of memory");
    else if (here < 0 || there < 0 ||
             H5Sselect_hyperslab(here, H5S_SELECT_SET, p->to, stride, count, block) < 0 ||
             H5Sselect_hyperslab(there, H5S_SELECT_SET, p->from, NULL, p->count, NULL) < 0 ||
             H5Pset_virtual(list, here, file, p->path, there) < 0)
        sw_h5_fail_hdf5(h);
    if (here >= 0) H5Sclose(here);
    if (there >= 0) H5Sclose(there);
    sw_free(file);
}

void sw_h5_write_virtual(struct sw_h5 *h, const char *path, enum sw_h5_type type, const struct sw_h5_shape *shape,
                         const struct sw_h5_virtual_source *source, int64_t count)
{
    if (h->status) return;
    hid_t list = sw_h5_filled(type), space = H5Screate_simple(shape->rank, shape->dim, NULL), dataset = -1;
    for (int64_t k = 0; k < count && !h->status; k++) add_mapping(h, list, shape, &source[k]);
    /* If it need not care for HDF5 1.8, which has no virtual datasets anyway, 1.10 writes a regular selection as such,
     * not as a list of blocks that takes a time quadratic in its length to read. */
    H5Fset_libver_bounds(h->file, H5F_LIBVER_V110, H5F_LIBVER_V110);
    if (!h->status)
        dataset = H5Dcreate2(h->file, path, sw_h5_native(type), space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (!h->status && dataset < 0) sw_h5_fail_hdf5(h);
    H5Fset_libver_bounds(h->file, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    if (dataset >= 0) H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(list);
}

void sw_h5_write_virtual_files(struct sw_h5 *h, char *const *name, const int64_t *bytes, int64_t count)
{
    int64_t *number;
    if (h->status) return;
    if (sw_alloc((size_t)count, &number)) { h->status = SW_E_MEMORY; return; }
    for (int64_t k = 0; k < count; k++) number[k] = k;
    sw_h5_put_scale(h, scale, SW_H5_INTEGER, count, false, number);  /* some readers warn of dimensions without one */
    sw_h5_put_list(h, parts, SW_H5_TEXT, count, name);
    sw_h5_put_list(h, sizes, SW_H5_INTEGER, count, bytes);
    sw_h5_attach(h, parts, 0, scale);
    sw_h5_attach(h, sizes, 0, scale);
    sw_free(number);
}

/* A part's name as it is to be opened: it is relative to the file's folder. */
static char *path_beside(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    struct sw_text t = {0};
    if (slash) sw_text_add_bytes(&t, file, (size_t)(slash - file) + 1);
    sw_text_add(&t, name);
    return sw_text_take(&t);
}

struct reading { struct sw_h5 *h; char **part; };

static enum sw_status add_file(void *user, int64_t k, const char *text)
{
    struct reading *r = user;
    if (!sw_h5_is_below(text))
        return sw_h5_damaged(r->h, "lists a part that is not in its folder, nor below it: sweep lists no such part");
    return (r->part[k] = path_beside(r->h->path, text)) ? SW_OK : SW_E_MEMORY;
}

static void check_file(struct sw_h5 *h, const char *part, int64_t bytes)
{
    struct stat s;
    const bool there = !stat(part, &s);
    if (there && (int64_t)s.st_size == bytes) return;
    if (there)
        h->status = SW_FAIL(SW_E_IO,
                            "%s is virtual, and its part %s has changed (from %lld bytes to %lld); merge "
                            "the parts again, or put the original part back",
                            h->path, part, (long long)bytes, (long long)s.st_size);
    else
        h->status = SW_FAIL(SW_E_IO,
                            "%s is virtual: the fields are in its parts, and %s is not there; put it back (a "
                            "virtual file and its parts are moved together)",
                            h->path, part);
}

void sw_h5_read_virtual_files(struct sw_h5 *h, char ***part, int *count)
{
    int64_t *bytes = NULL;
    *count = 0;
    *part = NULL;
    if (h->status || !sw_h5_has(h, parts)) return;
    const int64_t n = sw_h5_length(h, parts);
    if (n > INT_MAX) sw_h5_damaged(h, "has more parts than can be");
    if (h->status) return;
    if (sw_alloc((size_t)n + 1, part) || sw_alloc((size_t)n, &bytes)) h->status = SW_E_MEMORY;
    else *count = (int)n;
    sw_h5_get_texts(h, parts, *count, add_file, &(struct reading){h, *part});
    sw_h5_get_list(h, sizes, SW_H5_INTEGER, *count, bytes);
    for (int k = 0; k < *count && !h->status; k++) check_file(h, (*part)[k], bytes[k]);
    sw_free(bytes);
}
