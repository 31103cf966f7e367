#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H
/* The command line, parsed: the commands and the options, which drive the parser, --help and the completion of shells,
 * and struct sw_cli, which holds what was given and how to print. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_report.h"
#include "base/sw_text.h"
#include "cli/sw_cli.h"
#include "comm/sw_comm.h"

/* The commands, one row each: CLI_<BIT> of the options that belong to it, its name, which is that of cmd_<name>() in
 * cmd_<name>.c too (cmd_resume() is in cmd_run.c), its arguments, how many of them, what it does. */
enum { CLI_MANY = 1 << 20 };
#define CLI_COMMANDS(X) \
    X(RUN,     run,     "CONFIG...",        1, CLI_MANY, "run a sweep, or continue an interrupted one")            \
    X(CHECK,   check,   "CONFIG...",        1, CLI_MANY, "validate, compile and plan; write nothing")              \
    X(STATUS,  status,  "FILE|CONFIG",      1, 1,        "how far a sweep is, and each of its shards")             \
    X(RESUME,  resume,  "FILE",             1, 1,        "continue the sweep that is stored in an output file")    \
    X(ASK,     ask,     "CONFIG",           1, 1,        "compute rows of parameters as standard input asks for them") \
    X(SHOW,    show,    "FILE",             1, 1,        "the table of runs and error norms")                      \
    X(PLOT,    plot,    "FILE",             1, 1,        "draw a picture of an output file")                       \
    X(REPORT,  report,  "FILE",             1, 1,        "write a page with all of an output file, for a browser")    \
    X(VERIFY,  verify,  "FILE...",          1, CLI_MANY, "compare files with the checksums they were written with")    \
    X(XDMF,    xdmf,    "FILE",             1, 1,        "write FILE.xdmf, through which ParaView opens its fields")  \
    X(SUBMIT,  submit,  "CONFIG [-- SBATCH...]", 0, 1,   "submit a sweep to Slurm: shards, or one job over nodes") \
    X(MERGE,   merge,   "PART... -o FILE",  1, CLI_MANY, "join the files of shards")                               \
    X(BENCH,   bench,   "SPEC...",          1, CLI_MANY, "verify, then time rows of the tables side by side")      \
    X(INIT,    init,    "[NAME]",           0, 1,        "print a commented config of a problem or an equation")   \
    X(EXPLAIN, explain, "[WORD]",           0, 1,        "what a word of a config means: a key, a scheme, ...")   \
    X(LIST,    list,    "",                 0, 0,        "problems, steppers, solvers and devices of this program") \
    X(HELP,    help,    "[COMMAND]",        0, 1,        "what a command does, its arguments and its options") \
    X(COMPLETION, completion, "SHELL",      1, 1,        "print what completes commands and options in bash or zsh")

enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER };

/* Words that an option takes, as help lists them. A shell completes the same. */
#define CLI_WHEN_WORDS "auto, always or never"
#define CLI_TRUST_WORDS "nobody, group or anyone"
#define CLI_KIND_WORDS "convergence, lines, spacetime, image, film, slice, curves or heatmap"

/* Which commands an option belongs to: CLI_RUN, CLI_CHECK, ... */
#define X(bit, name, arguments, least, most, about) CLI_NUMBER_##bit,
enum { CLI_COMMANDS(X) CLI_COMMAND_COUNT };
#undef X
#define X(bit, name, arguments, least, most, about) CLI_##bit = 1 << CLI_NUMBER_##bit,
enum { CLI_COMMANDS(X) CLI_ANY = (1 << CLI_COMMAND_COUNT) - 1 };
#undef X
enum { CLI_RUNS = CLI_RUN | CLI_CHECK | CLI_RESUME };
enum { CLI_KEPT = 1 << CLI_COMMAND_COUNT };  /* of an option of submit: its jobs have it, too, and --missing keeps it */

struct cli_given { const struct cli_option *option; const char *value; };

struct cli_job {                        /* what a job of submit gets; 0 or NULL: not given                   */
    int         cpus, gpus;             /* of a shard: CPUs, else 1; 1 + its GPUs                            */
    int         max_parallel;           /* shards at a time; else no limit                                   */
    int         nodes;                  /* of the one job that takes the place of shards                     */
    int         node_gpus, node_ranks;  /* of each of its nodes, a process for each                          */
    int         rank_cpus;              /* CPUs of each process, else 1                                      */
    const char *partition, *account;    /* as sbatch takes them                                              */
    const char *trust;                  /* as `sweep run` takes it                                           */
    char      **passed;                 /* [npassed] further arguments of sbatch, behind --; borrowed from argv */
    int         npassed;
};

struct sw_cli {
    const struct cli_command *command;  /* help, with --help and --version                                   */
    const struct cli_command *help_of;  /* the command with which --help was given; NULL: none               */
    char       *command_line;
    char      **argument;               /* [narguments] what is no option; borrowed from argv                */
    int         narguments;

    struct cli_given *given;            /* [ngiven] the options as typed, values borrowed from argv          */
    int         ngiven;
    const char **override;              /* [noverrides] -s                                                   */
    int         noverrides;
    char       *solver_override;        /* --solver ROW as `solver="ROW"`                                    */
    int         solver_option;          /* its number among override[], from 1; 0: no --solver               */
    int         stored_overrides;       /* of the output file that is read: so many overrides come before these */
    const char *output, *device, *only, *log_path, *run, *status, *kind, *of, *time, *at, *over, *where,
               *log_axes, *xlim, *ylim, *clim, *size, *dpi, *style, *rows, *baseline,
               *missing;                /* NULL: not given                                                   */
    int         shards;                 /* 0: not given                                                      */
    struct cli_job job;
    int         threads;                /* 0: all                                                            */
    int         repeats;                /* 0: not given                                                      */
    double      longest;                /* seconds; 0: not given                                             */
    int         shard, nshards;         /* 0, 0: none                                                        */
    double      max_seconds;            /* 0: no limit                                                       */
    double      deadline;               /* value of sw_clock() then; 0: none                                 */
    bool        fail_fast, force, dry_run, quiet, verbose, list, csv, json, retry_failed, markdown, man,
                help, version, print, watch, equations, statistics;
    enum cli_when progress, color;

    bool        terminal;               /* stderr is one                                                     */
    bool        utf8;                   /* the terminal's locale is UTF-8                                    */
    bool        colored;                /* messages on stderr have colours                                   */
    bool        bar;                    /* a progress bar may be drawn on stderr                             */
    int         exit_code;              /* of a command that ended without a failure                         */
    struct sw_report report;            /* of the config being read; console_report() prints and empties it  */
    struct event_log *log;              /* --log-json; NULL: none                                            */
    struct sw_text *notes;              /* of check --json, while they are collected                         */

    /* the processes that mpirun has started (dispatch.c) */
    const struct sw_comm *comm;         /* of all of them; sw_comm_null() for a single process               */
    char      (*host)[64];              /* [comm->size] host name of each rank; NULL: a single process       */
    int         hosts;                  /* different ones among them                                         */
    int         local_rank, local_ranks;  /* number of this process among those of its host, and how many    */
    int         processors, bound;      /* that the ranks of this host may use together, and this one alone  */
    bool        muted;                  /* not rank 0, which alone prints                                    */
    bool        reported;               /* rank 0 knows what came of this process: it reports the failure    */
};

struct cli_command {
    const char *name, *arguments;       /* "run", "CONFIG..."                                                */
    const char *about;                  /* one line                                                          */
    unsigned    bit;
    int         least, most;            /* arguments                                                         */
};
extern const struct cli_command cli_command_table[];  /* ends with name NULL */
const struct cli_command *cli_command_find(const char *name);
const char *cli_command_near(const char *word);       /* the nearest name; NULL: none is near */

struct cli_option {
    int         letter;                 /* 's'; 0: none                                                      */
    const char *name;                   /* "set"                                                             */
    const char *argument;               /* "KEY=VALUE"; NULL: a flag                                         */
    unsigned    commands;
    const char *about;
    size_t      offset;                 /* in struct sw_cli: a bool, or a const char * if there is an argument */
    enum sw_status (*set)(struct sw_cli *cli, const char *value);  /* instead of offset                      */
};
extern const struct cli_option cli_option_table[];    /* ends with name NULL */

void cli_free(struct sw_cli **cli);                   /* what sw_cli_parse() has made; NULL and *NULL are fine */

#define X(bit, name, arguments, least, most, about) enum sw_status cmd_##name(struct sw_cli *cli);
CLI_COMMANDS(X)
#undef X
#endif
