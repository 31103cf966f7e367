#ifndef SW_PROVENANCE_H
#define SW_PROVENANCE_H
/* Where results come from: the program, the machine and the call; and the sweep that they are of. */
#include <stdbool.h>

/* Texts as they go into the file; NULL or "": not known. */
struct sw_provenance {
    const char *command_line, *solver, *device, *driver, *cuda, *hostname, *math;
    double      started;  /* as time() gives it; 0: now */
};

/* The sweep that results belong to; all "": unknown. */
struct sw_sweep_identity {
    char sweep_id[13], config_sha256[65];
};
/** Results belong to the same sweep if they have the same set of runs, or the same config, and the same numbers in the
 * files that runs read: another version of the program may have given its runs other ids. */
bool sw_same_sweep(const struct sw_sweep_identity *a, const struct sw_sweep_identity *b);
#endif
