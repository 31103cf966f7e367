/* A batch of `elliptic`: the matrices and right-hand sides of all its runs, their solution together, and its errors. */
#include <math.h>
#include <string.h>

#include "base/sw_cost.h"
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "base/sw_text.h"
#include "comm/sw_comm.h"
#include "device/sw_device.h"
#include "field/grid.h"
#include "problem/device/sampler.h"
#include "problem/elliptic/elliptic.h"

struct elliptic_sim {
    struct sw_sim       sim;        /* first: the operations get a pointer to it              */
    struct sw_setup     setup;
    struct sw_elliptic_desc desc;
    struct sw_device   *device;
    struct sw_elliptic *solver;
    int                 count;
    size_t              cells;      /* of a run                                               */
    double             *column;     /* [ncolumn][count]                                       */
    char              (*why)[160];  /* [capacity] why a run cannot begin, "" if it can        */
    struct sw_norms    *norm;       /* [capacity]                                             */
    struct elliptic_taken *taken;   /* [capacity]                                             */
    int                *system;     /* [capacity] of a run that begins: its number below      */
    int                 systems;
    int                *exponent;   /* [capacity] of a system: its f is multiplied by 2^-exponent, and so is its u */
    struct sw_elliptic_numbers *numbers;  /* [capacity], as the rest                          */
    struct sw_elliptic_matrix  *matrix;
    double            **faces;      /* [capacity][3], NULL where coefficients are 1           */
    struct sw_elliptic_outcome *outcome;
    double             *f, *u;      /* [capacity][ny][nz][nx] in the memory of the device     */
    double             *field;      /* [ny][nz][nx] of one run on the host; NULL: that is the device's memory */
    double             *values;     /* of cells of one run: exact, or f at other points; NULL: not needed */
    struct sw_device_sampler *f_there, *exact_there;  /* they evaluate on the device; NULL: the host does */
    double             *history;    /* [capacity][1 + setup.history]; NULL: not asked for     */
    char               *saved;      /* [runs][nz][ny][nx]; NULL: fields are not saved         */
};

static const struct elliptic_points centres = {.kind = ELLIPTIC_CENTRES};

static size_t word(const struct elliptic_sim *s) { return sw_reals_word(s->setup.single); }

static struct elliptic_run run_of(const struct elliptic_sim *s, int j)
{
    return (struct elliptic_run){.setup = &s->setup,
                                 .desc = s->desc,
                                 .dim = s->setup.dim,
                                 .depth = s->numbers[s->system[j]].depth,
                                 .column = s->column + j,
                                 .stride = s->count,
                                 .threads = s->device->threads};
}

/* Where the host has f or u of a system. */
static double *on_host(const struct elliptic_sim *s, double *array, int system)
{
    return s->field ? s->field : array + (size_t)system * s->cells;
}

static const char *solver_name(const struct sw_sim *sim)
{
    return sw_elliptic_name(((const struct elliptic_sim *)sim)->solver);
}

/* ------------------------------------------------------------------ matrices */

/* The same where the grid is cut along y: the ranks at its ends evaluate the faces at both. */
static enum sw_status join_cut_ends(const struct elliptic_run *run, const struct sw_program *program, double *k)
{
    const struct sw_elliptic_desc *d = &run->desc;
    const int64_t count = d->n[2] * d->n[0];
    const bool first = d->cut.first == 0, last = d->cut.first + d->n[1] == d->cut.whole;
    double *ends = NULL;
    if (!first && !last) return SW_OK;
    SW_TRY(sw_alloc(2 * (size_t)count, &ends));
    const enum sw_status st =
        elliptic_sample(run, program, (struct elliptic_points){.kind = ELLIPTIC_WALLS, .axis = 1}, ends);
    for (int64_t i = 0; i < count && !st; i++) {
        const double seam = elliptic_seam(ends[i], ends[count + i]);
        if (first) k[i] = seam;
        if (last) k[d->n[1] * count + i] = seam;
    }
    sw_free(ends);
    return st;
}

/* The first and the last face of a line along a periodic axis are one. */
static void join_ends(const struct sw_elliptic_desc *d, int axis, double *k)
{
    const int64_t nx = d->n[0], ny = d->n[1], nz = d->n[2], lines = axis ? nz * nx : ny * nz,
                  next = axis ? 1 : nx + 1, last = axis ? ny * nz * nx : nx;
    for (int64_t r = 0; r < lines; r++) {
        double *first = k + r * next;
        *first = first[last] = elliptic_seam(*first, first[last]);
    }
}

static struct sw_text why_of(struct elliptic_sim *s, int j) { return sw_text_in(s->why[j], sizeof s->why[j]); }

/* Coefficients at the faces of run j. @return SW_E_MEMORY; what is wrong with a coefficient goes to s->why */
static enum sw_status make_faces(struct elliptic_sim *s, int j)
{
    static const char *const key[3] = {"kx", "ky", "kz"};
    const struct elliptic_run run = run_of(s, j);
    struct sw_text why = why_of(s, j);
    for (int d = 0; d < 3; d++) {
        const struct elliptic_points points = {.kind = ELLIPTIC_FACES, .axis = d};
        int64_t shape[SW_DIMS];
        const int64_t count = elliptic_count(&s->desc, points, shape);
        const struct sw_program *program = sw_setup_function(&s->setup, key[d]);
        double **k = &s->faces[3 * s->system[j] + d];
        if (!*k) SW_TRY(sw_alloc((size_t)count, k));
        for (int64_t i = 0; !program && i < count; i++) (*k)[i] = 1;
        if (!program) continue;
        SW_TRY(elliptic_sample(&run, program, points, *k));
        SW_TRY(elliptic_blame(&run, key[d], points, *k, true, &why));
        if (d > 1 || s->desc.sides[d] != SW_ELLIPTIC_PERIODIC) continue;
        if (d == 1 && s->desc.cut.comm) SW_TRY(join_cut_ends(&run, program, *k));
        else join_ends(&s->desc, d, *k);
    }
    return SW_OK;
}

static enum sw_status make_matrix(struct elliptic_sim *s, int j)
{
    const int y = s->system[j];
    s->numbers[y] = elliptic_numbers(&s->setup, s->count, s->column, j);
    if (s->desc.variable) SW_TRY(make_faces(s, j));
    double **const k = s->faces + 3 * y;
    const struct sw_elliptic_faces faces = {k[0], k[1], k[2]};
    const struct sw_elliptic_matrix *like = s->matrix[0].area ? &s->matrix[0] : NULL;
    struct sw_elliptic_matrix made;
    enum sw_status st = sw_elliptic_matrix_make(&s->desc, &s->numbers[y], &faces, like, &made);
    if (!st) {
        sw_elliptic_matrix_free(&s->matrix[y]);
        s->matrix[y] = made;
    }
    struct sw_text why = why_of(s, j);
    if (st == SW_E_ARG) sw_text_set(&why, "%s", sw_err_message());
    return st == SW_E_ARG ? SW_OK : st;
}

/* ------------------------------------------------------------------ right-hand sides */

/* Values at the centres of the faces on the walls across each axis: those of the sides of the whole grid. */
struct walls { const double *value[3]; int64_t n[3][SW_DIMS], first; };

static double wall_value(const void *context, int side, int64_t i, int64_t j, int64_t k)
{
    const struct walls *w = context;
    const int axis = side / 2;
    int64_t at[SW_DIMS] = {i, axis == 2 ? j - w->first : j, k};
    at[axis] = side % 2;
    return w->value[axis][(at[1] * w->n[axis][2] + at[2]) * w->n[axis][0] + at[0]];
}

static enum sw_status add_walls(struct elliptic_sim *s, int j, double *f)
{
    struct walls w = {{NULL}, {{0}}, sw_elliptic_first(&s->desc)};
    double *value[3] = {NULL};
    enum sw_status st = SW_OK;
    struct sw_text why = why_of(s, j);
    if (!sw_setup_find(&s->setup, "boundary.value")) return SW_OK;
    for (int d = 0; d < 3 && !st; d++) {
        const struct elliptic_points points = {.kind = ELLIPTIC_WALLS, .axis = d};
        struct elliptic_run run = run_of(s, j);
        if (d < 2) run.desc = sw_elliptic_uncut(&s->desc);
        const int64_t count = elliptic_count(&run.desc, points, w.n[d]);
        if (!elliptic_holds_u(&s->desc, d)) continue;
        st = sw_alloc((size_t)count, &value[d]);
        if (!st) st = elliptic_sample_walls(&run, d, value[d]);
        if (!st) st = elliptic_blame(&run, "boundary.value", points, value[d], false, &why);
        w.value[d] = value[d];
    }
    if (!st) sw_elliptic_add_walls(&s->desc, &s->matrix[s->system[j]], wall_value, &w, f);
    for (int d = 0; d < 3; d++) sw_free(value[d]);
    return st;
}

static void scale(double *x, size_t count, int exponent)
{
    for (size_t c = 0; exponent && c < count; c++) x[c] = ldexp(x[c], exponent);
}

/* Solvers form |f|²: f whose square is 0 or infinite is multiplied by a power of two, which no digit is lost by. */
static int exponent_of(double most)
{
    int exponent = 0;
    if (most > 0 && (most < 0x1p-300 || most > 0x1p300)) frexp(most, &exponent);
    return exponent;
}

/* @param most  out: of all ranks */
static enum sw_status find_largest(const struct elliptic_sim *s, const double *f, double *most)
{
    *most = 0;
    for (size_t c = 0; c < s->cells; c++) *most = fmax(*most, fabs(f[c]));
    return sw_comm_max(s->desc.cut.comm, 1, most);
}

/* What walls and a gauge make of f, integrated over the cells, on the host. */
static enum sw_status complete_rhs(struct elliptic_sim *s, int j, double *f)
{
    const int y = s->system[j];
    const struct elliptic_run run = run_of(s, j);
    double most;
    SW_TRY(add_walls(s, j, f));
    struct sw_text why = why_of(s, j);
    if (sw_elliptic_is_singular(&s->desc, s->numbers[y].delta) && !why.length)
        SW_TRY(elliptic_take_mean_off(&run, &s->matrix[y], f, s->values, &s->taken[j], &why));
    SW_TRY(find_largest(s, f, &most));
    s->exponent[y] = exponent_of(most);
    scale(f, s->cells, -s->exponent[y]);
    return SW_OK;
}

static enum sw_status make_rhs(struct elliptic_sim *s, int j)
{
    double *f = on_host(s, s->f, s->system[j]);
    const struct elliptic_run run = run_of(s, j);
    SW_TRY(elliptic_sample(&run, sw_setup_function(&s->setup, "f"), centres, f));
    struct sw_text why = why_of(s, j);
    SW_TRY(elliptic_blame(&run, "f", centres, f, false, &why));
    elliptic_integrate(&s->matrix[s->system[j]], s->device->threads, f);
    SW_TRY(complete_rhs(s, j, f));
    if (!s->field || s->why[j][0]) return SW_OK;
    return sw_device_upload(s->device, s->f + (size_t)s->system[j] * s->cells, f, s->cells * sizeof *f);
}

/* The same where f is evaluated on the device. It comes to the host only where walls or a gauge change it, or its
 * largest number is too large or small. A number that is not finite leaves all of it to the host, which says where. */
static enum sw_status make_rhs_there(struct elliptic_sim *s, int j)
{
    const int y = s->system[j];
    const struct sw_elliptic_matrix *m = &s->matrix[y];
    const struct elliptic_run run = run_of(s, j);
    const struct sw_sampling at = elliptic_sampling(&run, sw_setup_function(&s->setup, "f"), centres);
    double *f = s->f + (size_t)y * s->cells;
    struct sw_sample_found found;
    SW_TRY(sw_device_sample(s->f_there, &at, false, m->area, m->volume, f, &found));
    if (found.bad >= 0) return make_rhs(s, j);
    s->exponent[y] = 0;
    if (!exponent_of(found.most) && !sw_setup_find(&s->setup, "boundary.value") &&
        !sw_elliptic_is_singular(&s->desc, s->numbers[y].delta)) return SW_OK;
    SW_TRY(sw_device_download(s->device, s->field, f, s->cells * sizeof *f));
    SW_TRY(complete_rhs(s, j, s->field));
    return s->why[j][0] ? SW_OK : sw_device_upload(s->device, f, s->field, s->cells * sizeof *f);
}

/* On all ranks, if on one. */
static enum sw_status may_go_on(const struct elliptic_sim *s)
{
    double stop = s->setup.give_up && s->setup.give_up(s->setup.give_up_user);
    SW_TRY(sw_comm_max(s->desc.cut.comm, 1, &stop));
    return stop > 0 ? SW_FAIL(SW_E_STOPPED, "stopped") : SW_OK;
}

/* A run that cannot begin leaves its place to the next one. */
static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct elliptic_sim *s = (struct elliptic_sim *)sim;
    memcpy(s->column, column, (size_t)s->setup.ncolumn * (size_t)count * sizeof *column);
    s->count = count;
    s->systems = 0;
    for (int j = 0; j < count; j++) {
        SW_TRY(may_go_on(s));
        s->why[j][0] = 0;
        s->taken[j] = (struct elliptic_taken){0};
        s->system[j] = s->systems;
        SW_TRY(make_matrix(s, j));
        if (!s->why[j][0]) SW_TRY(s->f_there ? make_rhs_there(s, j) : make_rhs(s, j));
        load_error[j] = s->why[j][0] ? s->why[j] : NULL;
        s->systems += !load_error[j];
    }
    return sw_elliptic_load(s->solver, s->systems, s->numbers, s->matrix);
}

/* ------------------------------------------------------------------ solving */

/* Norms weighted by the cells' volumes: sqrt(sum v d²/sum v), max|d|, sqrt(sum v d²/sum v exact²), summed as files have
 * the cells. Squares are of d and exact over their maxima, so that none over- or underflows.
 * @param exact, u  [ny][nz][nx] */
static enum sw_status compare(const struct sw_comm *comm, const struct sw_elliptic_matrix *m, const double *exact,
                              const double *u, struct sw_norms *norms)
{
    const int64_t n[SW_DIMS] = {m->nx, m->ny, m->nz}, lines = m->ny * m->nz;
    double dd = 0, ee = 0, volume = 0, most = 0, most_exact = 0;
    for (int64_t line = 0; line < lines; line++)
        for (int64_t i = 0, c = elliptic_place(n, line * m->nx); i < m->nx; i++, c++) {
            const double d = fabs(u[c] - exact[c]), e = fabs(exact[c]);
            most = d <= most ? most : d;  /* NaN stays */
            most_exact = e <= most_exact ? most_exact : e;
        }
    double largest[2] = {most, most_exact};
    SW_TRY(sw_comm_max(comm, 2, largest));
    most = largest[0], most_exact = largest[1];
    const double unit = most > 0 ? most : 1, unit_exact = most_exact > 0 ? most_exact : 1;
    for (int64_t line = 0; line < lines; line++)
        for (int64_t i = 0, c = elliptic_place(n, line * m->nx); i < m->nx; i++, c++) {
            const double v = m->area[line % m->ny * m->nx + i] * m->volume[line / m->ny];
            const double d = (u[c] - exact[c]) / unit, e = exact[c] / unit_exact;
            dd += v * d * d;
            ee += v * e * e;
            volume += v;
        }
    double sum[3] = {dd, ee, volume};
    SW_TRY(sw_comm_sum(comm, 3, sum));
    *norms = (struct sw_norms){unit * sqrt(sum[0] / sum[2]), most, unit / unit_exact * sqrt(sum[0] / sum[1]), NAN};
    return SW_OK;
}

/* exact at the cells of run j, to s->values. On the device it takes the place of f, which is solved. */
static enum sw_status sample_exact(struct elliptic_sim *s, int j)
{
    const struct elliptic_run run = run_of(s, j);
    const struct sw_sampling at = elliptic_sampling(&run, sw_setup_function(&s->setup, "exact"), centres);
    double *there = s->f + (size_t)s->system[j] * s->cells;
    struct sw_sample_found found;
    if (!s->exact_there) return sw_sample(&at, false, s->values);
    SW_TRY(sw_device_sample(s->exact_there, &at, false, NULL, NULL, there, &found));
    return sw_device_download(s->device, s->values, there, s->cells * sizeof *there);
}

/* As files have it: [nz][ny][nx]. */
static void save(struct elliptic_sim *s, int j, const double *u)
{
    const int64_t *n = s->desc.n;
    for (int64_t line = 0; line < n[1] * n[2]; line++)
        sw_reals_put(s->saved, word(s), (size_t)j * s->cells + (size_t)(line * n[0]),
                     u + elliptic_place(n, line * n[0]), (size_t)n[0]);
}

/* u of run j: compared, and saved. */
static enum sw_status finish_run(struct elliptic_sim *s, int j)
{
    const struct sw_elliptic_matrix *m = &s->matrix[s->system[j]];
    const bool exact = sw_setup_find(&s->setup, "exact");
    double *u = on_host(s, s->u, s->system[j]);
    if (!exact && !s->saved) return SW_OK;
    if (s->field)
        SW_TRY(sw_device_download(s->device, u, s->u + (size_t)s->system[j] * s->cells, s->cells * sizeof *u));
    scale(u, s->cells, s->exponent[s->system[j]]);
    if (sw_elliptic_is_singular(&s->desc, s->numbers[s->system[j]].delta)) {
        double mean;
        SW_TRY(elliptic_mean(s->desc.cut.comm, m, u, &mean));
        for (size_t c = 0; c < s->cells; c++) u[c] -= mean;
    }
    if (s->saved) save(s, j, u);
    if (!exact) return SW_OK;
    SW_TRY(sample_exact(s, j));
    return compare(s->desc.cut.comm, m, s->values, u, &s->norm[j]);
}

/* The one step. */
static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct elliptic_sim *s = (struct elliptic_sim *)sim;
    if (from == to) return SW_OK;
    if (s->systems) SW_TRY(sw_elliptic_solve(s->solver, s->f, s->u, s->outcome, s->history, s->setup.history));
    for (int j = 0; j < s->count; j++) {
        s->norm[j] = (struct sw_norms){NAN, NAN, NAN, NAN};
        if (!s->why[j][0]) SW_TRY(finish_run(s, j));
        else if (s->saved) sw_reals_fill(s->saved, word(s), (size_t)j * s->cells, NAN, s->cells);
    }
    return SW_OK;
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    (void)slot;
    *field = ((struct elliptic_sim *)sim)->saved;
    *scalars = NULL;
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    const struct elliptic_sim *s = (struct elliptic_sim *)sim;
    for (int j = 0; j < s->count; j++) step[j] = !s->why[j][0] && s->outcome[s->system[j]].fault ? 1 : -1;
    return SW_OK;
}

/* Whether delta alone holds u, and 1e4 times more weakly than omega2 the differences in it: of an f with a mean u is
 * mostly the mean over delta, beside which its differences have no digits. */
static bool hardly_held(const struct elliptic_sim *s, const struct sw_elliptic_numbers *p)
{
    return sw_elliptic_is_singular(&s->desc, 0) && p->delta > 0 && p->delta < 1e-4 * p->omega2;
}

static void explain_rounding(const struct elliptic_sim *s, const struct sw_elliptic_numbers *p,
                             const struct sw_elliptic_outcome *o, struct sw_text *text)
{
    const bool held = !hardly_held(s, p);
    sw_text_set(text, "rounding keeps the residual at %.3g (iteration %d)", o->residual, o->iterations);
    if (s->desc.single) {
        sw_text_printf(text, ", above tolerance = %.3g: u is rounded to single precision; raise tolerance, or take "
                       "run.precision = \"double\"", p->tolerance);
        return;
    }
    if (o->residual > 0.01 && held)
        sw_text_add(text, ": u has no digit; the coefficients, or thick and thin levels, differ too much");
    else if (o->residual > 0.01)
        sw_text_printf(text, ": u has no digit; delta = %.3g hardly holds it: raise it, or set it to 0 and a gauge",
                       p->delta);
    else
        sw_text_printf(text, ", above tolerance = %.3g; raise tolerance%s", p->tolerance,
                       held ? "" : ", or delta, which hardly holds u, or take the mean off f");
}

static void explain(const struct sw_sim *sim, int j, struct sw_text *text)
{
    const struct elliptic_sim *s = (const struct elliptic_sim *)sim;
    const struct sw_elliptic_outcome *o = &s->outcome[s->system[j]];
    const struct sw_elliptic_numbers *p = &s->numbers[s->system[j]];
    const bool held = !hardly_held(s, p);
    const char *weak = held ? "" : "; delta hardly holds u: raise it, or set it to 0 and a gauge";
    if (o->fault == SW_ELLIPTIC_SLOW)
        sw_text_set(text, "the residual is %.3g after %d iteration%s%s%s, above tolerance = %.3g%s", o->residual,
                    o->iterations, o->iterations == 1 ? "" : "s", o->by ? " by " : "", o->by ? o->by : "", p->tolerance,
                    held ? "; raise iterations, or take another solver" : weak);
    else if (o->fault == SW_ELLIPTIC_FLOOR)
        explain_rounding(s, p, o, text);
    else if (o->fault == SW_ELLIPTIC_INDEFINITE)
        sw_text_set(text, "the operator is not positive definite to rounding (iteration %d)%s", o->iterations, weak);
    else if (o->iterations == 0)
        sw_text_set(text, "u is not finite: f, what walls add to it, or the coefficients, times sizes of cells, are "
                    "beyond all numbers");
    else sw_text_set(text, "u is not finite (iteration %d)%s", o->iterations, weak);
}

static enum sw_status norms(struct sw_sim *sim, struct sw_norms *norm)
{
    const struct elliptic_sim *s = (struct elliptic_sim *)sim;
    memcpy(norm, s->norm, (size_t)s->count * sizeof *norm);
    return SW_OK;
}

static enum sw_status residuals(struct sw_sim *sim, struct sw_residuals *residual)
{
    const struct elliptic_sim *s = (struct elliptic_sim *)sim;
    for (int j = 0; j < s->count; j++) {
        const struct sw_elliptic_outcome *o = &s->outcome[s->system[j]];
        residual[j] = s->why[j][0] ? (struct sw_residuals){NAN, NAN, NAN, NAN, 0}
                                   : (struct sw_residuals){o->residual, NAN, NAN, o->reported, o->iterations};
    }
    return SW_OK;
}

static enum sw_status history(struct sw_sim *sim, double *out)
{
    const struct elliptic_sim *s = (struct elliptic_sim *)sim;
    const size_t width = 1 + (size_t)s->setup.history;
    for (int j = 0; j < s->count; j++)
        for (size_t k = 0; k < width; k++)
            out[(size_t)j * width + k] = s->why[j][0] ? NAN : s->history[(size_t)s->system[j] * width + k];
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    const struct elliptic_sim *s = (struct elliptic_sim *)sim;
    for (int j = 0; j < s->count; j++) {
        record[SW_DIAGNOSTICS * j] = s->taken[j].rounding ? 0 : s->taken[j].mean;
        record[SW_DIAGNOSTICS * j + 1] = s->taken[j].finer;
    }
    return SW_OK;
}

static void warn_result(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    const struct elliptic_sim *s = (const struct elliptic_sim *)sim;
    const char *by = s->why[j][0] ? NULL : s->outcome[s->system[j]].by;
    if (!finite) return;
    sw_mean_say_taken("f", record[0], record[1], text);
    if (by)
        sw_text_printf(text, "%s%s solved it: the coefficients differ too much for %s", text->length ? "; " : "", by,
                       sw_elliptic_name(s->solver));
}

/* Of a solve: of an iteration, times those that the systems took in the mean. */
static struct sw_cost cost(const struct sw_sim *sim, int64_t steps)
{
    const struct elliptic_sim *s = (const struct elliptic_sim *)sim;
    struct sw_cost one = sw_elliptic_cost(s->solver);
    double iterations = 0;
    (void)steps;
    for (int y = 0; y < s->systems; y++) iterations += (double)s->outcome[y].iterations / s->systems;
    one.bytes *= iterations;
    one.fma *= iterations;
    return one;
}

static void destroy(struct sw_sim *sim)
{
    struct elliptic_sim *s = (struct elliptic_sim *)sim;
    if (!s) return;
    sw_elliptic_destroy(&s->solver);
    for (int j = 0; j < s->setup.capacity; j++) {
        if (s->matrix) sw_elliptic_matrix_free(&s->matrix[j]);
        for (int d = 0; d < 3 && s->faces; d++) sw_free(s->faces[3 * j + d]);
    }
    void *const arrays[] = {s->column, s->numbers, s->matrix, s->faces, s->outcome, s->norm, s->taken, s->why, s->field,
                            s->values, s->system, s->exponent, s->history, s->saved};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) sw_free(arrays[k]);
    sw_device_sampler_destroy(&s->f_there);
    sw_device_sampler_destroy(&s->exact_there);
    sw_device_free(s->device, s->f);
    sw_device_free(s->device, s->u);
    sw_free(s);
}

static const struct sw_record_ops record_ops = {
    .numbers = SW_DIAGNOSTICS, .get = get_record, .warn = warn_result};
static const struct sw_residual_ops residual_ops = {.get = residuals, .history = history};

static const struct sw_sim_ops elliptic_ops = {
    .solver_name = solver_name,
    .load = load,
    .advance = advance,
    .fetch = fetch,
    .diverged = diverged,
    .explain = explain,
    .norms = norms,
    .cost = cost,
    .destroy = destroy,
    .records = &record_ops,
    .residuals = &residual_ops,
};

/* ------------------------------------------------------------------ making one */

/* Whether `values` is needed: for exact, or for f at other points where its mean has to be judged. */
static bool needs_values(const struct sw_setup *setup, const struct sw_elliptic_desc *d)
{
    return sw_setup_find(setup, "exact") || sw_elliptic_is_singular(d, 0);
}

static size_t points_on_walls(const struct sw_elliptic_desc *d)
{
    int64_t n[SW_DIMS], sum = 0;
    for (int axis = 0; axis < 3; axis++)
        sum += elliptic_count(d, (struct elliptic_points){.kind = ELLIPTIC_WALLS, .axis = axis}, n);
    return (size_t)sum;
}

static enum sw_status allocate(struct elliptic_sim *s)
{
    const size_t room = (size_t)s->setup.capacity;
    SW_TRY(sw_alloc((size_t)s->setup.ncolumn * room, &s->column));
    SW_TRY(sw_alloc(room, &s->numbers));
    SW_TRY(sw_alloc(room, &s->matrix));
    SW_TRY(sw_alloc(3 * room, &s->faces));
    SW_TRY(sw_alloc(room, &s->outcome));
    SW_TRY(sw_alloc(room, &s->norm));
    SW_TRY(sw_alloc(room, &s->taken));
    SW_TRY(sw_alloc(room, &s->why));
    SW_TRY(sw_alloc(room, &s->system));
    SW_TRY(sw_alloc(room, &s->exponent));
    SW_TRY(sw_device_alloc(s->device, room * s->cells, &s->f));
    SW_TRY(sw_device_alloc(s->device, room * s->cells, &s->u));
    if (s->device->space == SW_DEVICE) SW_TRY(sw_alloc(s->cells, &s->field));
    if (needs_values(&s->setup, &s->desc)) SW_TRY(sw_alloc(s->cells, &s->values));
    if (s->setup.history) SW_TRY(sw_alloc(room * (1 + (size_t)s->setup.history), &s->history));
    return s->setup.fields ? sw_alloc_bytes(room * s->cells, word(s), &s->saved) : SW_OK;
}

/* Fields of fewer cells the host has evaluated before the kernels are compiled. */
enum { LEAST_CELLS_THERE = 1 << 18 };

/* Evaluate f and exact on the device, if it has a memory of its own and there is a compiler. It knows no slabs. */
static enum sw_status make_samplers(struct elliptic_sim *s)
{
    const struct sw_program *f = sw_setup_function(&s->setup, "f"), *exact = sw_setup_function(&s->setup, "exact");
    if (s->device->space != SW_DEVICE || s->cells < LEAST_CELLS_THERE || s->desc.cut.comm) return SW_OK;
    enum sw_status st = sw_device_sampler_create(f, s->setup.ncolumn, s->device, &s->f_there);
    if (!st && exact) st = sw_device_sampler_create(exact, s->setup.ncolumn, s->device, &s->exact_there);
    return st == SW_E_ABSENT ? SW_OK : st;
}

static enum sw_status fill(struct elliptic_sim *s, const struct sw_setup *setup, struct sw_device *device)
{
    s->sim.ops = &elliptic_ops;
    s->setup = *setup;
    s->desc = elliptic_describe(setup, setup->capacity);
    s->device = device;
    s->cells = (size_t)sw_points(setup->n);
    SW_TRY(sw_setup_suggest_cpu(setup, device, sw_elliptic_create(&s->desc, setup->solver, device, &s->solver)));
    SW_TRY(allocate(s));
    return make_samplers(s);
}

enum sw_status elliptic_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim)
{
    struct elliptic_sim *s = NULL;
    *sim = NULL;
    enum sw_status st = sw_alloc(1, &s);
    if (!st) st = fill(s, setup, device);
    st = sw_comm_agree(setup->domain.all, st);
    if (!st) *sim = &s->sim;
    else if (s) destroy(&s->sim);
    return st;
}

/* Words on the host that do not grow with the batch. */
static size_t host_words(const struct sw_setup *setup, const struct sw_elliptic_desc *d)
{
    return (needs_values(setup, d) ? (size_t)sw_points(setup->n) : 0) +
           (sw_setup_find(setup, "boundary.value") ? points_on_walls(d) : 0);
}

/* Cells, and faces across the axis that has most of them. */
static size_t most_points(const struct sw_elliptic_desc *d)
{
    int64_t n[SW_DIMS], most = 0;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t count = elliptic_count(d, (struct elliptic_points){.kind = ELLIPTIC_FACES, .axis = axis}, n);
        if (count > most) most = count;
    }
    return (size_t)most;
}

/* A solver's arrays need not grow evenly: some rows on the CPU work on as many systems at once as there are threads.
 * @param fixed  out: of one system  @param per_run  out: of each further one, at most */
static enum sw_status solver_bytes(const struct sw_setup *setup, const struct sw_device *device, size_t *fixed,
                                   size_t *per_run)
{
    const int batch[] = {2, device->threads, 1024};
    struct sw_elliptic_desc d = elliptic_describe(setup, 1);
    SW_TRY(sw_elliptic_bytes(&d, setup->solver, device, fixed));
    *per_run = 0;
    for (int k = 0; k < 3; k++) {
        size_t all;
        if (batch[k] < 2) continue;
        d.batch = batch[k];
        SW_TRY(sw_elliptic_bytes(&d, setup->solver, device, &all));
        const size_t more = all > *fixed ? (all - *fixed) / (size_t)(batch[k] - 1) : 0;
        if (more > *per_run) *per_run = more;
    }
    return SW_OK;
}

static const int64_t MOST_CELLS = INT64_C(1) << 31;  /* of a device */

/* A run's own are f, u, coefficients, and what is saved. On the CPU what the host needs counts as well. */
enum sw_status elliptic_bytes(const struct sw_setup *setup, const struct sw_device *device,
                              struct sw_batch_bytes *bytes)
{
    const struct sw_elliptic_desc d = elliptic_describe(setup, 1);
    const size_t cells = (size_t)sw_points(setup->n), most = most_points(&d);
    if (sw_points(setup->n) >= MOST_CELLS)
        return SW_FAIL(SW_E_TOO_LARGE, "%.3g cells on one device: less than 2^31; take more devices, and run.split = "
                       "\"grid\"", (double)sw_points(setup->n));
    bytes->fixed_on_host = (host_words(setup, &d) + cells) * sizeof(double);
    SW_TRY(sw_setup_suggest_cpu(setup, device, solver_bytes(setup, device, &bytes->fixed, &bytes->per_run)));
    bytes->per_run += 2 * cells * sizeof(double);
    if (device->space == SW_DEVICE) {
        bytes->fixed += (size_t)(d.n[0] * d.n[1] + d.n[2]) * sizeof(double);  /* weights of f */
        return SW_OK;
    }
    bytes->fixed += host_words(setup, &d) * sizeof(double);
    bytes->per_run += (d.variable ? 3 * most * sizeof(double) : 0) +
                (setup->fields ? cells * sw_reals_word(setup->single) : 0) +
                (5 * (size_t)(d.n[0] + 1) * (size_t)(d.n[1] + 1) + 8 * (size_t)d.n[2]) * sizeof(double);
    return SW_OK;
}
