#ifndef SW_MERGE_H
#define SW_MERGE_H
/* Joining output files and parts into one file. Parts of a chain are joined along time. Of two results of one run
 * that of the later input counts (a part is later than the file it belongs to), but a result that ended beats one
 * that did not. Runs are identified by their ids. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "base/sw_report.h"
#include "store/sw_provenance.h"
#include "sweep/sw_sweep.h"

/* missing: expected, and not there, or in a damaged part that was put aside */
struct sw_merge_summary { int64_t runs, not_done, missing; };
enum sw_expected {
    SW_EXPECTED_NOT,
    SW_EXPECTED,         /* it has ended: its result is in FILE or a part                */
    SW_EXPECTED_IN_PART  /* it has ended since FILE was written: its result is in a part */
};
struct sw_merge_options {
    bool keep_parts;                   /* sw_merge_parts: else parts no longer needed go once the result is safe      */
    bool allow_missing;                /* runs without a result are left out; else they are a failure                 */
    bool overwrite;                    /* sw_merge: `output` may be there without being among the inputs              */
    struct sw_report *report;          /* sw_merge: warnings about the inputs; may be NULL                         */
    struct sw_merge_summary *summary;  /* filled in; may be NULL                                                      */
    const struct sw_sweep *sweep;      /* the result gets its runs, with its indices, parameters and config; NULL:    */
    const uint64_t *id;                /* those of the inputs, which must be of one sweep. id: [sweep->nruns]         */
    const int64_t *run;                /* [nrun] ascending: of the sweep's runs those that are wanted, and others of  */
    int64_t nrun;                      /* the inputs are left out; NULL: all, and the inputs may have no others       */
    const unsigned char *expected;     /* sw_merge_parts: [sweep->nruns] enum sw_expected; NULL: what is there is all */
};
/** Join files (final files and parts) into one, by rename; `output` may be among them. Takes about 400 bytes of memory
 * a run and 130 MiB, with statistics 50 bytes a run and 100 MiB more, however large the fields are. A virtual input
 * counts as the files that hold its values. The new file is read back and compared with what was written, and its
 * rows with those it should have, before it gets its name. A file that has all runs of its sweep keeps the statistics
 * alone of what has keep = false (sw_statistics); such an input is refused.
 * @param provenance  NULL: the inputs'
 * @return SW_E_IO, SW_E_MEMORY: the output is as it was; SW_E_REFUSED the inputs belong to different sweeps, hold runs
 * that are not the sweep's, lack runs (named), the output exists or is being written */
enum sw_status sw_merge(const char *const *input, int ninput, const char *output,
                        const struct sw_merge_options *options, const struct sw_provenance *provenance);
/** The same for FILE and its own parts. Parts of batches that go on later stay. Nothing to do without parts.
 * @return SW_E_REFUSED also where FILE is virtual; SW_E_IO also where runs that were expected are not there: the
 *         message names them, summary->missing counts them, and everything is as it was */
enum sw_status sw_merge_parts(const char *file, const struct sw_merge_options *options,
                              const struct sw_provenance *provenance);
#endif
