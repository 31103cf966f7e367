#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "output/h5_hdf5.h"

#if H5_VERSION_GE(1, 12, 0)
#define RECLAIM H5Treclaim
#else
#define RECLAIM H5Dvlen_reclaim
#endif

bool sw_h5_has(struct sw_h5 *h, const char *path)
{
    if (h->status) return false;
    const htri_t there = !strcmp(path, "/") ? 1 : H5Lexists(h->file, path, H5P_DEFAULT);
    if (there < 0) sw_h5_fail_hdf5(h);
    return there > 0;
}

bool sw_h5_has_attr(struct sw_h5 *h, const char *path, const char *name)
{
    const htri_t there = sw_h5_has(h, path) ? H5Aexists_by_name(h->file, path, name, H5P_DEFAULT) : 0;
    if (there < 0) sw_h5_fail_hdf5(h);
    return there > 0;
}

/* ---- checks: an attribute or dataset must have the type and shape that the reader expects, before it is read */

static bool is_text(hid_t type)
{
    return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0;
}

/* What HDF5 converts to `wanted` without a loss of meaning. */
static bool fits(hid_t type, enum sw_h5_type wanted)
{
    const H5T_class_t class = H5Tget_class(type);
    if (wanted == SW_H5_TEXT) return is_text(type);
    return class == H5T_INTEGER || (class == H5T_FLOAT && (wanted == SW_H5_SINGLE || wanted == SW_H5_DOUBLE));
}

/* The number of entries, -1: it is not known, or would not fit. */
static int64_t entries(const hsize_t *dim, int rank)
{
    int64_t count = 1;
    for (int k = 0; k < rank; k++)
        if (dim[k] > INT64_MAX || __builtin_mul_overflow(count, (int64_t)dim[k], &count)) return -1;
    return rank < 0 ? -1 : count;
}

static void damaged(struct sw_h5 *h, const char *what, const char *path, const char *name, const char *wanted)
{
    char text[300];
    snprintf(text, sizeof text, "%s %s%s%s is not %s it should be", what, name, *name ? " of " : "", path, wanted);
    sw_h5_damaged(h, text);
}

/* An attribute of this type, a single value or a list, with at most so many entries. */
struct attr { hid_t id, space; int64_t count; };

static void close_attr(struct attr *a)
{
    if (a->space >= 0) H5Sclose(a->space);
    if (a->id >= 0) H5Aclose(a->id);
    *a = (struct attr){-1, -1, 0};
}

/* @return false: there is none, or it is at fault */
static bool open_attr(struct sw_h5 *h, const char *path, const char *name, enum sw_h5_type wanted, int64_t most,
                      struct attr *a)
{
    *a = (struct attr){-1, -1, 0};
    if (!sw_h5_has_attr(h, path, name)) return false;
    a->id = H5Aopen_by_name(h->file, path, name, H5P_DEFAULT, H5P_DEFAULT);
    a->space = a->id >= 0 ? H5Aget_space(a->id) : -1;
    hid_t type = a->id >= 0 ? H5Aget_type(a->id) : -1;
    if (a->space < 0 || type < 0) sw_h5_fail_hdf5(h);
    else {
        a->count = H5Sget_simple_extent_ndims(a->space) <= 1 ? H5Sget_simple_extent_npoints(a->space) : -1;
        if (a->count < 0 || a->count > most || !fits(type, wanted))
            damaged(h, "attribute", path, name,
                    wanted == SW_H5_TEXT ? "the text" : most == 1 ? "the number" : "the list of numbers");
    }
    if (type >= 0) H5Tclose(type);
    if (h->status) close_attr(a);
    return !h->status;
}

/* The texts of an attribute, or of a dataset, in our memory. */
static enum sw_status copy_texts(char **from, int64_t count, char ***to)
{
    SW_TRY(sw_alloc((size_t)count + 1, to));
    for (int64_t k = 0; k < count; k++)
        if (!((*to)[k] = sw_strdup(from[k] ? from[k] : ""))) return SW_E_MEMORY;
    return SW_OK;
}

char **sw_h5_get_attr_texts(struct sw_h5 *h, const char *path, const char *name, int *count)
{
    char **raw = NULL, **text = NULL;
    struct attr a;
    *count = 0;
    if (!open_attr(h, path, name, SW_H5_TEXT, INT_MAX, &a)) return NULL;
    if (sw_alloc((size_t)a.count + 1, &raw)) h->status = SW_E_MEMORY;
    else if (a.count && H5Aread(a.id, sw_h5_native(SW_H5_TEXT), raw) < 0) sw_h5_fail_hdf5(h);
    else {
        if (copy_texts(raw, a.count, &text)) { h->status = SW_E_MEMORY; sw_h5_free_texts(&text, a.count); }
        else *count = (int)a.count;
        RECLAIM(sw_h5_native(SW_H5_TEXT), a.space, H5P_DEFAULT, raw);
    }
    sw_free(raw);
    close_attr(&a);
    return text;
}

void sw_h5_free_texts(char ***text, int64_t count)
{
    for (int64_t k = 0; *text && k < count; k++) sw_free((*text)[k]);
    sw_free(*text);
    *text = NULL;
}

char *sw_h5_get_attr_text(struct sw_h5 *h, const char *path, const char *name)
{
    int count;
    char **list = sw_h5_get_attr_texts(h, path, name, &count), *text = count ? list[0] : NULL;
    for (int k = 1; k < count; k++) sw_free(list[k]);
    sw_free(list);
    if (!text && !h->status && !(text = sw_strdup(""))) h->status = SW_E_MEMORY;
    return text;
}

int64_t sw_h5_get_attr_integer(struct sw_h5 *h, const char *path, const char *name, int64_t fallback)
{
    int64_t value = fallback;
    return sw_h5_get_attr_integers(h, path, name, 1, &value) ? value : fallback;
}

int sw_h5_get_attr_integers(struct sw_h5 *h, const char *path, const char *name, int most, int64_t *value)
{
    struct attr a;
    if (!open_attr(h, path, name, SW_H5_INTEGER, most, &a)) return 0;
    const int count = (int)a.count;
    if (count && H5Aread(a.id, H5T_NATIVE_INT64, value) < 0) sw_h5_fail_hdf5(h);
    close_attr(&a);
    return h->status ? 0 : count;
}

static enum sw_h5_type type_of(hid_t type)
{
    if (is_text(type)) return SW_H5_TEXT;
    if (H5Tget_class(type) == H5T_FLOAT) return H5Tget_size(type) == 4 ? SW_H5_SINGLE : SW_H5_DOUBLE;
    if (H5Tget_class(type) == H5T_INTEGER) return H5Tget_size(type) == 1 ? SW_H5_BYTE : SW_H5_INTEGER;
    return SW_H5_TYPES;
}

/* Chunks, and that the values are in files of this program: another one's path could be anything. */
static void read_layout(struct sw_h5 *h, hid_t dataset, struct sw_h5_shape *shape)
{
    hid_t properties = dataset >= 0 ? H5Dget_create_plist(dataset) : -1;
    if (properties < 0) return;
    if (H5Pget_layout(properties) == H5D_CHUNKED) H5Pget_chunk(properties, SW_H5_RANK, shape->chunk);
    if (H5Pget_external_count(properties) > 0) sw_h5_damaged(h, "a dataset has its values in another file");
    H5Pclose(properties);
}

hid_t sw_h5_dataset(struct sw_h5 *h, const char *path, struct sw_h5_shape *shape, enum sw_h5_type *type)
{
    *shape = (struct sw_h5_shape){0};
    *type = SW_H5_TYPES;
    if (h->status) return -1;
    hid_t access = sw_h5_no_cache(), dataset = H5Dopen2(h->file, path, access);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1, t = dataset >= 0 ? H5Dget_type(dataset) : -1;
    *shape = (struct sw_h5_shape){.rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1};
    if (space < 0 || t < 0) sw_h5_fail_hdf5(h);
    else if (shape->rank > SW_H5_RANK) sw_h5_damaged(h, "a dataset has more dimensions than it should");
    else H5Sget_simple_extent_dims(space, shape->dim, NULL);
    read_layout(h, dataset, shape);
    *type = t >= 0 ? type_of(t) : SW_H5_TYPES;
    if (t >= 0) H5Tclose(t);
    if (space >= 0) H5Sclose(space);
    H5Pclose(access);
    if (!h->status) return dataset;
    sw_h5_dataset_close(dataset);
    return -1;
}

void sw_h5_check_index(struct sw_h5 *h, const char *path)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    H5D_space_status_t stored;
    hid_t dataset = sw_h5_dataset(h, path, &shape, &type);
    if (dataset >= 0 && H5Dget_space_status(dataset, &stored) < 0) sw_h5_fail_hdf5(h);
    sw_h5_dataset_close(dataset);
}

/* Entries of a list are in the file one by one: it has more bytes than they are. */
static bool has_bytes(const struct sw_h5 *h, int64_t count)
{
    hsize_t bytes = 0;
    return count >= 0 && H5Fget_filesize(h->file, &bytes) >= 0 && (hsize_t)count <= bytes;
}

int64_t sw_h5_length(struct sw_h5 *h, const char *path)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    hid_t dataset = sw_h5_dataset(h, path, &shape, &type);
    if (dataset < 0) return 0;
    sw_h5_dataset_close(dataset);
    if (shape.rank == 1 && has_bytes(h, entries(shape.dim, 1))) return (int64_t)shape.dim[0];
    damaged(h, "dataset", path, "", "the list");
    return 0;
}

static hid_t open_list(struct sw_h5 *h, const char *path, int64_t count, enum sw_h5_type wanted)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char list[80];
    hid_t dataset = sw_h5_dataset(h, path, &shape, &type);
    if (dataset < 0) return -1;
    hid_t t = H5Dget_type(dataset);
    /* texts come in blocks of one dimension */
    const bool right = t >= 0 && fits(t, wanted) && entries(shape.dim, shape.rank) == count &&
                       (wanted != SW_H5_TEXT || count == 1 || shape.rank == 1) && has_bytes(h, count);
    if (t >= 0) H5Tclose(t);
    if (right) return dataset;
    snprintf(list, sizeof list, "the list of %lld %s", (long long)count, wanted == SW_H5_TEXT ? "texts" : "numbers");
    damaged(h, "dataset", path, "", list);
    H5Dclose(dataset);
    return -1;
}

void sw_h5_get_list(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, void *data)
{
    hid_t dataset = open_list(h, path, count, type);
    if (dataset < 0) return;
    if (count && H5Dread(dataset, sw_h5_native(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) sw_h5_fail_hdf5(h);
    H5Dclose(dataset);
}

/* Texts are read a block at a time: HDF5 allocates each of them. */
void sw_h5_get_texts(struct sw_h5 *h, const char *path, int64_t count,
                     enum sw_status (*visit)(void *user, int64_t k, const char *text), void *user)
{
    enum { TEXTS_AT_ONCE = 4096 };
    char **raw = NULL;
    hid_t dataset = open_list(h, path, count, SW_H5_TEXT);
    if (dataset >= 0 && sw_alloc(TEXTS_AT_ONCE, &raw)) h->status = SW_E_MEMORY;
    for (int64_t first = 0; !h->status && first < count; first += TEXTS_AT_ONCE) {
        hsize_t start = (hsize_t)first,
                         block = (hsize_t)(count - first < TEXTS_AT_ONCE ? count - first : TEXTS_AT_ONCE);
        sw_h5_read(h, dataset, SW_H5_TEXT, 1, &start, &block, raw);
        if (h->status) break;
        for (hsize_t k = 0; k < block && !h->status; k++)
            h->status = visit(user, first + (int64_t)k, raw[k] ? raw[k] : "");
        hid_t space = H5Screate_simple(1, &block, NULL);
        RECLAIM(sw_h5_native(SW_H5_TEXT), space, H5P_DEFAULT, raw);
        H5Sclose(space);
    }
    sw_free(raw);
    sw_h5_dataset_close(dataset);
}

char *sw_h5_get_text(struct sw_h5 *h, const char *path)
{
    char *raw = NULL, *text = NULL;
    hid_t dataset = open_list(h, path, 1, SW_H5_TEXT);
    if (dataset < 0) return NULL;
    if (H5Dread(dataset, sw_h5_native(SW_H5_TEXT), H5S_ALL, H5S_ALL, H5P_DEFAULT, &raw) < 0) sw_h5_fail_hdf5(h);
    else if (!(text = sw_strdup(raw ? raw : ""))) h->status = SW_E_MEMORY;
    H5free_memory(raw);
    H5Dclose(dataset);
    return text;
}

void sw_h5_read(struct sw_h5 *h, hid_t dataset, enum sw_h5_type type, int rank, const hsize_t *start,
                const hsize_t *count, void *data)
{
    if (h->status) return;
    hid_t file_space = H5Dget_space(dataset), memory = H5Screate_simple(rank, count, NULL);
    if (file_space >= 0 && H5Sget_simple_extent_ndims(file_space) != rank)
        sw_h5_damaged(h, "a dataset has other dimensions than it should");
    else if (file_space < 0 || memory < 0 ||
             H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
             H5Dread(dataset, sw_h5_native(type), memory, file_space, H5P_DEFAULT, data) < 0)
        sw_h5_fail_hdf5(h);
    if (memory >= 0) H5Sclose(memory);
    if (file_space >= 0) H5Sclose(file_space);
}

struct members {
    struct sw_h5  *h;
    enum sw_status (*visit)(void *user, const char *name, bool is_group);
    void          *user;
};

static herr_t member(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    struct members *m = user;
    (void)info;
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0) return -1;
    enum sw_status st = m->visit(m->user, name, H5Iget_type(object) == H5I_GROUP);
    if (!m->h->status) m->h->status = st;
    H5Oclose(object);
    return m->h->status ? 1 : 0;
}

void sw_h5_members(struct sw_h5 *h, const char *path,
                   enum sw_status (*visit)(void *user, const char *name, bool is_group), void *user)
{
    if (h->status) return;
    struct members m = {h, visit, user};
    hid_t group = H5Gopen2(h->file, path, H5P_DEFAULT);
    if (group < 0 || H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, member, &m) < 0) sw_h5_fail_hdf5(h);
    if (group >= 0) H5Gclose(group);
}
