/* Right-hand sides by the interpreter in full blocks, solves along many lines beside each other as vectors
 * (simd_walk.h). Threads over runs where these are enough, else over strips and tiles of one run after the other. */
#include <limits.h>

#include "device/sw_device.h"
#include "problem/fields/simd_walk.h"

/* Points of a run for each thread that works on it, at least: to begin and to end a pass takes a microsecond or two,
 * as long as a thousand points take in it. */
enum { POINTS_A_THREAD = 4096 };

struct simd {
    struct fields_batch   batch;     /* first: fields_batch_cpu.h works on it */
    struct fields_shape   shape;
    struct fields_walker *walker;    /* [batch.workers]                       */
    int                   hands;     /* threads there are                     */
    struct fields_hand  **hand;      /* [hands]                               */
    int                   useful;    /* threads that find work in a run       */
    struct fields_team   *team;      /* of so many; NULL: one                 */
};

static bool fits(const struct fields_desc *d, int sm)
{
    (void)sm;
    double numbers = (double)d->n[0] + 2 * FIELDS_REACH + FIELDS_ALIGNED;
    for (int a = 1; a < d->terms->dimensions; a++) numbers *= (double)d->n[a] + 2 * FIELDS_REACH;
    return numbers < INT_MAX;
}

static int workers_for(const struct fields_desc *d, const struct sw_device *device)
{
    return device->threads < d->capacity ? device->threads : d->capacity;
}

static void bytes(const struct fields_desc *d, const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    const int workers = workers_for(d, device);
    struct fields_shape shape;
    fields_shape_of(d, &shape);
    fields_batch_bytes(d, workers, fixed, per_run);
    *fixed += (size_t)workers * fields_walker_bytes(&shape) + (size_t)device->threads * fields_hand_bytes(&shape);
}

/* ------------------------------------------------------------------ the row */

static enum sw_status create(struct fields_sim *s)
{
    struct simd *p = s->own;
    struct sw_owned *own = &s->arrays;
    p->batch.workers = p->batch.walkers = workers_for(&s->desc, s->device);
    p->hands = s->device->threads;
    fields_shape_of(&s->desc, &p->shape);
    SW_TRY(fields_shape_share(&p->shape));
    SW_TRY(fields_batch_create(s));
    sw_array(own, (size_t)p->batch.workers, &p->walker);
    sw_array(own, (size_t)p->hands, &p->hand);
    SW_TRY(own->status);
    for (int k = 0; k < p->hands; k++) SW_TRY(fields_hand_create(&p->shape, own, &p->hand[k]));
    for (int k = 0; k < p->batch.workers; k++) {
        struct fields_walker *w = &p->walker[k];
        SW_TRY(fields_walker_create(&p->shape, own, w));
        w->hand = p->hand + k;
        w->columns = FIELDS_COLUMNS;
        w->constant = p->batch.worker[k].constant;
        p->batch.worker[k].walk = &w->walk;
    }
    const size_t useful = fields_points(&s->desc) / POINTS_A_THREAD + 1;
    p->useful = useful < (size_t)p->hands ? (int)useful : p->hands;
    return p->useful > 1 ? fields_team_create(p->useful, &p->team) : SW_OK;
}

static void destroy(struct fields_sim *s)
{
    struct simd *p = s->own;
    fields_team_destroy(&p->team);
    for (int k = 0; p->hand && k < p->hands; k++) fields_hand_destroy(p->hand[k]);
    for (int k = 0; p->walker && k < p->batch.workers; k++) fields_walker_destroy(&p->walker[k]);
    fields_shape_destroy(&p->shape);
    fields_batch_destroy(s);
}

/* Where more threads find work in a run than there are runs, all of them take one run after the other. */
static void divide(const struct fields_sim *s)
{
    struct simd *p = s->own;
    struct fields_walker *w = &p->walker[0];
    const int columns = (int)s->desc.n[0] / p->useful;
    const bool together = p->useful > s->count;
    p->batch.walkers = together ? 1 : p->batch.workers;
    w->team = together ? p->team : NULL;
    w->columns = FIELDS_COLUMNS;
    while (w->team && w->columns > FIELDS_ALIGNED && w->columns > columns / 2) w->columns /= 2;
}

static enum sw_status load(struct fields_sim *s, const char **load_error)
{
    divide(s);
    return fields_batch_load(s, load_error);
}

extern const struct fields_row_ops fields_simd_cpu;
const struct fields_row_ops fields_simd_cpu = {
    .name = "cpu.simd",
    .about = "right-hand sides in full blocks, lines beside each other as vectors; threads over runs, or within one",
    .space = SW_HOST,
    .fits = fits,
    .misfit = "too many points for cpu.simd",
    .takes_walls = true,
    .takes_paces = true,
    .bytes = bytes,
    .own_size = sizeof(struct simd),
    .solves = &fields_lines,
    .create = create,
    .load = load,
    .advance = fields_batch_advance,
    .look_ahead = fields_batch_look_ahead,
    .destroy = destroy,
    .sim = &fields_batch_operations,
};
