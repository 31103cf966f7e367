#include "problem/device/reducer.h"

#include <stdio.h>

#include "base/sw_embed.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/sw_kernels.h"
#include "field/reduce_point.h"
#include "field/sum_point.h"

struct sw_device_reducer {
    struct sw_reducer_desc desc;
    struct sw_device *device;
    struct sw_kernels kernels;
    int      own, capacity;
    double  *number;           /* on the device: [own + SW_GRID_NUMBERS][count], then x0, dx: [2][count]     */
    double  *host;             /* the same on the host                                                       */
    double  *time;             /* on the device: [capacity]                                                  */
    double  *value;            /* on the device: [capacity][expressions]                                     */
    struct sw_reduce_batch batch;
};

enum { OTHERS = SW_GRID_NUMBERS + 2 };  /* numbers of a run beside its own */

/* ------------------------------------------------------------------ the kernels' text */

static int most_numbers(const struct sw_reducer_desc *d)
{
    int most = 1;
    for (int e = 0; e < d->count; e++) {
        const int numbers = d->reduction[e]->first_result + d->reduction[e]->count;
        if (numbers > most) most = numbers;
    }
    return most;
}

/* A program as a type: its values kept, and what calls its functions. */
static void add_type(struct sw_text *text, const char *name, const struct sw_program *program, const char *constants)
{
    const struct sw_program_size size = sw_program_size(program);
    sw_program_cuda(program, name, text);
    sw_text_printf(text, "struct %s_t {\n%s    const double *p;\n    double t, r[%d], s[%d];\n", name, constants,
                   size.run + 1, size.step + 1);
    sw_text_printf(text, "    __device__ inline void begin(const double *numbers, double time)\n    {\n"
                   "        p = numbers;\n        t = time;\n        %s_run(p, 1, r);\n"
                   "        %s_step(p, 1, r, 1, t, 0, s);\n    }\n", name, name);
    sw_text_printf(text, "    __device__ inline double at(const double *in, int i) const\n    {\n"
                   "        double c[%d];\n        %s_cell(p, 1, r, 1, in, i, c);\n"
                   "        return %s_point(p, 1, r, 1, s, 1, c, 1, in, i, t, 0);\n    }\n};\n", size.cell + 1, name,
                   name);
}

static const char *argument_name(char name[32], int e, int k)
{
    snprintf(name, 32, "a%d_%d", e, k);
    return name;
}

static void add_types(struct sw_text *text, const struct sw_reducer_desc *d)
{
    char name[32], constants[80];
    for (int e = 0; e < d->count; e++) {
        for (int k = 0; k < d->reduction[e]->count; k++) {
            const struct sw_reduced *part = &d->reduction[e]->reduced[k];
            snprintf(constants, sizeof constants, "    enum { kind = %d, reach = %d };\n", (int)part->kind,
                     part->reach);
            add_type(text, argument_name(name, e, k), part->argument, constants);
        }
        snprintf(name, sizeof name, "v%d", e);
        add_type(text, name, d->reduction[e]->value, "");
    }
}

/* One thread stores a result, which the block then reads. */
static void add_calls(struct sw_text *text, const struct sw_reducer_desc *d)
{
    char name[32];
    sw_text_add(text, "__device__ static void form_values(const struct line &l, double *number, double *out)\n{\n");
    for (int e = 0; e < d->count; e++) {
        const struct sw_reduction *r = d->reduction[e];
        for (int k = 0; k < r->count; k++)
            sw_text_printf(text, "    {\n        const double result = reduce<%s_t>(l, number);\n"
                           "        if (threadIdx.x == 0) number[%d] = result;\n        __syncthreads();\n    }\n",
                           argument_name(name, e, k), r->first_result + k);
        sw_text_printf(text, "    if (threadIdx.x == 0) {\n        v%d_t value;\n        double in[SW_INPUTS] = {};\n"
                       "        value.begin(number, l.t);\n        out[%d] = value.at(in, 0);\n    }\n"
                       "    __syncthreads();\n", e, e);
    }
    sw_text_add(text, "}\n");
}

static const struct sw_kernel_source source = {
    .label = "the GPU code of output.scalars.define",
    .before = {"expr/inputs_point.h", "base/sw_hd.h", "expr/random_point.h", "field/sum_point.h",
               "field/reduce_point.h", "cuda/sum_rtc.cuh"},
    .kernel = {"reduce_k"},
};

static void add_definitions(const struct sw_reducer_desc *d, struct sw_text *text)
{
    sw_text_printf(text, "enum { UNKNOWNS = %d, IN_U = %d, NEIGHBOURS = %d, OWN = %d, GRID_NUMBERS = %d,\n"
                   "       EXPRESSIONS = %d, MOST_NUMBERS = %d };\n", d->unknowns, SW_IN_U, SW_NEIGHBOURS,
                   d->reduction[0]->own, SW_GRID_NUMBERS, d->count, most_numbers(d));
    sw_text_printf(text, "enum { MEAN = %d, LEAST = %d, GREATEST = %d, INTEGRAL = %d, CROSSINGS = %d };\n",
                   SW_REDUCTION_MEAN, SW_REDUCTION_MIN, SW_REDUCTION_MAX, SW_REDUCTION_INTEGRAL,
                   SW_REDUCTION_CROSSINGS);
    add_types(text, d);
    sw_embedded_add("cuda/reduce_rtc.cuh", text);
    add_calls(text, d);
}

/* ------------------------------------------------------------------ create, destroy */

bool sw_device_reducer_fits(const struct sw_reducer_desc *d)
{
    for (int e = 0; e < d->count; e++)
        if (d->reduction[e]->axes > 1) return false;  /* neighbours along y and z are the host's */
    return d->count > 0 && d->n[1] * d->n[2] == 1 && !d->walls[0] && d->n[0] <= (1 << 30);
}

enum sw_status sw_device_reducer_create(const struct sw_reducer_desc *desc, int capacity, struct sw_device *device,
                                        struct sw_device_reducer **reducer)
{
    enum sw_status st;
    struct sw_device_reducer *r = NULL;
    struct sw_text definitions = {0};
    *reducer = NULL;
    SW_TRY(sw_alloc(1, &r));
    r->desc = *desc;
    r->device = device;
    r->own = desc->reduction[0]->own;
    r->capacity = capacity;
    const size_t numbers = (size_t)(r->own + OTHERS) * (size_t)capacity;
    add_definitions(desc, &definitions);
    SW_TRY_TO(failed, st, sw_kernels_create(device, &source, &definitions, &r->kernels));
    SW_TRY_TO(failed, st, sw_alloc(numbers, &r->host));
    SW_TRY_TO(failed, st, sw_device_alloc(device, numbers, &r->number));
    SW_TRY_TO(failed, st, sw_device_alloc(device, (size_t)capacity, &r->time));
    SW_TRY_TO(failed, st, sw_device_alloc(device, (size_t)capacity * (size_t)desc->count, &r->value));
    *reducer = r;
    return SW_OK;
failed:
    sw_device_reducer_destroy(&r);
    return st;
}

void sw_device_reducer_destroy(struct sw_device_reducer **reducer)
{
    struct sw_device_reducer *r = reducer ? *reducer : NULL;
    if (!r) return;
    (void)sw_device_wait(r->device);
    sw_device_free(r->device, r->number);
    sw_device_free(r->device, r->time);
    sw_device_free(r->device, r->value);
    sw_kernels_destroy(r->device, &r->kernels);
    sw_free(r->host);
    sw_free(r);
    *reducer = NULL;
}

/* ------------------------------------------------------------------ runs */

enum sw_status sw_device_reducer_load(struct sw_device_reducer *r, const struct sw_reducer_runs *runs)
{
    const size_t count = (size_t)runs->count, own = (size_t)r->own;
    double *const grid = r->host + own * count, *const place = grid + SW_GRID_NUMBERS * count;
    if (runs->count > r->capacity)
        return SW_FAIL(SW_E_ARG, "%d runs, where there is room for %d", runs->count, r->capacity);
    for (size_t k = 0; k < own * count; k++) r->host[k] = runs->column[k];
    for (size_t j = 0; j < count; j++) {
        const struct sw_grid *g = &runs->grid[j];
        for (int k = 0; k < SW_GRID_NUMBERS; k++) grid[(size_t)k * count + j] = sw_grid_number(k, g->dx[0]);
        place[j] = g->x0[0];
        place[count + j] = g->dx[0];
    }
    r->batch = (struct sw_reduce_batch){.n = (int)r->desc.n[0], .count = runs->count, .column = r->number,
                                        .grid = r->number + own * count, .value = r->value};
    r->batch.x0 = r->batch.grid + SW_GRID_NUMBERS * count;
    r->batch.dx = r->batch.x0 + count;
    r->batch.t = r->time;
    return sw_device_upload(r->device, r->number, r->host, (own + OTHERS) * count * sizeof *r->host);
}

enum sw_status sw_device_reducer_values(struct sw_device_reducer *r, const struct sw_device_state *state,
                                        const double *t, double *value)
{
    struct sw_reduce_batch b = r->batch;
    void *args[] = {&b};
    SW_TRY(sw_device_upload(r->device, r->time, t, (size_t)b.count * sizeof *t));
    b.field = state->field;
    b.point = state->point;
    b.unknown = state->unknown;
    b.run = state->run;
    b.first_bad = state->first_bad;
    SW_TRY(sw_kernel_launch(r->device, r->kernels.kernel[0], b.count, 1, SW_SUM_LANES, 0, args));
    return sw_device_download(r->device, value, r->value,
                              (size_t)b.count * (size_t)r->desc.count * sizeof *value);
}
