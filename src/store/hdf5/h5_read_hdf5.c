#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "store/hdf5/h5_heap_hdf5.h"

/* All values of attributes and datasets of output files are read here (check_reads.sh), once h5_check_hdf5.c
 * has nothing against them. */


bool sw_h5_has(struct sw_h5 *h, const char *path)
{
    if (h->status) return false;
    const htri_t there = !strcmp(path, "/") ? 1 : H5Lexists(h->file, path, sw_h5_link_access());
    if (there < 0) sw_h5_fail_hdf5(h);
    return there > 0;
}

bool sw_h5_has_attr(struct sw_h5 *h, const char *path, const char *name)
{
    const htri_t there = sw_h5_has(h, path) ? H5Aexists_by_name(h->file, path, name, sw_h5_link_access()) : 0;
    if (there < 0) sw_h5_fail_hdf5(h);
    return there > 0;
}

/* ---- checks: an attribute or dataset must have the type and shape that the reader expects, before it is read */

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
    a->id = H5Aopen_by_name(h->file, path, name, H5P_DEFAULT, sw_h5_link_access());
    a->space = a->id >= 0 ? H5Aget_space(a->id) : -1;
    hid_t type = a->id >= 0 ? H5Aget_type(a->id) : -1;
    if (a->space < 0 || type < 0) sw_h5_fail_hdf5(h);
    else {
        a->count = H5Sget_simple_extent_ndims(a->space) <= 1 ? H5Sget_simple_extent_npoints(a->space) : -1;
        if (a->count < 0 || a->count > most || !sw_h5_fits(type, wanted))
            damaged(h, "attribute", path, name,
                    wanted == SW_H5_TEXT ? "the text" : most == 1 ? "the number" : "the list of numbers");
    }
    if (type >= 0) H5Tclose(type);
    sw_h5_charge(h, a->count, wanted == SW_H5_TEXT ? SW_H5_REFERENCE : sw_h5_size(wanted));
    if (h->status) close_attr(a);
    return !h->status;
}

char **sw_h5_get_attr_texts(struct sw_h5 *h, const char *path, const char *name, int *count)
{
    unsigned char (*reference)[SW_H5_REFERENCE] = NULL;
    char **text = NULL;
    struct attr a;
    *count = 0;
    if (!open_attr(h, path, name, SW_H5_TEXT, INT_MAX, &a)) return NULL;
    if (sw_alloc((size_t)a.count, &reference) || sw_alloc((size_t)a.count + 1, &text)) h->status = SW_E_MEMORY;
    else if (a.count && H5Aread(a.id, sw_h5_references(), reference) < 0) sw_h5_fail_hdf5(h);
    for (int64_t k = 0; k < a.count && !h->status; k++) text[k] = sw_h5_heap_text(h, reference[k]);
    if (h->status) sw_h5_free_texts(&text, a.count);
    else *count = (int)a.count;
    sw_free(reference);
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

int64_t sw_h5_get_attr_count(struct sw_h5 *h, const char *path, const char *name)
{
    int64_t value = 0;
    char message[200];
    if (!sw_h5_get_attr_integers(h, path, name, 1, &value) || (value >= 0 && value <= SW_H5_MOST)) return value;
    snprintf(message, sizeof message, "says %.60s = %lld at '%.60s', as no file has", name, (long long)value, path);
    sw_h5_damaged(h, message);
    return 0;
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

hid_t sw_h5_dataset(struct sw_h5 *h, const char *path, struct sw_h5_shape *shape, enum sw_h5_type *type)
{
    *shape = (struct sw_h5_shape){0};
    *type = SW_H5_TYPES;
    if (h->status) return -1;
    hid_t access = sw_h5_no_cache(), dataset = H5Dopen2(h->file, path, access), space = -1, t = -1;
    if (dataset < 0) sw_h5_fail_hdf5(h);
    else sw_h5_check_layout(h, dataset, shape);
    if (!h->status) {
        space = H5Dget_space(dataset);
        t = H5Dget_type(dataset);
        shape->rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
        if (space < 0 || t < 0 || shape->rank < 0) sw_h5_fail_hdf5(h);
        else if (shape->rank > SW_H5_RANK) sw_h5_damaged(h, "a dataset has more dimensions than it should");
        else if (H5Sget_simple_extent_type(space) == H5S_NULL) sw_h5_damaged(h, "a dataset has no extent");
        else H5Sget_simple_extent_dims(space, shape->dim, NULL);
    }
    *type = t >= 0 ? sw_h5_type_of(t) : SW_H5_TYPES;
    if (t >= 0) H5Tclose(t);
    if (space >= 0) H5Sclose(space);
    H5Pclose(access);
    if (!h->status) return dataset;
    *shape = (struct sw_h5_shape){0};
    sw_h5_dataset_close(dataset);
    return -1;
}

void sw_h5_check_stored(struct sw_h5 *h, const char *path, int64_t entries)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    hid_t dataset = sw_h5_dataset(h, path, &shape, &type);
    if (entries < 0) entries = sw_h5_entries(shape.dim, shape.rank);  /* of none: 1, and then nothing is asked */
    if (dataset >= 0) sw_h5_require_stored(h, dataset, &shape, entries);
    sw_h5_dataset_close(dataset);
}

/* Entries of a list are in the file one by one: it has more bytes than they are. */
static bool has_bytes(const struct sw_h5 *h, int64_t count)
{
    return count >= 0 && (hsize_t)count <= h->bytes;
}

int64_t sw_h5_length(struct sw_h5 *h, const char *path)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    hid_t dataset = sw_h5_dataset(h, path, &shape, &type);
    if (dataset < 0) return 0;
    sw_h5_dataset_close(dataset);
    if (shape.rank == 1 && has_bytes(h, sw_h5_entries(shape.dim, 1))) return (int64_t)shape.dim[0];
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
    const bool right = t >= 0 && sw_h5_fits(t, wanted) && sw_h5_entries(shape.dim, shape.rank) == count &&
                       (wanted != SW_H5_TEXT || count == 1 || shape.rank == 1) && !shape.is_virtual &&
                       has_bytes(h, count);
    if (t >= 0) H5Tclose(t);
    if (right) {
        sw_h5_require_stored(h, dataset, &shape, count);
        sw_h5_charge(h, count, wanted == SW_H5_TEXT ? SW_H5_REFERENCE : sw_h5_size(wanted));
        if (!h->status) return dataset;
        H5Dclose(dataset);
        return -1;
    }
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

/* One value, or a range of a list of them, as references. */
static void read_references(struct sw_h5 *h, hid_t dataset, const hsize_t *start, const hsize_t *count,
                            void *reference)
{
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, count, NULL);
    const bool listed = space >= 0 && H5Sget_simple_extent_ndims(space) == 1;
    if (space < 0 || memory < 0 ||
        (listed && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0) ||
        H5Dread(dataset, sw_h5_references(), memory, space, H5P_DEFAULT, reference) < 0)
        sw_h5_fail_hdf5(h);
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
}

/* A text in one buffer for all: there may be as many as runs. */
struct text_buffer { char *text; size_t room; };

static const char *read_text(struct sw_h5 *h, const unsigned char *reference, struct text_buffer *b)
{
    size_t length;
    const char *from = sw_h5_heap_find(h, reference, &length);
    if (!from) return NULL;
    if ((h->status = sw_have_room(length + 1, &b->text, &b->room))) return NULL;
    memcpy(b->text, from, length);
    b->text[length] = 0;
    return b->text;
}

/* A block of references at a time. */
void sw_h5_get_texts(struct sw_h5 *h, const char *path, int64_t count,
                     enum sw_status (*visit)(void *user, int64_t k, const char *text), void *user)
{
    enum { TEXTS_AT_ONCE = 4096 };
    unsigned char (*reference)[SW_H5_REFERENCE] = NULL;
    struct text_buffer buffer = {0};
    hid_t dataset = open_list(h, path, count, SW_H5_TEXT);
    if (dataset >= 0 && sw_alloc(TEXTS_AT_ONCE, &reference)) h->status = SW_E_MEMORY;
    for (int64_t first = 0; !h->status && first < count; first += TEXTS_AT_ONCE) {
        const hsize_t start = (hsize_t)first,
                      block = (hsize_t)(count - first < TEXTS_AT_ONCE ? count - first : TEXTS_AT_ONCE);
        read_references(h, dataset, &start, &block, reference);
        for (hsize_t k = 0; k < block && !h->status; k++) {
            const char *text = read_text(h, reference[k], &buffer);
            if (text) h->status = visit(user, first + (int64_t)k, text);
        }
    }
    sw_free(buffer.text);
    sw_free(reference);
    sw_h5_dataset_close(dataset);
}

static enum sw_status take_text(void *user, int64_t k, const char *text)
{
    char **to = user;
    (void)k;
    return (*to = sw_strdup(text)) ? SW_OK : SW_E_MEMORY;
}

char *sw_h5_get_text(struct sw_h5 *h, const char *path)
{
    char *text = NULL;
    sw_h5_get_texts(h, path, 1, take_text, &text);
    return text;
}

void sw_h5_read(struct sw_h5 *h, hid_t dataset, enum sw_h5_type type, int rank, const hsize_t *start,
                const hsize_t *count, void *data)
{
    if (h->status) return;
    hid_t file_space = H5Dget_space(dataset), file_type = H5Dget_type(dataset);
    hid_t memory = H5Screate_simple(rank, count, NULL);
    if (file_space >= 0 && file_type >= 0 &&
        (H5Sget_simple_extent_ndims(file_space) != rank || !sw_h5_fits(file_type, type) || type == SW_H5_TEXT))
        sw_h5_damaged(h, "a dataset has another type, or other dimensions, than it should");
    else if (file_space < 0 || file_type < 0 || memory < 0 ||
             H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) < 0 ||
             H5Dread(dataset, sw_h5_native(type), memory, file_space, H5P_DEFAULT, data) < 0)
        sw_h5_fail_hdf5(h);
    if (memory >= 0) H5Sclose(memory);
    if (file_type >= 0) H5Tclose(file_type);
    if (file_space >= 0) H5Sclose(file_space);
}

struct members {
    struct sw_h5  *h;
    enum sw_status (*visit)(void *user, const char *name, bool is_group);
    void          *user;
};

enum { MEMBER_BYTES = 16 };  /* those of a link are more; a file may name one object many times */

static herr_t member(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    struct members *m = user;
    (void)info;
    sw_h5_charge(m->h, MEMBER_BYTES, 1);
    hid_t object = m->h->status ? -1 : H5Oopen(group, name, sw_h5_link_access());
    if (object < 0) return -1;
    enum sw_status st = m->visit(m->user, name, H5Iget_type(object) == H5I_GROUP);
    if (!m->h->status) m->h->status = st;
    H5Oclose(object);
    return m->h->status ? 1 : 0;
}

/* In the order of creation. Of a group with an index of that (each that we write) it is the native one. For any other
 * order HDF5 makes a table of all links first; when reading one fails, 1.10.8 frees what was never put there. */
static H5_iter_order_t order_of(hid_t group)
{
    unsigned kept = 0;
    const hid_t list = H5Gget_create_plist(group);
    const bool known = list >= 0 && H5Pget_link_creation_order(list, &kept) >= 0;
    if (list >= 0) H5Pclose(list);
    return known && kept & H5P_CRT_ORDER_INDEXED ? H5_ITER_NATIVE : H5_ITER_INC;
}

void sw_h5_members(struct sw_h5 *h, const char *path,
                   enum sw_status (*visit)(void *user, const char *name, bool is_group), void *user)
{
    if (h->status) return;
    struct members m = {h, visit, user};
    hid_t group = H5Gopen2(h->file, path, sw_h5_group_access());
    if (group < 0 || H5Literate(group, H5_INDEX_CRT_ORDER, order_of(group), NULL, member, &m) < 0) sw_h5_fail_hdf5(h);
    if (group >= 0) H5Gclose(group);
}
