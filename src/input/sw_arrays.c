#include "input/sw_arrays.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/sw_err.h"
#include "base/sw_hash.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "input/input_impl.h"

/* What tells one state of a file from another. */
struct stamp { dev_t device; ino_t inode; off_t size; struct timespec written; };

struct sw_arrays {
    const struct input_format *format;
    char *path;
    struct stamp opened;   /* when it was opened */
    void *own;
};

/* A pipe would not be opened before somebody writes into it: what is no file is refused by its name. */
static enum sw_status read_stamp(const char *path, struct stamp *stamp)
{
    struct stat s;
    const bool there = !stat(path, &s);
    if (!there && errno == ENOENT)
        return SW_FAIL(SW_E_CONFIG, "there is no such file; a path begins in this folder");
    if (!there) return SW_FAIL(SW_E_CONFIG, "%s", strerror(errno));
    if (!S_ISREG(s.st_mode))
        return SW_FAIL(SW_E_CONFIG, "it is %s, not a file", S_ISDIR(s.st_mode) ? "a folder" : "a device or a pipe");
    *stamp = (struct stamp){s.st_dev, s.st_ino, s.st_size, s.st_mtim};
    return SW_OK;
}

/* @return SW_E_IO it has changed since it was opened */
static enum sw_status check_unchanged(const struct sw_arrays *input)
{
    const struct stamp *was = &input->opened;
    struct stamp is = {0};
    if (read_stamp(input->path, &is))
        return SW_FAIL(SW_E_IO, "it is not there any more, and has not been read to its end");
    if (is.device == was->device && is.inode == was->inode && is.size == was->size &&
        is.written.tv_sec == was->written.tv_sec && is.written.tv_nsec == was->written.tv_nsec)
        return SW_OK;
    return SW_FAIL(SW_E_IO, "it has changed since this command began to read it; nothing is stored of what "
                   "was read");
}

/* @param format  out: NULL: none that is known */
static enum sw_status find_format(const char *path, const struct input_format **format)
{
    const char *reason;
    FILE *file = sw_open_to_read(path, &reason);
    const struct input_format *const *row = input_formats;
    if (!file) return SW_FAIL(SW_E_CONFIG, "%s", reason);
    for (; *row && !(*row)->recognizes(file); row++) rewind(file);
    *format = *row;
    const bool failed = ferror(file);
    const int why = errno;
    fclose(file);
    return failed ? SW_FAIL(SW_E_IO, "it cannot be read: %s", strerror(why)) : SW_OK;
}

static enum sw_status open_arrays(const char *path, int side, struct sw_arrays *input)
{
    if (!(input->path = sw_path_from_home(path))) return SW_FAIL(SW_E_MEMORY, "out of memory");
    SW_TRY(read_stamp(input->path, &input->opened));
    SW_TRY(find_format(input->path, &input->format));
    if (!input->format) return SW_FAIL(SW_E_CONFIG, "it is neither an HDF5 file nor a Matrix Market one, whose first "
                                 "line begins %%%%MatrixMarket");
    SW_TRY(input->format->open(input->path, side, &input->own));
    return check_unchanged(input);
}

enum sw_status sw_arrays_open(const char *path, struct sw_arrays **input)
{
    return sw_arrays_open_matrix(path, 1, input);
}

enum sw_status sw_arrays_open_matrix(const char *path, int side, struct sw_arrays **input)
{
    *input = NULL;
    SW_TRY(sw_alloc(1, input));
    enum sw_status st = open_arrays(path, side, *input);
    if (st) sw_arrays_close(input);
    return st;
}

void sw_arrays_close(struct sw_arrays **input)
{
    if (!input || !*input) return;
    if ((*input)->format) (*input)->format->close((*input)->own);
    sw_free((*input)->path);
    sw_free(*input);
    *input = NULL;
}

enum sw_arrays_kind sw_arrays_kind(const struct sw_arrays *input)
{
    return input->format->kind ? input->format->kind(input->own) : SW_ARRAYS_DATASETS;
}

enum sw_status sw_arrays_find_box(struct sw_arrays *input, const char *name, struct sw_array *array)
{
    return input->format->find(input->own, name, array);
}

/* ------------------------------------------------------------------ what dimensions are */

static const char *name_of(const struct sw_array *a, int d)
{
    const char *slash = strrchr(a->scale[d], '/');
    return slash ? slash + 1 : a->scale[d];
}

enum sw_array_role sw_array_role(const struct sw_array *a, int d)
{
    static const struct { const char *name; enum sw_array_role role; } known[] = {
        {"run", SW_ARRAY_RUN}, {"group_run", SW_ARRAY_RUN}, {"runs", SW_ARRAY_RUN}, {"system", SW_ARRAY_RUN},
        {"systems", SW_ARRAY_RUN}, {"time", SW_ARRAY_TIME}, {"t", SW_ARRAY_TIME}, {"z", SW_ARRAY_Z}, {"y", SW_ARRAY_Y},
        {"x", SW_ARRAY_X}, {"i", SW_ARRAY_X}, {"n", SW_ARRAY_X}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcasecmp(name_of(a, d), known[k].name)) return known[k].role;
    return SW_ARRAY_NO_ROLE;
}

void sw_array_add_names(const struct sw_array *a, struct sw_text *text)
{
    for (int d = 0; d < a->rank; d++)
        sw_text_printf(text, "%s%s", d ? ", " : "(", *a->scale[d] ? name_of(a, d) : "?");
    sw_text_add(text, ")");
}

/* All have a role, and each another one. */
bool sw_array_named(const struct sw_array *a)
{
    bool met[SW_ARRAY_NO_ROLE + 1] = {[SW_ARRAY_NO_ROLE] = true};
    for (int d = 0; d < a->rank; d++) {
        const enum sw_array_role role = sw_array_role(a, d);
        if (met[role]) return false;
        met[role] = true;
    }
    return true;
}

static void swap_dimensions(struct sw_array *a, int d, int e)
{
    const struct sw_array was = *a;
    a->dim[d] = was.dim[e];
    a->dim[e] = was.dim[d];
    a->from[d] = was.from[e];
    a->from[e] = was.from[d];
    memcpy(a->scale[d], was.scale[e], sizeof a->scale[d]);
    memcpy(a->scale[e], was.scale[d], sizeof a->scale[e]);
}

/* Those that have a role among others without have to be where it puts them. */
static bool in_place(const struct sw_array *a)
{
    for (int d = 0; d < a->rank; d++) {
        const enum sw_array_role role = sw_array_role(a, d);
        if (role == SW_ARRAY_RUN ? d != 0 : role == SW_ARRAY_TIME ? d > 1 :
            role != SW_ARRAY_NO_ROLE && a->rank - d != SW_ARRAY_NO_ROLE - (int)role) return false;
    }
    return true;
}

static enum sw_status refuse_order(const struct sw_array *a)
{
    struct sw_text names = {0};
    sw_array_add_names(a, &names);
    enum sw_status st = SW_FAIL(SW_E_CONFIG, "its dimensions are %s: name all of them, run, time, z, y, x, or put them "
                                "in this order", sw_text_get(&names));
    sw_text_free(&names);
    return st;
}

static enum sw_status arrange(struct sw_array *a)
{
    const int64_t all = a->systems * a->n;
    const bool named = sw_array_named(a);
    for (int d = 1; d < a->rank && named; d++)
        for (int e = d; e > 0 && sw_array_role(a, e) < sw_array_role(a, e - 1); e--) swap_dimensions(a, e, e - 1);
    if (!named && !in_place(a)) return refuse_order(a);
    if (!named && a->rank == 2 && a->dim[1] == 1) a->rank = 1;
    a->n = a->dim[a->rank - 1];
    a->systems = all / a->n;
    return SW_OK;
}

enum sw_status sw_arrays_find_field(struct sw_arrays *input, const char *name, struct sw_array *array)
{
    SW_TRY(sw_arrays_find_box(input, name, array));
    return arrange(array);
}

enum sw_status sw_arrays_find(struct sw_arrays *input, const char *name, struct sw_array *array)
{
    SW_TRY(sw_arrays_find_field(input, name, array));
    if (array->rank <= 2) return SW_OK;
    return SW_FAIL(SW_E_CONFIG, "it has %d dimensions; one (n) or two (systems, n) are needed", array->rank);
}

bool sw_arrays_has(struct sw_arrays *input, const char *name)
{
    return input->format->has && input->format->has(input->own, name);
}

void sw_arrays_each(struct sw_arrays *input, void (*visit)(void *user, const char *name), void *user)
{
    if (input->format->each) input->format->each(input->own, visit, user);
}

void sw_arrays_list(struct sw_arrays *input, struct sw_text *names)
{
    if (input->format->list) input->format->list(input->own, names);
}

/* Numbers in the order of the file's dimensions become those in the order of the array's.
 * @param count  [array->rank]  @param out  as sw_arrays_read_box() */
static void put_in_order(const struct sw_array *a, const int64_t *count, int64_t total, const double *stored,
                         double *out)
{
    int64_t length[SW_ARRAY_RANK] = {1, 1, 1, 1, 1}, stride[SW_ARRAY_RANK], at = 1;
    for (int d = 0; d < a->rank; d++) length[a->from[d]] = count[d];
    for (int d = a->stored; d-- > 0; at *= length[d]) stride[d] = at;
    for (int64_t k = 0; k < total; k++) {
        int64_t left = k;
        at = 0;
        for (int d = a->rank; d-- > 0; left /= count[d]) at += left % count[d] * stride[a->from[d]];
        out[k] = stored[at];
    }
}

static enum sw_status read_in_order(struct sw_arrays *input, const struct sw_array *a, const int64_t *first,
                                    const int64_t *count, double *out)
{
    bool ordered = true;
    int64_t total = 1;
    double *stored;
    for (int d = 0; d < a->rank; d++) {
        ordered = ordered && (!d || a->from[d] > a->from[d - 1]);
        total *= count[d];
    }
    if (ordered) return input->format->read(input->own, a, first, count, out);
    SW_TRY(sw_alloc((size_t)total, &stored));
    enum sw_status st = input->format->read(input->own, a, first, count, stored);
    if (!st) put_in_order(a, count, total, stored, out);
    sw_free(stored);
    return st;
}

/* A file that has been cut reads as zeros, or fails for that: that it has changed is what counts. */
enum sw_status sw_arrays_read_box(struct sw_arrays *input, const struct sw_array *array, const int64_t *first,
                                  const int64_t *count, double *out)
{
    for (int d = 0; d < array->rank; d++)
        if (!count[d]) return SW_OK;
    enum sw_status st = read_in_order(input, array, first, count, out);
    if (!input->format->whole) SW_TRY(check_unchanged(input));
    return st;
}

enum sw_status sw_arrays_read(struct sw_arrays *input, const struct sw_array *array, const struct sw_array_part *part,
                              double *out)
{
    const int64_t first[2] = {part->system, part->first}, count[2] = {part->systems, part->count};
    const int skipped = 2 - array->rank;  /* of one dimension, there is one system */
    if (!part->systems) return SW_OK;
    return sw_arrays_read_box(input, array, first + skipped, count + skipped, out);
}

/* The numbers are taken in their order, in boxes: along one dimension many at a time, of the dimensions behind it all,
 * of those before it one. */
struct boxes { int along, rank; int64_t many, first[SW_ARRAY_RANK], count[SW_ARRAY_RANK]; };

static struct boxes first_box(const struct sw_array *a, int64_t piece)
{
    struct boxes b = {.along = a->rank - 1, .rank = a->rank};
    int64_t behind = 1;
    while (b.along > 0 && behind * a->dim[b.along] <= piece) behind *= a->dim[b.along--];
    b.many = piece / behind;
    for (int d = 0; d < a->rank; d++) b.count[d] = d < b.along ? 1 : a->dim[d];
    if (b.count[b.along] > b.many) b.count[b.along] = b.many;
    return b;
}

/* @return false: that was the last one */
static bool next_box(const struct sw_array *a, struct boxes *b)
{
    int d = b->along;
    b->first[d] += b->count[d];
    while (b->first[d] == a->dim[d] && d > 0) {
        b->first[d--] = 0;
        b->first[d]++;
    }
    if (b->first[d] == a->dim[d]) return false;
    const int64_t left = a->dim[b->along] - b->first[b->along];
    b->count[b->along] = left < b->many ? left : b->many;
    return true;
}

enum sw_status sw_arrays_digest(struct sw_arrays *input, const struct sw_array *a, unsigned char digest[32])
{
    const int64_t piece = 1 << 17, shape[2] = {a->systems, a->n};
    struct boxes b = first_box(a, piece);
    struct sw_hash h;
    double *number;
    enum sw_status st = SW_OK;
    SW_TRY(sw_alloc((size_t)piece, &number));
    sw_hash_start(&h);
    sw_hash_add(&h, shape, sizeof shape);
    do {
        size_t numbers = 1;
        for (int d = 0; d < a->rank; d++) numbers *= (size_t)b.count[d];
        st = sw_arrays_read_box(input, a, b.first, b.count, number);
        if (!st) sw_hash_add(&h, number, numbers * sizeof *number);
    } while (!st && next_box(a, &b));
    sw_hash_end(&h, digest);
    sw_free(number);
    return st;
}
