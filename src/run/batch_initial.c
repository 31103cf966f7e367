/* The first state of a batch. */
#include "base/sw_mem.h"
#include "problem/initial_file.h"
#include "run/batch_impl.h"

/* A run whose field in a file is not finite has failed before its first step. */
enum sw_status batch_initial(struct batch *b)
{
    const int count = b->plan->count;
    bool *finite;
    SW_TRY(sw_alloc((size_t)count, &finite));
    enum sw_status st = sw_initial_begin(b->w->sim, &b->w->setup, b->w->device->threads, count, b->column, finite);
    for (int j = 0; j < count && !st; j++) {
        if (finite[j] || b->load_error[j]) continue;
        b->failed_step[j] = 0;
        batch_report_failure(b, j);
    }
    sw_free(finite);
    return st;
}
