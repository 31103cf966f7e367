#ifndef SW_SWEEP_IDENTITY_H
#define SW_SWEEP_IDENTITY_H
/* To which sweep results belong. */
#include <stdbool.h>

/* The sweep that results belong to; all "": unknown. */
struct sw_sweep_identity {
    char sweep_id[13], config_sha256[65];
};
/** Results belong to the same sweep if they have the same set of runs, or the same config, and the same numbers in the
 * files that runs read: another version of the program may have given its runs other ids. */
bool sw_same_sweep(const struct sw_sweep_identity *a, const struct sw_sweep_identity *b);
#endif
