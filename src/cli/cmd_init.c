/* An example config: of a kind of problem, or of an equation of the catalogue. */
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_nearest_name.h"
#include "base/sw_text.h"
#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/tables.h"
#include "problem/sw_problem.h"

static enum sw_status unknown_name(const char *name)
{
    enum { MOST = 128 };
    const char *names[MOST];
    struct sw_text all = {0};
    int count = 0;
    for (; sw_problem_table[count] && count < MOST; count++) {
        names[count] = sw_problem_table[count]->name;
        sw_text_printf(&all, " %s", names[count]);
    }
    sw_text_add(&all, "; and these equations:");
    for (int k = 0; cli_equation(k) && count + 1 < MOST; k++) {
        names[count++] = cli_equation_short_name(cli_equation(k));
        names[count++] = cli_equation(k)->name;
        sw_text_printf(&all, " %s", cli_equation(k)->name);
    }
    const char *near = sw_nearest_name(name, names, count);
    if (near) SW_FAIL(SW_E_USAGE, "unknown problem '%s'; did you mean '%s'?", name, near);
    else SW_FAIL(SW_E_USAGE, "unknown problem '%s'; there are:%s", name, sw_text_get(&all));
    sw_text_free(&all);
    return SW_E_USAGE;
}

/* An equation by its name, or by the part of it behind the dot; NULL: none. */
static const struct cli_equation *find_equation(const char *name)
{
    const struct cli_equation *e;
    for (int k = 0; (e = cli_equation(k)); k++)
        if (!strcmp(e->name, name) || !strcmp(cli_equation_short_name(e), name)) return e;
    return NULL;
}

/* A problem's name is that of its example, even where an equation has it behind its dot. */
enum sw_status cmd_init(struct sw_cli *cli)
{
    const char *name = cli->narguments ? cli->argument[0] : "cahn_hilliard";
    const struct sw_problem *problem = sw_problem_find(name);
    const struct cli_equation *equation = find_equation(name);
    if (!problem && !equation) return unknown_name(name);
    if (!problem) {
        fwrite(equation->begin, 1, (size_t)(equation->end - equation->begin), stdout);
        return SW_OK;
    }
    fputs(problem->example, stdout);
    if (equation)
        console_message(cli, "note     this is the problem %s; `sweep init %s` prints the equation written out\n",
                        name, equation->name);
    return SW_OK;
}
