/* FILE.xdmf: an account of the fields in FILE.h5 for programs that draw them, such as ParaView. XDMF of version 2
 * (https://www.xdmf.org, "XDMF Model and Format"): a run is a temporal collection, an output of it a uniform grid, a
 * field a hyperslab of the dataset that holds all runs; no value is copied.
 *
 * What the reader of version 2 wants beyond the text of the format (seen with vtkXdmfReader of VTK 9.7): grids always
 * of three dimensions (a 2DCoRectMesh comes out in y and z); the dimensions of a hyperslab are those of its grid, not
 * of the dataset; numbers of a grid in the order z, y, x, and double by request, as they are single otherwise. The
 * reader of version 3 finds no arrays in hyperslabs. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "store/catalog/input_file.h"
#include "store/files/sw_files.h"
#include "store/hdf5/schema_hdf5.h"
#include "store/sw_xdmf.h"

static const char mark[] = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- written by sweep -->\n";

/* ---- coordinates of fields, run by run: times of the outputs, and points along x, y, z. They are in the scales where
 * the runs agree, and in t, xc, yc, zc where they do not. */

struct coordinates {                /* free with close_coordinates()                          */
    struct sw_h5 h5;
    const struct sw_data_group *data_group;
    hid_t   own_t, own_x[SW_DIMS];          /* datasets of t, xc, yc, zc; < 0: all runs have the same         */
    double *time;                           /* [data group->nfield] of the current run; NaN behind its last */
    double  first[SW_DIMS], step[SW_DIMS];  /* of the current run; 0 and 1 where there is no such dimension */
    const double *uneven[SW_DIMS];          /* [n] its points, where they are not a step apart; else NULL     */
    double *own[SW_DIMS];                   /* [n] room for them where runs have their own                    */
};

/* The dataset of what runs have of their own, -1: they agree. */
static hid_t open_own(struct coordinates *l, enum sw_var_kind kind)
{
    const struct sw_data_group *s = l->data_group;
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    char path[SW_PATH];
    for (int k = 0; k < s->nvar; k++) {
        if (s->var[k].kind != kind) continue;
        return sw_h5_dataset(&l->h5, sw_data_group_path(s, s->var[k].name, path), &shape, &type);
    }
    return -1;
}

static void set_axis(struct coordinates *l, int d, double first, double last)
{
    const int64_t n = l->data_group->n[d];
    l->first[d] = first;
    l->step[d] = n > 1 ? (last - first) / (double)(n - 1) : 1;
}

/* Whether point i lies where a step between all points puts it, but for rounding of coordinates. */
static bool is_even(const struct coordinates *l, int d, int64_t i, double x)
{
    return !(fabs(x - (l->first[d] + (double)i * l->step[d])) > 1e-6 * fabs(l->step[d]));
}

/* Points x[0 .. n-1] that all runs have. */
static void set_points(struct coordinates *l, int d, const double *x)
{
    const int64_t n = l->data_group->n[d];
    set_axis(l, d, x[0], x[n - 1]);
    l->uneven[d] = NULL;
    for (int64_t i = 1; i < n - 1; i++)
        if (!is_even(l, d, i, x[i])) l->uneven[d] = x;
}

/* Fine where it is closed. */
static enum sw_status close_coordinates(struct coordinates *l)
{
    sw_h5_dataset_close(l->own_t);
    l->own_t = -1;
    for (int d = 0; d < SW_DIMS; d++) {
        sw_h5_dataset_close(l->own_x[d]);
        l->own_x[d] = -1;
        sw_free(l->own[d]);
        l->own[d] = NULL;
    }
    sw_free(l->time);
    l->time = NULL;
    return sw_h5_close(&l->h5);
}

/* @param s  of the file; has to stay as long as the coordinates. They are closed after a failure. */
static enum sw_status open_coordinates(const char *path, const struct sw_data_group *s, struct coordinates *l)
{
    *l = (struct coordinates){.data_group = s, .own_t = -1, .own_x = {-1, -1, -1}};
    enum sw_status st = sw_h5_open(&l->h5, path);
    if (!st) st = sw_alloc((size_t)s->nfield, &l->time);
    if (!st) l->own_t = open_own(l, SW_VAR_T);
    for (int d = 0; d < SW_DIMS; d++) {
        set_axis(l, d, s->numbered && d == 0, (double)(s->n[d] - 1 + (s->numbered && d == 0)));
        if (!st && d < s->dim) l->own_x[d] = open_own(l, sw_scale_var(d));
        if (s->scale[sw_scale_var(d)]) set_points(l, d, s->scale[sw_scale_var(d)]);
    }
    if (s->scale[SW_VAR_T] && l->time) memcpy(l->time, s->scale[SW_VAR_T], (size_t)s->nfield * sizeof *l->time);
    if (!st) st = l->h5.status;
    if (st) close_coordinates(l);
    return st;
}

/* The points of a run along d. Its ends and its middle say whether they are evenly spaced, as the distances of points
 * grow evenly, if they do (sw_grid_at()). Only where they are not, all are read. */
static enum sw_status read_points(struct coordinates *l, int d, hsize_t row)
{
    const int64_t n = l->data_group->n[d], place[3] = {0, n / 2, n - 1};
    const hsize_t one[2] = {1, 1}, all[2] = {1, (hsize_t)n};
    hsize_t at[2] = {row, 0};
    double x[3] = {0};
    for (int k = 0; k < 3; k++) {
        at[1] = (hsize_t)place[k];
        sw_h5_read(&l->h5, l->own_x[d], SW_H5_DOUBLE, 2, at, one, &x[k]);
    }
    set_axis(l, d, x[0], x[2]);
    l->uneven[d] = NULL;
    if (l->h5.status || is_even(l, d, place[1], x[1])) return l->h5.status;
    if (!l->own[d]) SW_TRY(sw_alloc((size_t)n, &l->own[d]));
    at[1] = 0;
    sw_h5_read(&l->h5, l->own_x[d], SW_H5_DOUBLE, 2, at, all, l->own[d]);
    l->uneven[d] = l->own[d];
    return l->h5.status;
}

/* Read the coordinates of a run. @param row  in the data group */
static enum sw_status read_coordinates(struct coordinates *l, int64_t row)
{
    const hsize_t outputs[2] = {1, (hsize_t)l->data_group->nfield}, at[2] = {(hsize_t)row, 0};
    if (l->own_t >= 0) sw_h5_read(&l->h5, l->own_t, SW_H5_DOUBLE, 2, at, outputs, l->time);
    for (int d = 0; d < SW_DIMS; d++)
        if (l->own_x[d] >= 0) SW_TRY(read_points(l, d, (hsize_t)row));
    return l->h5.status;
}

/* ---- text */

/* Characters that XML gives a meaning are spelt; control characters and bytes that are not UTF-8, which it does not
 * allow at all, become '?'. */
static void add_escaped(struct sw_text *t, const char *text)
{
    int code;
    for (size_t bytes; *text; text += bytes) {
        const char c = *text;
        const char *name = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
        bytes = sw_text_character(text, &code);
        if (name) sw_text_add(t, name);
        else if (code < 0x20 || code == 0xfffe || code == 0xffff) sw_text_add(t, "?");
        else sw_text_add_bytes(t, text, bytes);
    }
}

/* Along z, y, x. */
static void add_numbers(struct sw_text *t, const double value[SW_DIMS])
{
    char number[32];
    sw_text_add(t, "<DataItem Dimensions=\"3\" Precision=\"8\" Format=\"XML\">");
    for (int d = SW_DIMS - 1; d >= 0; d--) sw_text_printf(t, "%s%s", sw_number(value[d], number), d ? " " : "");
    sw_text_add(t, "</DataItem>");
}

static void add_counts(struct sw_text *t, int rank, const hsize_t *count)
{
    for (int k = 0; k < rank; k++) sw_text_printf(t, "%s%llu", k ? " " : "", (unsigned long long)count[k]);
}

/* "run 3: a = 0.5, axis = x" */
static void add_name(struct sw_text *t, const struct sw_run_table *table, int64_t row)
{
    sw_text_printf(t, "run %lld", (long long)table->index[row]);
    for (int k = 0; k < table->nparam; k++) {
        const double v = table->param[(int64_t)k * table->nruns + row];
        sw_text_add(t, k ? ", " : ": ");
        add_escaped(t, table->param_name[k]);
        sw_text_add(t, " = ");
        if (table->nword[k]) add_escaped(t, table->word[k][(int)v]);
        else sw_text_printf(t, "%.6g", v);
    }
}

/* ---- grids */
struct xdmf {
    FILE       *to;
    const char *h5;                          /* its name as it stands in the text                      */
    const struct sw_input_file *in;
    struct coordinates coordinates;          /* of the data group under way                            */
    struct sw_text text;                     /* of the run under way                                   */
    bool        any;                         /* fields are there, if only of runs that came to nothing */
    struct sw_xdmf_summary sum;
};

static void add_field(struct xdmf *x, const struct sw_var *v, int64_t row, int64_t output)
{
    const struct sw_data_group *s = x->coordinates.data_group;
    const hsize_t n[SW_DIMS] = {(hsize_t)s->n[2], (hsize_t)s->n[1], (hsize_t)s->n[0]};
    struct sw_text *t = &x->text;
    hsize_t start[SW_H5_RANK], size[SW_H5_RANK], all[SW_H5_RANK];
    char path[SW_PATH];
    const int rank = sw_var_start(s, v->kind, row, output, start);
    sw_var_size(s, v->kind, 1, 1, size);
    sw_var_size(s, v->kind, s->count, s->nfield, all);
    sw_text_add(t, "<Attribute Name=\"");
    add_escaped(t, v->name);
    sw_text_add(t, "\" Center=\"Node\"><DataItem ItemType=\"HyperSlab\" Dimensions=\"");
    add_counts(t, SW_DIMS, n);
    sw_text_printf(t, "\"><DataItem Dimensions=\"3 %d\" Format=\"XML\">", rank);
    add_counts(t, rank, start);
    for (int k = 0; k < rank; k++) sw_text_add(t, " 1");
    sw_text_add(t, " ");
    add_counts(t, rank, size);
    sw_text_printf(t, "</DataItem><DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"%d\" Dimensions=\"",
                   v->type == SW_H5_SINGLE ? 4 : 8);
    add_counts(t, rank, all);
    sw_text_printf(t, "\">%s:", x->h5);
    add_escaped(t, sw_data_group_path(s, v->name, path));
    sw_text_add(t, "</DataItem></DataItem></Attribute>\n");
}

/* The points of axis d, one after another. */
static void add_axis(struct sw_text *t, int64_t n, const struct coordinates *c, int d)
{
    char number[32];
    sw_text_printf(t, "<DataItem Dimensions=\"%lld\" Precision=\"8\" Format=\"XML\">", (long long)n);
    for (int64_t i = 0; i < n; i++)
        sw_text_printf(t, "%s%s", i ? " " : "",
                       sw_number(c->uneven[d] ? c->uneven[d][i] : c->first[d] + (double)i * c->step[d], number));
    sw_text_add(t, "</DataItem>");
}

static void add_geometry(struct sw_text *t, const struct sw_data_group *s, const struct coordinates *c)
{
    const bool even = !c->uneven[0] && !c->uneven[1] && !c->uneven[2];
    sw_text_printf(t, "<Topology TopologyType=\"%s\" Dimensions=\"%lld %lld %lld\"/>",
                   even ? "3DCoRectMesh" : "3DRectMesh", (long long)s->n[2], (long long)s->n[1], (long long)s->n[0]);
    sw_text_printf(t, "<Geometry GeometryType=\"%s\">", even ? "ORIGIN_DXDYDZ" : "VXVYVZ");
    if (even) {
        add_numbers(t, c->first);
        add_numbers(t, c->step);
    } else {
        for (int d = 0; d < SW_DIMS; d++) add_axis(t, s->n[d], c, d);
    }
    sw_text_add(t, "</Geometry>\n");
}

static void add_output(struct xdmf *x, int64_t row, int64_t output)
{
    const struct sw_data_group *s = x->coordinates.data_group;
    struct sw_text *t = &x->text;
    char number[32];
    sw_text_printf(t, "<Grid><Time Value=\"%s\"/>", sw_number(x->coordinates.time[output], number));
    add_geometry(t, s, &x->coordinates);
    for (int k = 0; k < s->nvar; k++)
        if (s->var[k].kind == SW_VAR_FIELD) add_field(x, &s->var[k], row, output);
    sw_text_add(t, "</Grid>\n");
}

/* Outputs up to the time that the run reached: behind it there are NaN, but for a run that ended early, whose last
 * state is at all later times. A run without any is left out. */
static enum sw_status write_run(struct xdmf *x, int64_t row)
{
    const struct sw_run_row run = sw_run_table_row(x->in->table, row);
    const double reached = run.stopped ? INFINITY : run.t_reached * (1 + 1e-12);  /* a time is a product, rounded */
    const int64_t own_row = x->in->row_of[row];
    int64_t outputs = 0;
    SW_TRY(read_coordinates(&x->coordinates, own_row));
    sw_text_add(&x->text, "<Grid Name=\"");
    add_name(&x->text, x->in->table, row);
    sw_text_add(&x->text, "\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
    for (int64_t k = 0; k < x->coordinates.data_group->nfield; k++) {
        if (!(x->coordinates.time[k] <= reached)) continue;
        add_output(x, own_row, k);
        outputs++;
    }
    sw_text_add(&x->text, "</Grid>\n");
    if (outputs && !x->text.failed) fputs(sw_text_get(&x->text), x->to);
    x->sum.runs += outputs > 0;
    x->sum.grids += outputs;
    x->text.length = 0;
    return sw_text_status(&x->text);
}

static bool has_field(const struct sw_data_group *s)
{
    for (int k = 0; k < s->nvar; k++)
        if (s->var[k].kind == SW_VAR_FIELD) return true;
    return false;
}

static enum sw_status write_data_group(struct xdmf *x, int k)
{
    if (!has_field(&x->in->data_group[k])) return SW_OK;
    x->any = true;
    SW_TRY(open_coordinates(x->in->path, &x->in->data_group[k], &x->coordinates));
    enum sw_status st = SW_OK;
    for (int64_t row = 0; row < x->in->table->nruns && !st; row++)
        if (x->in->data_group_of[row] == k) st = write_run(x, row);
    const enum sw_status closed = close_coordinates(&x->coordinates);
    return st ? st : closed;
}

static enum sw_status write_all(struct xdmf *x, int fd, const char *name)
{
    enum sw_status st = SW_OK;
    x->to = fdopen(fd, "w");
    if (!x->to) {
        st = sw_files_fail(name);
        close(fd);
        return st;
    }
    fprintf(x->to, "%s<Xdmf Version=\"2.0\">\n<Domain>\n", mark);
    for (int k = 0; k < x->in->ndata_group && !st; k++) st = write_data_group(x, k);
    fputs("</Domain>\n</Xdmf>\n", x->to);
    x->sum.bytes = ftell(x->to);
    const enum sw_status written = sw_files_end_text(x->to, name);
    if (!st) st = written;
    if (!st && !x->any) st = SW_FAIL(SW_E_IO, "%s holds no fields: set output.fields in its config", x->in->path);
    return st;
}

/* ---- the file */

char *sw_xdmf_name(const char *file)
{
    const size_t length = strlen(file), suffix = strlen(".h5");
    const bool h5 = length > suffix && !strcmp(file + length - suffix, ".h5");
    char *stem = sw_strndup(file, h5 ? length - suffix : length), *name = stem ? sw_files_name(stem, ".xdmf") : NULL;
    sw_free(stem);
    return name;
}

/* Whether there is a file, and whether it is ours. */
static enum sw_status inspect(const char *name, bool *there, bool *ours)
{
    char start[sizeof mark] = "";
    *there = *ours = false;
    SW_TRY(sw_files_regular(name));
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? SW_OK : sw_files_fail(name);
    const ssize_t length = read(fd, start, sizeof mark - 1);
    const enum sw_status st = length < 0 ? sw_files_fail(name) : SW_OK;
    close(fd);
    *there = true;
    *ours = !st && !strcmp(start, mark);
    return st;
}

enum sw_status sw_xdmf_find(const char *file, bool *ours)
{
    bool there;
    char *name = sw_xdmf_name(file);
    *ours = false;
    const enum sw_status st = name ? inspect(name, &there, ours) : SW_E_MEMORY;
    sw_free(name);
    return st;
}

static enum sw_status check_names(const char *file, const char *base, const char *name)
{
    bool there, ours;
    char **part;
    int count;
    if (strchr(base, ':'))
        return SW_FAIL(SW_E_REFUSED, "%s: an .xdmf cannot name a file with a colon, which ends names there; rename it",
                       file);
    if (base[sw_text_utf8(base)])
        return SW_FAIL(SW_E_REFUSED, "%s: an .xdmf, which is XML, cannot name a file whose name is not UTF-8; rename "
                       "it", file);
    SW_TRY(inspect(name, &there, &ours));
    if (there && !ours)
        return SW_FAIL(SW_E_REFUSED, "%s is there and was not written by sweep; move it away", name);
    if (!access(file, F_OK)) return SW_OK;
    SW_TRY(sw_files_parts(file, &part, &count));
    sw_files_free_list(&part, count);
    if (!count) return SW_FAIL(SW_E_IO, "there is no file %s", file);
    return SW_FAIL(SW_E_IO, "there is no file %s yet, only parts of it; sweep resume finishes it", file);
}

/* A call that has replaced FILE may have written its account before this one. */
static enum sw_status check_unchanged(const struct xdmf *x, const char *file)
{
    struct sw_file_version now;
    SW_TRY(sw_files_version(file, &now));
    if (sw_files_same_version(&now, &x->in->version)) return SW_OK;
    return SW_FAIL(SW_E_IO, "%s was replaced while its fields were looked up; run the same command again", file);
}

/* A symbolic link stays one. */
static enum sw_status write_safely(struct xdmf *x, const char *file, const char *name)
{
    char *real, *tmp = NULL;
    int fd;
    SW_TRY(sw_files_follow(name, true, &real));
    enum sw_status st = sw_private_file(real, &fd, &tmp);
    if (!st) {
        st = write_all(x, fd, name);
        if (!st) st = sw_files_move(tmp, real, NULL);
        if (st) unlink(tmp);
        else st = check_unchanged(x, file);
    }
    sw_free(tmp);
    sw_free(real);
    return st;
}

enum sw_status sw_xdmf_write(const char *file, struct sw_xdmf_summary *summary)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    struct sw_input_file in = {0};
    struct sw_text h5 = {0};
    struct xdmf x = {.in = &in};
    char *name = sw_xdmf_name(file);
    bool damaged;
    enum sw_status st = name ? check_names(file, base, name) : SW_E_MEMORY;
    add_escaped(&h5, base);
    if (!st) st = sw_text_status(&h5);
    x.h5 = sw_text_get(&h5);
    if (!st) st = sw_input_file_open(file, &in, &damaged);
    if (!st) st = write_safely(&x, file, name);
    *summary = x.sum;
    sw_input_file_free(&in);
    sw_text_free(&x.text);
    sw_text_free(&h5);
    sw_free(name);
    return st;
}

enum sw_status sw_xdmf_remove(const char *file)
{
    bool ours;
    SW_TRY(sw_xdmf_find(file, &ours));
    char *name = sw_xdmf_name(file);
    const enum sw_status st = !name ? SW_E_MEMORY : ours ? sw_files_remove(name) : SW_OK;
    sw_free(name);
    return st;
}
