/* Compact differences of fields by the rows of src/fd: one field for each run of the config, along its axis.
 *
 * What is timed: f read from the memory of the device and the result written to it. f is noise, the same numbers at any
 * size of the machine, so that results are as large as rounding is relative to.
 *
 * What should be there: cpu.thomas on lines of the field here and there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "bench/bench_impl.h"
#include "fd/sw_fd_impl.h"
#include "fd/sw_fd_nabla.h"

enum { LINES_CHECKED = 9 };

struct compact {
    const struct sw_bench_spec *spec;
    struct sw_device           *device;
    struct sw_fd_desc           desc;
    struct sw_fd               *fd;
    size_t                      count, word;
    void                       *f, *out;  /* on the device */
};

/* The distance of points only scales the result, and is 1. */
static struct sw_fd_desc describe_along(const struct sw_bench_spec *s)
{
    struct sw_fd_desc d = {.n = {s->setup.n[0], s->setup.n[1], s->setup.n[2]}, .fields = s->batch, .h = 1,
                           .scheme = sw_setup_word(&s->setup, "scheme"),
                           .boundary = sw_setup_word(&s->setup, "boundary"), .single = s->setup.single_steps};
    const struct sw_fd_scheme *scheme = sw_fd_scheme_find(d.scheme);
    while (d.axis < 2 && *sw_setup_word(&s->setup, "axis") != 'x' + d.axis) d.axis++;
    if (scheme && scheme->any_alpha) d.alpha = bench_value(s, "alpha", 0);
    d.comm = s->setup.domain.all ? s->setup.domain.along[d.axis] : NULL;
    return d;
}

/* Between -1 and 1, of number i of the whole grid: bench_mix(). */
static double noise(size_t i)
{
    return (float)((double)(bench_mix(i) >> 12) * 0x1p-51 - 1);
}

/* @param f  on the device, count numbers of word bytes */
static enum sw_status make_noise(struct sw_device *device, const struct sw_setup *setup, size_t count, size_t word,
                                 void *f)
{
    char *host = NULL;
    SW_TRY(sw_alloc_bytes(count, word, &host));
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++) sw_reals_set(host, word, i, noise(bench_place_in_whole(setup, i)));
    enum sw_status st = sw_device_upload(device, f, host, count * word);
    sw_free(host);
    return st;
}

static void compact_destroy(void *own)
{
    struct compact *c = own;
    if (!c) return;
    sw_fd_destroy(&c->fd);
    sw_device_free(c->device, c->f);
    sw_device_free(c->device, c->out);
    sw_free(c);
}

static enum sw_status compact_create(const struct sw_bench_spec *spec, const char *row, struct sw_device *device,
                                     void **own)
{
    struct compact *c = NULL;
    enum sw_status st;
    *own = NULL;
    SW_TRY(sw_alloc(1, &c));
    c->spec = spec;
    c->device = device;
    c->desc = describe_along(spec);
    c->count = (size_t)bench_points(spec);
    c->word = sw_reals_word(spec->setup.single_steps);
    SW_TRY_TO(failed, st, bench_agree(spec, bench_check_memory(device, 2 * (double)c->count * (double)c->word)));
    SW_TRY_TO(failed, st, sw_fd_create(&c->desc, row, device, &c->fd));
    SW_TRY_TO(failed, st, sw_device_alloc_bytes(device, c->count, c->word, &c->f));
    SW_TRY_TO(failed, st, sw_device_alloc_bytes(device, c->count, c->word, &c->out));
    SW_TRY_TO(failed, st, make_noise(device, &spec->setup, c->count, c->word, c->f));
    *own = c;
    return SW_OK;
failed:
    compact_destroy(c);
    return st;
}

static enum sw_status compact_advance(void *own, int64_t steps)
{
    struct compact *c = own;
    for (int64_t k = 0; k < steps; k++) SW_TRY(sw_fd_apply(c->fd, c->f, c->out));
    return SW_OK;
}

/* Points along an axis, of all ranks. */
static size_t whole_points(const struct sw_setup *setup, int axis) { return (size_t)sw_setup_whole(setup, axis); }

/* The largest error and the largest result of line k, or of this rank's part of it. @param line  [2][whole n] */
static enum sw_status check_line(const struct sw_setup *setup, const struct sw_fd_desc *d, struct sw_fd *reference,
                                 const void *out, size_t k, double *line, double *off, double *size)
{
    const size_t m = (size_t)d->n[d->axis], n = whole_points(setup, d->axis), word = sw_reals_word(d->single);
    const size_t first = (size_t)sw_setup_first(setup, d->axis);
    size_t stride = 1, stride_of_whole = 1;
    for (int axis = 0; axis < d->axis; axis++) {
        stride *= (size_t)d->n[axis];
        stride_of_whole *= whole_points(setup, axis);
    }
    const size_t base = k / stride * stride * m + k % stride;
    const size_t begin = bench_place_in_whole(setup, base) - first * stride_of_whole;
    for (size_t i = 0; i < n; i++) line[i] = noise(begin + i * stride_of_whole);
    SW_TRY(sw_fd_apply(reference, line, line + n));
    for (size_t i = 0; i < m; i++) {
        double error = fabs(sw_reals_at(out, word, base + i * stride) - line[n + first + i]);
        if (!(error <= *off)) *off = isfinite(error) ? error : INFINITY;
        *size = fmax(*size, fabs(line[n + first + i]));
    }
    return SW_OK;
}

static enum sw_status check_lines(const struct sw_setup *setup, const struct sw_fd_desc *d, const void *out,
                                  double *error)
{
    const size_t lines = (size_t)(d->fields * (d->n[0] * d->n[1] * d->n[2] / d->n[d->axis]));
    const size_t checked = lines < LINES_CHECKED ? lines : LINES_CHECKED;
    struct sw_fd_desc one = *d;
    struct sw_device *cpu = NULL;
    struct sw_fd *reference = NULL;
    double *line = NULL, off = 0, size = 0;
    enum sw_status st;
    one.comm = NULL;
    one.n[0] = sw_setup_whole(setup, d->axis);
    one.n[1] = one.n[2] = one.fields = 1;
    one.axis = 0;
    one.single = false;
    SW_TRY_TO(done, st, sw_device_open("cpu", 1, &cpu));
    SW_TRY_TO(done, st, sw_fd_create(&one, "cpu.thomas", cpu, &reference));
    SW_TRY_TO(done, st, sw_alloc(2 * (size_t)one.n[0], &line));
    for (size_t k = 0; k < checked; k++) {
        size_t at = checked == 1 ? 0 : k * (lines - 1) / (checked - 1);
        SW_TRY_TO(done, st, check_line(setup, d, reference, out, at, line, &off, &size));
    }
    *error = off / size;
done:
    sw_free(line);
    sw_fd_destroy(&reference);
    sw_device_close(&cpu);
    return st;
}

/* Of noise the result is about as large as the terms of its right-hand side; each of the two that are compared is off
 * by some eight roundings of them, times |T^-1|, which is 10 at most on a circle and 300 with the closures of f''. */
/* The error of a derivative of that field, relative to the largest result, on some of its lines, and its bound.
 * @param out  on the device */
static enum sw_status check_derivative(struct sw_device *device, const struct sw_setup *setup,
                                       const struct sw_fd_desc *d, const void *out, double *error, double *bound)
{
    const size_t count = (size_t)(d->fields * d->n[0] * d->n[1] * d->n[2]), word = sw_reals_word(d->single);
    char *host = NULL;
    *bound = 16 * 300 * (d->single ? 0x1p-24 : 0x1p-53);
    SW_TRY(sw_alloc_bytes(count, word, &host));
    enum sw_status st = sw_device_download(device, host, out, count * word);
    if (!st) st = check_lines(setup, d, host, error);
    sw_free(host);
    return st;
}

static enum sw_status compact_check(void *own, int64_t steps, double *error, double *bound)
{
    const struct compact *c = own;
    (void)steps;
    return check_derivative(c->device, &c->spec->setup, &c->desc, c->out, error, bound);
}

static struct sw_cost compact_cost(void *own, int64_t steps)
{
    const struct compact *c = own;
    (void)steps;
    return sw_fd_cost(&c->desc, sw_fd_name(c->fd));
}

/* half_width planes of f, and for each line the values beside the neighbour's part: 1, with five diagonals 2. All to
 * each neighbour, in two messages, as these values depend on the planes. */
static struct bench_sent least_of_lines(const struct sw_fd_desc *d)
{
    struct sw_fd_line line;
    const int64_t n = d->comm ? d->n[d->axis] * d->comm->size : 0;
    if (!n || sw_fd_line_make(d->scheme, d->boundary, n, d->h, d->alpha, false, &line))
        return (struct bench_sent){0};
    const int left = sw_comm_left(d->comm, line.periodic), right = sw_comm_right(d->comm, line.periodic);
    const int sides = (left >= 0) + (right >= 0), neighbours = sides - (left == right);
    const int64_t lines = d->fields * (d->n[0] * d->n[1] * d->n[2] / d->n[d->axis]);
    const int64_t each = line.half_width * (int64_t)sw_reals_word(d->single) +
                         (line.beta != 0 ? 2 : 1) * (int64_t)sizeof(double);
    return (struct bench_sent){.messages = 2 * neighbours, .bytes = sides * lines * each};
}

static struct bench_sent compact_least_sent(void *own)
{
    const struct compact *c = own;
    return least_of_lines(&c->desc);
}

static void compact_list_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
{
    const struct sw_fd_desc d = describe_along(spec);
    for (int k = 0; sw_fd_table[k]; k++)
        if (sw_fd_fits(&d, sw_fd_table[k]->name)) bench_rows_add(rows, sw_fd_table[k]->name, "", sw_fd_table[k]->space);
}

const struct bench_work bench_compact = {
    .terms = {"points/s", "least s/field", "point"},
    .steps = 20,
    .list_rows = compact_list_rows,
    .create = compact_create,
    .advance = compact_advance,
    .check = compact_check,
    .cost = compact_cost,
    .destroy = compact_destroy,
    .most_checked = 1,
    .least_sent = compact_least_sent,
};

/* ------------------------------------------------------------------ gradients
 *
 * Gradients of a field by the rows of src/fd: n points along each of `dimensions` axes. "ROW+apart" takes one axis
 * after the other where ROW takes two at once.
 *
 * What is timed: f read from the memory of the device as often as the row does, and the results written to it. f is
 * noise, as above.
 *
 * What should be there: cpu.thomas on lines along each axis, here and there. */

static const char apart[] = "apart";

struct gradient {
    const struct sw_bench_spec *spec;
    struct sw_device        *device;
    struct sw_fd_nabla_desc  desc;
    struct sw_fd_nabla      *nabla;
    char   row[64];
    size_t count, word;
    void  *f, *g[3];  /* on the device */
};

static struct sw_fd_nabla_desc describe(const struct sw_bench_spec *s)
{
    const struct sw_fd_desc line = describe_along(s);
    struct sw_fd_nabla_desc d = {.n = {line.n[0], line.n[1], line.n[2]}, .scheme = line.scheme, .single = line.single};
    for (int k = 0; k < 3; k++) {
        d.boundary[k] = line.boundary;
        d.h[k] = 1;
        d.along[k] = s->setup.domain.all ? s->setup.domain.along[k] : NULL;
    }
    return d;
}

static struct sw_fd_desc along(const struct sw_fd_nabla_desc *d, int axis)
{
    return (struct sw_fd_desc){.n = {d->n[0], d->n[1], d->n[2]}, .axis = axis, .fields = 1, .scheme = d->scheme,
                               .boundary = d->boundary[axis], .h = d->h[axis], .single = d->single,
                               .comm = d->along[axis]};
}

static void gradient_destroy(void *own)
{
    struct gradient *c = own;
    if (!c) return;
    sw_fd_nabla_destroy(&c->nabla);
    sw_device_free(c->device, c->f);
    for (int k = 0; k < 3; k++) sw_device_free(c->device, c->g[k]);
    sw_free(c);
}

/* "ROW" or "ROW+apart". */
static void set_row(struct gradient *c, const char *row)
{
    const size_t length = strcspn(row, "+");
    snprintf(c->row, sizeof c->row, "%.*s", (int)length, row);
    c->desc.separate = row[length] != 0;
}

static enum sw_status gradient_create(const struct sw_bench_spec *spec, const char *row, struct sw_device *device,
                                      void **own)
{
    struct gradient *c = NULL;
    enum sw_status st;
    *own = NULL;
    SW_TRY(sw_alloc(1, &c));
    c->spec = spec;
    c->device = device;
    c->desc = describe(spec);
    c->count = (size_t)bench_points(spec);
    c->word = sw_reals_word(spec->setup.single_steps);
    set_row(c, row);
    const double fields = 1.0 + spec->setup.dim;
    SW_TRY_TO(failed, st, bench_agree(spec, bench_check_memory(device, fields * (double)c->count * (double)c->word)));
    SW_TRY_TO(failed, st, sw_fd_nabla_create(&c->desc, c->row, device, &c->nabla));
    SW_TRY_TO(failed, st, sw_device_alloc_bytes(device, c->count, c->word, &c->f));
    for (int k = 0; k < spec->setup.dim; k++)
        SW_TRY_TO(failed, st, sw_device_alloc_bytes(device, c->count, c->word, &c->g[k]));
    SW_TRY_TO(failed, st, make_noise(device, &spec->setup, c->count, c->word, c->f));
    *own = c;
    return SW_OK;
failed:
    gradient_destroy(c);
    return st;
}

static enum sw_status gradient_advance(void *own, int64_t steps)
{
    struct gradient *c = own;
    for (int64_t k = 0; k < steps; k++) SW_TRY(sw_fd_gradient(c->nabla, c->f, c->g));
    return SW_OK;
}

/* The worst of the axes. */
static enum sw_status gradient_check(void *own, int64_t steps, double *error, double *bound)
{
    const struct gradient *c = own;
    (void)steps;
    *error = 0;
    for (int axis = 0; axis < 3; axis++) {
        const struct sw_fd_desc d = along(&c->desc, axis);
        double one;
        if (!c->g[axis]) continue;
        SW_TRY(check_derivative(c->device, &c->spec->setup, &d, c->g[axis], &one, bound));
        *error = fmax(*error, one);
    }
    return SW_OK;
}

/* Whether a row is for the lines along an axis, whole or cut; for the others the first that fits is taken. */
static bool is_for_lines(const struct sw_fd_desc *d, const char *row)
{
    return sw_fd_row_cuts(row) == (d->comm != NULL);
}

static const char *row_for(const struct sw_fd_desc *d, const char *row, enum sw_space space)
{
    if (is_for_lines(d, row)) return row;
    for (int k = 0; sw_fd_table[k]; k++)
        if (sw_fd_table[k]->space == space && sw_fd_fits(d, sw_fd_table[k]->name)) return sw_fd_table[k]->name;
    return row;
}

/* Of each axis, less f where two share it. */
static struct sw_cost gradient_cost(void *own, int64_t steps)
{
    const struct gradient *c = own;
    struct sw_cost sum = {sw_fd_nabla_joins(c->nabla) ? -(double)c->word : 0, 0};
    (void)steps;
    for (int axis = 0; axis < 3; axis++) {
        const struct sw_fd_desc d = along(&c->desc, axis);
        const struct sw_cost one = sw_fd_cost(&d, row_for(&d, c->row, c->device->space));
        if (!c->g[axis]) continue;
        sum.bytes += one.bytes;
        sum.fma += one.fma;
    }
    return sum;
}

static struct bench_sent gradient_least_sent(void *own)
{
    const struct gradient *c = own;
    struct bench_sent sum = {0};
    for (int axis = 0; axis < 3; axis++) {
        const struct sw_fd_desc d = along(&c->desc, axis);
        const struct bench_sent one = least_of_lines(&d);
        sum.messages += one.messages;
        sum.bytes += one.bytes;
    }
    return sum;
}

static void gradient_list_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
{
    const struct sw_fd_nabla_desc d = describe(spec);
    for (int k = 0; sw_fd_table[k]; k++) {
        const struct sw_fd_ops *o = sw_fd_table[k];
        bool fits = true, used = false;
        for (int axis = 0; axis < spec->setup.dim; axis++) {
            const struct sw_fd_desc one = along(&d, axis);
            if (!is_for_lines(&one, o->name)) continue;
            used = true;
            fits = fits && sw_fd_fits(&one, o->name);
        }
        fits = fits && used;
        if (fits) bench_rows_add(rows, o->name, "", o->space);
        const bool joins = spec->setup.dim > 1 && (o->create_joined || o->space == SW_HOST) && !sw_fd_row_cuts(o->name);
        if (fits && joins) bench_rows_add(rows, o->name, apart, o->space);
    }
}

const struct bench_work bench_gradient = {
    .terms = {"points/s", "least s/field", "point"},
    .steps = 20,
    .list_rows = gradient_list_rows,
    .create = gradient_create,
    .advance = gradient_advance,
    .check = gradient_check,
    .cost = gradient_cost,
    .destroy = gradient_destroy,
    .most_checked = 1,
    .least_sent = gradient_least_sent,
};
