#ifndef FOLDED_POINT_H
#define FOLDED_POINT_H
/* The folded circle. A periodic band has entries in the corners of the matrix. Splitting them off (Sherman-Morrison,
 * Navon) divides by what is left, which may be singular where the matrix is not. Instead unknowns and rows are taken in
 * the order 0, n-1, 1, n-2, ..: neighbours on the circle are then two places apart at most, so that w diagonals on a
 * side become 2 w, the corners among them, and any solver of bands that exchanges rows does the rest. */
#include "base/sw_hd.h"

/** The place of unknown i of n. */
SW_HD static inline int sw_folded(int n, int i) { return i <= (n - 1) / 2 ? 2 * i : 2 * (n - 1 - i) + 1; }

/** The unknown in place k. */
SW_HD static inline int sw_unfolded(int n, int k) { return k % 2 ? n - 1 - k / 2 : k / 2; }
#endif
