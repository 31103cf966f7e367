#ifndef REUSE_H
#define REUSE_H
/* Runs that are taken over from the results of another sweep (the key `reuse`): those with the same id, which is a hash
 * of all that decides their numbers. An output takes them when it is begun. */
#include "cli/open_sweep.h"

/** How many of the runs that are asked for would be taken: that have ended there.
 * @param from  out: the file, as the config names it; NULL: none is named, or the output is there already
 * @return SW_E_REFUSED the file has other outputs, or no states where output.state asks for them; SW_E_IO;
 *         SW_E_MEMORY */
enum sw_status reuse_count(const struct sw_cli *cli, const struct cli_sweep *s, const char **from, int64_t *runs);

/** Take them: the output is then a file with these runs. Says how many.
 * @return likewise, and as sw_merge() */
enum sw_status reuse_runs(struct sw_cli *cli, const struct cli_sweep *s);

/** The same of a round of a sweep that is refined: those of its runs that the output lacks and the other file has are
 * added to the output.
 * @param lock  of the output: it is unlocked where there are some  @param runs  out: how many */
enum sw_status reuse_more(struct sw_cli *cli, const struct cli_sweep *s, const struct sw_completed *completed,
                          struct sw_output_lock **lock, int64_t *runs);
#endif
