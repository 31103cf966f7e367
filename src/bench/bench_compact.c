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
    if (scheme && scheme->kind == SW_FD_FILTER) d.alpha = bench_value(s, "alpha", 0);
    return d;
}

/* Between -1 and 1: bench_mix(). */
static double noise(uint64_t i)
{
    return (float)((double)(bench_mix(i) >> 12) * 0x1p-51 - 1);
}

/* @param f  on the device, count numbers of word bytes */
static enum sw_status make_noise(struct sw_device *device, size_t count, size_t word, void *f)
{
    char *host = NULL;
    SW_TRY(sw_alloc_bytes(count, word, &host));
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++) sw_reals_set(host, word, i, noise(i));
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
    SW_TRY_TO(failed, st, bench_check_memory(device, 2 * (double)c->count * (double)c->word));
    SW_TRY_TO(failed, st, sw_fd_create(&c->desc, row, device, &c->fd));
    SW_TRY_TO(failed, st, sw_device_alloc_bytes(device, c->count, c->word, &c->f));
    SW_TRY_TO(failed, st, sw_device_alloc_bytes(device, c->count, c->word, &c->out));
    SW_TRY_TO(failed, st, make_noise(device, c->count, c->word, c->f));
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

/* The largest error and the largest result of line k. @param line  [2][n] */
static enum sw_status check_line(const struct sw_fd_desc *d, struct sw_fd *reference, const void *out, size_t k,
                                 double *line, double *off, double *size)
{
    const size_t n = (size_t)d->n[d->axis], word = sw_reals_word(d->single);
    size_t stride = 1;
    for (int axis = 0; axis < d->axis; axis++) stride *= (size_t)d->n[axis];
    const size_t base = k / stride * stride * n + k % stride;
    for (size_t i = 0; i < n; i++) line[i] = noise(base + i * stride);
    SW_TRY(sw_fd_apply(reference, line, line + n));
    for (size_t i = 0; i < n; i++) {
        double error = fabs(sw_reals_at(out, word, base + i * stride) - line[n + i]);
        if (!(error <= *off)) *off = isfinite(error) ? error : INFINITY;
        *size = fmax(*size, fabs(line[n + i]));
    }
    return SW_OK;
}

static enum sw_status check_lines(const struct sw_fd_desc *d, const void *out, double *error)
{
    const size_t lines = (size_t)(d->fields * (d->n[0] * d->n[1] * d->n[2] / d->n[d->axis]));
    const size_t checked = lines < LINES_CHECKED ? lines : LINES_CHECKED;
    struct sw_fd_desc one = *d;
    struct sw_device *cpu = NULL;
    struct sw_fd *reference = NULL;
    double *line = NULL, off = 0, size = 0;
    enum sw_status st;
    one.n[0] = d->n[d->axis];
    one.n[1] = one.n[2] = one.fields = 1;
    one.axis = 0;
    one.single = false;
    SW_TRY_TO(done, st, sw_device_open("cpu", 1, &cpu));
    SW_TRY_TO(done, st, sw_fd_create(&one, "cpu.thomas", cpu, &reference));
    SW_TRY_TO(done, st, sw_alloc(2 * (size_t)one.n[0], &line));
    for (size_t k = 0; k < checked; k++) {
        size_t at = checked == 1 ? 0 : k * (lines - 1) / (checked - 1);
        SW_TRY_TO(done, st, check_line(d, reference, out, at, line, &off, &size));
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
static enum sw_status check_derivative(struct sw_device *device, const struct sw_fd_desc *d, const void *out,
                                       double *error, double *bound)
{
    const size_t count = (size_t)(d->fields * d->n[0] * d->n[1] * d->n[2]), word = sw_reals_word(d->single);
    char *host = NULL;
    *bound = 16 * 300 * (d->single ? 0x1p-24 : 0x1p-53);
    SW_TRY(sw_alloc_bytes(count, word, &host));
    enum sw_status st = sw_device_download(device, host, out, count * word);
    if (!st) st = check_lines(d, host, error);
    sw_free(host);
    return st;
}

static enum sw_status compact_check(void *own, int64_t steps, double *error, double *bound)
{
    const struct compact *c = own;
    (void)steps;
    return check_derivative(c->device, &c->desc, c->out, error, bound);
}

static struct sw_cost compact_cost(void *own, int64_t steps)
{
    const struct compact *c = own;
    (void)steps;
    return sw_fd_cost(&c->desc, sw_fd_name(c->fd));
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
    }
    return d;
}

static struct sw_fd_desc along(const struct sw_fd_nabla_desc *d, int axis)
{
    return (struct sw_fd_desc){.n = {d->n[0], d->n[1], d->n[2]}, .axis = axis, .fields = 1, .scheme = d->scheme,
                               .boundary = d->boundary[axis], .h = d->h[axis], .single = d->single};
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
    c->device = device;
    c->desc = describe(spec);
    c->count = (size_t)bench_points(spec);
    c->word = sw_reals_word(spec->setup.single_steps);
    set_row(c, row);
    SW_TRY_TO(failed, st, bench_check_memory(device, (1.0 + spec->setup.dim) * (double)c->count * (double)c->word));
    SW_TRY_TO(failed, st, sw_fd_nabla_create(&c->desc, c->row, device, &c->nabla));
    SW_TRY_TO(failed, st, sw_device_alloc_bytes(device, c->count, c->word, &c->f));
    for (int k = 0; k < spec->setup.dim; k++)
        SW_TRY_TO(failed, st, sw_device_alloc_bytes(device, c->count, c->word, &c->g[k]));
    SW_TRY_TO(failed, st, make_noise(device, c->count, c->word, c->f));
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
        SW_TRY(check_derivative(c->device, &d, c->g[axis], &one, bound));
        *error = fmax(*error, one);
    }
    return SW_OK;
}

/* Of each axis, less f where two share it. */
static struct sw_cost gradient_cost(void *own, int64_t steps)
{
    const struct gradient *c = own;
    struct sw_cost sum = {sw_fd_nabla_joins(c->nabla) ? -(double)c->word : 0, 0};
    (void)steps;
    for (int axis = 0; axis < 3; axis++) {
        const struct sw_fd_desc d = along(&c->desc, axis);
        const struct sw_cost one = sw_fd_cost(&d, c->row);
        if (!c->g[axis]) continue;
        sum.bytes += one.bytes;
        sum.fma += one.fma;
    }
    return sum;
}

static void gradient_list_rows(const struct sw_bench_spec *spec, struct bench_rows *rows)
{
    const struct sw_fd_nabla_desc d = describe(spec);
    for (int k = 0; sw_fd_table[k]; k++) {
        const struct sw_fd_ops *o = sw_fd_table[k];
        bool fits = true;
        for (int axis = 0; axis < spec->setup.dim; axis++) {
            const struct sw_fd_desc one = along(&d, axis);
            fits = fits && sw_fd_fits(&one, o->name);
        }
        if (fits) bench_rows_add(rows, o->name, "", o->space);
        const bool joins = spec->setup.dim > 1 && (o->create_joined || o->space == SW_HOST);
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
};
