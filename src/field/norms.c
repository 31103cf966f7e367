#include "field/norms.h"

#include <math.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"
#include "field/sum.h"

/* ------------------------------------------------------------------ sums over points */

static double larger(double a, double b) { return b <= a ? a : b; }

/* No comparison finds a NaN for good: that of the largest |d| is in the sum of squares. */
struct sw_norms sw_norms_from_sums(const struct sw_norm_sums *sums, int64_t points)
{
    return (struct sw_norms){.l2 = sqrt(sums->difference / (double)points),
                             .max = isnan(sums->difference) ? NAN : sums->largest,
                             .rel = sqrt(sums->difference) / sqrt(sums->exact),
                             .interior = NAN};
}

void sw_norm_sums_add(struct sw_norm_sums *sum, const struct sw_norm_sums *more)
{
    sum->difference += more->difference;
    sum->exact += more->exact;
    sum->largest = larger(sum->largest, more->largest);
}

void sw_norm_sums_points(struct sw_norm_sums *sum, const double *u, const double *exact, int count)
{
    enum { LANES = 16 };
    double difference[LANES] = {0}, square[LANES] = {0}, largest[LANES] = {0};
    struct sw_norm_sums rest = {0};
    const int whole = count / LANES * LANES;
    for (int i = 0; i < whole; i += LANES)
        for (int l = 0; l < LANES; l++) {
            double x = exact[i + l], d = fabs(u[i + l] - x);
            difference[l] += d * d;
            square[l] += x * x;
            largest[l] = larger(largest[l], d);
        }
    for (int i = whole; i < count; i++) {
        const double d = fabs(u[i] - exact[i]);
        sw_norm_sums_add(&rest, &(struct sw_norm_sums){d * d, exact[i] * exact[i], d});
    }
    for (int l = 0; l < LANES; l++)
        sw_norm_sums_add(&rest, &(struct sw_norm_sums){difference[l], square[l], largest[l]});
    sw_norm_sums_add(sum, &rest);
}

/* ------------------------------------------------------------------ pairwise */

/* The sums of so many points. @param d, exact  in; squares out */
static struct sw_norm_sums sums_of(double *d, double *exact, int count)
{
    struct sw_norm_sums s = {0};
    for (int i = 0; i < count; i++) s.largest = larger(s.largest, fabs(d[i]));
    for (int i = 0; i < count; i++) {
        d[i] *= d[i];
        exact[i] *= exact[i];
    }
    s.difference = sw_sum_pairwise(d, count);
    s.exact = sw_sum_pairwise(exact, count);
    return s;
}

/* Points first .. first + count - 1 of a run: halves, as sw_sum_pairwise() would take all of them, until they are few
 * enough to be evaluated at once. */
static struct sw_norm_sums sums_of_half(struct sw_evaluator *exact, const double *u, int64_t first, int64_t count)
{
    if (count > SW_EVALUATOR_POINTS) {
        struct sw_norm_sums s = sums_of_half(exact, u, first, count / 2);
        const struct sw_norm_sums more = sums_of_half(exact, u, first + count / 2, count - count / 2);
        sw_norm_sums_add(&s, &more);
        return s;
    }
    double *d = exact->x[0];  /* the coordinates are not needed any more */
    sw_evaluator_points(exact, first, (int)count, exact->value);
    for (int i = 0; i < (int)count; i++) d[i] = u[first + i] - exact->value[i];
    return sums_of(d, exact->value, (int)count);
}

struct sw_norm_sums sw_norm_sums_of_run(struct sw_evaluator *exact, const double *u)
{
    return sums_of_half(exact, u, 0, sw_points(exact->n));
}

struct sw_norms sw_norms_of_run(struct sw_evaluator *exact, const double *u)
{
    const struct sw_norm_sums s = sw_norm_sums_of_run(exact, u);
    return sw_norms_from_sums(&s, sw_points(exact->n));
}

/* ------------------------------------------------------------------ by all threads */

struct partial { struct sw_norm_sums sums; double interior; int64_t bad; };  /* of a piece, or several */

static struct partial add_partials(const struct partial *part, int64_t count)
{
    if (count == 1) return part[0];
    struct partial a = add_partials(part, count / 2);
    const struct partial b = add_partials(part + count / 2, count - count / 2);
    sw_norm_sums_add(&a.sums, &b.sums);
    a.interior = larger(a.interior, b.interior);
    if (a.bad < 0) a.bad = b.bad;
    return a;
}

struct comparison {
    const struct sw_interior *interior;
    size_t          word;
    const void     *u;
    void           *d;     /* NULL: not wanted */
    struct partial *part;  /* [pieces] out     */
};

static void compare_piece(const struct sw_piece *p, struct sw_evaluator *exact, void *own)
{
    const struct comparison *c = own;
    const struct sw_interior *in = c->interior;
    bool inside = true;       /* along y and z */
    double *d = exact->x[0];  /* the coordinates are not needed any more */
    struct partial part = {.bad = -1};
    sw_evaluator_points(exact, p->first, p->count, exact->value);
    sw_reals_get(c->u, c->word, (size_t)p->first, d, (size_t)p->count);
    for (int i = 0; i < p->count; i++) d[i] -= exact->value[i];
    for (int axis = 1; axis < SW_DIMS; axis++)
        inside &= p->index[axis] >= in->first[axis] && p->index[axis] < in->last[axis];
    for (int i = 0; i < p->count; i++) {
        const int64_t x = p->index[0] + i;
        if (inside && x >= in->first[0] && x < in->last[0]) part.interior = larger(part.interior, fabs(d[i]));
        if (part.bad < 0 && !isfinite(d[i])) part.bad = p->first + i;
    }
    if (c->d) sw_reals_put(c->d, c->word, (size_t)p->first, d, (size_t)p->count);
    part.sums = sums_of(d, exact->value, p->count);
    c->part[p->number] = part;
}

enum sw_status sw_compare(const struct sw_sampling *exact, const struct sw_interior *interior, bool single,
                          const void *u, void *d, struct sw_difference *difference)
{
    const struct sw_pieces pieces = sw_pieces_of(exact);
    struct comparison c = {interior, sw_reals_word(single), u, d, NULL};
    SW_TRY(sw_alloc((size_t)pieces.count, &c.part));
    enum sw_status st = sw_pieces_each(&pieces, compare_piece, &c);
    const struct partial sum = add_partials(c.part, pieces.count);
    sw_free(c.part);
    difference->norms = sw_norms_from_sums(&sum.sums, sw_points(exact->n));
    difference->norms.interior = sum.interior;
    difference->sums = sum.sums;
    difference->bad = sum.bad;
    return st;
}
