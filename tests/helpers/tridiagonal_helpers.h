#ifndef TRIDIAGONAL_HELPERS_H
#define TRIDIAGONAL_HELPERS_H
/* What tests of the table of tridiagonal solvers share beside the row at work (row_helpers.h). */
#include "linalg/sw_tridiagonal_impl.h"

#define ROW_OPS sw_tridiagonal_ops
#include "base/sw_err.h"
#include "row_helpers.h"

/* Whether the row does that shape. */
static inline bool does(struct sw_tridiagonal_desc d) { return !under_test->refuse || !under_test->refuse(&d); }

/* LAPACK may be there when the tests are built and not when they run. */
static inline void need_row_and_library(void)
{
    const struct sw_tridiagonal_desc d = {.n = 64, .batch = 1};
    struct sw_tridiagonal *s = NULL;
    need_row();
    if (sw_tridiagonal_create(&d, under_test->name, device, &s) == SW_E_ABSENT)
        skip_unless_needed(under_test->name, sw_err_message());
    sw_tridiagonal_destroy(&s);
}

/* @return [count] in the memory of the device; free with sw_device_free() */
static inline double *put(const double *host, size_t count)
{
    double *p = NULL;
    assert_ok(sw_device_alloc(device, count, &p));
    assert_ok(sw_device_upload(device, p, host, count * sizeof *host));
    return p;
}
#endif
