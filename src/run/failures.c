/* Runs that end badly, or with a note, as the last line of a sweep names them: a few one by one, many by their number
 * and times. The text does not depend on the order in which the runs were reported. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_text.h"
#include "run/run_impl.h"

/* What comes before a remark in brackets says what happened; the remark adds what differs from run to run. It follows
 * a blank: the brackets of formulas, as in -(p u')' and cos(x), do not. */
static void shorten(char text[NAMED_MESSAGE], const char *message)
{
    sw_fit(text, NAMED_MESSAGE, message);
    char *remark = strstr(text, " (");
    if (remark) *remark = 0;
}

void failure_list_add(struct named *n, int64_t run, double t, const char *message)
{
    int at = n->kept < NAMED_RUNS ? n->kept : NAMED_RUNS;
    n->first = n->count ? fmin(n->first, t) : t;  /* of a NaN and a number the number */
    n->last = n->count ? fmax(n->last, t) : t;
    n->count++;
    while (at > 0 && n->entry[at - 1].run > run) at--;
    if (at == NAMED_RUNS) return;
    const int moved = (n->kept < NAMED_RUNS ? n->kept : NAMED_RUNS - 1) - at;
    memmove(&n->entry[at + 1], &n->entry[at], (size_t)moved * sizeof *n->entry);
    n->entry[at].run = run;
    shorten(n->entry[at].message, message);
    if (n->kept < NAMED_RUNS) n->kept++;
}

/* "runs 12, 40: not finite at t = 0.31": consecutive entries of one message. */
static int add_alike(const struct named *n, int from, struct sw_text *text)
{
    int to = from + 1;
    while (to < n->kept && !strcmp(n->entry[to].message, n->entry[from].message)) to++;
    sw_text_printf(text, "%srun%s ", from ? "; " : "", to > from + 1 ? "s" : "");
    for (int k = from; k < to; k++) sw_text_printf(text, "%s%lld", k > from ? ", " : "", (long long)n->entry[k].run);
    sw_text_printf(text, ": %s", n->entry[from].message);
    return to;
}

void failure_list_print(const struct named *n, char text[NAMED_ROOM])
{
    struct sw_text all = {0};
    const bool each = n->count <= NAMED_RUNS;
    for (int k = 0; k < n->kept && each;) k = add_alike(n, k, &all);
    if (!each && n->last > n->first) sw_text_printf(&all, "t = %.4g … %.4g", n->first, n->last);
    else if (!each && n->last > 0) sw_text_printf(&all, "t = %.4g", n->last);
    else if (!each)
        sw_text_printf(&all, "the first of %lld, run %lld: %s", (long long)n->count, (long long)n->entry[0].run,
                       n->entry[0].message);
    sw_fit(text, NAMED_ROOM, sw_text_get(&all));
    sw_text_free(&all);
}
