/* Datasets of HDF5 files: integers or reals of any size, with up to five dimensions (the last one is n), whose
 * numbers are in the file itself. A member of a dataset of compounds is a dataset in it: "/table/a". */
#include <hdf5.h>
#include <hdf5_hl.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_hdf5_lock.h"
#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "input/input_impl.h"

enum { MISSING = 8 };

/* How the numbers in the file stand for others (CF conventions, 2.5.1 and 8.1): raw ones that are among `missing`, or
 * outside of least .. most, are NaN; the others scale*raw + offset, where they are `scaled`. */
struct coding {
    bool   any, scaled;
    double scale, offset, least, most;
    int    count;
    double missing[MISSING];
};

struct file {
    hid_t  id;
    int    count;
    hid_t *dataset;         /* [count] */
    hid_t *type;            /* [count] of the numbers in memory: double, or a compound with this member alone */
    struct coding *coding;  /* [count] */
};

/* HDF5 begins with the file, or behind a block of the user's of 512, 1024, 2048 ... bytes, as MATLAB's do. */
static bool recognizes(FILE *file)
{
    char head[8];
    for (long at = 0; !fseek(file, at, SEEK_SET) && fread(head, 1, 8, file) == 8; at = at ? 2 * at : 512)
        if (!memcmp(head, "\211HDF\r\n\032\n", 8)) return true;
    return false;
}

/* ------------------------------------------------------------------ what HDF5 says went wrong */

static herr_t note_innermost(unsigned n, const H5E_error2_t *entry, void *text)
{
    if (n == 0 && entry->desc) snprintf(text, 200, "%s", entry->desc);
    return 0;
}

static enum sw_status fail_hdf5(const char *what)
{
    char text[200] = "HDF5 failed without saying why";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_innermost, text);
    return SW_FAIL(SW_E_IO, "%s: %s", what, text);
}

/* ------------------------------------------------------------------ ways to objects */

/* They do not lead into other files: those might be anybody's, or pipes. */
static bool met_link;

static herr_t refuse_link(const char *file, const char *group, const char *to_file, const char *to_object,
                          unsigned *flags, hid_t access, void *user)
{
    (void)file; (void)group; (void)to_file; (void)to_object; (void)flags; (void)access; (void)user;
    met_link = true;
    return -1;
}

/* @param class  of the property list  @return to be closed */
static hid_t inside(hid_t class)
{
    hid_t list = H5Pcreate(class);
    H5Pset_elink_cb(list, refuse_link, NULL);
    return list;
}

static hid_t open_object(hid_t group, const char *name)
{
    hid_t access = inside(H5P_LINK_ACCESS), object = H5Oopen(group, name, access);
    H5Pclose(access);
    return object;
}

static hid_t open_dataset(hid_t group, const char *name)
{
    hid_t access = inside(H5P_DATASET_ACCESS), dataset = H5Dopen2(group, name, access);
    H5Pclose(access);
    return dataset;
}

static bool link_exists(hid_t group, const char *name)
{
    hid_t access = inside(H5P_LINK_ACCESS);
    const bool there = H5Lexists(group, name, access) > 0;
    H5Pclose(access);
    return there;
}

/* ------------------------------------------------------------------ the file */

static void close_file(void *own)
{
    struct file *f = own;
    if (!f) return;
    sw_hdf5_lock();
    for (int k = 0; k < f->count; k++) {
        H5Dclose(f->dataset[k]);
        H5Tclose(f->type[k]);
    }
    if (f->id >= 0) H5Fclose(f->id);
    sw_hdf5_unlock();
    sw_free(f->dataset);
    sw_free(f->type);
    sw_free(f->coding);
    sw_free(f);
}

static enum sw_status open_file(const char *path, int side, void **own)
{
    (void)side;
    struct file *f;
    SW_TRY(sw_alloc(1, &f));
    *own = f;
    sw_hdf5_lock();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);  /* we print, not HDF5 */
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true);  /* fails on file systems without locks; it is only read */
#endif
    f->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    enum sw_status st = f->id < 0 ? fail_hdf5("it is a damaged HDF5 file") : SW_OK;
    if (st && sw_open_elsewhere(path)) st = SW_FAIL(SW_E_IO, "it " SW_OPEN_ELSEWHERE);
    H5Pclose(access);
    sw_hdf5_unlock();
    return st == SW_E_IO ? SW_FAIL(SW_E_CONFIG, "%s", sw_err_message()) : st;
}

/* ------------------------------------------------------------------ its datasets */

struct visitor { void (*visit)(void *user, const char *name); void *user; };

static herr_t visit_dataset(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    const struct visitor *v = user;
    struct sw_text text = {0};
    (void)info;
    hid_t object = open_object(group, name);
    if (object < 0) return 0;  /* a link that leads nowhere, or away */
    if (H5Iget_type(object) == H5I_DATASET) {
        const hid_t type = H5Dget_type(object);
        const int members = type >= 0 && H5Tget_class(type) == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
        for (int k = 0; k < (members ? members : 1); k++) {
            char *member = members ? H5Tget_member_name(type, (unsigned)k) : NULL;
            sw_text_clear(&text);
            sw_text_printf(&text, "/%s%s%s", name, member ? "/" : "", member ? member : "");
            v->visit(v->user, sw_text_get(&text));
            if (member) H5free_memory(member);
        }
        if (type >= 0) H5Tclose(type);
        sw_text_free(&text);
    }
    H5Oclose(object);
    return 0;
}

static void visit_datasets(const struct file *f, void (*visit)(void *user, const char *name), void *user)
{
    H5Lvisit(f->id, H5_INDEX_NAME, H5_ITER_INC, visit_dataset, &(struct visitor){visit, user});
}

enum { MOST_NAMES = 256 };
struct names { char *name[MOST_NAMES]; int count; };

static void note_name(void *user, const char *name)
{
    struct names *found = user;
    if (found->count < MOST_NAMES && (found->name[found->count] = sw_strdup(name))) found->count++;
}

static struct names find_names(const struct file *f)
{
    struct names found = {.count = 0};
    visit_datasets(f, note_name, &found);
    return found;
}

static void add_names(const struct names *found, struct sw_text *text)
{
    for (int k = 0; k < found->count && text->length < 120; k++) sw_text_printf(text, " %s", found->name[k]);
}

static void free_names(struct names *found)
{
    for (int k = 0; k < found->count; k++) sw_free(found->name[k]);
}

static void list(void *own, struct sw_text *names)
{
    sw_hdf5_lock();
    struct names found = find_names(own);
    add_names(&found, names);
    free_names(&found);
    sw_hdf5_unlock();
}

static void each(void *own, void (*visit)(void *user, const char *name), void *user)
{
    sw_hdf5_lock();
    visit_datasets(own, visit, user);
    sw_hdf5_unlock();
}

static enum sw_status no_such_dataset(const struct file *f, const char *name)
{
    struct names found = find_names(f);
    struct sw_text text = {0};
    /* one letter is near to every other: guessing would mislead */
    const char *near = strlen(name) <= 2 ? NULL : sw_nearest_name(name, (const char *const *)found.name, found.count);
    sw_text_printf(&text, "there is no dataset '%s'", name);
    if (near) sw_text_printf(&text, "; did you mean '%s'?", near);
    else {
        sw_text_add(&text, found.count ? "; there is:" : "; there is none at all");
        add_names(&found, &text);
    }
    enum sw_status st = SW_FAIL(SW_E_CONFIG, "%s", sw_text_get(&text));
    free_names(&found);
    sw_text_free(&text);
    return st;
}

/* H5Lexists() wants every group on the way to be there. */
static bool exists(const struct file *f, const char *name)
{
    char *path = sw_strdup(name);
    bool there = path && *path;
    for (char *slash = path; there && slash; slash = strchr(slash + 1, '/')) {
        if (slash == path) continue;
        *slash = 0;
        there = link_exists(f->id, path);
        *slash = '/';
    }
    there = there && link_exists(f->id, name);
    sw_free(path);
    return there;
}

/* Of "/table/a" the dataset of compounds "/table", and the place of the name of its member.
 * @return -1: there is none; else to be closed */
static hid_t open_compounds(const struct file *f, const char *name, const char **member)
{
    const char *slash = strrchr(name, '/');
    char *path = slash && slash > name ? sw_strdup(name) : NULL;
    if (path) path[slash - name] = 0;
    const hid_t dataset = path && exists(f, path) ? open_dataset(f->id, path) : -1;
    const hid_t type = dataset < 0 ? -1 : H5Dget_type(dataset);
    const bool good = type >= 0 && H5Tget_class(type) == H5T_COMPOUND && H5Tget_member_index(type, slash + 1) >= 0;
    *member = good ? slash + 1 : NULL;
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0 && !good) H5Dclose(dataset);
    sw_free(path);
    return good ? dataset : -1;
}

static bool has(void *own, const char *name)
{
    const struct file *f = own;
    const char *member;
    sw_hdf5_lock();
    const hid_t dataset = exists(f, name) ? open_dataset(f->id, name) : open_compounds(f, name, &member);
    if (dataset >= 0) H5Dclose(dataset);
    sw_hdf5_unlock();
    return dataset >= 0;
}

/* The type of a dataset in the file, or of a member of its compounds. @return to be closed; -1: it failed */
static hid_t stored_type(hid_t dataset, const char *member)
{
    const hid_t type = H5Dget_type(dataset);
    if (type < 0 || !member) return type;
    const int index = H5Tget_member_index(type, member);
    const hid_t own = index < 0 ? -1 : H5Tget_member_type(type, (unsigned)index);
    H5Tclose(type);
    return own;
}

static hid_t memory_type(const char *member)
{
    if (!member) return H5Tcopy(H5T_NATIVE_DOUBLE);
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(double));
    if (type >= 0) H5Tinsert(type, member, 0, H5T_NATIVE_DOUBLE);
    return type;
}

/* @param member  NULL: the dataset has numbers */
static enum sw_status read_shape(hid_t dataset, const char *member, struct sw_array *a)
{
    hsize_t dim[SW_ARRAY_RANK] = {1};
    hid_t space = H5Dget_space(dataset), type = stored_type(dataset, member);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    if (rank >= 1 && rank <= SW_ARRAY_RANK) H5Sget_simple_extent_dims(space, dim, NULL);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    if (class != H5T_INTEGER && class != H5T_FLOAT)
        return SW_FAIL(SW_E_CONFIG, "it does not hold numbers; integers or reals are needed%s",
                       class == H5T_COMPOUND ? ", as members of compounds are, \"NAME/MEMBER\"" : "");
    if (rank < 1 || rank > SW_ARRAY_RANK)
        return SW_FAIL(SW_E_CONFIG, "it has %d dimensions; 1 to %d can be read", rank, SW_ARRAY_RANK);
    a->rank = a->stored = rank;
    for (int d = 0; d < rank; d++) a->from[d] = d;
    a->systems = 1;
    int64_t all = 1;
    for (int d = 0; d < rank; d++) {
        if (dim[d] > INT64_MAX / sizeof(double) || __builtin_mul_overflow(all, (int64_t)dim[d], &all) ||
            all > (int64_t)(INT64_MAX / sizeof(double)))
            return SW_FAIL(SW_E_CONFIG, "it has more numbers than can be");
        a->dim[d] = (int64_t)dim[d];
    }
    if (!all) return SW_FAIL(SW_E_CONFIG, "it is empty");
    a->n = a->dim[rank - 1];
    a->systems = all / a->n;
    return SW_OK;
}

/* Why a name that is there is no dataset. */
static enum sw_status no_dataset(const struct file *f, const char *name)
{
    H5L_info_t link;
    char to[100] = "";
    const hid_t object = open_object(f->id, name);
    const bool leads = object >= 0;
    const H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_BADID;
    if (object >= 0) H5Oclose(object);
    if (type == H5I_GROUP) return SW_FAIL(SW_E_CONFIG, "it is a group, not a dataset");
    if (type == H5I_DATATYPE) return SW_FAIL(SW_E_CONFIG, "it is a type, not a dataset");
    if (leads) return fail_hdf5("it cannot be opened");
    if (H5Lget_info(f->id, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_SOFT &&
        H5Lget_val(f->id, name, to, sizeof to, H5P_DEFAULT) >= 0)
        return SW_FAIL(SW_E_CONFIG, "it is a link that leads nowhere: to '%.*s'", (int)sizeof to - 1, to);
    return SW_FAIL(SW_E_CONFIG, "it is a link that leads nowhere");
}

/* Where the numbers are: before HDF5 is asked for the extent, for which it may open the files of a virtual dataset.
 * Those in other files could change without a notice, or be anybody's, and HDF5 takes the fill value for those of a
 * virtual dataset that are not there. */
static enum sw_status check_storage(hid_t dataset, bool *filtered)
{
    const hid_t how = H5Dget_create_plist(dataset);
    if (how < 0) return fail_hdf5("it cannot be read");
    const bool is_virtual = H5Pget_layout(how) == H5D_VIRTUAL, external = H5Pget_external_count(how) != 0;
    *filtered = H5Pget_nfilters(how) != 0;
    H5Pclose(how);
    if (is_virtual)
        return SW_FAIL(SW_E_CONFIG, "it is a virtual dataset: its numbers are in other files; copy them into this one");
    if (external)
        return SW_FAIL(SW_E_CONFIG, "its numbers are in other files (external storage); copy them into this one");
    return SW_OK;
}

/* ------------------------------------------------------------------ what its attributes say */

/* Numbers of an attribute, rounded to the type of the dataset where they are compared with its own.
 * @param compared  the type of the dataset, or -1
 * @param count  in: room, out: numbers there are, 0: no such attribute  @return SW_E_CONFIG it is something else */
static enum sw_status read_attribute(hid_t dataset, const char *name, hid_t compared, int *count, double *number)
{
    const hssize_t room = *count;
    *count = 0;
    if (H5Aexists(dataset, name) <= 0) return SW_OK;
    const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT), space = attribute < 0 ? -1 : H5Aget_space(attribute),
                type = attribute < 0 ? -1 : H5Aget_type(attribute);
    const hssize_t there = space < 0 ? 0 : H5Sget_simple_extent_npoints(space);
    const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    const bool good = there >= 1 && there <= room && (class == H5T_INTEGER || class == H5T_FLOAT) &&
                      H5Aread(attribute, H5T_NATIVE_DOUBLE, number) >= 0 &&
                      (compared < 0 || H5Tget_class(compared) != H5T_FLOAT || H5Tget_size(compared) >= sizeof *number ||
                       (H5Tconvert(H5T_NATIVE_DOUBLE, compared, (size_t)there, number, NULL, H5P_DEFAULT) >= 0 &&
                        H5Tconvert(compared, H5T_NATIVE_DOUBLE, (size_t)there, number, NULL, H5P_DEFAULT) >= 0));
    if (good) *count = (int)there;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (attribute >= 0) H5Aclose(attribute);
    return good ? SW_OK : SW_FAIL(SW_E_CONFIG, "its attribute '%s' is not understood: 1 to %d numbers are needed there",
                                  name, (int)room);
}

static enum sw_status read_scaling(hid_t dataset, struct coding *c)
{
    int count = 1;
    SW_TRY(read_attribute(dataset, "scale_factor", -1, &count, &c->scale));
    c->scaled = count > 0;
    count = 1;
    SW_TRY(read_attribute(dataset, "add_offset", -1, &count, &c->offset));
    c->scaled |= count > 0;
    c->any = c->scaled;
    if (H5Aexists(dataset, "_Unsigned") > 0)
        return SW_FAIL(SW_E_CONFIG, "its attribute '_Unsigned' is not understood; store integers of the type that they "
                       "are");
    return SW_OK;
}

/* A netCDF variable without _FillValue has this where nothing was written (netcdf.h, NC_FILL_DOUBLE). */
static void add_default_missing(hid_t dataset, hid_t type, struct coding *c)
{
    const double netcdf = 9.9692099683868690e+36;
    double fill;
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    const hid_t how = H5Dget_create_plist(dataset);
    if (how >= 0 && H5Tget_class(type) == H5T_FLOAT && H5Pfill_value_defined(how, &defined) >= 0 &&
        defined == H5D_FILL_VALUE_USER_DEFINED && H5Pget_fill_value(how, H5T_NATIVE_DOUBLE, &fill) >= 0 &&
        (float)fill == (float)netcdf)
        c->missing[c->count++] = fill;
    if (how >= 0) H5Pclose(how);
}

static enum sw_status read_missing(hid_t dataset, hid_t type, struct coding *c)
{
    double range[2];
    int count = 1;
    SW_TRY(read_attribute(dataset, "_FillValue", type, &count, c->missing));
    c->count = count;
    if (!count) add_default_missing(dataset, type, c);
    count = MISSING - c->count;
    SW_TRY(read_attribute(dataset, "missing_value", type, &count, c->missing + c->count));
    c->count += count;
    count = 1;
    SW_TRY(read_attribute(dataset, "valid_min", type, &count, &c->least));
    c->any |= count > 0;
    count = 1;
    SW_TRY(read_attribute(dataset, "valid_max", type, &count, &c->most));
    c->any |= count > 0;
    count = 2;
    SW_TRY(read_attribute(dataset, "valid_range", type, &count, range));
    if (count == 1) return SW_FAIL(SW_E_CONFIG, "its attribute 'valid_range' is not understood: it has one number");
    if (count) {
        c->least = range[0];
        c->most = range[1];
    }
    c->any |= count || c->count;
    return SW_OK;
}

static enum sw_status read_coding(hid_t dataset, struct coding *c)
{
    const hid_t type = H5Dget_type(dataset);
    *c = (struct coding){.scale = 1, .least = -INFINITY, .most = INFINITY};
    if (type < 0) return fail_hdf5("it cannot be read");
    enum sw_status st = read_scaling(dataset, c);
    if (!st) st = read_missing(dataset, type, c);
    H5Tclose(type);
    return st;
}

static void decode(const struct coding *c, hsize_t count, double *number)
{
    for (hsize_t i = 0; i < count; i++) {
        const double raw = number[i];
        bool missing = raw < c->least || raw > c->most;
        for (int k = 0; k < c->count; k++) missing |= raw == c->missing[k];
        number[i] = missing ? NAN : c->scaled ? c->scale * raw + c->offset : raw;
    }
}

static herr_t note_scale(hid_t dataset, unsigned d, hid_t scale, void *name)
{
    (void)dataset;
    (void)d;
    return H5Iget_name(scale, name, sizeof ((struct sw_array *)0)->scale[0]) > 0;  /* the first one */
}

/* A dimension has the name of its scale; a scale is its own. */
static void read_names(hid_t dataset, struct sw_array *a)
{
    for (int d = 0; d < a->rank; d++) {
        char *name = a->scale[d];
        if (H5DSis_scale(dataset) > 0 && a->rank == 1) H5Iget_name(dataset, name, sizeof a->scale[d]);
        else if (H5DSget_num_scales(dataset, (unsigned)d) > 0)
            H5DSiterate_scales(dataset, (unsigned)d, NULL, note_scale, name);
        else if (H5DSget_label(dataset, (unsigned)d, name, sizeof a->scale[d]) < 0) *name = 0;
        name[sizeof a->scale[d] - 1] = 0;
    }
}

/* Whether it is a column of equal numbers of the results of a sweep: of these the program stores none, as they are the
 * fill value that it gives them. In other files a fill value says what is missing. */
static bool is_constant_column(hid_t dataset, const struct sw_array *a)
{
    const hid_t how = H5Dget_create_plist(dataset);
    H5D_fill_time_t when = H5D_FILL_TIME_NEVER;
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    const bool filled = how >= 0 && H5Pget_fill_time(how, &when) >= 0 && when == H5D_FILL_TIME_IFSET &&
                        H5Pfill_value_defined(how, &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED;
    if (how >= 0) H5Pclose(how);
    return filled && a->rank == 1 && !strcmp(a->scale[0], "/run");
}

/* Memory is asked for by the extent: numbers that are not in the file are refused, and so are more than its bytes can
 * stand for (deflate writes a byte for 1032 at most; a number has one byte or more). Beside a column of equal numbers,
 * of which nothing is stored, the program writes the ids of its runs, 8 bytes each. */
static enum sw_status check_extent(const struct file *f, hid_t dataset, bool filtered, const struct sw_array *a)
{
    enum { MOST_FOR_A_BYTE = 1032 };
    hsize_t length = 0;
    const hid_t type = H5Dget_type(dataset);
    const hsize_t size = type >= 0 ? H5Tget_size(type) : 1, numbers = (hsize_t)(a->systems * a->n);
    const hsize_t stored = H5Dget_storage_size(dataset);
    H5D_space_status_t written;
    if (type >= 0) H5Tclose(type);
    if (H5Dget_space_status(dataset, &written) < 0 || H5Fget_filesize(f->id, &length) < 0)
        return fail_hdf5("it cannot be read");
    if (written == H5D_SPACE_STATUS_NOT_ALLOCATED && is_constant_column(dataset, a) && numbers <= length / 8)
        return SW_OK;
    if (written == H5D_SPACE_STATUS_NOT_ALLOCATED) return SW_FAIL(SW_E_CONFIG, "nothing was ever written to it");
    if (stored <= length && (filtered ? numbers / MOST_FOR_A_BYTE <= stored : numbers <= stored / size)) return SW_OK;
    return SW_FAIL(SW_E_CONFIG, "it says that it has %llu numbers, and only %llu bytes of them are in the file",
                   (unsigned long long)numbers, (unsigned long long)(stored < length ? stored : length));
}

static enum sw_status find_locked(struct file *f, const char *name, struct sw_array *a)
{
    *a = (struct sw_array){.index = f->count};
    struct coding coding = {0};
    const char *member = NULL;
    bool filtered = false;
    met_link = false;
    hid_t dataset = exists(f, name) ? open_dataset(f->id, name) : open_compounds(f, name, &member);
    if (dataset < 0 && met_link)
        return SW_FAIL(SW_E_CONFIG, "it is a link into another file; name the file that holds the numbers");
    if (dataset < 0 && !exists(f, name)) return no_such_dataset(f, name);
    if (dataset < 0) return no_dataset(f, name);
    a->parameter = H5Aexists(dataset, "sweep_role") > 0;
    enum sw_status st = check_storage(dataset, &filtered);
    if (!st) st = read_shape(dataset, member, a);
    if (!st) read_names(dataset, a);
    if (!st) st = check_extent(f, dataset, filtered, a);
    if (!st) st = read_coding(dataset, &coding);
    if (!st) st = sw_resize((size_t)f->count, (size_t)f->count + 1, &f->dataset);
    if (!st) st = sw_resize((size_t)f->count, (size_t)f->count + 1, &f->type);
    if (!st) st = sw_resize((size_t)f->count, (size_t)f->count + 1, &f->coding);
    if (st) {
        H5Dclose(dataset);
        return st;
    }
    for (int k = 0; k < coding.count; k++) a->fills |= !isnan(coding.missing[k]);
    f->coding[f->count] = coding;
    f->type[f->count] = memory_type(member);
    f->dataset[f->count++] = dataset;
    return SW_OK;
}

static enum sw_status find(void *own, const char *name, struct sw_array *a)
{
    sw_hdf5_lock();
    enum sw_status st = find_locked(own, name, a);
    sw_hdf5_unlock();
    return st;
}

static enum sw_status read_numbers(void *own, const struct sw_array *a, const int64_t *first, const int64_t *count,
                                   double *out)
{
    const struct file *f = own;
    hsize_t start[SW_ARRAY_RANK] = {0}, size[SW_ARRAY_RANK] = {1, 1, 1, 1, 1}, wanted = 1;
    for (int d = 0; d < a->rank; d++) {
        start[a->from[d]] = (hsize_t)first[d];
        size[a->from[d]] = (hsize_t)count[d];
        wanted *= (hsize_t)count[d];
    }
    sw_hdf5_lock();
    hid_t dataset = f->dataset[a->index], space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(1, &wanted, NULL);
    const bool good = space >= 0 && memory >= 0 &&
                      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                      H5Dread(dataset, f->type[a->index], memory, space, H5P_DEFAULT, out) >= 0;
    enum sw_status st = good ? SW_OK : fail_hdf5("it cannot be read");
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    if (!st && f->coding[a->index].any) decode(&f->coding[a->index], wanted, out);
    sw_hdf5_unlock();
    return st;
}

extern const struct input_format input_hdf5;
const struct input_format input_hdf5 = {
    .name = "HDF5",
    .recognizes = recognizes,
    .open = open_file,
    .find = find,
    .list = list,
    .has = has,
    .each = each,
    .read = read_numbers,
    .close = close_file,
};
