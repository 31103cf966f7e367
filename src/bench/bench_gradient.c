/* Gradients of a field by the rows of src/fd: n points along each of `dimensions` axes. "ROW+apart" takes one axis
 * after the other where ROW takes two at once.
 *
 * What is timed: f read from the memory of the device as often as the row does, and the results written to it. f is
 * noise, as in bench_compact.c.
 *
 * What should be there: cpu.thomas on lines along each axis, here and there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "bench/bench_impl.h"
#include "fd/sw_fd_impl.h"
#include "fd/sw_fd_nabla.h"

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
    const struct sw_fd_desc line = bench_describe_fd(s);
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
    SW_TRY_TO(failed, st, bench_noise(device, c->count, c->word, c->f));
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
        SW_TRY(bench_check_derivative(c->device, &d, c->g[axis], &one, bound));
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
