#ifndef EXTEND_SWEEP_H
#define EXTEND_SWEEP_H
#include "cli/open_sweep.h"

/** A file that was refused because it is of another sweep: if it is finished, and its runs are the beginnings of this
 * sweep's, make parts of them from which `longer` goes on, unless an earlier call did.
 * @param completed   of s->file
 * @param longer   the output to be, "FILE.longer"; NULL: only see whether it could be
 * @param refused  status of the refusal, whose message stands
 * @return SW_OK `longer` is to be gone on with; SW_E_REFUSED with the same message or a better one; SW_E_IO, ... */
enum sw_status extend_sweep(struct sw_cli *cli, const struct cli_sweep *s, const struct sw_completed *completed,
                            const char *longer, enum sw_status refused);
#endif
