#ifndef COMPLETION_H
#define COMPLETION_H
/* `sweep completion SHELL` prints a script by which a shell completes commands, options and their values. All that the
 * script knows comes from the tables: cmd_completion.c goes through them and says what may stand for an argument,
 * completion_SHELL.c prints that as its shell reads it. */
#include "cli/command_line.h"

enum completion_kind {
    COMPLETE_NOTHING,  /* a number, an expression: the user's own                              */
    COMPLETE_WORDS,    /* these words                                                          */
    COMPLETE_KEYS,     /* these, each with a '=' and no space behind it                        */
    COMPLETE_FILES     /* files; words: their endings, ".cfg .h5"; none: any                   */
};

/* What a shell prints: begin, each option, middle, each command, end. */
struct completion_shell {
    const char *name;
    void (*begin)(void);
    /** @param words  what may stand for its argument, each with a space before it; kind NOTHING of one without */
    void (*option)(const struct cli_option *option, enum completion_kind kind, const char *words);
    void (*middle)(void);
    void (*command)(const struct cli_command *command, enum completion_kind kind, const char *words);
    void (*end)(void);
};
extern const struct completion_shell completion_bash, completion_zsh, completion_fish;

/** A text in single quotes, as bash and zsh read it. */
void completion_quote(const char *text);
/** " -o --output" of each option with an argument: those after which a word is no command. */
void completion_print_with_values(void);
/** " run check ..." */
void completion_print_commands(void);
#endif
