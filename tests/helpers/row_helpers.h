#ifndef ROW_HELPERS_H
#define ROW_HELPERS_H
/* In a program that tests a table of rows: the row of the group at work and a device of the kind it works on. Before
 * this, ROW_OPS is the struct of a row. */
#include <malloc.h>

#include "base/sw_err.h"
#include "device/sw_device.h"
#include "helpers.h"

static const struct ROW_OPS *under_test;  /* set by for_each_row(), in main() */
static struct sw_device *device;          /* NULL: there is none here         */

static inline const char *kind_of_row(void) { return under_test->space == SW_DEVICE ? "cuda" : "cpu"; }

static inline int open_device(void **state)
{
    (void)state;
    if (!under_test->absent) (void)sw_device_open(kind_of_row(), 2, &device);
    return 0;
}

static inline int close_device(void **state)
{
    (void)state;
    sw_device_close(&device);
    return 0;
}

/* Before a test makes anything: a skipped test frees nothing. */
static inline void need_row(void)
{
    if (under_test->absent) skip_unless_needed("cuda", under_test->absent);
    if (!device) skip_unless_needed("cuda", sw_err_message());
}

/* Bytes in use where the row keeps its arrays. */
static inline double in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    if (under_test->space == SW_DEVICE) return -(double)sw_device_memory_free(device);
    return (double)m.uordblks + (double)m.hblkhd;
}

/* What a row asks the device for from count_bytes() to bytes_counted(), whatever it gives back: what libraries and
 * kernels take, and other processes, is not in it. */
static const struct sw_device_ops *uncounted;
static struct sw_device_ops counting;
static size_t bytes_asked_for;

static inline enum sw_status count_alloc(struct sw_device *on, size_t bytes, void **out)
{
    bytes_asked_for += bytes;
    return uncounted->alloc(on, bytes, out);
}

static inline void count_bytes(void)
{
    uncounted = device->ops;
    counting = *uncounted;
    counting.alloc = count_alloc;
    bytes_asked_for = 0;
    device->ops = &counting;
}

static inline size_t bytes_counted(void)
{
    device->ops = uncounted;
    return bytes_asked_for;
}

/* @return failures */
#define run_for_row(tests) cmocka_run_group_tests_name(under_test->name, tests, open_device, close_device)
#endif
