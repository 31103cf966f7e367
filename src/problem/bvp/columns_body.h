/* Steps A and C of divide and conquer (figure 1 of the paper) on r columns of s entries, stored row-wise: entry k of
 * column m is u[m + k r]. This file is included once for each precision, with
 *     REAL      of the entries
 *     STEP(x)   the name of a step here
 * They take columns first .. last-1: columns do not see each other in them, so no bit depends on how they are dealt out
 * to threads. */

/* 1A: running sums down the columns. */
static void STEP(down)(void *entries, int64_t r, int64_t s, int64_t first, int64_t last)
{
    REAL *u = entries;
    for (int64_t k = 1; k < s; k++)
        for (int64_t m = first; m < last; m++) u[m + k * r] += u[m + (k - 1) * r];
}

/* 1C: each column but its bottom gets its left neighbour's bottom. 2A: running sums up the columns. */
static void STEP(up)(void *entries, int64_t r, int64_t s, int64_t first, int64_t last)
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
