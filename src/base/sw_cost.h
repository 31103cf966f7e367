#ifndef SW_COST_H
#define SW_COST_H
/* What a row of a table counts for one unknown in one solve, or one point in one step, so that a timing can be read as
 * a share of the machine. Counted from the code, in the comment beside each count; NaN where nobody counted. */
struct sw_cost {
    double bytes;  /* read and written in the memory of the device; what stays in caches or registers is not counted */
    double fma;    /* double-precision additions, multiplications or multiply-adds: instructions of the FMA units    */
};
#endif
