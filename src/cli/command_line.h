#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H
/* The command line, parsed: the commands (command_table.h, one file cmd_*.c each), the options (option_table.c), and
 * struct sw_cli, which holds what was given and how to print. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_report.h"
#include "base/sw_text.h"
#include "cli/command_table.h"
#include "cli/sw_cli.h"
#include "comm/sw_comm.h"
#include "cli/jobs/sw_submit.h"

enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER };

/* Words that an option takes, as help lists them. A shell completes the same. */
#define CLI_WHEN_WORDS "auto, always or never"
#define CLI_TRUST_WORDS "nobody, group or anyone"
#define CLI_KIND_WORDS "convergence, lines, spacetime, slice, curves or heatmap"

/* Which commands an option belongs to: CLI_RUN, CLI_CHECK, ... */
#define X(bit, name, arguments, least, most, about) CLI_NUMBER_##bit,
enum { CLI_COMMANDS(X) CLI_COMMAND_COUNT };
#undef X
#define X(bit, name, arguments, least, most, about) CLI_##bit = 1 << CLI_NUMBER_##bit,
enum { CLI_COMMANDS(X) CLI_ANY = (1 << CLI_COMMAND_COUNT) - 1 };
#undef X
enum { CLI_RUNS = CLI_RUN | CLI_CHECK | CLI_RESUME };

struct sw_cli {
    const struct cli_command *command;  /* NULL: none was named                                              */
    char       *command_line;
    char      **argument;               /* [narguments] what is no option; borrowed from argv                */
    int         narguments;

    const char **override;              /* [noverrides] -s                                                   */
    int         noverrides;
    char       *solver_override;        /* --solver ROW as `solver="ROW"`                                    */
    const char *output, *device, *only, *log_path, *run, *status, *kind, *of, *time, *at, *over,
               *log_axes, *xlim, *ylim, *clim, *size, *dpi, *style, *rows, *baseline,
               *missing;                /* NULL: not given                                                   */
    int         shards;                 /* 0: not given                                                      */
    struct sw_job_options job;          /* of submit; passed: what follows --, borrowed from argv            */
    int         threads;                /* 0: all                                                            */
    int         repeats;                /* 0: not given                                                      */
    double      longest;                /* seconds; 0: not given                                             */
    int         shard, nshards;         /* 0, 0: none                                                        */
    double      max_seconds;            /* 0: no limit                                                       */
    double      deadline;               /* value of sw_clock() then; 0: none                                 */
    bool        fail_fast, force, dry_run, quiet, verbose, list, csv, json, retry_failed, markdown, man,
                help, version, print, watch, equations;
    enum cli_when progress, color;

    bool        terminal;               /* stderr is one                                                     */
    bool        utf8;                   /* the terminal's locale is UTF-8                                    */
    bool        colored;                /* messages on stderr have colours                                   */
    bool        bar;                    /* a progress bar may be drawn on stderr                             */
    int         exit_code;              /* of a command that ended without a failure                         */
    struct sw_report report;            /* of the config being read; console_report() prints and empties it  */
    struct event_log *log;              /* --log-json; NULL: none                                            */
    struct sw_text *notes;              /* of check --json, while they are collected                         */

    /* the processes that mpirun has started (multi_process.c) */
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
    enum sw_status (*perform)(struct sw_cli *cli);
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

int cli_exit_code(enum sw_status st);                 /* of the program, after a command that returned st */

#define X(bit, name, arguments, least, most, about) enum sw_status cmd_##name(struct sw_cli *cli);
CLI_COMMANDS(X)
#undef X
#endif
