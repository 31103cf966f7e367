/* What a problem has to say about the runs that are planned: about their set-ups, and about the numbers of one of
 * them. */
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cli/cli_impl.h"

/* Of so many runs of a group, evenly spread. */
enum { LOOKED_AT = 256 };

/* The first caution about a run of the group, "" if there is none, or memory is out. */
static void caution(const struct cli_sweep *s, const struct sw_group *group, char text[200])
{
    const struct sw_sweep *sweep = s->sweep;
    const struct sw_setup setup = sw_sweep_setup(sweep, group, 1);
    const int64_t looked_at = group->count < LOOKED_AT ? group->count : LOOKED_AT;
    double *column;
    text[0] = 0;
    if (!sweep->problem->caution || sw_alloc((size_t)sweep->ncolumn, &column)) return;
    for (int64_t k = 0; k < looked_at && !*text; k++) {
        const int64_t *run = &group->run[k * group->count / looked_at];
        char what[200] = "", axes[100];
        if (sw_sweep_columns(sweep, run, 0, 1, column) || sweep->problem->caution(&setup, 1, column, 0, what)) break;
        sw_sweep_describe(sweep, *run, axes, sizeof axes);
        if (*what) snprintf(text, 200, "%.150s%s%.40s%s", what, *axes ? " (" : "", axes, *axes ? ")" : "");
    }
    sw_free(column);
}

/* Each text once, however the groups that it is about alternate. */
static bool is_new(struct sw_text *said, const char *text)
{
    char line[210];
    snprintf(line, sizeof line, "\n%s\n", text);
    if (said->length && strstr(sw_text_get(said), line)) return false;
    sw_text_printf(said, "%s", line);
    return true;
}

void cli_remarks(const struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *plan,
                 void (*say)(const struct sw_cli *cli, const char *fmt, ...))
{
    char text[200], warning[200] = "";
    struct sw_text said = {0};
    bool cautioned = false;
    for (int g = 0; g < plan->ngroup; g++) {
        struct sw_setup setup = sw_sweep_setup(s->sweep, &plan->group[g], 1);
        text[0] = 0;
        if (s->sweep->problem->remark) s->sweep->problem->remark(s->sweep->problem, &setup, text);
        if (*text && is_new(&said, text)) say(cli, "note     %s\n", text);
        if (!cautioned) caution(s, &plan->group[g], warning);
        if (*warning && !cautioned) say(cli, "note     %s\n", warning);
        cautioned |= *warning != 0;
    }
    sw_text_free(&said);
}
