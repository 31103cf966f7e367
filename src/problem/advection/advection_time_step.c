/* The time step of `advection` (docs/explanation/advection.md): the largest velocities of a run, by samples before it
 * is computed, and what bounds the step of its problem linearised with them.
 *
 * A wave along the axes has the discrete derivatives i k'/dx and -k''/dx², |k'| <= K1 and 0 <= k'' <= K2; so what a
 * Runge-Kutta step multiplies it by is R(dt lambda) with
 *
 *     |Im lambda| <= K1 sum |c_d|/dx_d =: a,     0 <= -Re lambda <= nu K2 sum 1/dx_d² =: b
 *
 * and |R| <= 1 in the triangle between -real and +-i imaginary, the ends of its region on the axes: dt (a/imaginary +
 * b/real) <= 1 (test_advection.c checks all of the triangle). A source that falls with u adds its slope to b. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "problem/advection/advection_impl.h"
#include "problem/initial_file.h"
#include "problem/sw_slab.h"

/* ------------------------------------------------------------------ samples of the velocity */

/* At most `along` points along each axis of 1, 2, 3 dimensions, both ends among them, and one along an axis on which c
 * does not depend. Times, where they matter: so many, both ends among them. First many points at a few times, then few
 * points at many, as a velocity may come and go in between. Where c names u and u is given at a wall, more times there
 * at once: what comes in may be faster than what is there at first. */
struct sample_counts { int along[SW_DIMS], times; };
static const struct sample_counts of_grid[] = {{{1024, 64, 16}, 9}, {{16, 4, 4}, 256}},
                                  of_wall[] = {{{1024, 64, 16}, 32}, {{16, 4, 4}, 256}};
enum { PASSES = 2 };

/* Sample time k: both ends, and in between at no even distance, so that a periodic velocity is not sampled at its zeros
 * only. */
static double sample_time(int k, int times, double end)
{
    const double golden = 0.6180339887498949 * k;
    return k == 0 ? 0 : k == times - 1 ? end : end * (golden - floor(golden));
}

struct samples {
    int     dim, count;                 /* points                                            */
    int     along[SW_DIMS];             /* of each axis, x fastest                           */
    double *at[SW_DIMS], *u, *c, *rate; /* [count]; rate: sum |c_d|/dx_d                     */
    double  dx[SW_DIMS], end;
    struct sw_eval *eval[SW_DIMS + 1];  /* of c, and of u; made when first used              */
};
enum { EVAL_U = SW_DIMS };

static bool is_in_file(const struct sw_setup *setup, const char *key)
{
    return !strcmp(key, "initial") && sw_initial_in_file(setup);
}

/* Whether c follows from a u of time 0 that is in a file. */
static bool takes_u_from_file(const struct sw_setup *setup, const char *key)
{
    return is_in_file(setup, key) && advection_velocity_uses(setup, "u");
}

/* Whether what this key gives varies along axis d: u at time 0, noise or not, or at a wall, or the source. */
static bool varies_along(const struct sw_setup *setup, const char *key, int d)
{
    const struct sw_function *f = sw_setup_find(setup, key);
    return is_in_file(setup, key) ||
           (f && (sw_program_uses(f->program, advection_axis[d]) || sw_expr_is_random(f->expr)));
}

/* Whether c does, by itself or with the u that this key gives. */
static bool velocity_varies_along(const struct sw_setup *setup, const char *key, int d)
{
    return advection_velocity_uses(setup, advection_axis[d]) ||
           (advection_velocity_uses(setup, "u") && varies_along(setup, key, d));
}

static void samples_destroy(struct samples *s)
{
    for (int k = 0; k <= SW_DIMS; k++) sw_eval_destroy(&s->eval[k]);
    sw_free(s->at[0]);
}

/* Where samples are taken: of the grid or of a wall. */
struct place {
    struct advection_wall wall;
    const char *key;               /* of the function that gives u there                                 */
    bool (*varies)(const struct sw_setup *setup, const char *key, int d);  /* along which axes there are many points */
    const int *along;              /* [1, 2, 3 dimensions] at most                                       */
    const struct advection_end *end;  /* with u in place of what the key gives; NULL: there is none      */
    int all;                       /* axis of which all points are taken at the end; -1: none            */
};

static int points_along(const struct sw_setup *one, const struct place *place, int d)
{
    const int64_t n = one->n[d], most = place->end && d == place->all ? n : place->along[one->dim - 1];
    if (d == place->wall.d || !(place->end || place->varies(one, place->key, d))) return 1;
    return (int)(n < most ? n : most);
}

/* The points of axis d among which samples are taken: those of the slab, and the first behind it where all are. */
static void find_stretch(const struct sw_setup *one, const struct place *place, int d, int64_t *begin, int64_t *end)
{
    const struct sw_setup *slab = place->end ? place->end->slab : NULL;
    *begin = 0;
    *end = one->n[d];
    if (!slab || d != sw_slab_axis(slab)) return;
    *begin = slab->domain.first[d];
    *end = *begin + slab->n[d] + (place->all == d && place->end->next);
}

/* The points of the grid at which samples are taken, along each axis.
 * @param m   in: points along each, of the whole grid; out: of the slab
 * @param at  out: [d] free at[0] with sw_free() */
static enum sw_status choose_points(const struct sw_setup *one, const struct place *place, int m[SW_DIMS],
                                    int64_t *at[SW_DIMS])
{
    int64_t begin[SW_DIMS], end[SW_DIMS], room = 0;
    for (int d = 0; d < SW_DIMS; d++) {
        find_stretch(one, place, d, &begin[d], &end[d]);
        room += m[d] < end[d] - begin[d] ? m[d] : end[d] - begin[d];
    }
    SW_TRY(sw_alloc((size_t)room, &at[0]));
    for (int d = 0; d < SW_DIMS; d++) {
        const int64_t last = one->n[d] - 1, fixed = d == place->wall.d && place->wall.side ? last : 0;
        const int all = m[d];
        m[d] = 0;
        if (d) at[d] = at[d - 1] + m[d - 1];
        for (int64_t i = all == one->n[d] ? begin[d] : 0; i < all; i++) {
            const int64_t p = all > 1 ? i * last / (all - 1) : fixed;
            if (p >= end[d]) break;
            if (p >= begin[d]) at[d][m[d]++] = p;
        }
    }
    return SW_OK;
}

/* u at a point of the grid, at the end. */
static double at_end(const struct advection_end *end, const struct sw_setup *one, const int64_t point[SW_DIMS])
{
    const struct sw_setup *here = end->slab ? end->slab : one;
    const int64_t *n = here->n, i = point[0] - sw_setup_first(here, 0) +
                  n[0] * (point[1] - sw_setup_first(here, 1) + n[1] * (point[2] - sw_setup_first(here, 2)));
    return i < sw_points(n) ? end->u[i] : end->next[i - sw_points(n)];
}

/* u in a file; zeros where it cannot be read, which is refused elsewhere. */
static enum sw_status read_file(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                const struct samples *s, const int64_t *const at[SW_DIMS])
{
    const enum sw_status st = sw_initial_sample(one, ld, column, j, s->along, at, s->u);
    if (st) memset(s->u, 0, (size_t)s->count * sizeof *s->u);
    return st == SW_E_MEMORY ? st : SW_OK;
}

/* The sample points of the grid or of a wall, with u there if it is in a file. */
static enum sw_status samples_create(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                     const struct place *place, struct samples *s)
{
    const struct sw_grid g = sw_setup_grid(one, ld, column, j);
    int m[SW_DIMS] = {1, 1, 1};
    int64_t *at[SW_DIMS];
    enum sw_status st = SW_OK;
    *s = (struct samples){.dim = one->dim, .count = 1, .end = sw_setup_number(one, "time.end", ld, column, j)};
    for (int d = 0; d < one->dim; d++) m[d] = points_along(one, place, d);
    SW_TRY(choose_points(one, place, m, at));
    for (int d = 0; d < SW_DIMS; d++) s->count *= m[d];
    memcpy(s->along, m, sizeof s->along);
    SW_TRY_TO(done, st, sw_alloc((SW_DIMS + 3) * (size_t)s->count, &s->at[0]));
    for (int d = 1; d < SW_DIMS; d++) s->at[d] = s->at[0] + d * s->count;
    s->u = s->at[0] + SW_DIMS * s->count;
    s->c = s->u + s->count;
    s->rate = s->c + s->count;
    for (int i = 0; i < s->count; i++) {
        const int64_t point[SW_DIMS] = {at[0][i % m[0]], at[1][i / m[0] % m[1]], at[2][i / m[0] / m[1]]};
        for (int d = 0; d < SW_DIMS; d++) s->at[d][i] = g.x0[d] + (double)point[d] * g.dx[d];
        if (place->end) s->u[i] = at_end(place->end, one, point);
    }
    if (!place->end && (place->varies == varies_along ? is_in_file(one, place->key)
                                                        : takes_u_from_file(one, place->key)))
        st = read_file(one, ld, column, j, s, (const int64_t *const *)at);
    memcpy(s->dx, g.dx, sizeof s->dx);
done:
    sw_free(at[0]);
    return st;
}

/* By the C library's functions: the number of steps follows from this, and from it the id of the run. */
static enum sw_status evaluate_samples(const struct sw_program *program, struct samples *s, int which,
                                       const double *column, int64_t ld, double t, double *out)
{
    const double *in[SW_INPUTS] = {[SW_IN_X] = s->at[0], [SW_IN_Y] = s->at[1], [SW_IN_Z] = s->at[2], [SW_IN_U] = s->u};
    struct sw_eval **e = &s->eval[which];
    if (!s->count) return SW_OK;  /* of a slab without samples */
    if (!*e) {
        SW_TRY(sw_eval_create(program, s->count, e));
        sw_eval_by_scalars(*e);
        sw_eval_run(*e, column, ld);
        sw_eval_cells(*e, s->count, in);
    }
    sw_eval_step(*e, t, 0);
    sw_eval_points(*e, s->count, in, out);
    return SW_OK;
}

/* The largest sum |c_d|/dx_d at a time; what is not finite does not count. */
static enum sw_status rate_at_time(const struct sw_setup *setup, struct samples *s, const double *column, int64_t ld,
                                   double t, double *largest)
{
    memset(s->rate, 0, (size_t)s->count * sizeof *s->rate);
    for (int d = 0; d < s->dim; d++) {
        const struct sw_program *c = sw_setup_function(setup, advection_velocity_key[d]);
        if (!c) continue;
        SW_TRY(evaluate_samples(c, s, d, column, ld, t, s->c));
        for (int i = 0; i < s->count; i++) s->rate[i] += fabs(s->c[i]) / s->dx[d];
    }
    for (int i = 0; i < s->count; i++)
        if (isfinite(s->rate[i])) *largest = fmax(*largest, s->rate[i]);
    return SW_OK;
}

/* On the grid u is that of time 0; at a wall what is given there at the time. */
static enum sw_status sample_rate(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                  struct advection_wall wall, const struct sample_counts *counts, int times,
                                  double *largest)
{
    const bool grid = wall.d < 0;
    const char *key = grid ? "initial" : advection_wall_u_key(one, wall);
    const struct sw_program *u = advection_velocity_uses(one, "u") ? sw_setup_function(one, key) : NULL;
    const struct place place = {.wall = wall, .key = key, .varies = velocity_varies_along, .along = counts->along};
    struct samples s;
    enum sw_status st = samples_create(one, ld, column, j, &place, &s);
    for (int k = 0; k < times && !st; k++) {
        const double t = sample_time(k, times, s.end);
        if (u && (k == 0 || !grid))
            st = evaluate_samples(u, &s, EVAL_U, column + j, ld, t, s.u);
        if (!st) st = rate_at_time(one, &s, column + j, ld, t, largest);
    }
    samples_destroy(&s);
    return st;
}

/* Of the grid, or of a wall where u is given. */
static enum sw_status rate_of_region(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                     struct advection_wall wall, double *largest)
{
    const bool grid = wall.d < 0;
    const char *key = grid ? NULL : advection_wall_u_key(one, wall);
    const struct sw_program *given = key ? sw_setup_function(one, key) : NULL;
    const bool varies = advection_velocity_uses(one, "t") || (given && sw_program_uses(given, "t"));
    const struct sample_counts *counts = grid ? of_grid : of_wall;
    if (!grid && !given) return SW_OK;
    for (int k = 0; k < (varies ? PASSES : 1); k++)
        SW_TRY(sample_rate(one, ld, column, j, wall, &counts[k], varies ? counts[k].times : 1, largest));
    return SW_OK;
}

/* The largest sum |c_d|/dx_d of a run. */
static enum sw_status courant_rate_of(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                      double *largest)
{
    *largest = 0;
    SW_TRY(rate_of_region(one, ld, column, j, (struct advection_wall){-1, 0}, largest));
    for (int d = 0; d < one->dim && advection_velocity_uses(one, "u"); d++)
        for (int side = 0; side < 2; side++)
            SW_TRY(rate_of_region(one, ld, column, j, (struct advection_wall){d, side}, largest));
    return SW_OK;
}

enum sw_status advection_wall_flow(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                   struct advection_wall wall, const struct advection_end *end, double *in,
                                   double *out)
{
    const struct sw_program *c = sw_setup_function(one, advection_velocity_key[wall.d]);
    const char *given = advection_wall_u_key(one, wall);
    const char *key = given ? given : "initial";
    const struct sw_program *u = sw_setup_function(one, key);
    const struct place place = {.wall = wall, .key = key, .varies = velocity_varies_along, .along = of_wall->along,
                                .end = end, .all = -1};
    struct samples s;
    double most[2] = {0, 0};
    *in = *out = 0;
    if (!c) return SW_OK;
    const bool uses_u = !end && u && sw_program_uses(c, "u"),
               known = given || !(uses_u || (takes_u_from_file(one, key) && sw_program_uses(c, "u")));
    enum sw_status st = samples_create(one, ld, column, j, &place, &s);
    for (int k = 0; k < (known && !end ? of_wall->times : 1) && !st; k++) {
        const double t = end ? s.end : sample_time(k, of_wall->times, s.end);
        if (uses_u) st = evaluate_samples(u, &s, EVAL_U, column + j, ld, t, s.u);
        if (!st) st = evaluate_samples(c, &s, wall.d, column + j, ld, t, s.c);
        for (int i = 0; i < s.count && !st; i++) {
            const double inwards = wall.side ? -s.c[i] : s.c[i];
            if (isfinite(inwards)) most[0] = fmax(most[0], inwards), most[1] = fmax(most[1], -inwards);
        }
    }
    samples_destroy(&s);
    if (!st && end) st = sw_slab_max(end->slab, 2, most);
    *in = most[0];
    *out = most[1];
    return st;
}

/* ------------------------------------------------------------------ fronts */

/* u at time 0, with what is given at the walls of the axis at its first and last points. */
static enum sw_status begin_with_walls(const struct sw_setup *one, int64_t ld, const double *column, int64_t j, int d,
                                       struct samples *s)
{
    const struct sw_program *initial = sw_setup_function(one, "initial");
    const int row = d == 0 ? 1 : d == 1 ? s->along[0] : s->along[0] * s->along[1];
    if (initial) SW_TRY(evaluate_samples(initial, s, EVAL_U, column + j, ld, 0, s->u));
    for (int side = 0; side < 2 && one->walls[d]; side++) {
        const char *key = advection_wall_u_key(one, (struct advection_wall){d, side});
        if (!key) continue;
        sw_eval_destroy(&s->eval[EVAL_U]);
        SW_TRY(evaluate_samples(sw_setup_function(one, key), s, EVAL_U, column + j, ld, 0, s->c));
        for (int i = 0; i < s->count; i++)
            if (i / row % s->along[d] == (side ? s->along[d] - 1 : 0)) s->u[i] = s->c[i];
    }
    return SW_OK;
}

static bool everywhere(const struct sw_setup *setup, const char *key, int d)
{
    (void)setup, (void)key, (void)d;
    return true;
}

/* @param most  out: [2] the largest -c and c */
static void find_front(const struct samples *s, int d, struct advection_front *front, double most[2])
{
    const int row = d == 0 ? 1 : d == 1 ? s->along[0] : s->along[0] * s->along[1];
    most[0] = most[1] = -INFINITY;
    for (int i = 0; i < s->count; i++) {
        if (!isfinite(s->c[i])) continue;
        most[0] = fmax(most[0], -s->c[i]);
        most[1] = fmax(most[1], s->c[i]);
        const bool last = i / row % s->along[d] == s->along[d] - 1;
        if (last || !(s->c[i] - s->c[i + row] > front->slope * (s->at[d][i + row] - s->at[d][i]))) continue;
        front->fall = s->c[i] - s->c[i + row];
        front->slope = front->fall / (s->at[d][i + row] - s->at[d][i]);
        front->at = s->at[d][i];
    }
}

/* Of the fronts of all slabs the steepest, and of those alike the first. @param most  in, out: of all */
static enum sw_status choose_front(const struct sw_setup *slab, struct advection_front *front, double most[2])
{
    double steepest[3] = {most[0], most[1], front->slope}, of[3];
    if (!slab) return SW_OK;
    SW_TRY(sw_slab_max(slab, 3, steepest));
    const double place = (double)slab->domain.first[sw_slab_axis(slab)];
    double nearest = front->slope == steepest[2] ? -place : -INFINITY;
    SW_TRY(sw_slab_max(slab, 1, &nearest));
    const bool mine = nearest == -place;
    of[0] = mine ? front->fall : -INFINITY;
    of[1] = mine ? front->at : -INFINITY;
    SW_TRY(sw_slab_max(slab, 2, of));
    *front = (struct advection_front){.slope = steepest[2], .fall = of[0], .at = of[1]};
    memcpy(most, steepest, 2 * sizeof *most);
    return SW_OK;
}

enum sw_status advection_front_of(const struct sw_setup *one, int64_t ld, const double *column, int64_t j, int d,
                                  const struct advection_end *end, struct advection_front *front)
{
    const struct sw_program *c = sw_setup_function(one, advection_velocity_key[d]);
    const struct place place = {.wall = {-1, 0}, .key = "initial", .varies = everywhere, .along = of_grid->along,
                                .end = end, .all = d};
    struct samples s;
    double most[2];
    *front = (struct advection_front){0};
    if (!c || !sw_program_uses(c, "u")) return SW_OK;
    enum sw_status st = samples_create(one, ld, column, j, &place, &s);
    if (!st && !end) st = begin_with_walls(one, ld, column, j, d, &s);
    if (!st) st = evaluate_samples(c, &s, d, column + j, ld, end ? s.end : 0, s.c);
    if (!st) find_front(&s, d, front, most);
    if (!st && end) st = choose_front(end->slab, front, most);
    if (!st) front->range = most[1] + most[0];
    samples_destroy(&s);
    return st;
}

/* ------------------------------------------------------------------ values of u, and slopes of the source */

/* What the samples of a function that gives u, or u_x, add to a range; what is not finite does not. */
static enum sw_status sample_values(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                    struct advection_wall wall, const char *key, const int along[SW_DIMS],
                                    struct advection_range *range)
{
    const struct place place = {.wall = wall, .key = key, .varies = varies_along, .along = along};
    const struct sw_program *given = sw_setup_function(one, key);
    const int times = given && sw_program_uses(given, "t") ? of_wall->times : 1;
    struct samples s;
    enum sw_status st = samples_create(one, ld, column, j, &place, &s);
    for (int k = 0; k < times && !st; k++) {
        if (given) st = evaluate_samples(given, &s, EVAL_U, column + j, ld, sample_time(k, times, s.end), s.u);
        for (int i = 0; i < s.count && !st; i++)
            if (isfinite(s.u[i]))
                range->least = fmin(range->least, s.u[i]), range->greatest = fmax(range->greatest, s.u[i]);
    }
    samples_destroy(&s);
    return st;
}

/* u at time 0 and at walls. A given u_x = g adds what carries it in: g (x²/(2 L) + (nu/L + c) t) has this slope at a
 * wall, L being the length, and is of the equation or above. */
enum sw_status advection_range_of_data(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                       enum advection_samples samples, struct advection_range *range)
{
    static const int number[][SW_DIMS] = {{64, 16, 8}, {1024, 64, 16}, {1 << 20, 1024, 128}};
    const int *along = number[samples];
    const struct sw_grid g = sw_setup_grid(one, ld, column, j);
    const double nu = sw_setup_number(one, "physics.nu", ld, column, j),
                 end = sw_setup_number(one, "time.end", ld, column, j);
    double through = 0, rate = 0;
    *range = (struct advection_range){INFINITY, -INFINITY, false};
    SW_TRY(sample_values(one, ld, column, j, (struct advection_wall){-1, 0}, "initial", along, range));
    for (int w = 0; w < 2 * one->dim; w++) {
        const struct advection_wall wall = {w / 2, w % 2};
        const struct advection_wall_kind *kind = one->walls[wall.d] ? advection_wall_given(one, wall) : NULL;
        const double length = (double)(one->n[wall.d] - 1) * g.dx[wall.d];
        struct advection_range slope = {0, 0, false};
        if (!kind) continue;
        SW_TRY(sample_values(one, ld, column, j, wall, kind->key[wall.d][wall.side], along,
                             kind->holds_u ? range : &slope));
        if (slope.least == 0 && slope.greatest == 0) continue;
        if (rate == 0) SW_TRY(courant_rate_of(one, ld, column, j, &rate));
        through += fmax(slope.greatest, -slope.least) * (length / 2 + (nu / length + rate * g.dx[wall.d]) * end);
    }
    range->least -= through;
    range->greatest += through;
    return SW_OK;
}

/* Of the source at some values of u, over samples of the coordinates and times: its least and greatest value at each,
 * and the least and greatest of its slopes from one to the next. NaN does not count. */
enum { VALUES = 64 };
struct source_table { int count; double u[VALUES], least[VALUES], greatest[VALUES], falls, rises; };

static void add_to_table(struct source_table *table, const double *s, int points)
{
    for (int k = 0; k < table->count * points; k++) {
        const int at = k / points;
        const double slope = at + 1 < table->count ? (s[k + points] - s[k]) / (table->u[at + 1] - table->u[at]) : NAN;
        table->least[at] = fmin(table->least[at], s[k]);
        table->greatest[at] = fmax(table->greatest[at], s[k]);
        if (isnan(slope)) continue;
        table->falls = fmin(table->falls, slope);
        table->rises = fmax(table->rises, slope);
    }
}

static enum sw_status tabulate_source(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                      struct source_table *table)
{
    static const int along[SW_DIMS] = {16, 4, 4};
    const struct sw_program *source = sw_setup_function(one, "forcing");
    const int times = sw_program_uses(source, "t") ? 12 : 1;
    const struct place place = {.wall = {-1, 0}, .key = "forcing", .varies = varies_along, .along = along};
    struct samples point, s;
    double *number = NULL;
    enum sw_status st = samples_create(one, ld, column, j, &place, &point);
    s = point;
    s.count = point.count * table->count;
    table->falls = table->rises = 0;
    for (int k = 0; k < table->count; k++) table->least[k] = INFINITY, table->greatest[k] = -INFINITY;
    if (!st) st = sw_alloc((SW_DIMS + 2) * (size_t)s.count, &number);
    for (int k = 0; k < s.count && !st; k++) {
        for (int d = 0; d < SW_DIMS; d++) number[d * s.count + k] = point.at[d][k % point.count];
        number[SW_DIMS * s.count + k] = table->u[k / point.count];
    }
    for (int d = 0; d < SW_DIMS && !st; d++) s.at[d] = number + d * s.count;
    s.u = number + SW_DIMS * s.count;
    s.c = s.u + s.count;
    for (int k = 0; k < times && !st; k++) {
        st = evaluate_samples(source, &s, 0, column + j, ld, sample_time(k, times, s.end), s.c);
        if (!st) add_to_table(table, s.c, point.count);
    }
    sw_eval_destroy(&s.eval[0]);
    sw_free(number);
    samples_destroy(&point);
    return st;
}

/* Where the source takes an end of a range in the time of the run: at every u as fast as it goes there anywhere at any
 * time, and up to a u at which it goes nowhere; open: it goes beyond 1e9 times `size`, where *u stays.
 * @param sign  1 upwards, -1 downwards */
static enum sw_status move_by_source(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                     int sign, double size, double *u, bool *open)
{
    enum { PART = 8, STEPS = 128 };  /* evaluated together; of a quarter each */
    struct source_table table = {.count = PART + 1};
    double left = sw_setup_number(one, "time.end", ld, column, j);
    const double *rate = sign > 0 ? table.greatest : table.least, begin = *u;
    for (int from = 0; from < STEPS; from += PART) {
        for (int k = 0; k <= PART; k++) table.u[k] = begin + sign * size / 4 * (exp2((from + k) / 4.0) - 1);
        SW_TRY(tabulate_source(one, ld, column, j, &table));
        for (int k = 0; k <= PART; k++) {
            *u = table.u[k];
            if (!(sign * rate[k] > 0)) return SW_OK;
            if (k == PART) break;
            const double most = fmax(sign * rate[k], sign * rate[k + 1]), time = fabs(table.u[k + 1] - *u) / most;
            if (time >= left) *u += sign * most * left;
            if (time >= left) return SW_OK;
            left -= time;
        }
    }
    *open = true;
    return SW_OK;
}

enum sw_status advection_range_of(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                  const struct advection_range *data, struct advection_range *range)
{
    struct source_table at_0 = {.count = 1};
    *range = *data;
    if (!sw_setup_function(one, "forcing") || !(data->least <= data->greatest)) return SW_OK;
    double size = advection_size_of(data);
    if (size == 0) {
        SW_TRY(tabulate_source(one, ld, column, j, &at_0));
        size = sw_setup_number(one, "time.end", ld, column, j) * fmax(at_0.greatest[0], -at_0.least[0]);
    }
    if (!(size > 0)) return SW_OK;
    SW_TRY(move_by_source(one, ld, column, j, 1, size, &range->greatest, &range->open));
    return move_by_source(one, ld, column, j, -1, size, &range->least, &range->open);
}

/* The steepest fall and rise of the source with u over a range; half of the values lie near 0. */
static enum sw_status slopes_of_source(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                       const struct advection_range *range, struct source_table *table)
{
    enum { EVEN = VALUES / 2, NEAR = VALUES / 4 };
    table->count = VALUES;
    for (int k = 0; k < VALUES; k++) {
        const double part = k / (EVEN - 1.0), near = exp2(-(k % NEAR) - 1);
        table->u[k] = k < EVEN ? range->least + part * (range->greatest - range->least)
                               : near * (k < EVEN + NEAR ? range->least : range->greatest);
        table->u[k] = fmin(fmax(table->u[k], range->least), range->greatest);
    }
    qsort(table->u, VALUES, sizeof *table->u, sw_by_real);
    return tabulate_source(one, ld, column, j, table);
}

/* A source that is no steeper at the end of an open range than on the data, as one that is linear in u, bounds the step
 * nevertheless. */
static enum sw_status add_source(const struct sw_setup *one, int64_t ld, const double *column, int64_t j,
                                 const struct advection_discretization *m, struct advection_step_limit *limit)
{
    const struct sw_program *source = sw_setup_function(one, "forcing");
    struct advection_range data, range;
    struct source_table all, first = {.falls = 0};
    if (!source || !sw_program_uses(source, "u")) return SW_OK;
    SW_TRY(advection_range_of_data(one, ld, column, j, ADVECTION_SAMPLES, &data));
    SW_TRY(advection_range_of(one, ld, column, j, &data, &range));
    if (!(data.least <= data.greatest)) return SW_OK;
    SW_TRY(slopes_of_source(one, ld, column, j, &range, &all));
    if (range.open) SW_TRY(slopes_of_source(one, ld, column, j, &data, &first));
    limit->unbounded = range.open && fmax(all.rises, -all.falls) > 2 * fmax(first.rises, -first.falls);
    if (limit->unbounded) return SW_OK;
    limit->source_rate = (1 - 1e-9) * fmax(all.rises, -all.falls);  /* the rounding of the differences is left out */
    limit->stability_rate += -all.falls / m->rk->real;
    return SW_OK;
}

/* ------------------------------------------------------------------ modified wavenumbers */

/* The symbol of a row of the scheme, at the wavenumber w of points 1 apart. */
static double modified_wavenumber(const struct sw_fd_scheme *s, double w)
{
    const double alpha = (double)s->alpha.num / (s->alpha.den ? s->alpha.den : 1),
                 beta = (double)s->beta.num / (s->beta.den ? s->beta.den : 1);
    double sum = 0;
    for (int k = 1; k <= s->half_width; k++) {
        const double a = (double)s->a[k].num / (s->a[k].den ? s->a[k].den : 1) / sw_fd_divisor(s->kind, k);
        sum += s->kind == SW_FD_FIRST ? 2 * a * sin(k * w) : 2 * a * (1 - cos(k * w));
    }
    return sum / (1 + 2 * alpha * cos(w) + 2 * beta * cos(2 * w));
}

/* To 1e-6, as the symbol is flat at its top. */
static double search_largest_wavenumber(const struct sw_fd_scheme *scheme)
{
    enum { WAVES = 2000 };
    const double pi = 3.14159265358979323846;
    double largest = 0;
    for (int k = 0; k <= WAVES; k++) largest = fmax(largest, fabs(modified_wavenumber(scheme, pi * k / WAVES)));
    return largest;
}

/* Cached, as every run of a sweep asks. Threads that search at the same time find the same. */
double advection_largest_wavenumber(const struct sw_fd_scheme *scheme)
{
    enum { ROOM = 64 };
    static double cached[ROOM];
    double largest = 0;
    int row = 0;
    while (sw_fd_schemes[row] != scheme) row++;
    if (row >= ROOM) return search_largest_wavenumber(scheme);
    __atomic_load(&cached[row], &largest, __ATOMIC_RELAXED);
    if (largest > 0) return largest;
    largest = search_largest_wavenumber(scheme);
    __atomic_store(&cached[row], &largest, __ATOMIC_RELAXED);
    return largest;
}

/* ------------------------------------------------------------------ the limit, the step */

/* b/real, of nu sum 1/dx_d². */
static double diffusive_rate(const struct advection_discretization *m, double b)
{
    return b > 0 ? b * advection_largest_wavenumber(sw_fd_scheme_find(m->second)) / m->rk->real : 0;
}

enum sw_status advection_step_limit_of(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                       struct advection_step_limit *limit)
{
    const struct advection_discretization m = advection_discretization_of(setup);
    const double nu = sw_setup_number(setup, "physics.nu", ld, column, j);
    struct sw_setup one;
    double rate = 0, b = 0;
    *limit = (struct advection_step_limit){0};
    if (!advection_setup_of_run(setup, ld, column, j, &one)) return SW_OK;
    const struct sw_grid g = sw_setup_grid(&one, ld, column, j);
    SW_TRY(courant_rate_of(&one, ld, column, j, &rate));
    for (int d = 0; d < one.dim && nu > 0; d++) b += nu / (g.dx[d] * g.dx[d]);
    limit->courant_rate = rate;
    limit->stability_rate = rate * advection_inverse_courant_limit(&m) + diffusive_rate(&m, b);
    return add_source(&one, ld, column, j, &m, limit);
}

double advection_inverse_courant_limit(const struct advection_discretization *m)
{
    return advection_largest_wavenumber(sw_fd_scheme_find(m->first)) / m->rk->imaginary;
}

/* A part in 1e9 is left for rounding: a step may be chosen to be at the limit. */
double advection_courant_limit(const struct advection_discretization *m, int dim, const struct advection_run *r)
{
    double b = 0;
    for (int d = 0; d < dim && r->nu > 0; d++) b += r->nu * r->inv_dx2[d];
    return (1 + 1e-9 - r->dt * diffusive_rate(m, b)) / advection_inverse_courant_limit(m);
}

/* The largest step with a Courant number of time.cfl that keeps 0.9 of the limit above and has dt |dS/du| <= 1/2, then
 * the next smaller one that goes into time.end; 0, which is refused, for a Courant number of 0. Where nothing limits
 * it, it is all of time.end. */
enum sw_status advection_time_step(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   double *step)
{
    const double cfl = sw_setup_number(setup, "time.cfl", ld, column, j),
                 end = sw_setup_number(setup, "time.end", ld, column, j);
    struct advection_step_limit limit;
    *step = 0;
    if (!(cfl > 0)) return SW_OK;
    SW_TRY(advection_step_limit_of(setup, ld, column, j, &limit));
    const double least = fmax(fmax(end * limit.courant_rate / cfl, end * limit.stability_rate / 0.9),
                              end * limit.source_rate / 0.5);  /* steps */
    *step = end / fmax(1, ceil(least * (1 - 1e-12)));
    return SW_OK;
}
