/* The steps of divide and conquer (figure 1 of the paper) on r columns of s entries, stored row-wise: entry k of
 * column m is u[m + k r]; the `rest` entries that do not fill the columns begin where the bottom row ends. Steps A
 * and C sweep along the columns, steps B scan across them. This file is included once for each precision, with
 *     REAL      of the entries
 *     SUM       of the sums across columns
 *     STEP(x)   the name of a step here
 * which end with it; STEPS_B_ONLY leaves out steps A and C, which a device does.
 * Steps A and C take columns first .. last-1: columns do not see each other in them, so no bit depends on how they are
 * dealt out to threads. */

#ifndef STEPS_B_ONLY
/* 1A: running sums down the columns. */
static void STEP(forward_sweep)(void *entries, int64_t r, int64_t s, int64_t first, int64_t last)
{
    REAL *u = entries;
    for (int64_t k = 1; k < s; k++)
        for (int64_t m = first; m < last; m++) u[m + k * r] += u[m + (k - 1) * r];
}

/* 1C: each column but its bottom gets its left neighbour's bottom. 2A: running sums up the columns. */
static void STEP(backward_sweep)(void *entries, int64_t r, int64_t s, int64_t first, int64_t last)
{
    REAL *u = entries;
    const REAL *bottom = u + (s - 1) * r;
    for (int64_t k = 0; k < s - 1; k++)
        for (int64_t m = first > 0 ? first : 1; m < last; m++) u[m + k * r] += bottom[m - 1];
    for (int64_t k = s - 2; k >= 0; k--)
        for (int64_t m = first; m < last; m++) u[m + k * r] += u[m + (k + 1) * r];
}

/* 2C: each column but its top gets its right neighbour's top; the last column what comes after it. */
static void STEP(add_tops)(void *entries, int64_t r, int64_t s, int64_t rest, int64_t first, int64_t last)
{
    REAL *u = entries;
    const REAL beyond = rest ? u[r * s] : 0;
    for (int64_t k = 1; k < s; k++) {
        for (int64_t m = first; m < last && m < r - 1; m++) u[m + k * r] += u[m + 1];
        if (last == r) u[r - 1 + k * r] += beyond;
    }
}
#endif

/* 1B: the bottom row summed from left to right; then the entries after it, by (7). */
static void STEP(scan_bottom_row)(void *row, int64_t r, int64_t rest)
{
    REAL *bottom = row;
    SUM sum = 0;
    for (int64_t i = 0; i < r + rest; i++) {
        sum += (SUM)bottom[i];
        bottom[i] = (REAL)sum;
    }
}

/* 2B: the entries after the columns by (8); then the top row summed from right to left. */
static void STEP(scan_top_row)(void *row, void *beyond, int64_t r, int64_t rest)
{
    REAL *top = row, *after = beyond;
    SUM sum = 0;
    for (int64_t i = rest - 1; i >= 0; i--) {
        sum += (SUM)after[i];
        after[i] = (REAL)sum;
    }
    for (int64_t m = r - 1; m >= 0; m--) {
        sum += (SUM)top[m];
        top[m] = (REAL)sum;
    }
}

#undef REAL
#undef SUM
#undef STEP
