#ifndef SUBMIT_WORDS_H
#define SUBMIT_WORDS_H
/* The options of a submission as words, one a line, which the parser reads again: FILE.jobs/arguments. */
#include "cli/cli_impl.h"

void submit_words(const struct sw_cli *cli, struct sw_text *text);

/** Where an option is given again, it counts instead of the stored one; the sweep and its shards stay. */
void submit_words_override(struct sw_cli *stored, const struct sw_cli *given);

struct submit_stored {           /* from {0}; the options of a submission, as if typed                        */
    struct sw_cli *cli;          /* NULL: FILE was not submitted                                              */
    char   *config;              /* FILE.jobs/sweep.cfg                                                       */
    char  **argv;                /* what cli points into                                                      */
    struct sw_text words;
};
/** @param needed  that FILE was not submitted is a failure; else cli is NULL then
 * @return SW_E_IO there are none; SW_E_USAGE they are not what was written; to be closed in any case */
enum sw_status submit_stored_open(const char *file, bool needed, struct submit_stored *stored);
void submit_stored_close(struct submit_stored *stored, enum sw_status st);
#endif
