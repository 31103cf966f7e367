#include "problem/fields/product.h"

#include <math.h>
#include <string.h>

#include "problem/fields/fields_sim_impl.h"

enum { WIDTH = 64, GATHERED = 8 };  /* lines side by side; as many of x, which lie one after another */

/* ------------------------------------------------------------------ an axis */

static bool factor_axis(int n, const struct sw_line_operator *a, struct fields_axis *axis)
{
    *axis = (struct fields_axis){.n = n, .is_one = a->s2 == 0.0 && a->s4 == 0.0, .scale = 1.0 / (1.0 + a->s0)};
    if (!isfinite(axis->scale)) return false;
    if (axis->is_one) return true;
    if (!sw_recursive_factor(a->s4, a->s2, &axis->r)) return false;
    axis->scale *= axis->r.scale;
    sw_recursive_closure(&axis->r, n, axis->closure);
    const int reach = sw_recursive_decay(&axis->r, 1, n, 0x1p-64);
    axis->begin = reach < n ? n - reach : 0;
    return true;
}

/* A of n points between walls. */
static bool eliminate(int n, const struct sw_line_operator *a, const struct fields_ends *ends, double scale, double *e)
{
    struct fields_elimination at = fields_wall_begin_elimination();
    double far[5];
    fields_wall_far(a, far);
    for (int i = 0; i < n; i++) {
        struct fields_eliminated out;
        double row[5];
        fields_wall_row(ends->kind[0], ends->kind[1], n, i, far, row);
        if (!fields_wall_eliminate(&at, row, scale, &out)) return false;
        e[i] = out.l1, e[n + i] = out.l2, e[2 * n + i] = out.p, e[3 * n + i] = out.u1, e[4 * n + i] = out.u2;
    }
    return true;
}

static bool eliminate_axis(int n, const struct sw_line_operator *a, const struct fields_ends *ends,
                           struct fields_axis *axis)
{
    *axis = (struct fields_axis){.n = n, .is_one = a->s2 == 0.0 && a->s4 == 0.0, .scale = 1.0 / (1.0 + a->s0),
                                 .eliminated = ends->room};
    if (!isfinite(axis->scale)) return false;
    return axis->is_one || eliminate(n, a, ends, axis->scale, ends->room);
}

/* y_i = scale x_i - a1 y_{i-1} - a2 y_{i-2} of `width` lines, given y_{-1} and y_{-2}. */
static void recurse(const struct fields_axis *a, double scale, int from, int n, ptrdiff_t stride, int width,
                    const double *before, const double *before2, const double *x, double *y, ptrdiff_t y_stride)
{
    const double a1 = a->r.a1, a2 = a->r.a2;
    for (int i = from; i < n; i++) {
        const double *f = x + i * stride;
        double *out = y + i * y_stride;
        for (int l = 0; l < width; l++) out[l] = scale * f[l] - a1 * before[l] - a2 * before2[l];
        before2 = before;
        before = out;
    }
}

/* The state before the first point: (I - P^n)⁻¹ times what the points leave behind from zero. */
static void find_start(const struct fields_axis *a, double scale, ptrdiff_t stride, int width, const double *x,
                       double *before, double *before2)
{
    double ring[3][WIDTH] = {{0}};
    int at = 0;
    for (int i = a->begin; i < a->n; i++, at = (at + 1) % 3)
        recurse(a, scale, 0, 1, 0, width, ring[(at + 2) % 3], ring[(at + 1) % 3], x + i * stride, ring[at], 0);
    const double *one = ring[(at + 2) % 3], *two = ring[(at + 1) % 3], *c = a->closure;
    for (int l = 0; l < width; l++) {
        before[l] = c[0] * one[l] + c[1] * two[l];
        before2[l] = c[2] * one[l] + c[3] * two[l];
    }
}

static void recurse_closed(const struct fields_axis *a, double scale, ptrdiff_t stride, int width, double *x)
{
    double before[WIDTH], before2[WIDTH];
    find_start(a, scale, stride, width, x, before, before2);
    recurse(a, scale, 0, a->n, stride, width, before, before2, x, x, stride);
}

/* Between walls. */
static void substitute(const struct fields_axis *a, ptrdiff_t stride, int width, double *x)
{
    static const double none[WIDTH];
    const int n = a->n;
    const double *l1 = a->eliminated, *l2 = l1 + n, *p = l2 + n, *u1 = p + n, *u2 = u1 + n;
    for (int i = 0; i < n; i++) {
        double *here = x + i * stride;
        const double *one = i > 0 ? here - stride : none, *two = i > 1 ? here - 2 * stride : none;
        for (int l = 0; l < width; l++) here[l] = here[l] - l1[i] * one[l] - l2[i] * two[l];
    }
    for (int i = n - 1; i >= 0; i--) {
        double *here = x + i * stride;
        const double *one = i < n - 1 ? here + stride : none, *two = i < n - 2 ? here + 2 * stride : none;
        for (int l = 0; l < width; l++) here[l] = p[i] * here[l] - u1[i] * one[l] - u2[i] * two[l];
    }
}

/* Of `width` lines beside each other, whose points are `stride` apart. */
static void solve_lines(const struct fields_axis *a, ptrdiff_t stride, int width, double *x)
{
    if (a->eliminated) {
        substitute(a, stride, width, x);
        return;
    }
    recurse_closed(a, a->scale, stride, width, x);
    recurse_closed(a, 1.0, -stride, width, x + (a->n - 1) * stride);
}

/* Lines along x, through a room where they lie beside each other. */
static void solve_rows(const struct fields_axis *a, size_t rows, double *room, double *x)
{
    const size_t n = (size_t)a->n;
    for (size_t first = 0; first < rows; first += GATHERED) {
        const size_t width = rows - first < GATHERED ? rows - first : GATHERED;
        double *line = x + first * n;
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < width; l++) room[i * GATHERED + l] = line[l * n + i];
        solve_lines(a, GATHERED, (int)width, room);
        for (size_t l = 0; l < width; l++)
            for (size_t i = 0; i < n; i++) line[l * n + i] = room[i * GATHERED + l];
    }
}

/* ------------------------------------------------------------------ the product */

bool fields_product_factor(int axes, const int *n, const double *dx, const struct fields_ends *ends, double gamma_dt,
                           const struct fields_matrix *m, struct fields_product *product)
{
    product->axes = axes;
    for (int d = 0; d < axes; d++) {
        const struct sw_line_operator a = fields_axis_operator(gamma_dt, axes, d, dx[d], m);
        const bool done = ends && ends[d].kind[0] ? eliminate_axis(n[d], &a, &ends[d], &product->axis[d])
                                          : factor_axis(n[d], &a, &product->axis[d]);
        if (!done) return false;
    }
    return true;
}

size_t fields_product_room(int axes, const int *n)
{
    (void)axes;
    return GATHERED * (size_t)n[0];
}

void fields_product_solve(const struct fields_product *p, double *room, double *x)
{
    size_t points = 1, stride = 1;
    double scale = 1.0;
    for (int d = 0; d < p->axes; d++) {
        points *= (size_t)p->axis[d].n;
        if (p->axis[d].is_one) scale *= p->axis[d].scale;
    }
    if (scale != 1.0)
        for (size_t c = 0; c < points; c++) x[c] *= scale;
    for (int d = 0; d < p->axes; stride *= (size_t)p->axis[d].n, d++) {
        const struct fields_axis *a = &p->axis[d];
        const size_t slab = stride * (size_t)a->n;  /* the lines in it are beside each other */
        if (a->is_one) continue;
        if (d == 0) solve_rows(a, points / slab, room, x);
        for (size_t first = 0; d > 0 && first < points; first += slab)
            for (size_t l = 0; l < stride; l += WIDTH)
                solve_lines(a, (ptrdiff_t)stride, (int)(stride - l < WIDTH ? stride - l : WIDTH), x + first + l);
    }
}

/* ------------------------------------------------------------------ how steps solve with it */

struct lines {
    int    axes, n[FIELDS_AXES];
    double dx[FIELDS_AXES];
    struct fields_product *product;  /* [unknowns] */
    struct fields_ends (*ends)[FIELDS_AXES];  /* [unknowns] */
    double *room;
};

/* What is eliminated of lines between walls. */
static size_t eliminated_of(const struct fields_desc *d, int a)
{
    return d->walls[a] ? FIELDS_ELIMINATED * (size_t)d->n[a] : 0;
}

static size_t lines_bytes(const struct fields_desc *d)
{
    const int n[] = {(int)d->n[0], (int)d->n[1], (int)d->n[2]};
    const size_t unknowns = (size_t)d->terms->unknowns;
    size_t numbers = fields_product_room(d->terms->dimensions, n);
    for (int a = 0; a < FIELDS_AXES; a++) numbers += unknowns * eliminated_of(d, a);
    return sizeof(struct lines) + numbers * sizeof(double) +
           unknowns * (sizeof(struct fields_product) + FIELDS_AXES * sizeof(struct fields_ends));
}

static enum sw_status lines_create(const struct fields_desc *d, struct sw_owned *arrays, void **solver)
{
    struct lines *l;
    sw_array(arrays, 1, &l);
    *solver = l;
    SW_TRY(arrays->status);
    l->axes = d->terms->dimensions;
    for (int a = 0; a < FIELDS_AXES; a++) l->n[a] = (int)d->n[a];
    sw_array(arrays, (size_t)d->terms->unknowns, &l->product);
    sw_array(arrays, (size_t)d->terms->unknowns, &l->ends);
    sw_array(arrays, fields_product_room(l->axes, l->n), &l->room);
    SW_TRY(arrays->status);
    for (int k = 0; k < d->terms->unknowns * FIELDS_AXES; k++) {
        const int v = k / FIELDS_AXES, a = k % FIELDS_AXES;
        for (int side = 0; d->walls[a] && side < 2; side++) l->ends[v][a].kind[side] = d->wall[v][a][side].kind;
        if (d->walls[a]) sw_array(arrays, eliminated_of(d, a), &l->ends[v][a].room);
    }
    return arrays->status;
}

static void lines_destroy(void *solver) { (void)solver; }

static void lines_begin(void *solver, const double dx[FIELDS_AXES], const double *param, int64_t stride)
{
    struct lines *l = solver;
    (void)param, (void)stride;
    memcpy(l->dx, dx, sizeof l->dx);
}

static bool lines_factor(void *solver, int v, double gamma_dt, const struct fields_matrix *m)
{
    struct lines *l = solver;
    return fields_product_factor(l->axes, l->n, l->dx, l->ends[v], gamma_dt, m, &l->product[v]);
}

const struct fields_product *fields_lines_product(const void *solver, int v)
{
    return &((const struct lines *)solver)->product[v];
}

static void lines_solve(void *solver, int v, double *x)
{
    const struct lines *l = solver;
    fields_product_solve(&l->product[v], l->room, x);
}

static double lines_rounding(const void *solver, double gamma_dt, const struct fields_matrix *m)
{
    const struct lines *l = solver;
    double sum = 0.0;
    for (int d = 0; d < l->axes; d++) {
        struct sw_line_operator a = fields_axis_operator(gamma_dt, l->axes, d, l->dx[d], m);
        a.s0 = 0.0;  /* the others are over 1 + s0 */
        sum += l->ends[0][d].kind[0] ? 0x1p-53 * (10.0 + 4.0 * a.s2 + 16.0 * a.s4) : sw_line_rounding(&a, false);
    }
    return sum;
}

const struct fields_solves fields_lines = {
    .bytes = lines_bytes, .create = lines_create, .destroy = lines_destroy, .begin = lines_begin,
    .factor = lines_factor, .solve = lines_solve, .rounding = lines_rounding};
