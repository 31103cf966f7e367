#ifndef RESULTS_TARGET_HDF5_H
#define RESULTS_TARGET_HDF5_H
/* What the arrays of a joined file will look like: sections, rows, outputs, scales, variables. */
#include "output/gather.h"
#include "output/schema_hdf5.h"

struct sw_target {                 /* a section of the output                              */
    struct sw_section section;
    int64_t *link;                 /* [section.count]: where each row comes from           */
    bool     time_differs, time_s_differs, x_differs[SW_DIMS];  /* from run to run         */
};
struct sw_targets {                /* fill in the first three; free with sw_targets_free() */
    const struct sw_gather *g;
    const struct sw_run_table  *table;
    const int64_t *link;           /* [table->nruns]                                       */
    int            count;
    struct sw_target *target;      /* by number of points                                  */
};
/** @return SW_E_MEMORY */
enum sw_status sw_targets_make(struct sw_targets *targets);
void sw_targets_free(struct sw_targets *targets);

/** The section that the row of a link is in, NULL if it has no arrays. */
const struct sw_section *sw_link_section(const struct sw_gather *g, int64_t link);
struct sw_var *sw_section_var(const struct sw_section *s, const char *name);  /* NULL: it has none of that name */
#endif
