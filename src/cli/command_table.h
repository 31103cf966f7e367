#ifndef COMMAND_TABLE_H
#define COMMAND_TABLE_H
/* The subcommands, one row each: CLI_<BIT> of the options that belong to it, its name, which is that of cmd_<name>() in
 * cmd_<name>.c too, its arguments, how many of them, what it does. */
enum { CLI_MANY = 1 << 20 };
#define CLI_COMMANDS(X) \
    X(RUN,     run,     "CONFIG...",        1, CLI_MANY, "run a sweep, or continue an interrupted one")            \
    X(CHECK,   check,   "CONFIG...",        1, CLI_MANY, "validate, compile and plan; write nothing")              \
    X(STATUS,  status,  "FILE|CONFIG",      1, 1,        "how far a sweep is, and each of its shards")             \
    X(RESUME,  resume,  "FILE",             1, 1,        "continue the sweep that is stored in an output file")    \
    X(SHOW,    show,    "FILE",             1, 1,        "the table of runs and error norms")                      \
    X(PLOT,    plot,    "FILE",             1, 1,        "draw a picture of an output file")                       \
    X(VERIFY,  verify,  "FILE...",          1, CLI_MANY, "compare files with the checksums they were written with")    \
    X(XDMF,    xdmf,    "FILE",             1, 1,        "write FILE.xdmf, through which ParaView opens its fields")  \
    X(SUBMIT,  submit,  "CONFIG [-- SBATCH...]", 0, 1,   "submit a sweep to Slurm: an array of shards, then a merge")  \
    X(MERGE,   merge,   "PART... -o FILE",  1, CLI_MANY, "join the files of shards")                               \
    X(BENCH,   bench,   "SPEC...",          1, CLI_MANY, "verify, then time rows of the tables side by side")      \
    X(INIT,    init,    "[NAME]",           0, 1,        "print a commented config of a problem or an equation")   \
    X(EXPLAIN, explain, "[WORD]",           0, 1,        "what a word of a config means: a key, a scheme, ...")   \
    X(LIST,    list,    "",                 0, 0,        "problems, steppers, solvers and devices of this program") \
    X(HELP,    help,    "[COMMAND]",        0, 1,        "what a command does, its arguments and its options") \
    X(COMPLETION, completion, "SHELL",      1, 1,        "print what completes commands and options in bash or zsh")
#endif
