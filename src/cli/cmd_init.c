#include <stdio.h>
#include <string.h>

#include "base/sw_nearest_name.h"
#include "base/sw_text.h"
#include "cli/command_line.h"
#include "problem/sw_problem.h"

static enum sw_status unknown_problem(const char *name)
{
    const char *names[64];
    struct sw_text all = {0};
    int count = 0;
    for (; sw_problem_table[count] && count < 64; count++) {
        names[count] = sw_problem_table[count]->name;
        sw_text_printf(&all, " %s", names[count]);
    }
    const char *near = sw_nearest_name(name, names, count);
    SW_FAIL(SW_E_USAGE, "unknown problem '%s'%s%s%s; there are:%s", name, near ? "; did you mean '" : "",
            near ? near : "", near ? "'?" : "", sw_text_get(&all));
    sw_text_free(&all);
    return SW_E_USAGE;
}

enum sw_status cmd_init(struct sw_cli *cli)
{
    const char *name = cli->narguments ? cli->argument[0] : "cahn_hilliard";
    const struct sw_problem *problem = sw_problem_find(name);
    if (!problem) return unknown_problem(name);
    fputs(problem->example, stdout);
    return SW_OK;
}
