#include "run/failure_list.h"

#include <math.h>
#include <string.h>

#include "base/sw_text.h"

/* The text before a remark in brackets says what happened; the remark adds what differs from run to run. A remark
 * follows a blank: the brackets of formulas, as in -(p u')' and cos(x), do not. */
static void cut_remark(char text[NAMED_MESSAGE], const char *message)
{
    sw_text_shorten(text, NAMED_MESSAGE, message);
    char *remark = strstr(text, " (");
    if (remark) *remark = 0;
}

void failure_list_add(struct failure_list *n, int64_t run, double t, const char *message)
{
    int slot = n->kept < NAMED_RUNS ? n->kept : NAMED_RUNS;
    n->first = n->count ? fmin(n->first, t) : t;  /* of a NaN and a number the number */
    n->last = n->count ? fmax(n->last, t) : t;
    n->count++;
    while (slot > 0 && n->entry[slot - 1].run > run) slot--;
    if (slot == NAMED_RUNS) return;
    const int moved = (n->kept < NAMED_RUNS ? n->kept : NAMED_RUNS - 1) - slot;
    memmove(&n->entry[slot + 1], &n->entry[slot], (size_t)moved * sizeof *n->entry);
    n->entry[slot].run = run;
    cut_remark(n->entry[slot].message, message);
    if (n->kept < NAMED_RUNS) n->kept++;
}

/* "runs 12, 40: not finite at t = 0.31": the consecutive entries with one message. @return the entry after them */
static int print_same_message(const struct failure_list *n, int from, struct sw_text *text)
{
    int to = from + 1;
    while (to < n->kept && !strcmp(n->entry[to].message, n->entry[from].message)) to++;
    sw_text_printf(text, "%srun%s ", from ? "; " : "", to > from + 1 ? "s" : "");
    for (int k = from; k < to; k++) sw_text_printf(text, "%s%lld", k > from ? ", " : "", (long long)n->entry[k].run);
    sw_text_printf(text, ": %s", n->entry[from].message);
    return to;
}

void failure_list_print(const struct failure_list *n, struct sw_text *text)
{
    const bool each = n->count <= NAMED_RUNS;
    for (int k = 0; k < n->kept && each;) k = print_same_message(n, k, text);
    if (!each && n->last > n->first) sw_text_printf(text, "t = %.4g … %.4g", n->first, n->last);
    else if (!each && n->last > 0) sw_text_printf(text, "t = %.4g", n->last);
    else if (!each)
        sw_text_printf(text, "the first of %lld, run %lld: %s", (long long)n->count, (long long)n->entry[0].run,
                       n->entry[0].message);
}
