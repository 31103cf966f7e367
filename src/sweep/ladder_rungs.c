/* The rungs of a ladder, once axes are combined: their order, and what must not change along it. */
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_order.h"
#include "sweep/axis.h"
#include "sweep/columns.h"
#include "sweep/ladder.h"
#include "sweep/sweep_own.h"

/* ------------------------------------------------------------------ the rungs */

struct rung { double value; int64_t i; };

/* Up is from the least value to the largest, in whatever order they are listed. */
static enum sw_status sort_rungs(struct sw_sweep *s, struct ladder *ladder, bool down)
{
    const int64_t count = ladder->count;
    struct rung *rung;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)count, &ladder->place));
    SW_TRY(sw_arena_take(s->own->arena, (size_t)count, &ladder->value));
    SW_TRY(sw_alloc((size_t)count, &rung));
    for (int64_t i = 0; i < count; i++) rung[i] = (struct rung){axis_value(&s->own->axis[ladder->axis], i), i};
    qsort(rung, (size_t)count, sizeof *rung, sw_by_real);
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = down ? count - 1 - k : k;
        ladder->place[rung[k].i] = at;
        ladder->value[at] = rung[k].i;
    }
    sw_free(rung);
    return SW_OK;
}

static bool check_axis(const struct sw_sweep *s, const struct ladder *ladder, const struct axis *a)
{
    const char *path = ladder->setting->path;
    const int errors = s->own->report->errors;
    if (a->kind >= AXIS_UNIFORM)
        report_error(s, ladder->setting, "'%s': the values are drawn at random, each with those of the other axes that "
                     "are, so that no run has a rung below; give %s a list, linspace or range", path, a->name);
    else if (!strcmp(s->mode, "zip"))
        report_error(s, ladder->setting, "'%s': with sweep.mode = \"zip\" the k-th values of all axes make one run, "
                     "and no axis is left to climb; use \"product\", and define what goes along with %s", path,
                     a->name);
    else if (a->word)
        report_error(s, ladder->setting, "'%s': words have no order; a ladder is of numbers", path);
    else if (a->count == 1)
        report_error(s, ladder->setting, "'%s': a ladder of one rung is no ladder: give two values or more, or leave "
                     "it out", path);
    return s->own->report->errors == errors;
}

enum sw_status ladder_order(struct sw_sweep *s)
{
    struct ladder *ladder = s->own->ladder;
    s->rungs = 1;
    if (!ladder->setting || s->nruns < 1) return SW_OK;
    const struct axis *a = &s->own->axis[ladder->axis];
    if (!a->count || !check_axis(s, ladder, a)) return SW_OK;
    ladder->count = a->count;
    SW_TRY(sort_rungs(s, ladder, !strcmp(ladder->setting->text, "down")));
    s->rungs = ladder->direction < 0 ? a->count : 2 * a->count;
    return SW_OK;
}

/* ------------------------------------------------------------------ which run starts from which */

/* Runs are points of the axes: all of them, or those for which sweep.where holds. */
static int64_t point_of(const struct sw_sweep *s, int64_t run) { return s->own->point ? s->own->point[run] : run; }

static int by_point(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* -1: the point is no run */
static int64_t run_at(const struct sw_sweep *s, int64_t point)
{
    const uint32_t wanted = (uint32_t)point, *all = s->own->point;
    const uint32_t *at = all ? bsearch(&wanted, all, (size_t)s->nruns, sizeof wanted, by_point) : NULL;
    return !all ? point : at ? at - all : -1;
}

/* Which value of an axis a point has. */
static int64_t index_of(const struct sw_sweep *s, int axis, int64_t point)
{
    const struct axis *a = &s->own->axis[axis];
    return axis < 0 ? 0 : point / a->stride % a->count;
}

/* The rung of a point of the axes. */
static int64_t rung_of(const struct sw_sweep *s, int64_t point)
{
    const struct ladder *ladder = s->own->ladder;
    const int64_t place = ladder->place[index_of(s, ladder->axis, point)];
    return index_of(s, ladder->direction, point) ? s->rungs - 1 - place : place;
}

/* The run on a rung of the ladder of a point; -1: there is none. */
static int64_t run_on_rung(const struct sw_sweep *s, int64_t point, int64_t rung)
{
    const struct ladder *ladder = s->own->ladder;
    const bool back = rung >= ladder->count;
    const int64_t value = ladder->value[back ? s->rungs - 1 - rung : rung];
    point += (value - index_of(s, ladder->axis, point)) * s->own->axis[ladder->axis].stride;
    if (ladder->direction >= 0)
        point += (back - index_of(s, ladder->direction, point)) * s->own->axis[ladder->direction].stride;
    return run_at(s, point);
}

struct ladder_link { int64_t below, above, first, rung; };  /* runs, or -1; rung: of those that are there */

/* Each ladder is walked once, from its first run that is met: all rungs of all ladders, a search each. */
enum sw_status ladder_link(struct sw_sweep *s)
{
    struct ladder_link *link;
    if (s->rungs <= 1 || !s->own->point) return SW_OK;
    SW_TRY(sw_arena_take(s->own->arena, (size_t)s->nruns, &link));
    for (int64_t run = 0; run < s->nruns; run++) link[run].first = -1;
    for (int64_t run = 0; run < s->nruns; run++) {
        int64_t below = -1, first = -1, rung = 0;
        for (int64_t k = 0, at; k < s->rungs && link[run].first < 0; k++) {
            if ((at = run_on_rung(s, point_of(s, run), k)) < 0) continue;
            if (first < 0) first = at;
            if (below >= 0) link[below].above = at;
            /* `first` of the run that is met marks the end: it is set when all rungs have been walked */
            link[at] = (struct ladder_link){below, -1, at == run ? -1 : first, rung++};
            below = at;
        }
        if (link[run].first < 0) link[run].first = first;
    }
    s->own->ladder->link = link;
    return SW_OK;
}

static int64_t run_beside(const struct sw_sweep *s, int64_t run, int64_t by)
{
    const int64_t point = point_of(s, run), rung = rung_of(s, point) + by;
    return rung >= 0 && rung < s->rungs ? run_on_rung(s, point, rung) : -1;
}

int64_t sw_sweep_below(const struct sw_sweep *s, int64_t run)
{
    const struct ladder_link *link = s->own->ladder->link;
    return s->rungs <= 1 ? -1 : link ? link[run].below : run_beside(s, run, -1);
}

int64_t sw_sweep_above(const struct sw_sweep *s, int64_t run)
{
    const struct ladder_link *link = s->own->ladder->link;
    return s->rungs <= 1 ? -1 : link ? link[run].above : run_beside(s, run, 1);
}

int64_t sw_sweep_rung(const struct sw_sweep *s, int64_t run)
{
    const struct ladder_link *link = s->own->ladder->link;
    return s->rungs <= 1 ? 0 : link ? link[run].rung : rung_of(s, point_of(s, run));
}

int64_t sw_sweep_ladder(const struct sw_sweep *s, int64_t run)
{
    const struct ladder_link *link = s->own->ladder->link;
    return s->rungs <= 1 ? run : link ? link[run].first : run_on_rung(s, point_of(s, run), 0);
}

const char *sw_sweep_ladder_axis(const struct sw_sweep *s, const char **way)
{
    const struct ladder *ladder = s->own->ladder;
    if (s->rungs == 1) return NULL;
    *way = ladder->setting->text;
    return s->own->axis[ladder->axis].name;
}

/* ------------------------------------------------------------------ what must not change along it */

static const char *const of_points[] = {"grid.dim", "grid.n", "grid.n.1", "grid.n.2", "grid.length", "grid.length.1",
                                        "grid.length.2", "grid.x0", "grid.x0.1", "grid.x0.2", NULL};

/* Report the first run whose number in a column is not that of the rung below. */
static enum sw_status check_column(struct sw_sweep *s, int column)
{
    enum { AT_ONCE = 4096 };
    double *here = NULL, *below = NULL;
    int64_t run[AT_ONCE];
    char text[240];
    enum sw_status st;
    bool same = true;
    SW_TRY_TO(done, st, sw_alloc((size_t)s->ncolumn * AT_ONCE, &here));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->ncolumn * AT_ONCE, &below));
    for (int64_t first = 0; first < s->nruns && same; first += AT_ONCE) {
        const int64_t count = s->nruns - first < AT_ONCE ? s->nruns - first : AT_ONCE;
        for (int64_t j = 0; j < count; j++) {
            run[j] = sw_sweep_below(s, first + j);
            if (run[j] < 0) run[j] = first + j;
        }
        SW_TRY_TO(done, st, sw_sweep_columns(s, NULL, first, count, here));
        SW_TRY_TO(done, st, sw_sweep_columns(s, run, 0, count, below));
        for (int64_t j = 0; j < count && same; j++) {
            const double a = below[column * count + j], b = here[column * count + j];
            if (!(same = a == b || (a != a && b != b))) {
                sw_sweep_describe(s, first + j, text, sizeof text);
                report_error(s, s->own->source[column].setting, "'%s' changes along the ladder '%s': it is %g in run "
                             "%lld (%s), and %g on the rung below, whose end that run starts from at the same points",
                             s->column[column].name, s->own->ladder->setting->path, b, (long long)(first + j), text, a);
            }
        }
    }
done:
    sw_free(here);
    sw_free(below);
    return st;
}

enum sw_status ladder_check(struct sw_sweep *s)
{
    if (s->rungs == 1 || s->own->report->errors) return SW_OK;
    if (s->split == SW_SPLIT_GRID)
        report_error(s, s->own->ladder->setting, "'%s': grids that are cut over devices (run.split, "
                     "run.ranks_per_run) have no ladder; leave these out, and devices share the ladders",
                     s->own->ladder->setting->path);
    s->split = SW_SPLIT_RUNS;
    for (int k = 0; of_points[k]; k++) {
        const int column = column_find(s, of_points[k]);
        const int errors = s->own->report->errors;
        if (column >= 0 && !s->column[column].uniform) SW_TRY(check_column(s, column));
        if (s->own->report->errors > errors) return SW_OK;
    }
    return SW_OK;
}
