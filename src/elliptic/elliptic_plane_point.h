#ifndef ELLIPTIC_PLANE_POINT_H
#define ELLIPTIC_PLANE_POINT_H
/* What became of the problem of a vertical mode in the plane, (Lh + lambda area) w = g. */

struct elliptic_plane_outcome {
    double residual;         /* |g - (Lh + lambda area) w|, or a bound of it                   */
    double pq;               /* p A p of the last direction; not above 0: it was not taken     */
};
#endif
