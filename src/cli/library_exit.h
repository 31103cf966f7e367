#ifndef LIBRARY_EXIT_H
#define LIBRARY_EXIT_H
/* A library that cannot go on may end the program: libgomp does, with exit code 1, when the system gives it no thread
 * or no memory. That code says that runs have diverged; such an end has the code of a device or memory, 4. */

/** Watch, from here on. After MPI has begun: what was asked for last is done first at exit, and MPI would wait for the
 * other processes. */
void library_exit_watch(void);

/** This is an end of the program's own. */
void library_exit_forget(void);
#endif
