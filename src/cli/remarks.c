/* What a problem has to say about the accuracy of the runs that are planned. */
#include <string.h>

#include "cli/cli_impl.h"

void cli_remarks(const struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *plan,
                 void (*say)(const struct sw_cli *cli, const char *fmt, ...))
{
    char last[200] = "", text[200];
    for (int g = 0; g < plan->ngroup; g++) {
        struct sw_setup setup = sw_sweep_setup(s->sweep, &plan->group[g], 1);
        text[0] = 0;
        if (s->sweep->problem->remark) s->sweep->problem->remark(s->sweep->problem, &setup, text);
        if (*text && strcmp(text, last)) say(cli, "note     %s\n", text);
        memcpy(last, text, sizeof last);
    }
}
