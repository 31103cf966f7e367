#include "problem/bvp/sw_bvp.h"

#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "problem/bvp/sw_bvp_impl.h"

/* ------------------------------------------------------------------ the problem */

bool sw_bvp_plain(const struct sw_bvp_desc *d)
{
    const struct sw_bvp_end *l = &d->left, *r = &d->right;
    if ((d->p && !sw_program_is(d->p, 1)) || (d->q && !sw_program_is(d->q, 0))) return false;
    if (l->dirichlet || l->robin[0] || (l->neumann && !sw_program_is(l->neumann, 0))) return false;
    return !r->neumann && !r->robin[0] && (!r->dirichlet || sw_program_is(r->dirichlet, 0));
}

bool sw_bvp_right_is_point(const struct sw_bvp_desc *d) { return d->right.neumann || d->right.robin[0]; }

void sw_bvp_explain(const struct sw_bvp_result *r, struct sw_text *text)
{
    static const char *const what[] = {
        [SW_BVP_F_NOT_FINITE] = "f is not finite at x = %.9g",
        [SW_BVP_U_NOT_FINITE] = "u is not finite at x = %.9g: the sums of f overflow",
        [SW_BVP_Q_NOT_FINITE] = "q is not finite at x = %.9g",
        [SW_BVP_P_NOT_POSITIVE] = "p is not positive and finite at x = %.9g",
        [SW_BVP_BETA_ZERO] = "robin at x = %.9g has beta = 0; use dirichlet",
        [SW_BVP_SINGULAR] = "singular at x = %.9g: u' alone at both ends and q = 0, where gauge = \"zero_mean\" "
                            "takes a solution",
        [SW_BVP_PIVOT] = "singular: a pivot vanishes at x = %.9g, -(p u')' + q u = 0 has a solution of its own; change "
                         "q, alpha or beta of an end, or n",
        [SW_BVP_NO_DIGIT] = "singular to working precision: of what the elimination gives no digit is right; change "
                            "q, alpha or beta of an end, or n",
        [SW_BVP_LOST] = "this solver loses all digits of u: p or q varies by too many decades, or n is too large for "
                        "it; solver = \"thomas\" keeps them",
        [SW_BVP_RANGE] = "the equations leave the range of numbers at x = %.9g: p, h^2 q and what the ends add differ "
                         "by too much",
        [SW_BVP_DETERMINED] = "gauge = \"zero_mean\", but q is not 0 at x = %.9g: there is one solution only",
    };
    char number[32];
    if (r->fault == SW_BVP_INCOMPATIBLE)
        sw_text_set(text, "no solution: f h and the fluxes at the ends sum to %.6g and not to 0; subtract %s from f to "
                    "make them", r->defect, sw_number(r->excess, number));
    else if (r->fault == SW_BVP_SENSITIVE)
        sw_text_set(text, "singular to working precision: one rounding of f, q and the ends moves u by %.1e of its "
                    "maximum; change f, q, alpha or beta, or n", r->moved);
    else if (r->fault) sw_text_set(text, what[r->fault], r->where);
}

const char *sw_bvp_gauge_refusal(const struct sw_bvp_desc *d)
{
    const struct sw_bvp_end *l = &d->left, *r = &d->right;
    double q;
    if (!d->zero_mean) return NULL;
    if (l->dirichlet || l->robin[0] || r->dirichlet || r->robin[0] || !r->neumann)
        return "the ends determine u; it goes with left.neumann (or nothing) and right.neumann";
    if (d->q && sw_program_constant(d->q, &q) && q != 0) return "q determines u; it goes with q = 0";
    return NULL;
}

/* ------------------------------------------------------------------ the row */

static const char *refuse(const struct sw_row *row, const void *request, enum sw_status *kind)
{
    const struct sw_bvp_ops *o = (const struct sw_bvp_ops *)row;
    if (!o) return "no row does this problem on this device";
    if (o->fits(request)) return NULL;
    *kind = SW_E_CONFIG;
    return sw_bvp_plain(request) ? "it cannot solve for so many points"
                                 : "it sums, for p = 1, q = 0, u' = 0 at the left end and u = 0 at the right one";
}

/* "cpu.a2d" by its name, or by what follows its place. */
SW_ROWS(rows, "solver", sw_bvp_table, .refuse = refuse, .places_optional = true);

/* Which row does it: of that name, or the first that fits and is meant for so many points. The choice depends on the
 * problem alone, and on no batch or thread, as the last bits do depend on the row. */
static enum sw_status pick(const struct sw_bvp_desc *desc, const char *name, const struct sw_device *device,
                           const struct sw_bvp_ops **ops)
{
    const struct sw_row *row = NULL;
    for (int k = 0; !name && sw_bvp_table[k]; k++) {
        *ops = sw_bvp_table[k];
        if (desc->n >= (*ops)->from && sw_row_usable(&rows, &(*ops)->row, device->space, desc)) return SW_OK;
    }
    SW_TRY(sw_row_pick(&rows, name, device->space, desc, &row));
    *ops = (const struct sw_bvp_ops *)row;
    return SW_OK;
}

static enum sw_status check_end(const struct sw_bvp_end *e, const char *name)
{
    if (!!e->dirichlet + !!e->neumann + !!e->robin[0] <= 1) return SW_OK;
    return SW_FAIL(SW_E_CONFIG, "'%s' has more than one of dirichlet, neumann and robin", name);
}

static enum sw_status check_desc(const struct sw_bvp_desc *d)
{
    SW_TRY(check_end(&d->left, "left"));
    SW_TRY(check_end(&d->right, "right"));
    const char *why = sw_bvp_gauge_refusal(d);
    if (why) return SW_FAIL(SW_E_CONFIG, "'gauge' = \"zero_mean\": %s", why);
    if (d->n < 1) return SW_FAIL(SW_E_ARG, "n = %lld: at least one point is needed", (long long)d->n);
    if (d->n < 2 && sw_bvp_right_is_point(d))
        return SW_FAIL(SW_E_ARG, "n = 1: at least two points are needed where u is not given at the right end");
    if (d->capacity < 1) return SW_FAIL(SW_E_ARG, "room for %d problems asked for, need at least 1", d->capacity);
    if (d->nparam < 0) return SW_FAIL(SW_E_ARG, "%d parameters", d->nparam);
    return SW_OK;
}

static void list_arrays(struct sw_bvp *b)
{
    const size_t room = (size_t)b->desc.capacity;
    sw_array(&b->arrays, room, &b->run);
    sw_array(&b->arrays, room, &b->refused);
    sw_array(&b->arrays, room * (size_t)b->desc.nparam, &b->param);
    b->ops->arrays(b);
}

static enum sw_status fill(struct sw_bvp *b)
{
    SW_TRY(sw_alloc_bytes(1, b->ops->own_size, &b->own));
    list_arrays(b);
    return b->arrays.status ? b->arrays.status : b->ops->create ? b->ops->create(b) : SW_OK;
}

enum sw_status sw_bvp_create(const struct sw_bvp_desc *desc, const char *row, struct sw_device *device,
                             struct sw_bvp **bvp)
{
    struct sw_bvp *b = NULL;
    const struct sw_bvp_ops *ops;
    *bvp = NULL;
    SW_TRY(check_desc(desc));
    SW_TRY(pick(desc, row, device, &ops));
    SW_TRY(sw_alloc(1, &b));
    *b = (struct sw_bvp){.ops = ops, .desc = *desc, .device = device, .arrays.device = device};
    const enum sw_status st = fill(b);
    if (st) sw_bvp_destroy(&b);
    *bvp = b;
    return st;
}

void sw_bvp_destroy(struct sw_bvp **bvp)
{
    if (!bvp || !*bvp) return;
    struct sw_bvp *b = *bvp;
    if (b->own && b->ops->destroy) b->ops->destroy(b);
    sw_owned_free(&b->arrays);
    sw_free(b->own);
    sw_free(b);
    *bvp = NULL;
}

const char *sw_bvp_row(int k)
{
    for (int row = 0; sw_bvp_table[row]; row++)
        if (row == k / 2) return k % 2 ? strchr(sw_bvp_table[row]->name, '.') + 1 : sw_bvp_table[row]->name;
    return NULL;
}

const char *sw_bvp_name(const struct sw_bvp *bvp) { return bvp->ops->name; }

static enum sw_status count_bytes(const struct sw_bvp_ops *ops, const struct sw_bvp_desc *desc, int capacity,
                                  const struct sw_device *device, size_t *bytes)
{
    struct sw_device here = *device;
    struct sw_bvp b = {.ops = ops, .desc = *desc, .device = &here, .arrays.counts = true};
    b.desc.capacity = capacity;
    SW_TRY(sw_alloc_bytes(1, ops->own_size, &b.own));
    list_arrays(&b);
    sw_free(b.own);
    *bytes = sw_owned_bytes(&b.arrays, ops->space);
    return SW_OK;
}

enum sw_status sw_bvp_bytes(const struct sw_bvp_desc *desc, const char *row, const struct sw_device *device,
                            size_t *fixed, size_t *per_run)
{
    const struct sw_bvp_ops *ops;
    size_t one, two;
    SW_TRY(check_desc(desc));
    SW_TRY(pick(desc, row, device, &ops));
    SW_TRY(count_bytes(ops, desc, 1, device, &one));
    SW_TRY(count_bytes(ops, desc, 2, device, &two));
    *per_run = two - one;
    *fixed = one - *per_run;
    return ops->other_bytes ? ops->other_bytes(ops, desc, device, fixed, per_run) : SW_OK;
}

struct sw_cost sw_bvp_cost(const struct sw_bvp *bvp)
{
    return bvp->ops->cost ? bvp->ops->cost(bvp) : (struct sw_cost){NAN, NAN};
}

static int64_t square_root(int64_t n)
{
    int64_t r = (int64_t)sqrt((double)n);
    while (r * r > n) r--;
    while ((r + 1) * (r + 1) <= n) r++;
    return r;
}

int64_t sw_bvp_columns(int64_t n, int64_t r) { return r ? r : square_root(n); }

bool sw_bvp_columns_fit(int64_t n, int64_t r) { return r == 0 || r == 1 || (r > 0 && r <= n / 2); }

bool sw_bvp_uses_columns(const char *row)
{
    for (int k = 0; row && sw_bvp_table[k]; k++)
        if (sw_row_named(&rows, &sw_bvp_table[k]->row, row) && sw_bvp_table[k]->columns) return true;
    return false;
}

bool sw_bvp_solves_general(const char *row)
{
    for (int k = 0; row && sw_bvp_table[k]; k++)
        if (sw_row_named(&rows, &sw_bvp_table[k]->row, row) && sw_bvp_table[k]->general) return true;
    return false;
}

const char *sw_bvp_refusal(const struct sw_bvp *bvp, const struct sw_bvp_run *run)
{
    if (bvp->ops->columns && !sw_bvp_columns_fit(bvp->desc.n, run->r))
        return "r does not fit grid.n: r columns of at least two entries need 1 <= r <= n/2";
    return NULL;
}

enum sw_status sw_bvp_solve(struct sw_bvp *bvp, int count, const struct sw_bvp_run *run, const double *param)
{
    if (count < 1 || count > bvp->desc.capacity)
        return SW_FAIL(SW_E_ARG, "%d problems, room for %d", count, bvp->desc.capacity);
    /* once: a GPU solves a short problem in the time of a root or two */
    const int64_t root = square_root(bvp->desc.n);
    bvp->count = count;
#pragma omp parallel for num_threads(bvp->device->threads) if (count > SW_BVP_MANY)
    for (int j = 0; j < count; j++) {
        bvp->run[j] = run[j];
        if (!run[j].r) bvp->run[j].r = root;
        bvp->refused[j] = sw_bvp_refusal(bvp, &run[j]) != NULL;
    }
    sw_copy(bvp->param, param, (size_t)bvp->desc.nparam * (size_t)count * sizeof *param, bvp->device->threads);
    return bvp->ops->solve(bvp);
}

enum sw_status sw_bvp_fetch(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result)
{
    return bvp->ops->fetch(bvp, field, result);
}
