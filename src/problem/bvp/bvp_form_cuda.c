#include "problem/bvp/bvp_form_cuda.h"

enum { VALUES_K = BVP_ROW_K, MAKE_K, FINISH_K };
enum {
    FORM_THREADS = 256,
    SIDE_BY_SIDE = 32,  /* problems of a block where systems are interleaved: their entries are 256 bytes together */
    CHUNK = 4096        /* points: 16 a thread of a problem that has a block by itself                             */
};

/* ------------------------------------------------------------------ the text of the kernels */

static void add_shape(int side, struct sw_text *text)
{
    sw_text_printf(text, "enum { FORM_THREADS = %d, SIDE = %d, CHUNK = %d };\n", FORM_THREADS, side, CHUNK);
}

static void add_shape_of_one(const struct sw_bvp_desc *desc, struct sw_text *text) { (void)desc; add_shape(1, text); }
static void add_shape_of_many(const struct sw_bvp_desc *desc, struct sw_text *text)
{
    (void)desc;
    add_shape(SIDE_BY_SIDE, text);
}

static struct bvp_kernels source_of(bool interleaved)
{
    static const char *const kernels[] = {"values_k", "make_k", "finish_k", NULL};
    return (struct bvp_kernels){"cuda/bvp/bvp_form_rtc.cuh", kernels,
                                interleaved ? add_shape_of_many : add_shape_of_one};
}

/* ------------------------------------------------------------------ a batch */

static struct bvp_form *form_of(const struct sw_bvp *bvp) { return ((const struct bvp_general *)bvp->own)->form; }

static enum sw_status launch(struct sw_bvp *bvp, struct bvp_form *form, int kernel)
{
    void *args[] = {&form->device.batch, &form->on};
    const int blocks = (bvp->count + form->side - 1) / form->side * form->on.chunks;
    return sw_kernel_launch(bvp->device, form->device.kernels.kernel[kernel], blocks, 1, FORM_THREADS, 0, args);
}

static size_t parts_of(const struct sw_bvp *bvp, const struct bvp_form *form)
{
    return (size_t)bvp->count * (size_t)form->on.chunks;
}

static enum sw_status look_over(struct sw_bvp *bvp, struct bvp_values *values)
{
    struct bvp_form *form = form_of(bvp);
    const int chunks = form->on.chunks;
    SW_TRY(bvp_device_begin(bvp, &form->device));
    SW_TRY(launch(bvp, form, VALUES_K));
    SW_TRY(sw_device_download(bvp->device, form->values, form->on.values,
                              parts_of(bvp, form) * sizeof *form->values));
    for (int j = 0; j < bvp->count; j++) {
        const struct bvp_values *part = form->values + (size_t)j * (size_t)chunks;
        values[j] = part[0];
        for (int k = 1; k < chunks; k++) bvp_values_join(&values[j], &part[k]);
    }
    return SW_OK;
}

static enum sw_status make(struct sw_bvp *bvp, struct bvp_made *made)
{
    struct bvp_form *form = form_of(bvp);
    const struct bvp_general *s = bvp->own;
    const int chunks = form->on.chunks;
    SW_TRY(sw_device_upload(bvp->device, (void *)form->on.cells, s->cells, (size_t)bvp->count * sizeof *s->cells));
    SW_TRY(launch(bvp, form, MAKE_K));
    SW_TRY(sw_device_download(bvp->device, form->made, form->on.made, parts_of(bvp, form) * sizeof *form->made));
    for (int j = 0; j < bvp->count; j++) {
        const struct bvp_made *part = form->made + (size_t)j * (size_t)chunks;
        made[j] = part[0];
        for (int k = 1; k < chunks; k++) bvp_made_join(&made[j], &part[k]);
    }
    return SW_OK;
}

static enum sw_status finish(struct sw_bvp *bvp)
{
    struct bvp_form *form = form_of(bvp);
    SW_TRY(launch(bvp, form, FINISH_K));
    return bvp_device_norms(bvp, &form->device, form->on.norms, 0, bvp->count, form->on.chunks);
}

enum sw_status bvp_form_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    const struct bvp_general *s = bvp->own;
    if (!s->work) return bvp_general_fetch(bvp, field, result);
    struct bvp_output *output = &s->form->device.output;
    SW_TRY(bvp_device_fetch(bvp, &s->form->device, field, result));
    for (int j = 0; j < bvp->count; j++)
        if (s->output.result[j].fault) output->result[j] = s->output.result[j];
    bvp_output_clear_failed(output, bvp);
    return SW_OK;
}

/* ------------------------------------------------------------------ life */

void bvp_form_choose(const struct sw_bvp *bvp, struct bvp_general *general, struct bvp_form *form)
{
    static const struct bvp_general_work work = {look_over, make, finish};
    general->form = form;
    general->work = bvp->desc.zero_mean ? NULL : &work;
}

void bvp_form_arrays(struct sw_bvp *bvp, const struct bvp_general *s)
{
    struct bvp_form *form = s->form;
    struct sw_owned *own = &bvp->arrays;
    if (!s->work) return;
    form->side = s->interleaved ? SIDE_BY_SIDE : 1;
    form->on = (struct bvp_forming){.right = s->right, .first = s->first, .unknowns = s->unknowns,
                                    .chunks = (int)(s->right / CHUNK + 1), .stride = s->stride, .line = s->line};
    const size_t room = (size_t)bvp->desc.capacity, parts = room * (size_t)form->on.chunks;
    bvp_device_arrays(bvp, &form->device);
    sw_array_device(own, room, &form->on.cells);
    sw_array_device(own, parts, &form->on.values);
    sw_array_device(own, parts, &form->on.made);
    sw_array_device(own, parts, &form->on.norms);
    sw_array(own, parts, &form->values);
    sw_array(own, parts, &form->made);
}

enum sw_status bvp_form_create(struct sw_bvp *bvp, const struct bvp_general *s, double *system, double *u)
{
    const struct bvp_kernels source = source_of(s->interleaved);
    struct bvp_form *form = s->form;
    SW_TRY(bvp_general_create(bvp));
    if (!s->work) return SW_OK;
    form->on.c = system;
    form->on.e = system + s->vector;
    form->on.b = system + 2 * s->vector;
    form->on.u = u;
    return bvp_device_create(bvp, &source, &form->device);
}

void bvp_form_destroy(struct sw_bvp *bvp, const struct bvp_general *s)
{
    if (s->work) bvp_device_destroy(bvp, &s->form->device);
}
