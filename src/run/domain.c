#include "run/domain.h"

#include <string.h>

#include "base/sw_mem.h"

/* ---- how a grid is cut */

int64_t domain_largest(int64_t n, int ranks) { return (n + ranks - 1) / ranks; }

void domain_largest_part(const struct domain_shape *shape, int64_t n[SW_DIMS])
{
    for (int d = 0; d < SW_DIMS; d++) n[d] = domain_largest(n[d], shape->ranks[d]);
}

bool domain_has_pencils(const struct domain_shape *shape) { return shape->ranks[1] > 1 && shape->ranks[2] > 1; }

/* Slabs of fewer planes are thin: their two planes at the ends, which are exchanged, are much of them. */
enum { THIN = 16 };

/* The pencils of the least surface, of those the ones that are cut least along y; slabs where there are none. */
static struct domain_shape best_pencils(const int64_t n[SW_DIMS], int ranks)
{
    struct domain_shape best = {{1, 1, ranks}};
    int64_t least = INT64_MAX;
    for (int y = 2; y <= ranks / 2 && y <= n[1]; y++) {
        const int z = ranks / y;
        const int64_t around = domain_largest(n[1], y) + domain_largest(n[2], z);
        if (y * z != ranks || z > n[2] || around >= least) continue;
        best = (struct domain_shape){{1, y, z}};
        least = around;
    }
    return best;
}

static int64_t least_width(const struct domain_shape *shape, const int64_t n[SW_DIMS])
{
    const int64_t y = n[1] / shape->ranks[1], z = n[2] / shape->ranks[2];
    return shape->ranks[1] > 1 && y < z ? y : z;
}

struct domain_shape domain_shape(const struct sw_sweep *sweep, const int64_t n[SW_DIMS], int ranks)
{
    const bool columns = sweep->problem->shape->columns;
    struct domain_shape slabs = {{1, 1, 1}};
    slabs.ranks[sw_cut_axis(columns, n)] = ranks;
    if (columns || n[1] <= 1 || n[2] <= 1) return slabs;
    const struct domain_shape pencils = best_pencils(n, ranks);
    const int64_t planes = n[2] / ranks;
    return sweep->pencils || (planes < THIN && least_width(&pencils, n) > planes) ? pencils : slabs;
}

void domain_comms_free(struct domain_comms *comms)
{
    for (int d = 0; d < SW_DIMS; d++) sw_comm_destroy(&comms->along[d]);
    sw_comm_destroy(&comms->same_planes);
}

enum sw_status domain_cut(const struct domain_shape *shape, const struct sw_comm *comm, const struct sw_comm *on_device,
                          struct domain_comms *comms, struct sw_setup *setup)
{
    const struct sw_comm *along[SW_DIMS] = {NULL};
    *comms = (struct domain_comms){.same_planes = NULL};
    if (!comm) return SW_OK;
    for (int d = 0; d < SW_DIMS; d++)
        if (shape->ranks[d] > 1) along[d] = on_device;
    if (domain_has_pencils(shape)) {
        const int y = comm->rank % shape->ranks[1], z = comm->rank / shape->ranks[1];
        SW_TRY(sw_comm_split(comm, z, &comms->same_planes));
        SW_TRY(sw_comm_split(on_device, z, &comms->along[1]));
        SW_TRY(sw_comm_split(on_device, y, &comms->along[2]));
        along[1] = comms->along[1];
        along[2] = comms->along[2];
    }
    sw_setup_cut(shape->ranks, comm->rank, comm, along, setup);
    setup->domain.same_planes = comms->same_planes;
    return SW_OK;
}

enum sw_status domain_run(const struct sw_comm *comm, int ranks, sw_comm_part *part, void *context)
{
    struct sw_comm *group;
    if (comm->size == 1) return sw_comm_run("threads", ranks, part, context);
    SW_TRY(sw_comm_split(comm, comm->rank / ranks, &group));
    const enum sw_status st = part(group, context);
    sw_comm_destroy(&group);
    return st;
}

/* ---- fields of all ranks */

/* The gathered parts have as many points as the largest. */
enum sw_status domain_gather_lines(const struct sw_setup *setup, size_t lines, const double *mine, double *all)
{
    const struct sw_comm *comm = setup->domain.all;
    const int64_t n = setup->domain.whole[0];
    const size_t room = (size_t)domain_largest(n, comm->size) * lines;
    double *part = NULL, *parts = NULL;
    enum sw_status st = sw_alloc(room, &part);
    if (!st) st = sw_alloc(room * (size_t)comm->size, &parts);
    SW_TRY_TO(done, st, sw_comm_agree(comm, st));
    memcpy(part, mine, lines * (size_t)setup->n[0] * sizeof *part);
    SW_TRY_TO(done, st, sw_comm_gather(comm, room, part, parts));
    for (int r = 0; r < comm->size; r++) {
        const int64_t first = sw_slab_begin(n, comm->size, r), count = sw_slab_begin(n, comm->size, r + 1) - first;
        for (size_t k = 0; k < lines; k++)
            memcpy(all + k * (size_t)n + first, parts + room * (size_t)r + k * (size_t)count,
                   (size_t)count * sizeof *all);
    }
done:
    sw_free(part);
    sw_free(parts);
    return st;
}

/* ---- from pencils to slabs and back */

/* The planes that rank r of those with the same planes stores, counted from the first of these. */
static size_t planes_begin(const struct sw_setup *setup, int r)
{
    return (size_t)sw_slab_begin(setup->n[2], setup->domain.same_planes->size, r);
}

struct sw_setup domain_slab(const struct sw_setup *setup)
{
    struct sw_setup slab = *setup;
    struct sw_decomposition *d = &slab.domain;
    if (!setup->domain.same_planes) return slab;
    const int r = d->same_planes->rank;
    d->first[1] = 0;
    d->first[2] += (int64_t)planes_begin(setup, r);
    slab.n[1] = d->whole[1];
    slab.n[2] = (int64_t)(planes_begin(setup, r + 1) - planes_begin(setup, r));
    d->along[1] = d->same_planes = NULL;
    d->along[2] = d->all;
    d->ranks[1] = 1;
    d->ranks[2] = d->all->size;
    return slab;
}

/* What one rank sends another of a field: so many bytes of each of some planes. */
struct block { size_t first, planes, bytes, plane, field; };  /* where it begins; from plane to plane, field to field */

/* Of the pencil of this rank, what rank r stores. */
static struct block block_of_pencil(const struct sw_setup *setup, size_t element, int r)
{
    const size_t plane = (size_t)(setup->n[0] * setup->n[1]) * element;
    return (struct block){.first = planes_begin(setup, r) * plane,
                          .planes = planes_begin(setup, r + 1) - planes_begin(setup, r),
                          .bytes = plane, .plane = plane, .field = plane * (size_t)setup->n[2]};
}

/* Of the slab of this rank, what lies in the pencil of rank r. */
static struct block block_of_slab(const struct sw_setup *setup, size_t element, int r)
{
    const struct sw_decomposition *d = &setup->domain;
    const struct sw_comm *comm = d->same_planes;
    const size_t line = (size_t)setup->n[0] * element,
                 first = (size_t)sw_slab_begin(d->whole[1], comm->size, r),
                 lines = (size_t)sw_slab_begin(d->whole[1], comm->size, r + 1) - first,
                 planes = planes_begin(setup, comm->rank + 1) - planes_begin(setup, comm->rank),
                 plane = line * (size_t)d->whole[1];
    return (struct block){.first = first * line, .planes = planes, .bytes = lines * line, .plane = plane,
                          .field = plane * planes};
}

/* Doubles of a message of so many fields. */
static size_t message(const struct block *b, size_t fields)
{
    return (fields * b->planes * b->bytes + sizeof(double) - 1) / sizeof(double);
}

static void pack(const struct block *b, size_t fields, const char *field, double *to)
{
    char *at = (char *)to;
    for (size_t f = 0; f < fields; f++)
        for (size_t k = 0; k < b->planes; k++, at += b->bytes)
            memcpy(at, field + b->first + f * b->field + k * b->plane, b->bytes);
}

static void unpack(const struct block *b, size_t fields, const double *from, char *field)
{
    const char *at = (const char *)from;
    for (size_t f = 0; f < fields; f++)
        for (size_t k = 0; k < b->planes; k++, at += b->bytes)
            memcpy(field + b->first + f * b->field + k * b->plane, at, b->bytes);
}

typedef struct block block_of(const struct sw_setup *setup, size_t element, int r);

static enum sw_status redistribute(const struct sw_setup *setup, size_t fields, size_t element, block_of *sent,
                                   const char *from, block_of *received, char *to)
{
    const struct sw_comm *comm = setup->domain.same_planes;
    size_t *send_count = NULL, *receive_count = NULL, sends = 1, receives = 1;  /* no array is empty */
    double *send = NULL, *receive = NULL;
    enum sw_status st = sw_alloc((size_t)comm->size, &send_count);
    if (!st) st = sw_alloc((size_t)comm->size, &receive_count);
    for (int r = 0; r < comm->size && !st; r++) {
        const struct block out = sent(setup, element, r), in = received(setup, element, r);
        sends += send_count[r] = message(&out, fields);
        receives += receive_count[r] = message(&in, fields);
    }
    if (!st) st = sw_alloc(sends, &send);
    if (!st) st = sw_alloc(receives, &receive);
    SW_TRY_TO(done, st, sw_comm_agree(comm, st));
    double *at = send;
    for (int r = 0; r < comm->size; at += send_count[r++]) {
        const struct block out = sent(setup, element, r);
        pack(&out, fields, from, at);
    }
    SW_TRY_TO(done, st, sw_comm_all_to_all(comm, send_count, send, receive_count, receive));
    at = receive;
    for (int r = 0; r < comm->size; at += receive_count[r++]) {
        const struct block in = received(setup, element, r);
        unpack(&in, fields, at, to);
    }
done:
    sw_free(send_count);
    sw_free(receive_count);
    sw_free(send);
    sw_free(receive);
    return st;
}

enum sw_status domain_to_slab(const struct sw_setup *setup, size_t fields, size_t element, const void *pencils,
                              void *slab)
{
    return redistribute(setup, fields, element, block_of_pencil, pencils, block_of_slab, slab);
}

enum sw_status domain_from_slab(const struct sw_setup *setup, size_t fields, size_t element, const void *slab,
                                void *pencils)
{
    return redistribute(setup, fields, element, block_of_slab, slab, block_of_pencil, pencils);
}

/* ---- decisions */

bool domain_any(const struct sw_comm *comm, bool here)
{
    double any = here;
    if (sw_comm_max(comm, 1, &any)) return here;
    return any > 0;
}

double domain_of_first(const struct sw_comm *comm, double here)
{
    double all[SW_COMM_MOST];
    return comm && !sw_comm_gather_one(comm, here, all) ? all[0] : here;
}
