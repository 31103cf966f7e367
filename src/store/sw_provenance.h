#ifndef SW_PROVENANCE_H
#define SW_PROVENANCE_H
/* Where results come from: the program, the machine and the call. */
/* Texts as they go into the file; NULL or "": not known. */
struct sw_provenance {
    const char *command_line, *solver, *device, *driver, *cuda, *hostname;
    double      started;  /* as time() gives it; 0: now */
};
#endif
