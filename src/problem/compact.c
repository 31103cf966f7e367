/* Compact finite differences of a field that an expression gives (docs/numerics.md, 8): what a scheme of src/fd makes of
 * it, and what that differs from the exact result, which is derived from the expression. There is no time; here are the
 * keys, what is refused, and how runs become lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "fd/sw_fd.h"
#include "problem/grid_keys.h"
#include "problem/sampled.h"

/* ------------------------------------------------------------------ what the words of a run mean */

struct method { const struct sw_fd_scheme *scheme; const char *boundary; int axis; bool walls; };

static const char *const axes[SW_DIMS] = {"x", "y", "z"};

static struct method method_of(const struct sw_setup *setup)
{
    struct method m = {.scheme = sw_fd_scheme_find(sw_setup_word(setup, "scheme")),
                       .boundary = sw_setup_word(setup, "boundary")};
    while (m.axis < SW_DIMS - 1 && !sw_setup_chosen(setup, "axis", axes[m.axis])) m.axis++;
    m.walls = strcmp(m.boundary, "periodic") != 0;
    return m;
}

static bool walls(const struct sw_setup *setup, int d)
{
    const struct method m = method_of(setup);
    return m.walls && m.axis == d;
}

/* Away from the walls: the middle half of a line. What the closure does there decays as rho^w over w points, rho < 1/2,
 * so that it is gone long before h^p is, as n grows. Without walls it is all of the line. */
static struct sw_interior interior_of(const struct sw_setup *setup)
{
    const struct method m = method_of(setup);
    const int64_t n = setup->n[m.axis];
    if (!m.walls) return (struct sw_interior){m.axis, 0, n};
    return (struct sw_interior){m.axis, n / 4, n - n / 4};
}

/* ------------------------------------------------------------------ a batch being computed */

struct compact_sim {
    struct sw_sim     sim;       /* first: the operations get a pointer to it                          */
    struct sw_setup   setup;
    struct method     method;
    struct sw_device *device;
    struct sw_program *exact;    /* the field or its derivative                                        */
    int               count;
    double           *column;    /* [ncolumn][count]; room for capacity                                */
    struct sw_fd     *fd;        /* for runs with the step and alpha of...                             */
    double            h, alpha;
    size_t            word;      /* bytes of a number of the field                                     */
    void             *f, *g;     /* [points] on the host: the field; what the scheme makes of it       */
    void             *d_f, *d_g; /* the same on a device; NULL where the host is the device            */
    char             *kept;      /* [2][count][points] as they are saved; NULL: not                    */
    struct sw_difference *difference;  /* [capacity]                                                   */
    char            (*why)[160]; /* [capacity] why a run cannot begin, "" if it can                    */
};

static double number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j)
{
    return column[sw_setup_column(setup, path) * ld + j];
}

/* h: of the grid along the axis. */
static struct sw_fd_desc describe(const struct sw_setup *setup, double h, double alpha)
{
    const struct method m = method_of(setup);
    return (struct sw_fd_desc){.n = {setup->n[0], setup->n[1], setup->n[2]},
                               .axis = m.axis,
                               .fields = 1,
                               .scheme = m.scheme->name,
                               .boundary = m.boundary,
                               .h = h,
                               .alpha = m.scheme->kind == SW_FD_FILTER ? alpha : 0,
                               .single = setup->single_steps};
}

/* The differences for a step and an alpha: those at hand, or new ones. */
static enum sw_status prepare(struct compact_sim *c, double h, double alpha)
{
    const struct sw_fd_desc desc = describe(&c->setup, h, alpha);
    if (c->fd && c->h == h && c->alpha == alpha) return SW_OK;
    sw_fd_destroy(&c->fd);
    c->h = h;
    c->alpha = alpha;
    return sw_fd_create(&desc, c->setup.solver, c->device, &c->fd);
}

static enum sw_status prepare_run(struct compact_sim *c, int j)
{
    const struct sw_grid g = sw_setup_grid(&c->setup, c->count, c->column, j);
    return prepare(c, g.dx[c->method.axis], number(&c->setup, "alpha", c->count, c->column, j));
}

static const char *solver_name(const struct sw_sim *sim)
{
    const struct compact_sim *c = (const struct compact_sim *)sim;
    return c->fd ? sw_fd_name(c->fd) : c->setup.solver ? c->setup.solver : "";
}

/* A scheme whose matrix breaks down is a fault of its run; memory and device are everybody's. */
static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **fault)
{
    struct compact_sim *c = (struct compact_sim *)sim;
    memcpy(c->column, column, (size_t)c->setup.ncolumn * (size_t)count * sizeof *column);
    c->count = count;
    for (int j = 0; j < count; j++) {
        enum sw_status st = prepare_run(c, j);
        if (st == SW_E_MEMORY || st == SW_E_CUDA) return st;
        snprintf(c->why[j], sizeof c->why[j], "%s", st ? sw_err_message() : "");
        fault[j] = st ? c->why[j] : NULL;
    }
    return SW_OK;
}

static struct sw_sampling sampling(const struct compact_sim *c, int j, const struct sw_program *program)
{
    return (struct sw_sampling){.program = program,
                                .n = {c->setup.n[0], c->setup.n[1], c->setup.n[2]},
                                .grid = sw_setup_grid(&c->setup, c->count, c->column, j),
                                .column = c->column + j,
                                .stride = c->count,
                                .threads = c->device->threads};
}

static enum sw_status apply(struct compact_sim *c, size_t bytes)
{
    if (!c->d_f) return sw_fd_apply(c->fd, c->f, c->g);
    SW_TRY(sw_device_upload(c->device, c->d_f, c->f, bytes));
    SW_TRY(sw_fd_apply(c->fd, c->d_f, c->d_g));
    return sw_device_download(c->device, c->g, c->d_g, bytes);
}

/* Number what (0: the result, 1: its error) of run j among what is saved. */
static void keep(struct compact_sim *c, int j, int what, const void *field)
{
    const int64_t points = sw_points(c->setup.n);
    const size_t at = ((size_t)what * (size_t)c->count + (size_t)j) * (size_t)points;
    float *single = (float *)c->kept + at;
    double *wide = (double *)c->kept + at;
    if (!c->kept) return;
#pragma omp parallel for num_threads(c->device->threads)
    for (int64_t i = 0; i < points; i++) {
        const double v = c->setup.single_steps ? (double)((const float *)field)[i] : ((const double *)field)[i];
        if (c->setup.single) single[i] = (float)v;
        else wide[i] = v;
    }
}

static enum sw_status solve(struct compact_sim *c, int j)
{
    const bool single = c->setup.single_steps;
    const size_t bytes = (size_t)sw_points(c->setup.n) * c->word;
    const struct sw_interior interior = interior_of(&c->setup);
    const struct sw_sampling field = sampling(c, j, sw_setup_function(&c->setup, "field"));
    struct sw_sampling exact = sampling(c, j, c->exact);
    if (sw_fd_half(c->method.scheme->kind)) exact.grid.x0[c->method.axis] += 0.5 * exact.grid.dx[c->method.axis];
    SW_TRY(prepare_run(c, j));
    SW_TRY(sw_sample(&field, single, c->f));
    SW_TRY(apply(c, bytes));
    keep(c, j, 0, c->g);
    SW_TRY(sw_compare(&exact, &interior, single, c->g, c->kept ? c->g : NULL, &c->difference[j]));
    keep(c, j, 1, c->g);
    return SW_OK;
}

/* The one step. */
static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct compact_sim *c = (struct compact_sim *)sim;
    const size_t points = (size_t)sw_points(c->setup.n);
    if (from == to) return SW_OK;
    for (int j = 0; j < c->count; j++) {
        c->difference[j] = (struct sw_difference){.bad = -1};
        if (!c->why[j][0]) { SW_TRY(solve(c, j)); continue; }
        for (size_t i = 0; i < points; i++)
            if (c->setup.single_steps) ((float *)c->g)[i] = NAN;
            else ((double *)c->g)[i] = NAN;
        for (int what = 0; what < 2; what++) keep(c, j, what, c->g);
    }
    return SW_OK;
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    (void)slot;
    *field = ((struct compact_sim *)sim)->kept;
    *scalars = NULL;
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    const struct compact_sim *c = (struct compact_sim *)sim;
    for (int j = 0; j < c->count; j++) step[j] = !c->why[j][0] && c->difference[j].bad >= 0 ? 1 : -1;
    return SW_OK;
}

static void explain(const struct sw_sim *sim, int j, char text[160])
{
    const struct compact_sim *c = (const struct compact_sim *)sim;
    const struct sw_grid g = sw_setup_grid(&c->setup, c->count, c->column, j);
    int64_t at = c->difference[j].bad;
    size_t used = (size_t)snprintf(text, 160, "the field or its derivative is not finite at");
    for (int d = 0; d < c->setup.dim && used < 160; at /= c->setup.n[d], d++)
        used += (size_t)snprintf(text + used, 160 - used, "%s %s = %.6g", d ? "," : "", axes[d],
                                 g.x0[d] + (double)(at % c->setup.n[d]) * g.dx[d]);
}

static enum sw_status norms(struct sw_sim *sim, struct sw_norms *norm)
{
    const struct compact_sim *c = (struct compact_sim *)sim;
    for (int j = 0; j < c->count; j++) norm[j] = c->difference[j].norms;
    return SW_OK;
}

static struct sw_cost cost(const struct sw_sim *sim, int64_t steps)
{
    const struct compact_sim *c = (const struct compact_sim *)sim;
    const struct sw_fd_desc desc = describe(&c->setup, 1, 0);
    (void)steps;
    return sw_fd_cost(&desc, solver_name(sim));
}

static void destroy(struct sw_sim *sim)
{
    struct compact_sim *c = (struct compact_sim *)sim;
    if (!c) return;
    sw_fd_destroy(&c->fd);
    sw_program_destroy(&c->exact);
    sw_free(c->column);
    sw_free(c->f);
    sw_free(c->g);
    sw_device_free(c->device, c->d_f);
    sw_device_free(c->device, c->d_g);
    sw_free(c->kept);
    sw_free(c->difference);
    sw_free(c->why);
    sw_free(c);
}

static const struct sw_sim_ops compact_ops = {
    .solver_name = solver_name,
    .load = load,
    .advance = advance,
    .fetch = fetch,
    .diverged = diverged,
    .norms = norms,
    .explain = explain,
    .cost = cost,
    .destroy = destroy,
};

/* ------------------------------------------------------------------ making one */

/* The exact result: the field's expression, differentiated as often as the scheme does. */
static enum sw_status derive(const struct sw_setup *setup, const struct method *m, struct sw_expr **result)
{
    const struct sw_expr *expr = NULL;
    struct sw_expr *derived = NULL;
    for (int k = 0; k < setup->nfunction; k++)
        if (!strcmp(setup->function[k].key, "field")) expr = setup->function[k].expr;
    *result = NULL;
    for (int k = 0; k < sw_fd_derivative(m->scheme->kind); k++) {
        enum sw_status st = sw_expr_derivative(expr, axes[m->axis], &derived);
        sw_expr_destroy(result);
        if (st) return st;
        expr = *result = derived;
    }
    return SW_OK;
}

static enum sw_status compile_exact(const struct sw_setup *setup, const struct method *m, struct sw_program **program)
{
    static const enum sw_input slot[SW_DIMS] = {SW_IN_X, SW_IN_Y, SW_IN_Z};
    const struct sw_expr *expr = NULL;
    struct sw_expr *derived;
    struct sw_expr_error err = {0};
    struct sw_symbol *symbol = NULL;
    struct sw_scope scope = {.count = SW_DIMS};
    SW_TRY(derive(setup, m, &derived));
    for (int k = 0; k < setup->nfunction && !derived; k++)
        if (!strcmp(setup->function[k].key, "field")) expr = setup->function[k].expr;
    enum sw_status st = sw_alloc((size_t)setup->scope->count + SW_DIMS, &symbol);
    for (int d = 0; d < SW_DIMS && !st; d++) symbol[d] = (struct sw_symbol){axes[d], SW_RATE_CELL, slot[d]};
    for (int k = 0; k < setup->scope->count && !st; k++) symbol[scope.count++] = setup->scope->symbol[k];
    scope.symbol = symbol;
    if (!st) st = sw_program_compile(derived ? derived : expr, &scope, program, &err);
    if (st == SW_E_CONFIG) st = SW_FAIL(st, "'field', its derivative: %s", err.text);
    sw_expr_destroy(&derived);
    sw_free(symbol);
    return st;
}

static enum sw_status allocate(struct compact_sim *c)
{
    const size_t room = (size_t)c->setup.capacity, points = (size_t)sw_points(c->setup.n);
    const bool apart = c->device->space == SW_DEVICE;
    SW_TRY(sw_alloc((size_t)c->setup.ncolumn * room, &c->column));
    SW_TRY(sw_alloc(room, &c->difference));
    SW_TRY(sw_alloc(room, &c->why));
    SW_TRY(sw_alloc_bytes(points, c->word, &c->f));
    SW_TRY(sw_alloc_bytes(points, c->word, &c->g));
    if (apart) SW_TRY(sw_device_alloc_bytes(c->device, points, c->word, &c->d_f));
    if (apart) SW_TRY(sw_device_alloc_bytes(c->device, points, c->word, &c->d_g));
    if (!c->setup.fields) return SW_OK;
    return sw_alloc_bytes(2 * room * points, c->setup.single ? 4 : 8, &c->kept);
}

/* No row of a device does it. */
static enum sw_status absent(void)
{
    char why[400];
    snprintf(why, sizeof why, "%s", sw_err_message());
    return SW_FAIL(SW_E_ABSENT, "%s; use --device cpu", why);
}

/* Any filter has an alpha of 0. */
static enum sw_status create(const struct sw_problem *problem, const struct sw_setup *setup, struct sw_device *device,
                             struct sw_sim **sim)
{
    enum sw_status st;
    struct compact_sim *c = NULL;
    (void)problem;
    *sim = NULL;
    SW_TRY(sw_alloc(1, &c));
    c->sim.ops = &compact_ops;
    c->setup = *setup;
    c->device = device;
    c->method = method_of(setup);
    c->word = setup->single_steps ? 4 : 8;
    SW_TRY_TO(failed, st, compile_exact(setup, &c->method, &c->exact));
    SW_TRY_TO(failed, st, allocate(c));
    st = prepare(c, 1, 0);
    if (st == SW_E_ABSENT && !setup->solver && device->space == SW_DEVICE) st = absent();
    if (st && st != SW_E_SINGULAR) goto failed;
    *sim = &c->sim;
    return SW_OK;
failed:
    destroy(&c->sim);
    return st;
}

/* The field and the result; what is saved stays on the host. */
static enum sw_status bytes(const struct sw_problem *problem, const struct sw_setup *setup,
                            const struct sw_device *device, size_t *fixed, size_t *per_run)
{
    const size_t points = (size_t)sw_points(setup->n);
    (void)problem;
    *fixed = 2 * points * (setup->single_steps ? 4 : 8);
    *per_run = device->space == SW_HOST && setup->fields ? 2 * points * (setup->single ? 4 : 8) : 0;
    return SW_OK;
}

/* ------------------------------------------------------------------ what is refused */

static void closures_of(const struct sw_fd_scheme *scheme, char text[120])
{
    snprintf(text, 120, "periodic");
    for (int k = 0; sw_fd_closures[k]; k++)
        if (sw_fd_closure_find(scheme, sw_fd_closures[k]->name) == sw_fd_closures[k])
            snprintf(text + strlen(text), 120 - strlen(text), ", %s", sw_fd_closures[k]->name);
}

static const char *unfit(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                         char why[160])
{
    static const char *const n_of[SW_DIMS] = {"grid.n", "grid.n.1", "grid.n.2"};
    const struct method m = method_of(setup);
    const int least = sw_fd_min_points(m.scheme->name, m.boundary);
    const double alpha = number(setup, "alpha", ld, column, j), dim = number(setup, "grid.dim", ld, column, j);
    char known[120];
    (void)solver;
    if (m.axis >= dim) {
        snprintf(why, 160, "there is no %s on a grid of %.0f dimension%s", axes[m.axis], dim, dim == 1 ? "" : "s");
        return "axis";
    }
    if (!least) {
        closures_of(m.scheme, known);
        snprintf(why, 160, "%s has no closure \"%s\"; it has %s", m.scheme->name, m.boundary, known);
        return "boundary";
    }
    if (number(setup, n_of[m.axis], ld, column, j) < least) {
        snprintf(why, 160, "%s, %s needs at least %d points along %s", m.scheme->name, m.boundary, least, axes[m.axis]);
        return n_of[m.axis];
    }
    if (m.scheme->kind == SW_FD_FILTER && !(alpha > -0.5 && alpha < 0.5)) {
        snprintf(why, 160, "a filter's lies between -1/2 and 1/2; near 1/2 it takes only the shortest waves");
        return "alpha";
    }
    return NULL;
}

/* A float is off by up to 2^-24 of itself, a second difference of four such by 2^-22/h² of the field; of a derivative that is
 * (2 pi/L)² times the field that is 2^-22 (n/2 pi)². (Seen: 5e-3 at n = 1024 of d2_c6, where this is 6e-3.) */
static void remark(const struct sw_problem *problem, const struct sw_setup *setup, char text[200])
{
    const struct method m = method_of(setup);
    const double waves = (double)setup->n[m.axis] / (2 * 3.14159265358979323846), floor = ldexp(waves * waves, -22);
    (void)problem;
    text[0] = 0;
    if (setup->single_steps && m.scheme->kind == SW_FD_SECOND && floor > 1e-4)
        snprintf(text, 200, "%s in single precision on %lld points: rounding leaves about %.1g of a wave as long as the "
                 "domain; use run.precision = \"double\"", m.scheme->name, (long long)setup->n[m.axis], floor);
}

/* ------------------------------------------------------------------ keys */

static const char *scheme_word(int k) { return sw_fd_schemes[k] ? sw_fd_schemes[k]->name : NULL; }

/* "periodic", then the names of the closures, each once. */
static const char *boundary_word(int k)
{
    if (k == 0) return "periodic";
    for (int c = 0; sw_fd_closures[c]; c++) {
        bool first = true;
        for (int earlier = 0; earlier < c; earlier++)
            first &= strcmp(sw_fd_closures[earlier]->name, sw_fd_closures[c]->name) != 0;
        if (first && --k == 0) return sw_fd_closures[c]->name;
    }
    return NULL;
}

static const struct sw_key keys[] = {
    {.path = "field", .kind = SW_KEY_FUNCTION, .symbols = SW_USES_X, .decides = true,
     .about = "The field, an expression in the coordinates; the exact result is derived from it."},
    {.path = "scheme", .kind = SW_KEY_WORD, .word = scheme_word, .fallback = "d1_c6", .decides = true,
     .about = "The scheme (numerics.md, 8): d1 and d2 for first and second derivatives, d1s and mid for derivatives and "
              "values half-way between points, f for filters; c4 and the like for compact ones of that order. A filter's "
              "exact result is the field itself."},
    {.path = "boundary", .kind = SW_KEY_WORD, .word = boundary_word, .fallback = "periodic", .decides = true,
     .about = "What the ends of the axis are: periodic, or walls with closures of these orders in the first row, the "
              "second row and inside; refused where the scheme has no such closure. Other axes are sampled "
              "periodically."},
    {.path = "axis", .kind = SW_KEY_WORD, .words = "x|y|z", .fallback = "x", .decides = true,
     .about = "The axis along which lines run."},
    {.path = "alpha", .kind = SW_KEY_REAL, .unit = "1", .min = -0.5, .max = 0.5, .above = true, .fallback = "0.4",
     .decides = true, .about = "Of a filter, below 1/2: the larger, the shorter the waves that it takes. Other schemes do not "
                               "use it."},
    {.path = "solver", .kind = SW_KEY_TEXT, .fallback = "auto", .decides = true,
     .about = "The row that does the lines, as `sweep list` names it, \"cpu.thomas\"; \"auto\" takes the best that fits, "
              "\"$axis\" the word of an axis."},
    SW_GRID_KEYS,
    {0},
};

static const struct sw_quantity fields[] = {
    {"g", "1", "result of the scheme"}, {"g_error", "1", "result less the exact one"}, {0}};

static const char example[] =
    "// First derivatives of a periodic field by compact schemes, compared with the exact one.\n"
    "title   = \"Compact schemes for the first derivative\";\n"
    "problem = \"compact\";\n"
    "sweep   = { order = [\"d1_c4\", \"d1_c6\", \"d1_c8\"];\n"
    "            n = [16, 32, 64, 128]; };\n"
    "grid    = { n = \"n\"; length = \"2*pi\"; };               // in 2-D and 3-D n = [nx, ny, nz]\n"
    "scheme  = \"$order\";                                    // the word of the axis\n"
    "boundary = \"periodic\";                                 // or walls with closures: \"3-4-6\"\n"
    "field   = \"exp(sin(x))\";                               // its derivative is worked out from this\n"
    "output  = { file = \"results/compact.h5\"; };           // fields = { precision = \"double\"; } saves g and its error, too\n";

extern const struct sw_problem problem_compact;
const struct sw_problem problem_compact = {
    .name = "compact",
    .title = "Compact finite differences",
    .equation = "g = a derivative, a shift or a filter of the field along one axis, by a compact scheme",
    .example = example,
    .keys = keys,
    .fields = fields,
    .min_points = 1,
    .most_dim = 3,
    .timed = false,
    .derives_exact = true,
    .interior = true,
    .walls = walls,
    .bytes = bytes,
    .create = create,
    .unfit = unfit,
    .solver = sw_fd_row,
    .remark = remark,
};
