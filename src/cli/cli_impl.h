#ifndef CLI_IMPL_H
#define CLI_IMPL_H
/* What the subcommands share. One file a subcommand (cmd_*.c), one row in command_table.h; the options they take
 * are rows of option_table.c. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/sw_json.h"
#include "base/sw_report.h"
#include "base/sw_text.h"
#include "cli/command_table.h"
#include "cli/sw_cli.h"
#include "run/sw_run_sweep.h"
#include "jobs/sw_submit.h"

enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER };

/* Which commands an option belongs to: CLI_RUN, CLI_CHECK, ... */
#define X(bit, name, arguments, least, most, about) CLI_NUMBER_##bit,
enum { CLI_COMMANDS(X) CLI_COMMAND_COUNT };
#undef X
#define X(bit, name, arguments, least, most, about) CLI_##bit = 1 << CLI_NUMBER_##bit,
enum { CLI_COMMANDS(X) CLI_ANY = (1 << CLI_COMMAND_COUNT) - 1 };
#undef X
enum { CLI_RUNS = CLI_RUN | CLI_CHECK | CLI_RESUME };

struct sw_cli {                         /* what was typed, and how to talk                                   */
    const struct cli_command *command;  /* NULL: none was named                                              */
    char       *command_line;
    char      **argument;               /* [narguments] what is no option; borrowed from argv                */
    int         narguments;

    const char **override;              /* [noverrides] -s                                                   */
    int         noverrides;
    char       *solver_override;        /* --solver ROW as `solver="ROW"`                                    */
    const char *output, *device, *only, *log_path, *run, *status, *kind, *of, *time, *over,
               *log_axes, *xlim, *ylim, *clim, *size, *dpi, *style, *rows, *baseline,
               *missing;                /* NULL: not given                                                   */
    int         shards;                 /* 0: not given                                                      */
    struct sw_job_options job;          /* of submit; passed: what follows --, borrowed from argv            */
    int         threads;                /* 0: all                                                            */
    int         repeats;                /* 0: not given                                                      */
    double      longest;                /* seconds; 0: not given                                             */
    int         shard, nshards;         /* 0, 0: none                                                        */
    double      max_seconds;            /* 0: no limit                                                       */
    double      deadline;               /* sw_clock() then; 0: none                                          */
    bool        fail_fast, force, as_virtual, dry_run, quiet, verbose, list, csv, json, retry_failed, markdown, man,
                help, version, print, watch;
    enum cli_when progress, color;

    bool        terminal;               /* stderr is one                                                     */
    bool        utf8;                   /* the terminal's locale is UTF-8                                    */
    bool        colored;                /* of stderr                                                         */
    bool        bar;                    /* a progress bar may be drawn on stderr                             */
    int         exit_code;              /* of a command that ended without a failure                         */
    struct sw_report report;            /* of the config being read; printed and emptied by cli_report()     */
    struct cli_log *log;                /* --log-json; NULL: none                                            */
    struct sw_text *notes;              /* of check --json, while they are collected                         */

    /* the processes that mpirun has started (together.c) */
    const struct sw_comm *comm;         /* of all of them; of this one alone where it is                     */
    char      (*host)[64];              /* [comm->size]; NULL: alone                                         */
    int         machines, mate, mates;  /* on how many they are; which of how many on its own it is          */
    int         processors, bound;      /* that those on this machine may use, all together, and this one    */
    bool        silent, told;           /* not the first, which alone speaks; what came of it here, it knows */
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
const char *cli_command_near(const char *word);       /* the name that was meant; NULL: none is near */

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

void cli_help(const struct cli_command *command);     /* NULL: of all; on stdout */
void cli_version(void);

/* ---- talking (narrate.c). Text is UTF-8; on another terminal the few signs we use are spelt in ASCII. */
/** On stderr, unless -q. */
void cli_say(const struct sw_cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** On stdout. */
void cli_print(const struct sw_cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cli_put(const struct sw_cli *cli, FILE *to, const char *text);
void cli_csv(FILE *to, const char *text);              /* a cell of a CSV table            */
void cli_report(struct sw_cli *cli);                  /* print what the report holds, empty it     */
bool cli_locale_is_utf8(void);

/* ---- figures as people read them (figures.c); each returns text */
const char *cli_bytes(double bytes, char text[24]);      /* "27 MB"              */
const char *cli_memory(double bytes, char text[24]);     /* "0.6 GiB"            */
const char *cli_duration(double seconds, char text[24]); /* "00:01", "1:02:03"   */
const char *cli_about(double seconds, char text[24]);    /* "0.4 s", "12 min"    */

/* ---- a sweep, read and expanded (open.c) */
struct cli_sweep {                      /* free with cli_sweep_close()                                       */
    struct sw_config *config;
    struct sw_sweep  *sweep;
    uint64_t         *id;               /* [sweep->nruns], of the whole sweep                                */
    int64_t          *run;              /* [count] the runs asked for, by --only and --shard                 */
    int64_t           count;
    char             *file;             /* the output                                                        */
};
enum sw_status cli_sweep_open(struct sw_cli *cli, const char *path, struct cli_sweep *s);
/** The sweep stored in an output file. @param completed  of that file */
enum sw_status cli_sweep_stored(struct sw_cli *cli, const char *file, const struct sw_completed *completed,
                                struct cli_sweep *s);
/** Where an output that was named so lies: a symbolic link is followed, not replaced. Free with sw_free().
 * @return SW_E_USAGE it names a folder; SW_E_IO, SW_E_MEMORY */
enum sw_status cli_output_file(const char *path, char **file);
void cli_sweep_close(struct cli_sweep *s);
/** A summary for people: "cahn_hilliard · 1024 runs = a(32) × v(4) × seed(8) · id 9f2c41d07ab3". */
void cli_sweep_headline(const struct cli_sweep *s, struct sw_text *text);
/** -v: every setting with its unit, and whether it was given. */
void cli_settings(struct sw_cli *cli, const struct cli_sweep *s);
/* What a batch takes beside its steps, in ms: its part of the file, written and joined with the others. Measured with
 * 600 and 2,000 parts of a few kB, most of it in HDF5; a slow disk takes more. */
enum { CLI_BATCH_MS = 20 };

/** Remarks on what is planned, cli_room() and on its accuracy, each once: by cli_say or cli_print. */
void cli_remarks(const struct sw_cli *cli, const struct cli_sweep *s, const struct sw_plan *plan,
                 void (*say)(const struct sw_cli *cli, const char *fmt, ...));

/** A note where what is planned has no room on the disk of its file, or may not be written there: by cli_say or
 * cli_print. */
void cli_room(const struct sw_cli *cli, const struct sw_plan *plan, const char *file,
              void (*say)(const struct sw_cli *cli, const char *fmt, ...));

enum sw_status cli_completed(struct sw_cli *cli, const char *file,
                             struct sw_completed **completed); /* warnings printed */
/** Warnings of src/jobs are printed as they come up. */
struct sw_warnings cli_warnings(struct sw_cli *cli);
/** Where to compute the runs that are asked for and not in `completed`: not on more devices than they make batches.
 * @param users  out: how many processes share a device; NULL: this one takes all */
enum sw_status cli_devices(const struct sw_cli *cli, const struct cli_sweep *s, const struct sw_completed *completed,
                           struct sw_devices *devices, int *users);
/** "NVIDIA H200"; of several "4 × NVIDIA H200 (cuda:0, cuda:1, cuda:2, cuda:3)" */
void cli_devices_name(const struct sw_devices *devices, struct sw_text *text);
double cli_devices_memory(const struct sw_devices *devices);  /* of the one that has least */

/** The output of a finished sweep: write its .xdmf if that is asked for or one is there, or remove one that has no
 * fields to tell of any more (cmd_xdmf.c). */
enum sw_status cli_xdmf(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file);

/** Lines "next     sweep ..." about a result that is there: commands that can be typed as they stand (suggest.c). */
void cli_suggest(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file);

/* ---- several processes (together.c). All but the first of these are collective, and trivial for a process that is
 * alone. */
/** Perform a command: by all processes, those that run a sweep; by the first of them, others. */
enum sw_status cli_together(struct sw_cli *cli, enum sw_status (*perform)(struct sw_cli *cli));
/** @param what  "another config": what has to be the same for all, and has this digest @return SW_E_REFUSED */
enum sw_status cli_alike(const struct sw_cli *cli, const char *what, uint64_t digest);
uint64_t cli_sweep_digest(const struct cli_sweep *s);         /* of the runs asked for, and the file */
uint64_t cli_completed_digest(const struct sw_completed *completed);
/** The status of the first process, to those that have no failure of their own. */
enum sw_status cli_first_says(const struct sw_cli *cli, enum sw_status st);
bool cli_anybody(const struct sw_cli *cli, bool here);        /* whether it is so for any of them    */
/** @param devices, users  of this process: its devices, how many processes share one */
enum sw_status cli_plan_with(const struct sw_cli *cli, int devices, int users, struct sw_plan_sharing *sharing);

/* What run, check and resume share. */
void cli_begin(struct sw_cli *cli);      /* the clock of --max-time starts, signals ask for a clean stop */
enum sw_status cli_execute(struct sw_cli *cli, struct cli_sweep *s);
enum sw_status cli_check(struct sw_cli *cli, struct cli_sweep *s);
int cli_code(enum sw_status st);         /* the exit code of the program */

/* ---- provenance (provenance.c) */
struct cli_facts { char hostname[128], device[160], cuda[64], driver[64]; };
void cli_provenance(const struct sw_cli *cli, const struct sw_devices *devices, struct cli_facts *facts,
                    struct sw_provenance *provenance);

/* ---- signals (signals.c) */
extern volatile sig_atomic_t cli_stop;  /* the signal that asked for an end, else 0 */
void cli_signals_catch(void);

/* ---- progress (bar.c) */
struct cli_bar {
    struct sw_cli *cli;
    const struct sw_plan *plan;
    const struct sw_sweep *sweep;
    const char *file;
    double next_line, saved;            /* clock when a line is due, and when the last status was written    */
    bool   shown;
};
void cli_bar_start(struct cli_bar *bar, struct sw_cli *cli, const struct sw_sweep *sweep, const struct sw_plan *plan,
                   const char *file);
void cli_bar_progress(void *bar, const struct sw_progress *progress);  /* struct sw_run_sweep_options.progress */
void cli_bar_clear(struct cli_bar *bar);   /* take the bar off the terminal before something is printed */

/* ---- files that grow (log.c) */
/** Open one to add to it. @param beginning  of at most 16 characters: how such a file begins
 *  @return SW_E_IO; SW_E_REFUSED a file is there that does not begin so */
enum sw_status cli_append(const char *path, const char *beginning, FILE **file);

/* ---- --log-json (log.c): one object a line and event */
enum sw_status cli_log_open(struct sw_cli *cli);
/** @return SW_E_IO events are not in it, or may not be; the message says how many */
enum sw_status cli_log_close(struct sw_cli *cli);
struct sw_json *cli_log_begin(struct sw_cli *cli, const char *event);  /* NULL: no log is kept */
void cli_log_end(struct sw_cli *cli);

#define X(bit, name, arguments, least, most, about) enum sw_status cmd_##name(struct sw_cli *cli);
CLI_COMMANDS(X)
#undef X
#endif
