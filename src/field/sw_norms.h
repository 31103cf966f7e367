#ifndef SW_NORMS_H
#define SW_NORMS_H
/* What error norms are (field/norms.h forms them): sqrt(mean d²), max |d|, |d|_2/|exact|_2; of a problem that has it,
 * max |d| away from the walls. NaN: none. */
struct sw_norms { double l2, max, rel, interior; };
#endif
