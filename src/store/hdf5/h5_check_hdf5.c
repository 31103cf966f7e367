/* What is believed of a file that is read. Somebody else may have made it: its types, extents and layouts are checked
 * against what this program writes, before memory is allocated and before HDF5 follows anything out of the file. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

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
    return !usual ? SW_H5_TYPES : size == 1 ? SW_H5_BYTE : SW_H5_INTEGER;
}

enum sw_h5_type sw_h5_type_of(hid_t type)
{
    switch (H5Tget_class(type)) {
    case H5T_STRING: return H5Tis_variable_str(type) > 0 ? SW_H5_TEXT : SW_H5_TYPES;
    case H5T_FLOAT: return real_type(type);
    case H5T_INTEGER: return integer_type(type);
    default: return SW_H5_TYPES;
    }
}

bool sw_h5_fits(hid_t type, enum sw_h5_type wanted)
{
    switch (sw_h5_type_of(type)) {
    case SW_H5_TEXT: return wanted == SW_H5_TEXT;
    case SW_H5_BYTE:
    case SW_H5_INTEGER: return wanted != SW_H5_TEXT;
    case SW_H5_SINGLE:
    case SW_H5_DOUBLE: return wanted == SW_H5_SINGLE || wanted == SW_H5_DOUBLE;
    default: return false;
    }
}

/* ---- extents */

int64_t sw_h5_entries(const hsize_t *dim, int rank)
{
    int64_t count = 1;
    for (int k = 0; k < rank; k++)
        if (dim[k] > INT64_MAX || __builtin_mul_overflow(count, (int64_t)dim[k], &count)) return -1;
    return rank < 0 ? -1 : count;
}

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

void sw_h5_require_stored(struct sw_h5 *h, hid_t dataset, const struct sw_h5_shape *shape, int64_t entries)
{
    int64_t bytes;
    if (h->status || shape->is_virtual) return;
    hid_t type = H5Dget_type(dataset);
    const bool known = entries >= 0 && type >= 0 &&
                       !__builtin_mul_overflow(entries, (int64_t)H5Tget_size(type), &bytes);
    if (type >= 0) H5Tclose(type);
    if (!known) {
        sw_h5_damaged(h, "says that it holds more than a file of its length can");
        return;
    }
    sw_h5_charge(h, chunks_of(shape), 1);  /* their index is walked through */
    if (h->status || !bytes) return;
    const hsize_t stored = H5Dget_storage_size(dataset);  /* 0 also where the index is damaged */
    if (!stored && H5Eget_num(H5E_DEFAULT) > 0) sw_h5_fail_hdf5(h);
    else if (stored < (hsize_t)bytes || stored > h->bytes)
        sw_h5_damaged(h, "a dataset has a larger extent than is stored of it");
}

/* ---- other files */

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

void sw_h5_check_layout(struct sw_h5 *h, hid_t dataset, struct sw_h5_shape *shape)
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

static bool met_link;

static herr_t refuse_link(const char *file, const char *group, const char *to_file, const char *to_object,
                          unsigned *flags, hid_t access, void *user)
{
    (void)file; (void)group; (void)to_file; (void)to_object; (void)flags; (void)access; (void)user;
    met_link = true;
    return -1;
}

void sw_h5_refuse_links(hid_t access_list) { H5Pset_elink_cb(access_list, refuse_link, NULL); }

bool sw_h5_met_link(void)
{
    const bool met = met_link;
    met_link = false;
    return met;
}

hid_t sw_h5_link_access(void)
{
    static hid_t list = -1;
    if (list < 0) sw_h5_refuse_links(list = H5Pcreate(H5P_LINK_ACCESS));
    return list;
}

hid_t sw_h5_group_access(void)
{
    static hid_t list = -1;
    if (list < 0) sw_h5_refuse_links(list = H5Pcreate(H5P_GROUP_ACCESS));
    return list;
}
