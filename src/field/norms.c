#include "field/sampled.h"

#include <math.h>

#include "base/sw_mem.h"
#include "base/sw_reals.h"

enum { PIECE = 2048 };  /* points evaluated at once: five arrays of them stay in the second-level cache */

/* The pieces are numbered line by line; those of a line all but the last have PIECE points. */
struct pieces { const struct sw_sampling *at; int64_t a_line, count; };

static struct pieces cut(const struct sw_sampling *at)
{
    int64_t a_line = (at->n[0] + PIECE - 1) / PIECE;
    return (struct pieces){at, a_line, a_line * at->n[1] * at->n[2]};
}

struct work {  /* of one thread */
    struct sw_eval *eval;
    double *x[SW_DIMS], *value;  /* [PIECE] */
};

static void work_free(struct work *w)
{
    sw_eval_destroy(&w->eval);
    sw_free(w->x[0]);
}

static enum sw_status work_make(const struct sw_sampling *at, struct work *w)
{
    *w = (struct work){0};
    SW_TRY(sw_alloc((SW_DIMS + 1) * (size_t)PIECE, &w->x[0]));
    for (int d = 1; d < SW_DIMS; d++) w->x[d] = w->x[0] + d * PIECE;
    w->value = w->x[0] + SW_DIMS * PIECE;
    SW_TRY(sw_eval_create(at->program, PIECE, &w->eval));
    sw_eval_run(w->eval, at->column, at->stride);
    return SW_OK;
}

/* Evaluate a piece; its points, and the number of its first one. */
static int evaluate(const struct pieces *p, struct work *w, int64_t piece, int64_t index[SW_DIMS], int64_t *first)
{
    const struct sw_sampling *at = p->at;
    const double *in[SW_INPUTS] = {[SW_IN_X] = w->x[0], [SW_IN_Y] = w->x[1], [SW_IN_Z] = w->x[2]};
    const int64_t line = piece / p->a_line;
    index[0] = piece % p->a_line * PIECE;
    index[1] = line % at->n[1];
    index[2] = line / at->n[1];
    *first = line * at->n[0] + index[0];
    const int count = (int)(at->n[0] - index[0] < PIECE ? at->n[0] - index[0] : PIECE);
    for (int d = 0; d < SW_DIMS; d++)
        for (int i = 0; i < count; i++)
            w->x[d][i] = at->grid.x0[d] + (double)(index[d] + (d ? 0 : i)) * at->grid.dx[d];
    sw_eval_cells(w->eval, count, in);
    sw_eval_step(w->eval, 0, 0);
    sw_eval_points(w->eval, count, in, w->value);
    return count;
}

/* What becomes of a piece; `own` is the caller's. */
typedef void piece_function(const struct pieces *p, struct work *w, int64_t piece, void *own);

static enum sw_status each_piece(const struct pieces *p, piece_function *function, void *own)
{
    struct sw_err_kept failure = {0};
#pragma omp parallel num_threads(p->at->threads) if (p->count > 1)
    {
        struct work w;
        enum sw_status st = work_make(p->at, &w);
#pragma omp critical(sw_sampled_failure)
        sw_err_keep(&failure, st);
#pragma omp for schedule(static)
        for (int64_t k = 0; k < p->count; k++)
            if (!st) function(p, &w, k, own);
        work_free(&w);
    }
    return sw_err_raise(&failure);
}

/* ------------------------------------------------------------------ values */

struct values { void *out; size_t word; };

static void store_piece(const struct pieces *p, struct work *w, int64_t piece, void *own)
{
    const struct values *v = own;
    int64_t index[SW_DIMS], first;
    const int count = evaluate(p, w, piece, index, &first);
    sw_reals_put(v->out, v->word, first, w->value, count);
}

enum sw_status sw_sample(const struct sw_sampling *at, bool single, void *out)
{
    const struct pieces p = cut(at);
    return each_piece(&p, store_piece, &(struct values){out, sw_reals_word(single)});
}

/* ------------------------------------------------------------------ differences */

struct sums { double difference, exact, worst, interior; int64_t bad; };

static double larger(double a, double b) { return b <= a ? a : b; }  /* NaN, if b is */

static struct sums join(struct sums a, struct sums b)
{
    return (struct sums){a.difference + b.difference, a.exact + b.exact, larger(a.worst, b.worst),
                         larger(a.interior, b.interior), a.bad >= 0 ? a.bad : b.bad};
}

static struct sums total(const struct sums *part, int64_t count)
{
    if (count == 1) return part[0];
    return join(total(part, count / 2), total(part + count / 2, count - count / 2));
}

static double pairwise(const double *v, int n)
{
    if (n > 8) return pairwise(v, n / 2) + pairwise(v + n / 2, n - n / 2);
    double s = 0;
    for (int i = 0; i < n; i++) s += v[i];
    return s;
}

struct comparison {
    const struct sw_interior *in;
    size_t       word;
    const void  *u;
    void        *d;     /* NULL: not wanted   */
    struct sums *part;  /* [pieces] out       */
};

static void compare_piece(const struct pieces *p, struct work *w, int64_t piece, void *own)
{
    const struct comparison *c = own;
    const struct sw_interior *in = c->in;
    int64_t index[SW_DIMS], first;
    const int count = evaluate(p, w, piece, index, &first);
    double *off = w->x[0], *square = w->x[1], *exact = w->x[2];  /* the coordinates are not needed any more */
    struct sums s = {.bad = -1};
    sw_reals_get(c->u, c->word, first, off, count);
    for (int i = 0; i < count; i++) {
        off[i] -= w->value[i];
        square[i] = off[i] * off[i];
        exact[i] = w->value[i] * w->value[i];
    }
    for (int i = 0; i < count; i++) {
        const int64_t along = in->axis ? index[in->axis] : index[0] + i;
        s.worst = larger(s.worst, fabs(off[i]));
        if (along >= in->first && along < in->last) s.interior = larger(s.interior, fabs(off[i]));
        if (s.bad < 0 && !isfinite(off[i])) s.bad = first + i;
    }
    if (c->d) sw_reals_put(c->d, c->word, first, off, count);
    s.difference = pairwise(square, count);
    s.exact = pairwise(exact, count);
    c->part[piece] = s;
}

enum sw_status sw_compare(const struct sw_sampling *at, const struct sw_interior *interior, bool single, const void *u,
                          void *d, struct sw_difference *difference)
{
    const struct pieces p = cut(at);
    struct comparison c = {interior, sw_reals_word(single), u, d, NULL};
    SW_TRY(sw_alloc((size_t)p.count, &c.part));
    enum sw_status st = each_piece(&p, compare_piece, &c);
    const struct sums s = total(c.part, p.count);
    sw_free(c.part);
    difference->norms = (struct sw_norms){.l2 = sqrt(s.difference / (double)sw_points(at->n)), .max = s.worst,
                                          .rel = sqrt(s.difference) / sqrt(s.exact), .interior = s.interior};
    difference->bad = s.bad;
    return st;
}
