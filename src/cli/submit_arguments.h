#ifndef SUBMIT_ARGUMENTS_H
#define SUBMIT_ARGUMENTS_H
/* The options of a submission as words, one a line, which the parser reads again: FILE.jobs/arguments. */
#include "cli/command_line.h"

/** The options of the jobs, those among them that other commands have, too. */
struct sw_job_options submit_job_options(const struct sw_cli *cli);

void submit_arguments_write(const struct sw_cli *cli, struct sw_text *text);

/** Where an option is given again, it counts instead of the stored one; the sweep and its shards stay. */
void submit_arguments_override(struct sw_cli *stored, const struct sw_cli *given);

struct submit_arguments {           /* from {0}; the options of a submission, as if typed                        */
    struct sw_cli *cli;          /* NULL: FILE was not submitted                                              */
    char   *config;              /* FILE.jobs/sweep.cfg                                                       */
    char  **argv;                /* what cli points into                                                      */
    struct sw_text words;
};
/** @param needed  that FILE was not submitted is a failure; else cli is NULL then
 * @return SW_E_IO there are none; SW_E_USAGE they are not what was written; to be closed in any case */
enum sw_status submit_arguments_read(const char *file, bool needed, struct submit_arguments *stored);
void submit_arguments_free(struct submit_arguments *stored, enum sw_status st);
#endif
