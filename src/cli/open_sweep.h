#ifndef OPEN_SWEEP_H
#define OPEN_SWEEP_H
/* A sweep: read from a config or from an output file, expanded, with the ids of its runs. */
#include "cli/command_line.h"
#include "run/sw_device_choice.h"
#include "run/sw_run_sweep.h"
#include "store/files/sw_output.h"
#include "sweep/sw_sweep.h"

typedef enum sw_status cli_expand(const struct sw_config *config, struct sw_report *report, struct sw_sweep **sweep);

struct cli_sweep {                      /* free with cli_sweep_close()                                       */
    struct sw_config *config;
    struct sw_sweep  *sweep;
    uint64_t         *id;               /* [sweep->nruns], of the whole sweep                                */
    int64_t          *run;              /* [count] the runs asked for, by --only and --shard                 */
    int64_t           count;
    char             *file;             /* the output                                                        */
    struct sw_selection which;          /* what --only and --shard say                                       */
    cli_expand       *expand;           /* sw_sweep_expand() or sw_sweep_outline()                           */
    struct sw_device_costs costs;       /* where "auto" has to choose between the CPU and GPUs; else begin is 0 */
};
enum sw_status cli_sweep_open(struct sw_cli *cli, const char *path, struct cli_sweep *s);
/** The sweep stored in an output file. @param completed  of that file */
enum sw_status cli_sweep_stored(struct sw_cli *cli, const char *file, const struct sw_completed *completed,
                                struct cli_sweep *s);
/** The same for commands that look at results only, which need no other files (sw_sweep_outline()). id is NULL where
 * files would decide the ids. */
enum sw_status cli_outline_open(struct sw_cli *cli, const char *path, struct cli_sweep *s);
enum sw_status cli_outline_stored(struct sw_cli *cli, const char *file, const struct sw_completed *completed,
                                  struct cli_sweep *s);
/** Check that results belong to a sweep (sw_completed_check_sweep()). Where an earlier version has begun them, it is
 * expanded anew, with the last digits that its axes have there, and a message says so. */
enum sw_status cli_sweep_check(struct sw_cli *cli, struct cli_sweep *s, const struct sw_completed *completed);
/** Where an output that was named so lies: a symbolic link is followed, not replaced. Free with sw_free().
 * @return SW_E_USAGE it names a folder; SW_E_REFUSED a link of somebody else leads there; SW_E_IO, SW_E_MEMORY */
enum sw_status cli_output_path(const char *path, char **file);
/** Refuse a file of -o in a folder that is not there: a mistyped one would begin anew what is elsewhere.
 * @param usual  what the config says: its folder is made; NULL: none is  @return SW_E_USAGE, SW_E_MEMORY */
enum sw_status cli_option_folder(const char *path, const char *usual);
/** The same as cli_output_path() of a file that is only read, whoever has made a link to it. */
enum sw_status cli_input_path(const char *path, char **file);
/** Expand the sweep anew, from a config that has got other refined points. The warnings are known already. */
enum sw_status cli_sweep_again(struct sw_cli *cli, struct cli_sweep *s);
void cli_sweep_close(struct cli_sweep *s);
/** A summary for people: "cahn_hilliard · 1024 runs = a(32) × v(4) × seed(8) · id 9f2c41d07ab3". */
void cli_sweep_headline(const struct cli_sweep *s, struct sw_text *text);
/** -v: every setting with its unit, and whether it was given. */
void cli_sweep_print_settings(struct sw_cli *cli, const struct cli_sweep *s);
/** The runs that a file and its parts hold; warnings are printed. */
enum sw_status cli_completed_open(struct sw_cli *cli, const char *file, struct sw_completed **completed);

/** Where to compute the runs that are asked for and not in `completed`: not on more devices than they make batches.
 * "auto" of one process alone is where they end first: costs of s are filled once, and kept.
 * @param users  out: how many processes share a device; NULL: this one takes all */
enum sw_status cli_devices_open(const struct sw_cli *cli, struct cli_sweep *s, const struct sw_completed *completed,
                                struct sw_devices *devices, int *users);
/** "auto     the CPU: …", a line with the seconds of both; nothing where "auto" had nothing to choose. */
void cli_devices_tell_choice(const struct cli_sweep *s, const struct sw_devices *devices, struct sw_text *text);
/** "NVIDIA H200"; of several "4 × NVIDIA H200 (cuda:0, cuda:1, cuda:2, cuda:3)" */
void cli_devices_name(const struct sw_devices *devices, struct sw_text *text);
double cli_devices_memory(const struct sw_devices *devices);  /* of the one that has least */

/* What the provenance borrows. */
struct cli_facts { char hostname[128], device[160], cuda[64], driver[64]; };
/** Where and by what the runs are computed, for the output file. */
void cli_provenance(const struct sw_cli *cli, const struct sw_devices *devices, struct cli_facts *facts,
                    struct sw_provenance *provenance);

/* ---- extend_sweep.c */
/** A file that was refused because it is of another sweep: if it is finished, and its runs are the beginnings of this
 * sweep's, make parts of them from which `longer` goes on, unless an earlier call did.
 * @param completed   of s->file
 * @param longer   the output to be, "FILE.longer"; NULL: only see whether it could be
 * @param refused  status of the refusal, whose message stands
 * @return SW_OK `longer` is to be gone on with; SW_E_REFUSED with the same message or a better one; SW_E_IO, ... */
enum sw_status extend_sweep(struct sw_cli *cli, const struct cli_sweep *s, const struct sw_completed *completed,
                            const char *longer, enum sw_status refused);

/* ---- cmd_xdmf.c, cmd_check.c */
/** FILE.xdmf beside a finished FILE, for ParaView: write it if the config asks for it or one is there;
 * remove one whose output has no fields any more. */
enum sw_status xdmf_update(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file);
/** Everything `sweep run` does before it computes, and a short trial of the device. */
enum sw_status check_sweep(struct sw_cli *cli, struct cli_sweep *s);
#endif
