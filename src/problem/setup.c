#include <math.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_nearest_name.h"
#include "device/sw_device.h"
#include "expr/sw_expr.h"
#include "field/grid.h"
#include "problem/sw_problem.h"

bool sw_quantity_listed(const struct sw_quantity *quantity, const char *name)
{
    for (; quantity && quantity->name; quantity++)
        if (!strcmp(quantity->name, name)) return true;
    return false;
}

const struct sw_function *sw_setup_find(const struct sw_setup *setup, const char *key)
{
    for (int k = 0; k < setup->nfunction; k++)
        if (!strcmp(setup->function[k].key, key)) return &setup->function[k];
    return NULL;
}

const struct sw_function *sw_setup_find_of(const struct sw_setup *setup, const char *key, int unknown)
{
    for (int k = 0; k < setup->nfunction; k++)
        if (setup->function[k].unknown == unknown && !strcmp(setup->function[k].key, key)) return &setup->function[k];
    return NULL;
}

const struct sw_program *sw_setup_function(const struct sw_setup *setup, const char *key)
{
    const struct sw_function *f = sw_setup_find(setup, key);
    return f ? f->program : NULL;
}

bool sw_setup_is_noisy(const struct sw_setup *setup)
{
    for (int k = 0; k < setup->nfunction; k++)
        if (!strncmp(setup->function[k].key, "noise", 5) ||
            (strcmp(setup->function[k].key, "initial") && sw_expr_is_random(setup->function[k].expr)))
            return true;
    return false;
}

enum sw_status sw_setup_compile(const struct sw_setup *setup, const struct sw_expr *expr, struct sw_program **program,
                                struct sw_expr_error *err)
{
    static const struct sw_symbol own[] = {{"x", SW_RATE_CELL, SW_IN_X}, {"y", SW_RATE_CELL, SW_IN_Y},
                                           {"z", SW_RATE_CELL, SW_IN_Z}, {"t", SW_RATE_STEP, 0}};
    const struct sw_scope *numbers = setup->scope;
    struct sw_symbol *symbol;
    enum { OWN = sizeof own / sizeof *own };
    SW_TRY(sw_alloc((size_t)numbers->count + OWN, &symbol));
    memcpy(symbol, own, sizeof own);
    for (int k = 0; k < numbers->count; k++) symbol[OWN + k] = numbers->symbol[k];
    const struct sw_scope scope = {.symbol = symbol, .count = OWN + numbers->count};
    const enum sw_status st = sw_program_compile(expr, &scope, program, err);
    sw_free(symbol);
    return st;
}

const char *sw_setup_word(const struct sw_setup *setup, const char *key)
{
    for (int k = 0; k < setup->nchoice; k++)
        if (!strcmp(setup->choice[k].key, key)) return setup->choice[k].word;
    return NULL;
}

bool sw_setup_chosen(const struct sw_setup *setup, const char *key, const char *word)
{
    const char *chosen = sw_setup_word(setup, key);
    return chosen && !strcmp(chosen, word);
}

bool sw_function_is_0(const struct sw_function *f) { return !f || sw_program_is(f->program, 0); }

/* Number keys come first among the columns: an axis of the same name is not taken for one. */
int sw_setup_column(const struct sw_setup *setup, const char *path)
{
    return sw_name_index(path, setup->column, setup->ncolumn);
}

double sw_setup_number(const struct sw_setup *setup, const char *path, int64_t ld, const double *column, int64_t j)
{
    const int k = sw_setup_column(setup, path);
    return k < 0 ? 0 : column[k * ld + j];
}

enum sw_status sw_setup_suggest_cpu(const struct sw_setup *setup, const struct sw_device *device, enum sw_status st)
{
    if (st != SW_E_ABSENT || setup->solver || device->space != SW_DEVICE) return st;
    if (sw_err_cause() == SW_CAUSE_ROWS) return st;  /* the message names the rows of the CPU that do it */
    return SW_FAIL(SW_E_ABSENT, "%s\nuse --device cpu", sw_err_message());
}

struct sw_grid_columns sw_setup_grid_columns(const struct sw_setup *setup)
{
    static const char *const x0[SW_DIMS] = {"grid.x0", "grid.x0.1", "grid.x0.2"},
                            *const length[SW_DIMS] = {"grid.length", "grid.length.1", "grid.length.2"};
    struct sw_grid_columns c = {.tolerance = sw_setup_column(setup, "time.tolerance"),
                                .dt = sw_setup_column(setup, "time.dt")};
    for (int d = 0; d < SW_DIMS; d++) {
        c.x0[d] = sw_setup_column(setup, x0[d]);
        c.length[d] = sw_setup_column(setup, length[d]);
    }
    return c;
}

bool sw_setup_own_steps(const struct sw_setup *setup)
{
    return (setup->grid_columns ? setup->grid_columns->tolerance : sw_setup_column(setup, "time.tolerance")) >= 0;
}

int sw_setup_pace(const struct sw_setup *setup, int count, const double *column, int j)
{
    if (!setup->paces) return 0;
    const double *dt = column + (size_t)sw_setup_column(setup, "time.dt") * (size_t)count,
                 *end = column + (size_t)sw_setup_column(setup, "time.end") * (size_t)count;
    return sw_paces_find(setup->paces, round(end[j] / dt[j]));
}

/* n points over the length L: L/n apart, the last one that short of its end; between walls L/(n-1) apart. Without a
 * length they are numbered 1 .. n. */
struct sw_grid sw_setup_grid(const struct sw_setup *setup, int64_t count, const double *column, int64_t j)
{
    const struct sw_grid_columns c = setup->grid_columns ? *setup->grid_columns : sw_setup_grid_columns(setup);
    struct sw_grid g = {.dt = c.tolerance >= 0 ? 1 : c.dt < 0 ? 0 : column[c.dt * count + j]};
    for (int d = 0; d < SW_DIMS; d++) {
        const int64_t n = sw_setup_whole(setup, d), intervals = setup->walls[d] && n > 1 ? n - 1 : n;
        g.first[d] = sw_setup_first(setup, d);
        g.x0[d] = c.x0[d] < 0 ? 0 : column[c.x0[d] * count + j];
        g.dx[d] = (c.length[d] < 0 ? 1 : column[c.length[d] * count + j]) / (double)intervals;
    }
    if (setup->domain.all && setup->domain.ranks[1] > 1 && setup->domain.whole[2] > 1) g.lines = setup->domain.whole[1];
    if (c.length[0] < 0) {
        g.x0[0] = 1;
        g.dx[0] = 1;
    }
    if (setup->grid) setup->grid(setup, count, column, j, &g);
    return g;
}

int sw_cut_axis(bool columns, const int64_t n[SW_DIMS]) { return columns ? 1 : n[2] > 1 ? 2 : n[1] > 1 ? 1 : 0; }

int64_t sw_slab_begin(int64_t n, int ranks, int rank) { return n / ranks * rank + n % ranks * rank / ranks; }

void sw_setup_cut(const int ranks[SW_DIMS], int rank, const struct sw_comm *all,
                  const struct sw_comm *const along[SW_DIMS], struct sw_setup *setup)
{
    struct sw_decomposition *d = &setup->domain;
    *d = (struct sw_decomposition){.all = all};
    for (int k = 0; k < SW_DIMS; rank /= ranks[k], k++) {
        const int here = rank % ranks[k];
        d->ranks[k] = ranks[k];
        d->along[k] = along[k];
        d->whole[k] = setup->n[k];
        d->first[k] = sw_slab_begin(d->whole[k], ranks[k], here);
        setup->n[k] = sw_slab_begin(d->whole[k], ranks[k], here + 1) - d->first[k];
    }
}
