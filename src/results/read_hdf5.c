#include <string.h>

#include "base/sw_mem.h"
#include "results/tool_hdf5.h"

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

static hid_t open_attr(struct sw_h5 *h, const char *path, const char *name)
{
    if (!sw_h5_has_attr(h, path, name)) return -1;
    hid_t attr = H5Aopen_by_name(h->file, path, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attr < 0) sw_h5_fail_hdf5(h);
    return attr;
}

static bool is_text(hid_t type)
{
    return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0;
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
    hid_t attr = open_attr(h, path, name), space = -1, type = -1;
    *count = 0;
    if (attr < 0) return NULL;
    space = H5Aget_space(attr);
    type = H5Aget_type(attr);
    hssize_t n = space >= 0 && type >= 0 && is_text(type) ? H5Sget_simple_extent_npoints(space) : -1;
    if (n < 0) sw_h5_damaged(h, "an attribute is not the text it should be");
    else if (sw_alloc((size_t)n + 1, &raw)) h->status = SW_E_MEMORY;
    else if (H5Aread(attr, sw_h5_native(SW_H5_TEXT), raw) < 0) sw_h5_fail_hdf5(h);
    else {
        if (copy_texts(raw, n, &text)) { h->status = SW_E_MEMORY; sw_h5_free_texts(&text, n); }
        else *count = (int)n;
        RECLAIM(sw_h5_native(SW_H5_TEXT), space, H5P_DEFAULT, raw);
    }
    sw_free(raw);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(attr);
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
    hid_t attr = open_attr(h, path, name);
    if (attr < 0) return fallback;
    if (H5Aread(attr, H5T_NATIVE_INT64, &value) < 0) sw_h5_fail_hdf5(h);
    H5Aclose(attr);
    return value;
}

int sw_h5_get_attr_integers(struct sw_h5 *h, const char *path, const char *name, int most, int64_t *value)
{
    hid_t attr = open_attr(h, path, name);
    if (attr < 0) return 0;
    hid_t space = H5Aget_space(attr);
    hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (count < 0 || count > most) sw_h5_damaged(h, "an attribute is not the list of numbers it should be");
    else if (H5Aread(attr, H5T_NATIVE_INT64, value) < 0) sw_h5_fail_hdf5(h);
    if (space >= 0) H5Sclose(space);
    H5Aclose(attr);
    return h->status ? 0 : (int)count;
}

static enum sw_h5_type type_of(hid_t type)
{
    if (is_text(type)) return SW_H5_TEXT;
    if (H5Tget_class(type) == H5T_FLOAT) return H5Tget_size(type) == 4 ? SW_H5_SINGLE : SW_H5_DOUBLE;
    if (H5Tget_class(type) == H5T_INTEGER) return H5Tget_size(type) == 1 ? SW_H5_BYTE : SW_H5_INTEGER;
    return SW_H5_TYPES;
}

static void read_chunk(hid_t dataset, struct sw_h5_shape *shape)
{
    hid_t properties = dataset >= 0 ? H5Dget_create_plist(dataset) : -1;
    if (properties < 0) return;
    if (H5Pget_layout(properties) == H5D_CHUNKED) H5Pget_chunk(properties, SW_H5_RANK, shape->chunk);
    H5Pclose(properties);
}

hid_t sw_h5_dataset(struct sw_h5 *h, const char *path, struct sw_h5_shape *shape, enum sw_h5_type *type)
{
    if (h->status) return -1;
    hid_t access = sw_h5_no_cache(), dataset = H5Dopen2(h->file, path, access);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1, t = dataset >= 0 ? H5Dget_type(dataset) : -1;
    *shape = (struct sw_h5_shape){.rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1};
    if (space < 0 || t < 0) sw_h5_fail_hdf5(h);
    else if (shape->rank > SW_H5_RANK) sw_h5_damaged(h, "a dataset has more dimensions than it should");
    else H5Sget_simple_extent_dims(space, shape->dim, NULL);
    read_chunk(dataset, shape);
    *type = t >= 0 ? type_of(t) : SW_H5_TYPES;
    if (t >= 0) H5Tclose(t);
    if (space >= 0) H5Sclose(space);
    H5Pclose(access);
    if (!h->status) return dataset;
    sw_h5_dataset_close(dataset);
    return -1;
}

static hid_t open_list(struct sw_h5 *h, const char *path, int64_t count, bool text)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char message[200];
    hid_t dataset = sw_h5_dataset(h, path, &shape, &type);
    if (dataset < 0) return -1;
    int64_t there = 1;
    for (int k = 0; k < shape.rank; k++) there *= (int64_t)shape.dim[k];
    if (there == count && (type == SW_H5_TEXT) == text && type != SW_H5_TYPES) return dataset;
    snprintf(message, sizeof message, "dataset %s is not the list of %lld %s it should be", path, (long long)count,
             text ? "texts" : "numbers");
    sw_h5_damaged(h, message);
    H5Dclose(dataset);
    return -1;
}

void sw_h5_get_list(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, void *data)
{
    hid_t dataset = open_list(h, path, count, false);
    if (dataset < 0) return;
    if (count && H5Dread(dataset, sw_h5_native(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) sw_h5_fail_hdf5(h);
    H5Dclose(dataset);
}

/* Texts are read a block at a time: HDF5 allocates each of them. */
void sw_h5_get_texts(struct sw_h5 *h, const char *path, int64_t count,
                     enum sw_status (*visit)(void *user, int64_t k, const char *text), void *user)
{
    enum { BLOCK = 4096 };
    char **raw = NULL;
    hid_t dataset = open_list(h, path, count, true);
    if (dataset >= 0 && sw_alloc(BLOCK, &raw)) h->status = SW_E_MEMORY;
    for (int64_t first = 0; !h->status && first < count; first += BLOCK) {
        hsize_t start = (hsize_t)first, block = (hsize_t)(count - first < BLOCK ? count - first : BLOCK);
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
    hid_t dataset = open_list(h, path, 1, true);
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
    if (file_space < 0 || memory < 0 || H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
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
