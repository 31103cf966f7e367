/* The key `solver`: a row's name, "auto", or an axis of such words. */
#include <stdio.h>
#include <string.h>

#include "base/sw_near.h"
#include "sweep/expand_impl.h"

/* solver = "$axis" */
static void check_axis(const struct sw_sweep *s)
{
    const char *name = s->own->solver + 1;
    if (s->own->solver[0] != '$') return;
    for (int k = 0; k < s->naxis; k++)
        if (!strcmp(s->own->axis[k].name, name) && (s->own->axis[k].word || !s->own->axis[k].count)) return;
    report_error(s, key_setting(s, s->own->row->path), "'%s' = \"$%s\": the sweep has no axis of words '%s'",
                    key_written(s, s->own->row), name, name);
}

enum { MOST_SOLVERS = 64 };

/* A solver that is a row of no table, of this build or another, is a slip of the pen: what stands before a '+'. */
static void check_name(const struct sw_sweep *s, const struct sw_setting *at, const char *path, const char *name)
{
    const char *known[MOST_SOLVERS];
    char row[64];
    int n = 0;
    snprintf(row, sizeof row, "%.*s", (int)strcspn(name, "+"), name);
    for (; n < MOST_SOLVERS && (known[n] = s->problem->solver(n)); n++)
        if (!strcmp(known[n], row)) return;
    const char *near = sw_near(row, known, n);
    if (near)
        report_error(s, at, "'%s' = \"%s\": there is no such row; did you mean '%s%s'?", path, name, near,
                        name + strcspn(name, "+"));
    else report_error(s, at, "'%s' = \"%s\": there is no such row; `sweep list` shows those there are", path, name);
}

static void check_names(const struct sw_sweep *s)
{
    char path[80];
    const char *name = s->own->solver;
    if (!s->problem->solver || !*name || !strcmp(name, "auto")) return;
    if (*name != '$') check_name(s, key_setting(s, s->own->row->path), key_written(s, s->own->row), name);
    for (int k = 0; *name == '$' && k < s->naxis; k++) {
        const struct axis *a = &s->own->axis[k];
        if (strcmp(a->name, name + 1) || !a->word) continue;
        snprintf(path, sizeof path, "sweep.%s", a->name);
        for (int64_t j = 0; j < a->count; j++)
            if (strcmp(a->word[j], "auto")) check_name(s, a->setting, path, a->word[j]);
    }
}

void solver_check(const struct sw_sweep *s)
{
    check_axis(s);
    check_names(s);
}
