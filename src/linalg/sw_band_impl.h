#ifndef SW_BAND_IMPL_H
#define SW_BAND_IMPL_H
/* The interface of a band solver, for authors of rows. One file a solver; its row goes into band_table.c. */
#include "base/row.h"
#include "device/sw_owned.h"
#include "linalg/sw_band.h"
#include "linalg/papers/thomas_point.h"

struct sw_band_ops {
    SW_ROW;                 /* its space: where band and x must live                         */
    enum sw_layout layout;
    int            vectors; /* memory it takes, at most: vectors of n numbers a system           */
    int            error_growth;  /* its error, at most, over that of elimination without pivoting in a matrix
                                   * that needs none; 0: 1                                       */
    bool           pivots;  /* sw_band_pivots()                                             */
    size_t         own_size; /* bytes of solver->own                                        */
    bool           (*fits)(const struct sw_band_desc *desc);
    enum sw_status (*create)(struct sw_band *solver);  /* fills solver->own, which is zeros, and solver->arrays */
    enum sw_status (*factor)(struct sw_band *solver, const double *band, int *bad);
    enum sw_status (*solve)(const struct sw_band *solver, double *x);
    void           (*solve_one)(const struct sw_band *solver, int system, double *x);  /* rows in SW_HOST space only */
    void           (*destroy)(struct sw_band *solver); /* what is not in arrays; NULL: nothing */
    struct sw_cost (*cost)(const struct sw_band_desc *desc);  /* an unknown and solve; NULL: not counted */
};

struct sw_band {
    const struct sw_band_ops *ops;
    struct sw_band_desc       desc;    /* checked once, in sw_band_create(); ld is set        */
    struct sw_device         *device;
    struct sw_owned          arrays;  /* freed when it is destroyed                         */
    void                     *own;     /* the solver's own data                              */
};

/** System j of a band that is at most pentadiagonal, as the methods of thomas_point.h take it: where its diagonals lie,
 * and how many unknowns Navon's closure splits off. With j = 0 the diagonals are those of the whole band. */
struct sw_thomas_matrix sw_band_matrix(const struct sw_band *solver, const double *band, int j);

/** How many unknowns that is: max(lower, upper) where periodic, else 0. */
int sw_band_border(const struct sw_band_desc *desc);

/** Whether a band is at most pentadiagonal, as the formulas of thomas_point.h need it. */
static inline bool sw_band_narrow(const struct sw_band_desc *desc) { return desc->lower <= 2 && desc->upper <= 2; }

/** Threads a row on the CPU should use: all, or one where the work, some 10 ns an unknown, is less than waking them up
 * costs. */
static inline int sw_band_threads(const struct sw_band *solver)
{
    return sw_band_vector(solver) < 16384 ? 1 : solver->device->threads;
}

/** What factor() returns after a set-up that left bad[j] = 1 + row for the systems it could not do, 0 for the others:
 * copies it to the caller's array, if there is one, and writes the message. */
enum sw_status sw_band_report(const struct sw_band *solver, const int *found, int *bad);

/* Ends with NULL. Order is preference. */
extern const struct sw_band_ops *const sw_band_table[];
#endif
