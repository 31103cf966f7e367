#ifndef SW_BACKGROUND_H
#define SW_BACKGROUND_H
/* A loop that a second thread runs in the background, while the thread that started it does something else: waits for
 * the system to copy or to write, above all. Whoever waits for the loop to end takes part in it, so that where no
 * processor is free, or no thread could be made, it costs what it would have cost without. */
#include <stdint.h>

struct sw_background;

/** Start body(user, k) for k = 0 .. count-1, in any order, several at a time. The loop before has ended.
 * @param background  NULL at first: the thread is made with the first loop, and stays. Without memory for it the loop
 *                    is run before this returns
 * @param batch       how many k are taken at a time: some 10 us of work */
void sw_background_start(struct sw_background **background, int64_t count, int64_t batch,
                         void (*body)(void *user, int64_t k), void *user);
/** Take part in the loop, and return when all of it is done. NULL is fine. */
void sw_background_wait(struct sw_background *background);
/** Wait, end the thread, and free it. NULL and *NULL are fine. */
void sw_background_free(struct sw_background **background);
#endif
