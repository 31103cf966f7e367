/* Steps B of divide and conquer (figure 1 of the paper): sums across the r columns, and over the `rest` entries that do
 * not fill them. This file is included once for each precision, with
 *     REAL      of the entries
 *     CARRY     of the sums
 *     STEP(x)   the name of a step here
 * which end with it: it is the last file included for a precision (columns_body.h comes before).
 * The entries after the columns begin where the bottom row ends. */

/* 1B: the bottom row summed from left to right; then the entries after it, by (7). */
static void STEP(along_bottom)(void *row, int64_t r, int64_t rest)
{
    REAL *bottom = row;
    CARRY sum = 0;
    for (int64_t i = 0; i < r + rest; i++) {
        sum += (CARRY)bottom[i];
        bottom[i] = (REAL)sum;
    }
}

/* 2B: the entries after the columns by (8); then the top row summed from right to left. */
static void STEP(along_top)(void *row, void *beyond, int64_t r, int64_t rest)
{
    REAL *top = row, *after = beyond;
    CARRY sum = 0;
    for (int64_t i = rest - 1; i >= 0; i--) {
        sum += (CARRY)after[i];
        after[i] = (REAL)sum;
    }
    for (int64_t m = r - 1; m >= 0; m--) {
        sum += (CARRY)top[m];
        top[m] = (REAL)sum;
    }
}

#undef REAL
#undef CARRY
#undef STEP
