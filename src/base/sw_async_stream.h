#ifndef SW_ASYNC_STREAM_H
#define SW_ASYNC_STREAM_H
/* Streams into what may take nothing for a while: a terminal at Ctrl-S, a pipe that nobody reads, a FIFO that nobody
 * has opened. A thread writes, and may lag behind; whoever prints does not wait. */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sw_async_stream;

/** Whether a descriptor is one of these. */
bool sw_async_stream_wanted(int fd);
/** Make a stream. What does not find room in 16 MiB is dropped, and counted.
 * @param fd    borrowed; -1: the thread opens the path, which waits for a reader
 * @param told  a line with %lld, the lines dropped before it, that is written where they would be; NULL: none
 * @return NULL without memory or threads; never freed: its thread may be at a write that does not end */
struct sw_async_stream *sw_async_stream_create(int fd, const char *path, const char *told, FILE **stream);
/** Whether something of it is not written yet. */
bool sw_async_stream_lags(struct sw_async_stream *stream);
/** Wait until all of it is written, or dropped: what is not taken within so many seconds after the last byte, or within
 * one second once *stop is not 0. Then later calls do not wait.
 * @param error  out: errno of the first write that failed, 0: none has
 * @return the lines that were dropped so far */
int64_t sw_async_stream_wait(struct sw_async_stream *stream, double patience, const volatile sig_atomic_t *stop,
                             int *error);
/** The same without waiting. */
int64_t sw_async_stream_dropped(struct sw_async_stream *stream, int *error);

/** From here on stderr is such a stream, if it has to be. */
void sw_async_stderr(void);
bool sw_async_stderr_lags(void);
/** @return whether all of it was written */
bool sw_async_stderr_wait(double patience, const volatile sig_atomic_t *stop);
#endif
