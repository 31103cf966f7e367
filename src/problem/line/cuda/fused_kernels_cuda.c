#include "problem/line/cuda/fused_kernels_cuda.h"

#include "base/sw_mem.h"

static struct sw_fused_cut cut_of(const struct sw_stepper_desc *d, const struct sw_fused_shape *shape)
{
    return (struct sw_fused_cut){.n = d->n, .lanes = shape->lanes, .stream = shape->stream, .single = d->single_steps,
                                 .ended = sw_line_ended(&d->model) && !d->own_steps ? sw_line_unknowns(&d->model) : 0};
}

size_t sw_fused_kernels_bytes(const struct sw_stepper_desc *d, const struct sw_fused_shape *shape)
{
    const struct sw_fused_cut cut = cut_of(d, shape);
    const size_t lines = shape->own_steps ? 0 : shape->general ? (size_t)sw_line_systems(&d->model) : 1;
    return (size_t)sw_fused_table(&cut) * sizeof(double) + lines * sizeof(struct sw_fused_line);
}

static enum sw_status compile_kernels(struct sw_stepper *s, struct sw_fused_kernels *p, int per_line)
{
    if (p->kernels[per_line].module) return SW_OK;
    p->shape.per_line = per_line;
    return sw_fused_compile(s->device, &s->desc.model, s->desc.n, &p->shape, &p->kernels[per_line]);
}

enum sw_status sw_fused_kernels_create(struct sw_stepper *s, const struct sw_fused_shape *shape,
                                       struct sw_fused_kernels *p)
{
    const size_t room = (size_t)s->desc.capacity;
    const size_t systems = shape->general ? (size_t)sw_line_systems(&s->desc.model) : 1;
    const size_t lines = shape->own_steps ? 0 : room * systems;
    p->shape = *shape;
    p->cut = cut_of(&s->desc, shape);
    SW_TRY(sw_device_alloc(s->device, lines, &p->line));
    SW_TRY(sw_device_alloc(s->device, room * (size_t)sw_fused_table(&p->cut), &p->table));
    SW_TRY(sw_alloc(lines, &p->host));
    return sw_alloc(room * (size_t)sw_fused_table(&p->cut), &p->host_table);
}

void sw_fused_kernels_destroy(struct sw_stepper *s, struct sw_fused_kernels *p)
{
    for (int per_line = 0; per_line < 2; per_line++) sw_kernels_destroy(s->device, &p->kernels[per_line]);
    sw_device_free(s->device, p->line);
    sw_device_free(s->device, p->table);
    sw_free(p->host);
    sw_free(p->host_table);
}

/* Lines as the kernel wants them; those in single precision overwrite the others, of which none is needed any more. */
static enum sw_status upload_lines(struct sw_stepper *s, struct sw_fused_kernels *p, size_t lines)
{
    struct sw_fused_line_single *single = (struct sw_fused_line_single *)p->host;
    if (!p->cut.single) return sw_device_upload(s->device, p->line, p->host, lines * sizeof *p->host);
    const struct sw_fused_common common = p->common;
    sw_fused_common_to_single(&common, &p->common_single);
    for (size_t j = 0; j < lines; j++) {
        const struct sw_fused_line line = p->host[j];
        sw_fused_line_to_single(&line, &single[j]);
    }
    return sw_device_upload(s->device, p->line, single, lines * sizeof *single);
}

static enum sw_status upload_tables(struct sw_stepper *s, struct sw_fused_kernels *p, size_t lines)
{
    return sw_device_upload(s->device, p->table, p->host_table,
                            lines * (size_t)sw_fused_table(&p->cut) * sizeof *p->host_table);
}

static enum sw_status load_general(struct sw_stepper *s, struct sw_fused_kernels *p)
{
    const int unknowns = sw_line_unknowns(&s->desc.model), systems = sw_line_systems(&s->desc.model);
    p->per_line = 1;
    if (p->shape.own_steps) return compile_kernels(s, p, 1);
    sw_fused_systems_set(&p->cut, &s->desc.model, systems / unknowns, s->count, s->run, s->device->threads, p->host,
                         p->host_table);
    SW_TRY(compile_kernels(s, p, 1));
    SW_TRY(upload_lines(s, p, (size_t)s->count * (size_t)systems));
    return upload_tables(s, p, (size_t)s->count);
}

enum sw_status sw_fused_kernels_load(struct sw_stepper *s, struct sw_fused_kernels *p)
{
    if (p->shape.general) return load_general(s, p);
    p->per_line = sw_fused_batch_set(&p->cut, s->count, s->run, s->device->threads, p->host, p->host_table);
    sw_fused_common_set(&p->host[0], s->desc.model.scheme, &p->common);
    SW_TRY(compile_kernels(s, p, p->per_line));
    size_t lines = p->per_line ? (size_t)s->count : 1;
    SW_TRY(upload_lines(s, p, lines));
    return upload_tables(s, p, lines);
}

enum sw_status sw_fused_kernels_try_compile(const struct sw_stepper_desc *desc, const struct sw_fused_shape *shape,
                                            int sm)
{
    return sw_fused_try_compile(&desc->model, desc->n, shape, sm);
}
