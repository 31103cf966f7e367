#ifndef COMPLETION_H
#define COMPLETION_H
/* `sweep completion SHELL` prints a script by which a shell completes commands, options and their values. All it knows
 * is of the tables: cmd_completion.c says what may stand for an argument, completion_SHELL.c writes the script. */
#include "cli/command_line.h"

enum completion_kind {
    COMPLETE_NOTHING,  /* a number, an expression: the user's own                              */
    COMPLETE_WORDS,    /* these words                                                          */
    COMPLETE_KEYS,     /* these, each with a '=' and no space behind it                        */
    COMPLETE_FILES     /* files; words: their endings, ".cfg .h5"; none: any                   */
};

/** What may stand for an argument of an option, "DEVICE", or of a command, "[PROBLEM]".
 * @param words  out: added to, each with a space before it */
enum completion_kind completion_of_option(const struct cli_option *option, struct sw_text *words);
enum completion_kind completion_of_command(const struct cli_command *command, struct sw_text *words);

/** A text in single quotes, as bash and zsh read it, and fish. */
void completion_quote(const char *text);

void completion_bash(void);
void completion_zsh(void);
void completion_fish(void);
#endif
