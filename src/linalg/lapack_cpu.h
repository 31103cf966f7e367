#ifndef LAPACK_CPU_H
#define LAPACK_CPU_H
/* What the rows that call LAPACK have in common: the library, which is loaded when a row is first used, so that the
 * program needs it only then; the factors of E, one system after another; Navon's closure around them where
 * periodic. */
#include "linalg/sw_band_impl.h"

struct sw_lapack;

struct sw_lapack_kind {
    const char *name[2];             /* what it calls, as the library names it: to factor, to solve                   */
    void      (*found)(void *factor, void *solve);
    bool        pivots;
    int       (*ld)(int lower, int upper);  /* entries in a column of LAPACK's band                                   */
    /** Factor E in place. @return 0, or 1 + the row of a bad pivot */
    int       (*factor)(const struct sw_lapack *l, const struct sw_thomas_matrix *A, double *ab, int *pivot);
    void      (*solve)(const struct sw_lapack *l, const double *ab, const int *pivot, double *x);
};

struct sw_lapack {
    const struct sw_lapack_kind *kind;
    int              p, m;           /* unknowns split off, and those left                     */
    int              lower, upper;   /* of E, which may be narrower than the band (m = 1, 2)   */
    int              ld;
    double          *ab;             /* [batch][m][ld]                                         */
    int             *pivot;          /* [batch][m]                                             */
    double          *Z;              /* [batch][2][m]: Z = E^-1 k, a line a border column      */
    struct sw_navon *closure;        /* [batch]                                                */
    int             *bad;            /* [batch]: 0, or 1 + row of a bad pivot                  */
};

/** Fills solver->own; destroy may follow whatever it returns. @return SW_E_ABSENT no LAPACK on this machine */
enum sw_status sw_lapack_create(struct sw_band *solver, const struct sw_lapack_kind *kind);

/* operations of struct sw_band_ops */
enum sw_status sw_lapack_factor(struct sw_band *solver, const double *band, int *bad);
enum sw_status sw_lapack_solve(const struct sw_band *solver, double *x);
void           sw_lapack_solve_one(const struct sw_band *solver, int system, double *x);
void           sw_lapack_destroy(struct sw_band *solver);
#endif
