/* All values of attributes and datasets of output files are read here (check_reads.sh). Somebody else may have
 * made the file: types, extents and layouts are compared with what this program writes, before memory is allocated and
 * before HDF5 follows anything out of the file. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "store/hdf5/h5_hdf5.h"

/* ---- types */

/* The types in files, and what they are in memory. */
static enum sw_h5_type real_type(hid_t type)
{
    const struct { hid_t in_file; enum sw_h5_type type; } real[] = {
        {H5T_IEEE_F64LE, SW_H5_DOUBLE}, {H5T_IEEE_F64BE, SW_H5_DOUBLE},
        {H5T_IEEE_F32LE, SW_H5_SINGLE}, {H5T_IEEE_F32BE, SW_H5_SINGLE},
    };
    for (size_t k = 0; k < sizeof real / sizeof *real; k++)
        if (H5Tequal(type, real[k].in_file) > 0) return real[k].type;
    return SW_H5_TYPES;
}

static enum sw_h5_type integer_type(hid_t type)
{
    const size_t size = H5Tget_size(type);
    const bool usual = (size == 1 || size == 2 || size == 4 || size == 8) && H5Tget_precision(type) == 8 * size;
    if (!usual) return SW_H5_TYPES;
    return size == 1 ? SW_H5_BYTE : size == 8 && H5Tget_sign(type) == H5T_SGN_NONE ? SW_H5_UNSIGNED : SW_H5_INTEGER;
}

/* The type in memory for a type in a file; SW_H5_TYPES: there is none. */
static enum sw_h5_type type_of(hid_t type)
{
    switch (H5Tget_class(type)) {
    case H5T_STRING: return H5Tis_variable_str(type) > 0 ? SW_H5_TEXT : SW_H5_TYPES;
    case H5T_FLOAT: return real_type(type);
    case H5T_INTEGER: return integer_type(type);
    default: return SW_H5_TYPES;
    }
}

/* Whether a type in a file is one that this program writes, or an integer of 1 to 8 bytes, and HDF5 converts it to
 * `wanted` without a loss of meaning. */
static bool fits(hid_t type, enum sw_h5_type wanted)
{
    switch (type_of(type)) {
    case SW_H5_TEXT: return wanted == SW_H5_TEXT;
    case SW_H5_UNSIGNED: return wanted != SW_H5_TEXT;
    case SW_H5_BYTE:
    case SW_H5_INTEGER: return wanted != SW_H5_TEXT && wanted != SW_H5_UNSIGNED;  /* HDF5 makes 0 of what is below */
    case SW_H5_SINGLE:
    case SW_H5_DOUBLE: return wanted == SW_H5_SINGLE || wanted == SW_H5_DOUBLE;
    default: return false;
    }
}

/* ---- extents */

/* The number of entries, -1: it is not known, or would not fit. */
static int64_t entries_of(const hsize_t *dim, int rank)
{
    int64_t count = 1;
    for (int k = 0; k < rank; k++)
        if (dim[k] > INT64_MAX || __builtin_mul_overflow(count, (int64_t)dim[k], &count)) return -1;
    return rank < 0 ? -1 : count;
}

/* The chunks that the extent of a dataset asks for. */
static int64_t chunks_of(const struct sw_h5_shape *shape)
{
    int64_t count = 1;
    for (int k = 0; shape->chunk[0] && k < shape->rank; k++) {
        const hsize_t along = shape->chunk[k] ? shape->dim[k] / shape->chunk[k] + 1 : 1;
        if (along > INT64_MAX || __builtin_mul_overflow(count, (int64_t)along, &count)) return -1;
    }
    return count;
}

/* Whether nothing is stored of a dataset, as all values are its fill value, which was set for that, or is that of
 * texts; in chunks, too, as h5repack leaves it. */
static bool is_constant(hid_t dataset, bool texts)
{
    hid_t properties = H5Dget_create_plist(dataset);
    H5D_fill_time_t when = H5D_FILL_TIME_ERROR;
    H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
    const bool constant = properties >= 0 && H5Dget_storage_size(dataset) == 0 &&
                          H5Pget_fill_time(properties, &when) >= 0 &&
                          (texts ? when != H5D_FILL_TIME_NEVER : when == H5D_FILL_TIME_IFSET) &&
                          H5Pfill_value_defined(properties, &defined) >= 0 &&
                          defined == (texts ? H5D_FILL_VALUE_DEFAULT : H5D_FILL_VALUE_USER_DEFINED);
    if (properties >= 0) H5Pclose(properties);
    return constant;
}

/* Fail if fewer bytes than these entries take are stored for a dataset, or more than the file has.
 * @param column  none is fine, too, where all are the fill value */
static void require_stored(struct sw_h5 *h, hid_t dataset, const struct sw_h5_shape *shape, int64_t entries,
                           bool column)
{
    int64_t bytes;
    if (h->status || shape->is_virtual) return;
    hid_t type = H5Dget_type(dataset);
    const bool known = entries >= 0 && type >= 0 &&
                       !__builtin_mul_overflow(entries, (int64_t)H5Tget_size(type), &bytes);
    const bool texts = known && H5Tget_class(type) == H5T_STRING;
    if (type >= 0) H5Tclose(type);
    if (!known) {
        sw_h5_damaged(h, "says that it holds more than a file of its length can");
        return;
    }
    sw_h5_charge(h, chunks_of(shape), 1);  /* their index is walked through */
    if (h->status || !bytes) return;
    const hsize_t stored = H5Dget_storage_size(dataset);  /* 0 also where the index is damaged */
    if (!stored && H5Eget_num(H5E_DEFAULT) > 0) sw_h5_fail_hdf5(h);
    else if (stored > h->bytes || (stored < (hsize_t)bytes && !(column && is_constant(dataset, texts))))
        sw_h5_damaged(h, "a dataset has a larger extent than is stored of it");
}

/* ---- other files */

/* Ways to objects do not lead into other files. Lists of properties, not to be closed. */
static hid_t link_access(void)
{
    static hid_t list = -1;
    if (list < 0) sw_h5_refuse_links(list = H5Pcreate(H5P_LINK_ACCESS));
    return list;
}

static hid_t group_access(void)
{
    static hid_t list = -1;
    if (list < 0) sw_h5_refuse_links(list = H5Pcreate(H5P_GROUP_ACCESS));
    return list;
}

bool sw_h5_is_below(const char *name)
{
    if (!*name || *name == '/') return false;
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/')) return false;
    }
    return true;
}

/* Whether a mapping of a virtual dataset is one that this program writes: from a file below the folder, and between
 * selections of a fixed size. (For others HDF5 opens files as soon as it is asked for the extent.) */
static bool is_usual_mapping(hid_t properties, size_t k)
{
    char name[PATH_MAX];
    const ssize_t length = H5Pget_virtual_filename(properties, k, name, sizeof name);
    if (length <= 0 || (size_t)length >= sizeof name || !sw_h5_is_below(name)) return false;
    hid_t here = H5Pget_virtual_vspace(properties, k), there = H5Pget_virtual_srcspace(properties, k);
    hsize_t dim[H5S_MAX_RANK], most[H5S_MAX_RANK];
    bool usual = here >= 0 && there >= 0;
    for (int side = 0; side < 2 && usual; side++) {
        const hid_t space = side ? there : here;
        const int rank = H5Sget_simple_extent_dims(space, dim, most);
        const hssize_t points = H5Sget_select_npoints(space);
        usual = rank > 0 && points >= 0 && (hsize_t)points != H5S_UNLIMITED;
        for (int d = 0; d < rank && usual; d++) usual = most[d] != H5S_UNLIMITED;
    }
    if (here >= 0) H5Sclose(here);
    if (there >= 0) H5Sclose(there);
    return usual;
}

static void check_virtual(struct sw_h5 *h, hid_t properties)
{
    size_t count = 0;
    if (H5Pget_virtual_count(properties, &count) < 0) sw_h5_fail_hdf5(h);
    sw_h5_charge(h, (int64_t)count, 8);
    for (size_t k = 0; k < count && !h->status; k++)
        if (!is_usual_mapping(properties, k))
            sw_h5_damaged(h, "has a virtual dataset that sweep would not write: values are taken from files in its "
                          "folder, or below it, and from no others");
}

/* Chunks, and where the values are: in the file itself, unfiltered, or virtual as this program wrote it. HDF5 has not
 * looked at other files by then. */
static void check_layout(struct sw_h5 *h, hid_t dataset, struct sw_h5_shape *shape)
{
    hid_t properties = dataset >= 0 ? H5Dget_create_plist(dataset) : -1;
    if (properties < 0) { sw_h5_fail_hdf5(h); return; }
    const H5D_layout_t layout = H5Pget_layout(properties);
    shape->is_virtual = layout == H5D_VIRTUAL;
    if (layout < 0) sw_h5_fail_hdf5(h);
    else if (layout == H5D_CHUNKED && H5Pget_chunk(properties, SW_H5_RANK, shape->chunk) > SW_H5_RANK)
        sw_h5_damaged(h, "a dataset has more dimensions than it should");
    if (shape->is_virtual && !h->status) check_virtual(h, properties);
    if (H5Pget_external_count(properties) != 0) sw_h5_damaged(h, "a dataset has its values in another file");
    if (H5Pget_nfilters(properties) != 0)
        sw_h5_damaged(h, "a dataset is compressed or filtered, as sweep never writes one; h5repack -f NONE undoes it");
    H5Pclose(properties);
}

/* ---- what is there */

bool sw_h5_has(struct sw_h5 *h, const char *path)
{
    if (h->status) return false;
    const htri_t there = !strcmp(path, "/") ? 1 : H5Lexists(h->file, path, link_access());
    if (there < 0) sw_h5_fail_hdf5(h);
    return there > 0;
}

bool sw_h5_has_attr(struct sw_h5 *h, const char *path, const char *name)
{
    const htri_t there = sw_h5_has(h, path) ? H5Aexists_by_name(h->file, path, name, link_access()) : 0;
    if (there < 0) sw_h5_fail_hdf5(h);
    return there > 0;
}

/* ---- attributes and datasets: each must have the type and shape that the reader expects, before it is read */

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
    a->id = H5Aopen_by_name(h->file, path, name, H5P_DEFAULT, link_access());
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
    else check_layout(h, dataset, shape);
    if (!h->status) {
        space = H5Dget_space(dataset);
        t = H5Dget_type(dataset);
        shape->rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
        if (space < 0 || t < 0 || shape->rank < 0) sw_h5_fail_hdf5(h);
        else if (shape->rank > SW_H5_RANK) sw_h5_damaged(h, "a dataset has more dimensions than it should");
        else if (H5Sget_simple_extent_type(space) == H5S_NULL) sw_h5_damaged(h, "a dataset has no extent");
        else H5Sget_simple_extent_dims(space, shape->dim, NULL);
    }
    *type = t >= 0 ? type_of(t) : SW_H5_TYPES;
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
    if (entries < 0) entries = entries_of(shape.dim, shape.rank);  /* of none: 1, and then nothing is asked */
    if (dataset >= 0) require_stored(h, dataset, &shape, entries, shape.rank == 1);
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
    if (shape.rank == 1 && has_bytes(h, entries_of(shape.dim, 1))) return (int64_t)shape.dim[0];
    damaged(h, "dataset", path, "", "the list");
    return 0;
}

/* @param column  it may be what sw_h5_put_column() wrote */
static hid_t open_list(struct sw_h5 *h, const char *path, int64_t count, enum sw_h5_type wanted, bool column)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char list[80];
    hid_t dataset = sw_h5_dataset(h, path, &shape, &type);
    if (dataset < 0) return -1;
    hid_t t = H5Dget_type(dataset);
    /* texts come in blocks of one dimension */
    const bool right = t >= 0 && fits(t, wanted) && entries_of(shape.dim, shape.rank) == count &&
                       (wanted != SW_H5_TEXT || count == 1 || shape.rank == 1) && !shape.is_virtual &&
                       has_bytes(h, count);
    if (t >= 0) H5Tclose(t);
    if (right) {
        require_stored(h, dataset, &shape, count, column);
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

static void read_list(struct sw_h5 *h, hid_t dataset, enum sw_h5_type type, int64_t count, void *data)
{
    if (dataset < 0) return;
    if (count && H5Dread(dataset, sw_h5_native(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) sw_h5_fail_hdf5(h);
    H5Dclose(dataset);
}

void sw_h5_get_list(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, void *data)
{
    read_list(h, open_list(h, path, count, type, false), type, count, data);
}

void sw_h5_get_column(struct sw_h5 *h, const char *path, enum sw_h5_type type, int64_t count, void *data)
{
    read_list(h, open_list(h, path, count, type, true), type, count, data);
}

bool sw_h5_all_empty(struct sw_h5 *h, const char *path, int64_t count)
{
    hid_t dataset = open_list(h, path, count, SW_H5_TEXT, true);
    const bool none = count && dataset >= 0 && H5Dget_storage_size(dataset) == 0;
    sw_h5_dataset_close(dataset);
    return none;
}

/* One value, or a range of a list of them, as references. */
static void read_references(struct sw_h5 *h, hid_t dataset, const hsize_t *start, const hsize_t *count,
                            void *reference)
{
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, count, NULL), transfer = sw_h5_transfer(*count);
    const bool listed = space >= 0 && H5Sget_simple_extent_ndims(space) == 1;
    if (space < 0 || memory < 0 || transfer < 0 ||
        (listed && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0) ||
        H5Dread(dataset, sw_h5_references(), memory, space, transfer, reference) < 0)
        sw_h5_fail_hdf5(h);
    if (transfer >= 0) H5Pclose(transfer);
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
    hid_t dataset = open_list(h, path, count, SW_H5_TEXT, false);
    unsigned char (*reference)[SW_H5_REFERENCE] = NULL;
    struct text_buffer buffer = {0};
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
        (H5Sget_simple_extent_ndims(file_space) != rank || !fits(file_type, type) || type == SW_H5_TEXT))
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
    hid_t object = m->h->status ? -1 : H5Oopen(group, name, link_access());
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
    hid_t group = H5Gopen2(h->file, path, group_access());
    if (group < 0 || H5Literate(group, H5_INDEX_CRT_ORDER, order_of(group), NULL, member, &m) < 0) sw_h5_fail_hdf5(h);
    if (group >= 0) H5Gclose(group);
}
