#ifndef SW_BACKGROUND_H
#define SW_BACKGROUND_H
/* A loop that a second thread runs in the background, while the thread that made it does something else: waits for the
 * system to copy or to write, above all. Whoever waits for the loop to end takes part in it, so that where no processor
 * is free, or no thread could be made, it costs what it would have cost without. */
#include <stdint.h>

struct sw_background;

/** @param body  body(user, k) is called once for each k, in any order, by both threads at a time
 * @return NULL without memory */
struct sw_background *sw_background_create(void (*body)(void *user, int64_t k), void *user);
/** Let the loop go on to k = count-1: from where it was to end so far, or from 0 after sw_background_wait(). To wake
 * the thread takes 2 to 50 us of the caller: let there be as much to do. */
void sw_background_extend(struct sw_background *background, int64_t count);
/** Take part in the loop, and return when all of it is done. NULL is fine. */
void sw_background_wait(struct sw_background *background);
/** Wait, end the thread, and free it. NULL and *NULL are fine. */
void sw_background_free(struct sw_background **background);
#endif
