#ifndef SW_LENGTHEN_H
#define SW_LENGTHEN_H
/* Lengthening: the runs of a finished output file go on in a longer sweep. */
#include <stdint.h>

#include "base/sw_status.h"
#include "store/sw_provenance.h"
#include "sweep/sw_sweep.h"

struct sw_lengthen_desc {                /* all borrowed                                                       */
    const struct sw_sweep *old, *sweep;  /* the sweep of FILE, and the longer one, whose runs begin as those did */
    const uint64_t *id;                  /* [sweep->nruns]                                                     */
    int64_t count;                       /* runs in FILE                                                       */
    const int64_t *old_run, *run;        /* [count] run old_run[k] of the old sweep is the beginning of run[k] */
};
/** Write parts of OUTPUT as if the longer sweep had been stopped where FILE ends; a run of the longer sweep then goes
 * on from them like from any checkpoint. FILE is only read. Takes 256 MiB.
 * @return SW_E_REFUSED FILE lacks states (output.state) or outputs before its end, or is longer (the message says
 *         which), and OUTPUT has no parts; SW_E_IO, SW_E_MEMORY */
enum sw_status sw_output_lengthen(const char *file, const char *output, const struct sw_lengthen_desc *longer,
                                  const struct sw_provenance *provenance);
#endif
