#ifndef SW_OWNED_H
#define SW_OWNED_H
/* The arrays of an object: one list of them serves to allocate, to count and to free.
 *
 *   sw_array(&own, n, &p->u);                  the list. Its status is sticky: where an array fails, those behind it
 *   sw_array_device(&own, n, &p->d_u);         are NULL
 *   if (own.status) ..                         looked at once, at the end
 *   sw_owned_free(&own);                       all of them, also after a failure */
#include <stdbool.h>
#include <stddef.h>

#include "base/sw_space.h"
#include "base/sw_status.h"

struct sw_device;
struct sw_owned_array;
enum sw_array_place { SW_ARRAY_HOST, SW_ARRAY_DEVICE, SW_ARRAY_PINNED };  /* sw_alloc(), sw_device_alloc(), .._host() */

struct sw_owned {                /* zeros but for the first two: no arrays                         */
    struct sw_device *device;    /* of those that are not host memory                              */
    bool              counts;    /* they are counted, not allocated: all are NULL                  */
    enum sw_status    status;    /* of the first that failed                                       */
    size_t            host, on_device;  /* bytes asked for; pinned ones are the host's             */
    struct sw_owned_array *list;
    size_t            used, room;
};

/** An array of zeros, as the allocator of its place gives it. @param out  where the pointer goes; NULL on failure */
void sw_array_bytes(struct sw_owned *own, enum sw_array_place place, size_t count, size_t size, void *out);
#define sw_array(own, count, out) sw_array_bytes((own), SW_ARRAY_HOST, (count), sizeof **(out), (out))
#define sw_array_device(own, count, out) sw_array_bytes((own), SW_ARRAY_DEVICE, (count), sizeof **(out), (out))
#define sw_array_pinned(own, count, out) sw_array_bytes((own), SW_ARRAY_PINNED, (count), sizeof **(out), (out))

/** Bytes asked for in the memory of a row of this space: the host's, which has all arrays of a row on the CPU, or the
 * device's. */
size_t sw_owned_bytes(const struct sw_owned *own, enum sw_space space);

/** Free them, the last one first. Of zeros it is fine. */
void sw_owned_free(struct sw_owned *own);
#endif
