#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_embed.h"
#include "base/sw_text.h"
#include "cli/tables.h"
#include "comm/sw_comm_impl.h"
#include "elliptic/sw_elliptic_impl.h"
#include "fd/sw_fd_impl.h"
#include "fd/sw_fd_scheme.h"
#include "linalg/sw_band_impl.h"
#include "linalg/sw_tridiagonal_impl.h"
#include "problem/banded/banded.h"
#include "problem/bvp/sw_bvp_impl.h"
#include "problem/fields/fields_sim_impl.h"
#include "problem/line/stepper/sw_stepper_impl.h"
#include "problem/sw_problem.h"
#include "problem/tridiagonal/matrices.h"

enum { MOST = 64 };
static const char folder[] = "configs/equations/", ending[] = ".cfg";

/* The text of a line of a comment; line: the beginning of the next one, out. */
static void read_comment(const char **line, const char *end, char *out, size_t size)
{
    const char *newline = memchr(*line, '\n', (size_t)(end - *line)), *stop = newline ? newline : end, *p = *line;
    while (p < stop && (*p == '/' || *p == ' ')) p++;
    snprintf(out, size, "%.*s", (int)(stop - p), p);
    *line = newline ? newline + 1 : end;
}

static struct cli_equation read_config(const struct sw_embedded *file)
{
    struct cli_equation e = {.begin = file->begin, .end = file->end};
    const char *name = file->name + strlen(folder), *line = file->begin;
    snprintf(e.name, sizeof e.name, "equation.%.*s", (int)(strlen(name) - strlen(ending)), name);
    read_comment(&line, e.end, e.about, sizeof e.about);
    read_comment(&line, e.end, e.formula, sizeof e.formula);
    read_comment(&line, e.end, e.formula, sizeof e.formula);
    return e;
}

/* Read when it is first asked for, by the one thread that reads the command line. */
const struct cli_equation *cli_equation(int k)
{
    static struct cli_equation all[MOST];
    static int count = -1;
    if (count < 0) {
        count = 0;
        for (const struct sw_embedded *file = sw_embedded; file->name && count < MOST; file++)
            if (!strncmp(file->name, folder, strlen(folder))) all[count++] = read_config(file);
    }
    return k < count ? &all[k] : NULL;
}

const char *cli_equation_short_name(const struct cli_equation *equation) { return strchr(equation->name, '.') + 1; }

/* ---- a table a kind of row */

static bool problem_row(int k, struct table_row *row)
{
    const struct sw_problem *p = sw_problem_table[k];
    if (p) *row = (struct table_row){p->name, p->title, p->equation, NULL};
    return p;
}

static bool equation_row(int k, struct table_row *row)
{
    const struct cli_equation *e = cli_equation(k);
    if (e) *row = (struct table_row){e->name, e->about, e->formula, NULL};
    return e;
}

static void equation_detail(int k, struct sw_text *text)
{
    const struct cli_equation *e = cli_equation(k);
    sw_text_printf(text, "%s\n`sweep init %s` prints a config of it.\n", e->formula, e->name);
}

/* Tables whose rows have a name, a line about them, and why they are absent. */
#define TABLE_OF_ROWS(function, table)                                                                   \
    static bool function(int k, struct table_row *row)                                                 \
    {                                                                                                    \
        if (table[k]) *row = (struct table_row){table[k]->name, table[k]->about, NULL, table[k]->absent}; \
        return table[k];                                                                                 \
    }
TABLE_OF_ROWS(stepper_row, sw_stepper_table)
TABLE_OF_ROWS(fields_row, fields_sim_table)
TABLE_OF_ROWS(band_row, sw_band_table)
TABLE_OF_ROWS(bvp_row, sw_bvp_table)
TABLE_OF_ROWS(tridiagonal_row, sw_tridiagonal_table)
TABLE_OF_ROWS(elliptic_row, sw_elliptic_table)
TABLE_OF_ROWS(fd_row, sw_fd_table)

/* ---- tridiagonal matrices */

static bool matrix_row(int k, struct table_row *row)
{
    const struct named_matrix *m = &tridiagonal_matrices[k];
    if (m->word) *row = (struct table_row){m->word, m->about, NULL, NULL};
    return m->word;
}

static void matrix_detail(int k, struct sw_text *text)
{
    static const char *const diagonal[] = {"lower", "main", "upper"};
    for (int d = 0; d < 3 && tridiagonal_matrices[k].diagonal[d]; d++)
        sw_text_printf(text, "%s: %s\n", diagonal[d], tridiagonal_matrices[k].diagonal[d]);
}

static bool banded_row(int k, struct table_row *row)
{
    const struct named_matrix *m = &banded_matrices[k];
    if (m->word) *row = (struct table_row){m->word, m->about, NULL, NULL};
    return m->word;
}

static void banded_detail(int k, struct sw_text *text)
{
    for (int d = 0; d < ENTRIES_DIAGONALS; d++)
        if (banded_matrices[k].diagonal[d])
            sw_text_printf(text, "%s: %s\n", banded_keys.name[d], banded_matrices[k].diagonal[d]);
}

/* ---- compact schemes, and what closes them at walls */

static bool scheme_row(int k, struct table_row *row)
{
    const struct sw_fd_scheme *s = sw_fd_schemes[k];
    if (s) *row = (struct table_row){s->name, s->about, NULL, NULL};
    return s;
}

static void add_fraction(struct sw_text *text, const char *before, const char *name, struct sw_fd_fraction f)
{
    if (!f.den || !f.num) return;
    sw_text_printf(text, "%s%s = %d", before, name, f.num);
    if (f.den != 1) sw_text_printf(text, "/%d", f.den);
}

static void scheme_detail(int k, struct sw_text *text)
{
    const struct sw_fd_scheme *s = sw_fd_schemes[k];
    char letter[2] = "a";
    if (s->any_alpha)
        sw_text_printf(text, "Its alpha is a key of the config; %d pair%s of points.\n", s->half_width,
                       s->half_width == 1 && s->higher_order ? "" : "s");
    if (s->higher_order)
        sw_text_printf(text, "Where alpha = %d/%d it is of order %d.\n", s->alpha.num, s->alpha.den, s->higher_order);
    if (!s->any_alpha) {
        sw_text_add(text, "In the terms of Lele");
        add_fraction(text, ": ", "alpha", s->alpha);
        add_fraction(text, ", ", "beta", s->beta);
        for (int p = 1; p <= s->half_width; p++, letter[0]++) add_fraction(text, ", ", letter, s->a[p]);
        sw_text_add(text, ".\n");
    }
    sw_text_add(text, "At the ends of an axis: ");
    sw_fd_add_boundaries(s, text);
    sw_text_add(text, ".\n");
}

/* Each name once, of whatever kinds of schemes. */
static const struct sw_fd_closure *closure_at(int k)
{
    for (int c = 0; sw_fd_closures[c]; c++) {
        bool first = true;
        for (int b = 0; b < c; b++) first &= strcmp(sw_fd_closures[b]->name, sw_fd_closures[c]->name) != 0;
        if (first && k-- == 0) return sw_fd_closures[c];
    }
    return NULL;
}

static bool closure_row(int k, struct table_row *row)
{
    static const char *const about[] = {
        "the axis is a circle: the first point comes again behind the last",
        "walls, with rows of these orders: at the wall, next to it, and inside",
        "walls: filters of lower order towards them; the value at the wall stays as it is"};
    const struct sw_fd_closure *c = k ? closure_at(k - 1) : NULL;
    if (k && !c) return false;
    *row = (struct table_row){c ? c->name : "periodic", about[!c ? 0 : c->kind == SW_FD_FILTER ? 2 : 1], NULL, NULL};
    return true;
}

/* "d1_c6 (alpha = 2 at the wall)" */
static void closure_detail(int k, struct sw_text *text)
{
    const struct sw_fd_closure *named = k ? closure_at(k - 1) : NULL;
    const char *comma = "Schemes that have it: ";
    for (int s = 0; sw_fd_schemes[s]; s++) {
        const struct sw_fd_closure *c = named ? sw_fd_closure_find(sw_fd_schemes[s], named->name) : NULL;
        if (named && !c) continue;
        sw_text_printf(text, "%s%s", comma, sw_fd_schemes[s]->name);
        if (c) add_fraction(text, " (", "alpha", c->alpha);
        if (c && c->alpha.num) sw_text_add(text, " at the wall)");
        comma = ", ";
    }
    sw_text_add(text, ".\n");
}

/* ---- */

/* Between processes, and between the devices of ranks. */
static const struct sw_comm_ops *transport(int k)
{
    for (int c = 0; sw_comm_table[c]; c++)
        if (sw_comm_table[c]->apart && k-- == 0) return sw_comm_table[c];
    for (int c = 0; sw_comm_device_table[c]; c++)
        if (k-- == 0) return sw_comm_device_table[c];
    return NULL;
}

static bool transport_row(int k, struct table_row *row)
{
    const struct sw_comm_ops *ops = transport(k);
    if (ops) *row = (struct table_row){ops->name, ops->about, NULL, ops->absent};
    return ops;
}

const struct cli_table cli_tables[] = {
    {"problems", "problems", "A problem", problem_row, NULL, false},
    {"equations", "equations", "An equation, problem = \"equation\"", equation_row, equation_detail, true},
    {"steppers", "steppers", "A stepper", stepper_row, NULL, false},
    {"steppers in two and three dimensions", "field_steppers", "A stepper of fields in two and three dimensions",
     fields_row, NULL, false},
    {"band solvers", "band_solvers", "A band solver, for \"cpu.plain+ROW\" and \"cuda.split+ROW\"", band_row, NULL,
     false},
    {"boundary value problems", "bvp_solvers", "A solver of boundary value problems", bvp_row, NULL, true},
    {"tridiagonal systems", "tridiagonal_solvers", "A solver of tridiagonal systems", tridiagonal_row, NULL, false},
    {"tridiagonal matrices", "matrices", "A tridiagonal matrix", matrix_row, matrix_detail, false},
    {"banded matrices", "banded_matrices", "A banded matrix", banded_row, banded_detail, false},
    {"elliptic problems", "elliptic_solvers", "A solver of elliptic problems", elliptic_row, NULL, true},
    {"compact finite differences", "difference_solvers", "A way to compute compact finite differences", fd_row, NULL,
     false},
    {"compact schemes", "schemes", "A compact scheme", scheme_row, scheme_detail, false},
    {"ends of an axis", "boundaries", "What the ends of an axis are", closure_row, closure_detail, false},
    {"ranks that work together", "transports", "How ranks send numbers to each other", transport_row, NULL, false},
    {0},
};
