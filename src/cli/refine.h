#ifndef CLI_REFINE_H
#define CLI_REFINE_H
/* A sweep whose cells are split (sweep/sw_refine.h), and what an output file has of it. */
#include "cli/open_sweep.h"

/* What the results that are there have led to. */
struct refined {
    int     rounds;            /* of splitting                                                                  */
    int64_t added;             /* runs that the last of them has added                                          */
    bool    finished;          /* all runs have ended, and no cell is to be split any more                      */
    int64_t split, blocked;    /* cells, as in sw_refiner_cells()                                               */
    int64_t values;            /* runs that have a value                                                        */
    double  least, most;       /* of their values                                                               */
};
/** Give a sweep the runs that the results in a file and its parts lead to: all rounds whose runs have ended, and one
 * more. A sweep without refinement stays as it is. @param refined  out
 * @return SW_E_CONFIG a run between two values is not possible; SW_E_IO, SW_E_MEMORY */
enum sw_status cli_sweep_refine(struct sw_cli *cli, struct cli_sweep *s, const char *file, struct refined *refined);

/** "refine   round 2 · 41 cells are split · 130 runs more": what is to be computed now; last: how it has ended. */
void refine_message(const struct sw_cli *cli, const struct cli_sweep *s, const struct refined *refined, bool last);

/** Refuse --retry-failed where a run that fails no more could take back what was split. @return SW_E_USAGE */
enum sw_status refine_check_retry(const struct sw_cli *cli, const struct cli_sweep *s);

/** "refine   pulses where it jumps ...", of `sweep check`. */
void refine_describe(const struct sw_cli *cli, const struct cli_sweep *s);
#endif
