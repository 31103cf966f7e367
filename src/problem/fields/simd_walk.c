#include "problem/fields/simd_walk.h"

#include <math.h>
#include <string.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"

/* Points of a strip, at least: to find out where the values of a program are takes as long as some dozens of them, and
 * what is computed for the points around it is computed twice. */
enum { STRIP_POINTS = 4096 };

/* The programs, for one thread. */
struct fields_hand {
    struct sw_eval *rhs[SW_UNKNOWNS_MOST], *value[FIELDS_VARYING_MOST], *energy;
    struct sw_eval *part[SW_UNKNOWNS_MOST][SW_SHIFTED_PARTS];  /* of right-hand sides       */
    double         *around[SW_SHIFTED_PARTS];  /* values of a part at and around a strip    */
    const double  **in, **in_energy;  /* what they take in                          */
    struct sw_linear *linear[SW_UNKNOWNS_MOST];  /* a right-hand side as one; NULL: it is none */
    struct fields_weight *weight;     /* of its terms, and of increments            */
    double         *room;             /* of rows that are solved                    */
    double         *values;           /* [strip][pitch]                             */
    const struct fields_walker *of;   /* whose run its programs have begun, and     */
    uint64_t        serial;           /* which one                                  */
};

/* ------------------------------------------------------------------ layout */

static int aligned(int64_t n) { return (int)((n + FIELDS_ALIGNED - 1) / FIELDS_ALIGNED * FIELDS_ALIGNED); }

static struct fields_layout layout_of(const struct fields_desc *d, const int64_t reach[SW_DIMS])
{
    struct fields_layout l;
    for (int a = 0; a < SW_DIMS; a++) {
        l.n[a] = (int)d->n[a];
        l.reach[a] = (int)reach[a];
    }
    l.pitch = aligned(l.n[0] + 2 * l.reach[0]);
    l.plane = l.pitch * (l.n[1] + 2 * l.reach[1]);
    l.unknown = l.plane * (l.n[2] + 2 * l.reach[2]);
    l.origin = FIELDS_ALIGNED + l.reach[2] * l.plane + l.reach[1] * l.pitch;
    l.strip = (int)((STRIP_POINTS + FIELDS_ROWS * l.pitch - 1) / (FIELDS_ROWS * l.pitch)) * FIELDS_ROWS;
    return l;
}

static struct fields_room room_of(const struct fields_layout *l)
{
    return (struct fields_room){.beyond = {l->reach[0], l->reach[1], l->reach[2]}, .step = {1, l->pitch, l->plane},
                                .size = l->unknown, .first = l->origin};
}

/* The first point of row j of plane k. */
static ptrdiff_t place_of(const struct fields_layout *l, int v, int j, int k)
{
    return l->origin + v * l->unknown + k * l->plane + j * l->pitch;
}

static size_t numbers_of(const struct fields_shape *s)
{
    return (size_t)s->layout.unknown * (size_t)s->desc->terms->unknowns + 2 * FIELDS_ALIGNED;
}

static int strips_of(const struct fields_layout *l) { return (l->n[1] + l->strip - 1) / l->strip; }

/* A strip of rows j .. j + rows - 1 of plane k. */
struct strip { int j, k, rows; };

static struct strip strip_of(const struct fields_layout *l, int number)
{
    const int strips = strips_of(l), j = number % strips * l->strip;
    return (struct strip){j, number / strips, l->n[1] - j < l->strip ? l->n[1] - j : l->strip};
}

/* ------------------------------------------------------------------ hands */

static void each(const struct fields_walker *w, int count, void (*work)(void *user, int thread, int k), void *user)
{
    if (count > 1 && w->team && w->together) fields_team_each(w->team, count, work, user);
    else sw_host_each(1, count, work, user);
}

/* Compute what changes once a run, in the first strip of it that a hand has. */
static void begin_program(const struct fields_walker *w, struct sw_eval *eval, const double **in)
{
    for (int a = 0; a < SW_DIMS; a++) in[SW_IN_X + a] = w->coordinate[a];
    sw_eval_run(eval, w->param, w->stride);
    sw_eval_begin_at(eval, 0);
    sw_eval_cells(eval, w->shape->cells, in);
}

static struct fields_hand *hand_of(const struct fields_walker *w, int thread)
{
    struct fields_hand *h = w->hand[thread];
    if (h->of == w && h->serial == w->serial) return h;
    for (int v = 0; v < w->walk.unknowns; v++) {
        begin_program(w, h->rhs[v], h->in);
        for (int q = 0; q < w->shape->shifted[v].parts; q++) sw_eval_run(h->part[v][q], w->param, w->stride);
    }
    for (int k = 0; k < w->shape->varies; k++)
        if (h->value[k]) begin_program(w, h->value[k], h->in);
    h->of = w;
    h->serial = w->serial;
    return h;
}

/* The neighbours of point i of row j of plane k. */
static void set_neighbours(const struct fields_walker *w, const struct fields_terms *t, const double *u, int i, int j,
                           int k, const double **in)
{
    const struct fields_layout *l = &w->shape->layout;
    for (int q = 0; q < t->neighbours; q++) {
        const struct fields_neighbour *at = &t->neighbour[q];
        in[FIELDS_INPUTS + q] = u + place_of(l, at->unknown, j + at->offset[1], k + at->offset[2]) + at->offset[0] + i;
    }
}

/* What programs take in from row j of plane k on. */
static void set_in(const struct fields_walker *w, const struct fields_terms *t, const double *u, int j, int k,
                   const double **in)
{
    const struct fields_layout *l = &w->shape->layout;
    const ptrdiff_t cell = ((w->shape->sees[2] ? k : 0) * l->n[1] + j) * l->pitch;
    for (int a = 0; a < SW_DIMS; a++) in[SW_IN_X + a] = w->coordinate[a] + (w->shape->sees[a] ? cell : 0);
    set_neighbours(w, t, u, 0, j, k, in);
}

/* Points of some rows up to the last one's end. */
static int points_of(const struct fields_layout *l, int rows) { return (int)((rows - 1) * l->pitch) + l->n[0]; }

/* A program at the points of a strip. Noise counts points, and goes by rows.
 * @param out  [rows][pitch] */
static void evaluate_strip(const struct fields_walker *w, struct sw_eval *eval, const struct fields_terms *t,
                           const double *u, const struct strip *strip, const double **in, double *out)
{
    const struct fields_layout *l = &w->shape->layout;
    const int at_once = t->noise ? 1 : strip->rows;
    for (int row = 0; row < strip->rows; row += at_once) {
        const int j = strip->j + row, line = strip->k * l->n[1] + j;
        set_in(w, t, u, j, strip->k, in);
        sw_eval_number_from(eval, line * l->n[0]);
        sw_eval_begin_at(eval, (int)((w->shape->sees[2] ? line : j) * l->pitch));
        sw_eval_points(eval, points_of(l, at_once), in, out + row * l->pitch);
    }
}

/* ------------------------------------------------------------------ neighbours beyond the ends */

static int all_strips(const struct fields_walker *w) { return strips_of(&w->shape->layout) * w->shape->layout.n[2]; }

/* u, of which neighbours are missing, or which becomes `from` + factor G. */
struct filling { const struct fields_walker *w; double *u; const double *from; double factor; };

/* Those of plane `number` of all unknowns, and its images beyond the ends of z. */
static void fill_plane(void *user, int thread, int number)
{
    const struct filling *f = user;
    const int nz = f->w->shape->layout.n[2];
    (void)thread;
    fields_walls_fill(f->w->walls, &f->w->shape->at_ends, number / nz, number % nz, f->u);
}

static void lift_strip(void *user, int thread, int number)
{
    const struct filling *f = user;
    const struct fields_layout *l = &f->w->shape->layout;
    const struct strip s = strip_of(l, number);
    (void)thread;
    for (int v = 0; v < f->w->walk.unknowns; v++)
        for (int row = 0; row < s.rows; row++) {
            const ptrdiff_t at = place_of(l, v, s.j + row, s.k);
            if (f->from != f->u) memcpy(f->u + at, f->from + at, (size_t)l->n[0] * sizeof *f->u);
            fields_walls_add(f->w->walls, v, s.j + row, s.k, f->factor, f->u + at);
        }
}

/* The rooms of a field for them are the row's, also of one that is only read. */
static void freshen(struct fields_walker *w, double t, const double *u)
{
    if (w->fresh == u && !w->walk.moves) return;
    fields_walls_at(w->walls, t);
    each(w, w->walk.unknowns * w->shape->layout.n[2], fill_plane, &(struct filling){.w = w, .u = (double *)u});
    w->fresh = u;
}

/* The field at time t of which a right-hand side is to be evaluated; between walls that move, of v. */
static const double *stage_of(struct fields_walker *w, double t, const double *u)
{
    if (w->walk.moves) {
        fields_walls_lift(w->walls, t, false);
        each(w, all_strips(w), lift_strip, &(struct filling){.w = w, .u = w->raised, .from = u, .factor = 1.0});
        fields_walls_lift(w->walls, t, true);
        u = w->raised;
    }
    freshen(w, t, u);
    return u;
}

/* ------------------------------------------------------------------ right-hand sides */

struct pass {                          /* over strips, or tiles of columns */
    const struct fields_walker *w;
    const double *u;
    double        t;
    int64_t       number;
    const struct fields_step *step;
    int           stage, axis;
    double        weight;              /* of a quadrature rule */
    double       *out;
};

/* The first point of the values of a part: row j of the strip, or before it, is (j - low) pitches behind it. */
static double *around_of(const struct fields_hand *h, int part) { return h->around[part] + FIELDS_ALIGNED; }

/* Part q of a right-hand side wherever the points of a strip need it, one row behind the other. */
static void evaluate_part(const struct pass *p, struct fields_hand *h, int v, int q, const struct strip *s)
{
    const struct fields_shape *shape = p->w->shape;
    const struct fields_layout *l = &shape->layout;
    const int *low = shape->box[v][q].low, *high = shape->box[v][q].high, *at = shape->shifted[v].at[q];
    set_neighbours(p->w, shape->desc->terms, p->u, low[0] - at[0], s->j + low[1] - at[1], s->k + low[2] - at[2], h->in);
    sw_eval_step(h->part[v][q], p->t, p->number);
    sw_eval_points(h->part[v][q], points_of(l, s->rows + high[1] - low[1]) + high[0] - low[0], h->in,
                   around_of(h, q) + low[0]);
}

/* out = by F + sum, where F is linear in what it takes in. */
static void add_linear(const struct pass *p, struct fields_hand *h, int v, const struct strip *s, double by,
                       const struct fields_sum *sum, double *out)
{
    const struct fields_shape *shape = p->w->shape;
    const struct sw_linear_term *term;
    struct fields_weights weights = {.term = h->weight};
    term = sw_linear_terms(h->linear[v], &weights.constant);
    weights.constant *= by;
    for (int k = 0; k < sw_linear_count(h->linear[v]); k++)
        h->weight[weights.count++] = (struct fields_weight){h->in[term[k].slot], by * term[k].factor, term[k].first};
    for (int k = 0; k < sum->count; k++)
        h->weight[weights.count++] = (struct fields_weight){sum->field[k], sum->weight[k], true};
    shape->tiles->weigh((size_t)points_of(&shape->layout, s->rows), &weights, out);
}

/* out = by F + sum of unknown v at the points of a strip. Between walls that move F is F(v + G) - G_t. */
static void evaluate_of(const struct pass *p, struct fields_hand *h, int v, const struct strip *s, double by,
                        const struct fields_sum *sum, double *out)
{
    static const struct fields_sum nothing;
    const struct fields_shape *shape = p->w->shape;
    const struct sw_shifted *shifted = &shape->shifted[v];
    for (int q = 0; q < shifted->parts; q++) evaluate_part(p, h, v, q, s);
    for (int k = 0; k < shifted->places; k++) {
        const struct sw_shifted_place *place = &shifted->place[k];
        const ptrdiff_t row = place->offset[1] - shape->box[v][place->of].low[1];
        h->in[shape->desc->terms->inputs + k] = around_of(h, place->of) + row * shape->layout.pitch + place->offset[0];
    }
    sw_eval_step(h->rhs[v], p->t, p->number);
    if (h->linear[v]) {
        set_in(p->w, shape->desc->terms, p->u, s->j, s->k, h->in);
        add_linear(p, h, v, s, p->w->walls ? 1.0 : by, p->w->walls ? &nothing : sum, out);
        if (!p->w->walls) return;
    } else {
        evaluate_strip(p->w, h->rhs[v], shape->desc->terms, p->u, s, h->in, out);
    }
    for (int row = 0; p->w->walls && row < s->rows; row++)
        fields_walls_close(p->w->walls, v, s->j + row, s->k, out + row * shape->layout.pitch);
    if (by != 1.0 || sum->count) shape->tiles->add((size_t)points_of(&shape->layout, s->rows), by, sum, out);
}

static void evaluate_one(void *user, int thread, int number)
{
    const struct pass *p = user;
    const struct fields_layout *l = &p->w->shape->layout;
    const struct strip s = strip_of(l, number);
    for (int v = 0; v < p->w->walk.unknowns; v++)
        evaluate_of(p, hand_of(p->w, thread), v, &s, 1.0, &(struct fields_sum){0}, p->out + place_of(l, v, s.j, s.k));
}

/* fields_right_hand_side */
static void evaluate(void *own, double t, int64_t number, const double *u, double *f)
{
    struct fields_walker *w = own;
    u = stage_of(w, t, u);
    each(w, all_strips(w), evaluate_one, &(struct pass){.w = w, .u = u, .t = t, .number = number, .out = f});
}

/* Between what the points of some rows are; NaN where one is. */
static void find_range(const struct fields_walker *w, int rows, const double *x, double range[2])
{
    const struct fields_layout *l = &w->shape->layout;
    range[0] = INFINITY, range[1] = -INFINITY;
    for (int row = 0; row < rows; row++) w->shape->tiles->extend((size_t)l->n[0], x + row * l->pitch, range);
}

static void find_most(void *user, int thread, int number)
{
    const struct pass *p = user;
    const struct fields_shape *shape = p->w->shape;
    const struct strip s = strip_of(&shape->layout, number);
    struct fields_hand *h = hand_of(p->w, thread);
    for (int k = 0; k < shape->varies; k++) {
        double range[2];
        if (!h->value[k] || !isnan(p->w->most_of[k])) continue;
        sw_eval_step(h->value[k], p->t, p->number);
        evaluate_strip(p->w, h->value[k], shape->desc->terms, p->u, &s, h->in, h->values);
        find_range(p->w, s.rows, h->values, range);
        p->w->partial[number * shape->varies + k] = range[1];
    }
}

/* The worst of what `count` strips or tiles have found of number `at`. */
static double worst_of(const struct fields_walker *w, int count, int numbers, int at)
{
    double worst = w->partial[at];
    for (int k = 1; k < count; k++) worst = sw_own_steps_worse(worst, w->partial[k * numbers + at]);
    return worst;
}

/* The largest value of a polynomial of the second degree in an unknown between its least and its greatest value, where
 * it is at one of them; NAN elsewhere. */
static double most_at_ends(const struct fields_walker *w, const struct pass *p, int k)
{
    struct fields_hand *h = hand_of(w, 0);
    const int slot = w->shape->slot[k], v = w->shape->desc->terms->neighbour[slot - FIELDS_INPUTS].unknown;
    const double ends[3] = {w->found[v].least, w->found[v].most, 0.5 * (w->found[v].least + w->found[v].most)};
    double value[3];
    h->in[slot] = ends;
    sw_eval_begin_at(h->value[k], 0);
    sw_eval_step(h->value[k], p->t, p->number);
    sw_eval_points(h->value[k], 3, h->in, value);
    const bool convex = value[0] + value[1] - 2.0 * value[2] >= -1e-12 * (fabs(value[0]) + fabs(value[1]));
    return convex ? fmax(value[0], value[1]) : NAN;
}

static void measure(struct fields_walker *w, const double *u);

/* fields_find_stiffness */
static void find_stiffness(void *own, double t, int64_t number, const double *u, struct fields_stiffness *stiffness)
{
    struct fields_walker *w = own;
    const struct fields_shape *shape = w->shape;
    struct pass p = {.w = w, .u = u, .t = t, .number = number};
    bool passes = false;
    memcpy(stiffness, w->constant, (size_t)w->walk.unknowns * sizeof *stiffness);
    for (int k = 0; k < shape->varies; k++) {
        if (shape->slot[k]) measure(w, u);
        if (shape->same[k] == k) w->most_of[k] = shape->slot[k] ? most_at_ends(w, &p, k) : NAN;
        passes |= isnan(w->most_of[shape->same[k]]);
    }
    if (passes) {
        freshen(w, t, u);
        each(w, all_strips(w), find_most, &p);
    }
    for (int k = 0; k < shape->varies; k++) {
        const int of = shape->same[k];
        const double most = isnan(w->most_of[of]) ? worst_of(w, all_strips(w), shape->varies, of) : w->most_of[of];
        fields_set_varying(&shape->varying[k], most, stiffness);
    }
}

/* ------------------------------------------------------------------ a step */

/* Those of the first `count` weights that are not 0, times `by`. */
static struct fields_sum sum_of(int count, const double *weight, double *const *k, double by, ptrdiff_t at)
{
    struct fields_sum s = {0};
    for (int j = 0; j < count; j++) {
        if (weight[j] == 0.0) continue;
        s.weight[s.count] = by * weight[j];
        s.field[s.count++] = k[j] + at;
    }
    return s;
}

/* What the solves of P leave out, and what is left where an axis has nothing else. */
static double scale_of(const struct fields_product *p)
{
    double scale = 1.0;
    for (int d = 0; d < p->axes; d++)
        if (p->axis[d].is_one || !p->axis[d].eliminated) scale *= p->axis[d].scale;
    return scale;
}

/* k_i = A_x⁻¹ (dt F + D) of a strip, all scales included. */
static void make_increment(void *user, int thread, int number)
{
    const struct pass *p = user;
    const struct fields_walker *w = p->w;
    const struct fields_layout *l = &w->shape->layout;
    const struct fields_tiles *tiles = w->shape->tiles;
    const struct fields_step *step = p->step;
    const struct strip s = strip_of(l, number);
    struct fields_hand *h = hand_of(w, thread);
    for (int v = 0; v < step->unknowns; v++) {
        const struct fields_product *product = fields_lines_product(step->solver, v);
        const struct fields_axis *x = &product->axis[0];
        const ptrdiff_t at = place_of(l, v, s.j, s.k);
        const double scale = scale_of(product);
        const struct fields_sum d = sum_of(p->stage, step->method->h[p->stage], w->walk.work.k, scale, at);
        double *k = w->walk.work.k[p->stage] + at;
        evaluate_of(p, h, v, &s, scale * step->dt, &d, k);
        for (int row = 0; row < s.rows && !x->is_one; row += FIELDS_ROWS)
            tiles->rows(x, s.rows - row < FIELDS_ROWS ? s.rows - row : FIELDS_ROWS, l->pitch, h->room,
                        k + row * l->pitch);
    }
}

static int tiles_of(const struct fields_walker *w)
{
    return (w->shape->layout.n[0] + w->columns - 1) / w->columns;
}

/* A tile of columns: along y of a plane, along z of a row of each plane. */
struct tile { int first, width, valid; ptrdiff_t at, stride; int rows; };

static struct tile tile_of(const struct fields_walker *w, int axis, int number)
{
    const struct fields_layout *l = &w->shape->layout;
    const int tiles = tiles_of(w), first = number % tiles * w->columns, of = number / tiles,
              left = aligned(l->n[0]) - first, width = left < w->columns ? left : w->columns;
    return (struct tile){.first = first, .width = width, .valid = l->n[0] - first < width ? l->n[0] - first : width,
                         .at = first + (axis == 1 ? place_of(l, 0, 0, of) : place_of(l, 0, of, 0)),
                         .stride = axis == 1 ? l->pitch : l->plane, .rows = l->n[axis]};
}

/* Solve along the last axis, subtract D, and make the field of the next stage, or that behind the step. */
static void close_tile(const struct pass *p, int number, int v, const struct fields_axis *a, const struct tile *t)
{
    const struct fields_walker *w = p->w;
    const struct fields_work *work = &w->walk.work;
    const struct fields_method *m = p->step->method;
    const int i = p->stage;
    const bool last = i + 1 == m->stages;
    const double *weight = last ? m->b : m->a[i + 1];
    const ptrdiff_t at = t->at + v * w->shape->layout.unknown;
    const struct fields_closing c = {
        .k = work->k[i] + at, .out = (last ? work->next : work->stage) + at, .u = p->u + at,
        .d = sum_of(i, m->h[i], work->k, 1.0, at), .next = sum_of(i, weight, work->k, 1.0, at), .next_k = weight[i],
        .error = last ? sum_of(i, m->e, work->k, 1.0, at) : (struct fields_sum){0}, .error_k = m->e[i],
        .last = last, .width = t->width, .valid = t->valid, .stride = t->stride};
    w->shape->tiles->close(a, &c, &w->tile[number * p->step->unknowns + v]);
}

static void solve_tile(void *user, int thread, int number)
{
    const struct pass *p = user;
    const struct tile t = tile_of(p->w, p->axis, number);
    (void)thread;
    for (int v = 0; v < p->step->unknowns; v++) {
        const struct fields_product *product = fields_lines_product(p->step->solver, v);
        const struct fields_axis *a = &product->axis[p->axis];
        double *k = p->w->walk.work.k[p->stage] + v * p->w->shape->layout.unknown + t.at;
        if (p->axis + 1 == product->axes) close_tile(p, number, v, a, &t);
        else if (!a->is_one) p->w->shape->tiles->lines(a, t.stride, t.width, k);
    }
}

/* What `count` strips or tiles have found, unknown by unknown. */
static void collect(struct fields_walker *w, int count, const double *u)
{
    const int unknowns = w->walk.unknowns;
    for (int v = 0; v < unknowns; v++) {
        struct fields_found *f = &w->found[v];
        *f = w->tile[v];
        for (int k = 1; k < count; k++) {
            const struct fields_found *t = &w->tile[k * unknowns + v];
            f->size = sw_own_steps_worse(f->size, t->size);
            f->error = sw_own_steps_worse(f->error, t->error);
            f->least = fmin(f->least, t->least);
            f->most = fmax(f->most, t->most);
        }
    }
    w->measured = u;
}

/* Whether the next step is taken by the team or by the caller alone: PROBED steps each at the beginning of every
 * PERIOD, of which the first one fills caches, then as was faster. No bit depends on it. */
enum { PERIOD = 512, PROBED = 4 };

static void choose_threads(struct fields_walker *w)
{
    const int step = w->steps++ % PERIOD;
    if (step == 0) w->least_s[0] = w->least_s[1] = INFINITY;
    w->together = step < PROBED || (step >= 2 * PROBED && w->least_s[1] < w->least_s[0]);
}

static void take_time(struct fields_walker *w, double seconds)
{
    const int step = (w->steps - 1) % PERIOD;
    double *least = &w->least_s[w->together];
    if (step < 2 * PROBED && step % PROBED > 0 && seconds < *least) *least = seconds;
}

static void advance(const struct fields_step *s, struct fields_work *work, const double *u)
{
    struct fields_walker *w = s->own;
    const struct fields_layout *l = &w->shape->layout;
    const int axes = w->walk.rule.axes;
    int tiles = 0;
    for (int i = 0; i < s->method->stages; i++) {
        struct pass p = {.w = w, .t = s->t + s->method->c[i] * s->dt, .number = s->number, .step = s, .stage = i};
        p.u = stage_of(w, p.t, i > 0 ? work->stage : u);
        each(w, all_strips(w), make_increment, &p);
        p.u = u;
        for (p.axis = 1; p.axis < axes; p.axis++) {
            tiles = tiles_of(w) * (p.axis == 1 ? l->n[2] : l->n[1]);
            each(w, tiles, solve_tile, &p);
        }
        w->fresh = NULL;
    }
    collect(w, tiles, work->next);
}

static void take_step(const struct fields_step *s, struct fields_work *work, const double *u)
{
    struct fields_walker *w = s->own;
    if (!w->team) {
        advance(s, work, u);
        return;
    }
    choose_threads(w);
    const double from = sw_clock();
    advance(s, work, u);
    take_time(w, sw_clock() - from);
}

static void estimate_error(const struct fields_step *s, struct fields_work *work, double *error)
{
    const struct fields_walker *w = s->own;
    (void)work;
    for (int v = 0; v < s->unknowns; v++) error[v] = w->found[v].error;
}

static double *accept(struct fields_walk *walk, double *u)
{
    struct fields_walker *w = walk->own;
    w->u = walk->work.next;
    walk->work.next = u;
    w->fresh = NULL;
    return w->u;
}

/* ------------------------------------------------------------------ estimates */

/* stage += weight F, from 0 in the first one; its largest numbers are those of the last one. */
static void add_by_time(void *user, int thread, int number)
{
    const struct pass *p = user;
    const struct fields_walker *w = p->w;
    const struct fields_layout *l = &w->shape->layout;
    const struct strip s = strip_of(l, number);
    for (int v = 0; v < w->walk.unknowns; v++) {
        const ptrdiff_t at = place_of(l, v, s.j, s.k);
        double *f = w->walk.work.k[0] + at, *sum = w->walk.work.stage + at, most = 0.0;
        const struct fields_sum one = {.count = 1, .weight = {p->weight}, .field = {f}};
        evaluate_of(p, hand_of(w, thread), v, &s, 1.0, &(struct fields_sum){0}, f);
        if (p->stage == 0) memset(sum, 0, (size_t)(s.rows * l->pitch) * sizeof *sum);
        w->shape->tiles->add((size_t)points_of(l, s.rows), 1.0, &one, sum);
        for (int row = 0; row < s.rows; row++)
            for (int i = 0; i < l->n[0]; i++) most = sw_own_steps_worse(most, fabs(sum[row * l->pitch + i]));
        w->partial[number * w->walk.unknowns + v] = most;
    }
}

static void estimate_by_time(const struct fields_step *s, struct fields_work *work, double *error)
{
    struct fields_walker *w = s->own;
    const struct fields_method *m = s->method;
    for (int i = 0; i <= m->stages; i++) {
        const bool end = i == m->stages;
        const double t = s->t + (end ? 1.0 : m->c[i]) * s->dt;
        each(w, all_strips(w), add_by_time,
             &(struct pass){.w = w, .u = stage_of(w, t, work->next), .t = t, .number = s->number, .stage = i,
                            .weight = s->dt * (end ? m->q_end : m->q[i] - m->b[i])});
    }
    for (int v = 0; v < s->unknowns; v++)
        error[v] = sw_own_steps_with_time(error[v], worst_of(w, all_strips(w), s->unknowns, v));
}

static void measure_strip(void *user, int thread, int number)
{
    const struct pass *p = user;
    const struct strip s = strip_of(&p->w->shape->layout, number);
    (void)thread;
    for (int v = 0; v < p->w->walk.unknowns; v++) {
        double range[2];
        find_range(p->w, s.rows, p->u + place_of(&p->w->shape->layout, v, s.j, s.k), range);
        p->w->tile[number * p->w->walk.unknowns + v] =
            (struct fields_found){.size = fmax(-range[0], range[1]), .least = range[0], .most = range[1]};
    }
}

/* Find sizes and ranges of a field, unless they are those of the last one. */
static void measure(struct fields_walker *w, const double *u)
{
    if (w->measured == u) return;
    each(w, all_strips(w), measure_strip, &(struct pass){.w = w, .u = u});
    collect(w, all_strips(w), u);
}

static void find_sizes(const struct fields_walk *walk, const double *u, double *size)
{
    struct fields_walker *w = walk->own;
    measure(w, u);
    for (int v = 0; v < walk->unknowns; v++) size[v] = w->found[v].size;
}

/* ------------------------------------------------------------------ walls */

static void impose(void *own, double t, double *u)
{
    const struct fields_walker *w = own;
    fields_walls_impose(w->walls, t, &w->shape->at_ends.room, u);
}

static void begin_step(void *own, double t, double end, double dt)
{
    const struct fields_walker *w = own;
    const struct fields_method *m = w->walk.method;
    fields_walls_begin_step(w->walls, t, end, dt, m->stages, m->b, m->c);
}

static void lift(void *own, double t, double factor, double *u)
{
    struct fields_walker *w = own;
    fields_walls_lift(w->walls, t, false);
    each(w, all_strips(w), lift_strip, &(struct filling){.w = w, .u = u, .from = u, .factor = factor});
    w->fresh = w->measured = NULL;
}

/* ------------------------------------------------------------------ a run, begun and measured */

/* struct fields_walk_ops */
static void begin(void *own, const struct sw_grid *grid, const double *param, int64_t stride)
{
    struct fields_walker *w = own;
    const struct fields_layout *l = &w->shape->layout;
    w->param = param;
    w->stride = stride;
    w->serial++;
    w->fresh = w->measured = NULL;
    w->walk.solves->begin(w->walk.solver, grid->dx, param, stride);
    for (int a = 0; a < SW_DIMS; a++)
        for (ptrdiff_t c = 0; w->shape->sees[a] && c < w->shape->cells; c++) {
            const ptrdiff_t line = c / l->pitch, at[SW_DIMS] = {c % l->pitch, line % l->n[1], line / l->n[1]};
            w->coordinate[a][c] = sw_grid_at(grid, a, at[a]);
        }
    fields_walls_begin(w->walls, grid, param, stride);
}

static double *take(void *own, const double *flat)
{
    struct fields_walker *w = own;
    const struct fields_layout *l = &w->shape->layout;
    const size_t nx = (size_t)l->n[0];
    for (int v = 0; v < w->walk.unknowns; v++)
        for (int row = 0; row < l->n[1] * l->n[2]; row++, flat += nx)
            memcpy(w->u + place_of(l, v, row % l->n[1], row / l->n[1]), flat, nx * sizeof *flat);
    w->fresh = w->measured = NULL;
    return w->u;
}

static void flatten(void *own, const double *field, double *flat)
{
    const struct fields_walker *w = own;
    const struct fields_layout *l = &w->shape->layout;
    const size_t nx = (size_t)l->n[0];
    for (int v = 0; v < w->walk.unknowns; v++)
        for (int row = 0; row < l->n[1] * l->n[2]; row++, flat += nx)
            memcpy(flat, field + place_of(l, v, row % l->n[1], row / l->n[1]), nx * sizeof *flat);
}

/* Rows by lanes (field/sum.h), one after the other; the present field is lost. */
static double energy_of(void *own, double t, const double *flat)
{
    struct fields_walker *w = own;
    const struct fields_shape *shape = w->shape;
    const struct fields_layout *l = &shape->layout;
    struct fields_hand *h = w->hand[0];
    double sum = 0;
    begin_program(w, h->energy, h->in_energy);
    sw_eval_step(h->energy, 0, 0);
    freshen(w, t, take(w, flat));
    for (int number = 0; number < all_strips(w); number++) {
        const struct strip s = strip_of(l, number);
        evaluate_strip(w, h->energy, shape->desc->energy, w->u, &s, h->in_energy, h->values);
        for (int row = 0; row < s.rows; row++)
            sum += fields_sum_row(shape->desc->n, shape->desc->walls, s.k * l->n[1] + s.j + row,
                                  h->values + row * l->pitch);
    }
    return sum;
}

static const struct fields_walk_ops operations = {
    .begin = begin, .take = take, .flatten = flatten, .energy = energy_of, .evaluate = evaluate,
    .stiffness = find_stiffness, .take_step = take_step, .estimate_error = estimate_error,
    .estimate_by_time = estimate_by_time, .find_sizes = find_sizes, .accept = accept, .impose = impose,
    .begin_step = begin_step, .lift = lift};

/* ------------------------------------------------------------------ life */

static void see(const struct sw_program *program, bool sees[SW_DIMS])
{
    for (int a = 0; a < SW_DIMS; a++) sees[a] |= sw_program_uses_input(program, (enum sw_input)(SW_IN_X + a));
}

static bool is_here(const struct fields_neighbour *n) { return !n->offset[0] && !n->offset[1] && !n->offset[2]; }

static bool is_square(const struct sw_program *program, int slot)
{
    const int degree = sw_program_degree(program, slot);
    return degree >= 0 && degree <= 2;
}

void fields_shape_of(const struct fields_desc *d, struct fields_shape *s)
{
    int64_t reach[SW_DIMS];
    *s = (struct fields_shape){.desc = d, .tiles = fields_tiles_pick(), .at_ends = fields_walls_desc_of(d, reach)};
    s->layout = layout_of(d, reach);
    s->at_ends.room = room_of(&s->layout);
    s->varies = fields_varying_of(d, s->varying);
    for (int k = s->varies - 1; k >= 0; k--) {
        s->same[k] = k;
        for (int q = k - 1; q >= 0; q--)
            if (sw_program_equal(s->varying[k].program, s->varying[q].program)) s->same[k] = q;
        see(s->varying[k].program, s->sees);
        for (int q = 0; q < d->terms->neighbours; q++)
            if (is_here(&d->terms->neighbour[q]) && is_square(s->varying[k].program, FIELDS_INPUTS + q))
                s->slot[k] = FIELDS_INPUTS + q;
    }
    for (int v = 0; v < d->terms->unknowns; v++) see(d->terms->row[v].rhs, s->sees);
    if (d->energy) see(d->energy->row[0].rhs, s->sees);
    s->cells = (int)s->layout.pitch * s->layout.n[1] * (s->sees[2] ? s->layout.n[2] : 1);
}

enum sw_status fields_shape_share(struct fields_shape *s)
{
    const struct fields_terms *t = s->desc->terms;
    struct sw_shifted_place *neighbour;
    enum sw_status st;
    if (t->noise) return SW_OK;
    SW_TRY(sw_alloc((size_t)t->neighbours, &neighbour));
    for (int q = 0; q < t->neighbours; q++) {
        neighbour[q].of = t->neighbour[q].unknown;
        memcpy(neighbour[q].offset, t->neighbour[q].offset, sizeof neighbour[q].offset);
    }
    for (int v = 0; v < t->unknowns; v++) {
        struct sw_shifted *shifted = &s->shifted[v];
        SW_TRY_TO(done, st, sw_shifted_create(t->row[v].rhs, FIELDS_INPUTS, t->neighbours, neighbour, shifted));
        for (int a = 0; a < SW_DIMS; a++)
            for (int k = 0; k < shifted->places; k++) {
                const int of = shifted->place[k].of, at = shifted->place[k].offset[a];
                bool first = true;
                for (int q = 0; q < k; q++) first &= shifted->place[q].of != of;
                int *low = &s->box[v][of].low[a], *high = &s->box[v][of].high[a];
                if (first || at < *low) *low = at;
                if (first || at > *high) *high = at;
            }
    }
    st = SW_OK;
done:
    sw_free(neighbour);
    return st;
}

void fields_shape_destroy(struct fields_shape *s)
{
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) sw_shifted_destroy(&s->shifted[v]);
}

static size_t partials_of(const struct fields_shape *s)
{
    const size_t strips = (size_t)(strips_of(&s->layout) * s->layout.n[2]);
    return strips * ((size_t)s->varies + (size_t)s->desc->terms->unknowns);
}

/* Of all unknowns: strips or tiles, whichever are more. */
static size_t tiles_most(const struct fields_shape *s)
{
    const struct fields_layout *l = &s->layout;
    const size_t strips = (size_t)(strips_of(l) * l->n[2]), longest = (size_t)(l->n[1] > l->n[2] ? l->n[1] : l->n[2]),
                 tiles = (size_t)(aligned(l->n[0]) / FIELDS_ALIGNED) * longest;
    return (tiles > strips ? tiles : strips) * (size_t)s->desc->terms->unknowns;
}

static size_t around_room(const struct fields_shape *s)
{
    return (size_t)((s->layout.strip + 2 * s->layout.reach[1]) * s->layout.pitch) + 2 * FIELDS_ALIGNED;
}

static size_t rows_room(const struct fields_layout *l) { return (size_t)aligned(l->n[0]) * FIELDS_ROWS; }

size_t fields_walker_bytes(const struct fields_shape *s)
{
    const size_t fields = (size_t)fields_method_of(s->desc->scheme)->stages + 3 + 2 * fields_walls_move(&s->at_ends);
    return (fields * numbers_of(s) + partials_of(s) + SW_DIMS * (size_t)s->cells) * sizeof(double) +
           tiles_most(s) * sizeof(struct fields_found) + fields_walls_bytes(&s->at_ends);
}

size_t fields_hand_bytes(const struct fields_shape *s)
{
    const size_t programs = (size_t)(s->desc->terms->unknowns + s->varies + 1);
    return (rows_room(&s->layout) + (size_t)(s->layout.strip * s->layout.pitch) + SW_SHIFTED_PARTS * around_room(s)) *
           sizeof(double) + programs * 131072;
}

enum sw_status fields_walker_create(const struct fields_shape *s, struct sw_owned *own, struct fields_walker *w)
{
    struct fields_work *work = &w->walk.work;
    w->shape = s;
    w->walk.solves = &fields_lines;
    fields_set_walk(s->desc, &w->walk);
    w->walk.ops = &operations;
    w->walk.numbers = numbers_of(s);
    w->walk.own = w;
    for (int i = 0; i < w->walk.method->stages; i++) sw_array(own, numbers_of(s), &work->k[i]);
    sw_array(own, numbers_of(s), &work->stage);
    sw_array(own, numbers_of(s), &work->next);
    SW_TRY(w->walk.solves->create(s->desc, own, &w->walk.solver));
    sw_array(own, numbers_of(s), &w->u);
    if (w->walk.moves) sw_array(own, numbers_of(s), &work->base);
    if (w->walk.moves) sw_array(own, numbers_of(s), &w->raised);
    sw_array(own, partials_of(s), &w->partial);
    sw_array(own, tiles_most(s), &w->tile);
    for (int a = 0; a < SW_DIMS; a++) sw_array(own, s->sees[a] ? (size_t)s->cells : 1, &w->coordinate[a]);
    SW_TRY(own->status);
    return fields_walls_create(&s->at_ends, own, &w->walls);
}

void fields_walker_destroy(struct fields_walker *w)
{
    fields_walls_destroy(w->walls);
    if (w->walk.solves) w->walk.solves->destroy(w->walk.solver);
}

/* What the symbols of a right-hand side are values of: unknowns, then parts. */
static enum sw_status create_linear(const struct fields_shape *s, struct sw_owned *own, struct fields_hand *h)
{
    const struct fields_terms *t = s->desc->terms;
    const int count = t->neighbours + SW_SHIFTED_PLACES;
    enum sw_status st = SW_OK;
    int *group;
    sw_array(own, (size_t)(count + FIELDS_STAGES), &h->weight);
    SW_TRY(own->status);
    SW_TRY(sw_alloc((size_t)count, &group));
    for (int k = 0; k < t->neighbours; k++) group[k] = t->neighbour[k].unknown;
    for (int v = 0; v < t->unknowns && !st; v++) {
        const struct sw_shifted *shifted = &s->shifted[v];
        for (int k = 0; k < shifted->places; k++)
            group[t->neighbours + k] = t->unknowns + shifted->field[shifted->place[k].of];
        if (shifted->linear) st = sw_linear_create(h->rhs[v], FIELDS_INPUTS, count, group, &h->linear[v]);
    }
    sw_free(group);
    return st;
}

enum sw_status fields_hand_create(const struct fields_shape *s, struct sw_owned *own, struct fields_hand **hand)
{
    const struct fields_terms *t = s->desc->terms;
    const int cells = s->cells > points_of(&s->layout, s->layout.strip) ? s->cells
                                                                         : points_of(&s->layout, s->layout.strip);
    sw_array(own, 1, hand);
    SW_TRY(own->status);
    struct fields_hand *h = *hand;
    sw_array(own, (size_t)t->inputs + SW_SHIFTED_PLACES, &h->in);
    if (s->desc->energy) sw_array(own, (size_t)s->desc->energy->inputs, &h->in_energy);
    sw_array(own, rows_room(&s->layout), &h->room);
    sw_array(own, (size_t)(s->layout.strip * s->layout.pitch), &h->values);
    for (int v = 0; v < t->unknowns; v++)
        for (int q = 0; q < s->shifted[v].parts; q++)
            if (!h->around[q]) sw_array(own, around_room(s), &h->around[q]);
    SW_TRY(own->status);
    for (int v = 0; v < t->unknowns; v++) {
        const struct sw_shifted *shifted = &s->shifted[v];
        SW_TRY(sw_eval_create(shifted->parts ? shifted->program : t->row[v].rhs, cells, &h->rhs[v]));
        sw_eval_grid(h->rhs[v], s->layout.n[0], s->layout.n[1]);
        for (int q = 0; q < shifted->parts; q++)
            SW_TRY(sw_eval_create(shifted->part[q], (int)around_room(s), &h->part[v][q]));
    }
    SW_TRY(create_linear(s, own, h));
    for (int k = 0; k < s->varies; k++)
        if (s->same[k] == k) SW_TRY(sw_eval_create(s->varying[k].program, cells, &h->value[k]));
    return s->desc->energy ? sw_eval_create(s->desc->energy->row[0].rhs, cells, &h->energy) : SW_OK;
}

void fields_hand_destroy(struct fields_hand *h)
{
    if (!h) return;
    for (int v = 0; v < SW_UNKNOWNS_MOST; v++) {
        sw_linear_destroy(&h->linear[v]);
        sw_eval_destroy(&h->rhs[v]);
        for (int q = 0; q < SW_SHIFTED_PARTS; q++) sw_eval_destroy(&h->part[v][q]);
    }
    for (int k = 0; k < FIELDS_VARYING_MOST; k++) sw_eval_destroy(&h->value[k]);
    sw_eval_destroy(&h->energy);
}
