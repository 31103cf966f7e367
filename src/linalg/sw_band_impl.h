#ifndef SW_BAND_IMPL_H
#define SW_BAND_IMPL_H
/* The interface of a band solver, for authors of rows. One file a solver; its row goes into band_table.c.
 * Its device is the current one (sw_device_use()) in create, factor and solve. */
#include "base/row.h"
#include "device/sw_owned.h"
#include "linalg/folded_point.h"
#include "linalg/sw_band.h"
#include "linalg/papers/thomas_point.h"

struct sw_band_ops {
    SW_ROW;                 /* its space: where band and x must live                         */
    enum sw_layout layout;
    int            vectors; /* memory it takes, at most: vectors of n numbers a system           */
    int            (*vectors_of)(const struct sw_band_desc *desc);  /* the same where the shape matters, or NULL */
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

/** A(i, i + off) of system j: a diagonal of the band, and an entry of it. */
static inline double sw_band_entry(const struct sw_band *solver, const double *band, int j, int i, int off)
{
    const struct sw_band_desc *d = &solver->desc;
    const size_t ld = (size_t)d->ld, row = (size_t)i, system = (size_t)j;
    const size_t at = solver->ops->layout == SW_LINES ? system * ld + row : row * ld + system;
    return band[(size_t)(off + d->lower) * sw_band_vector(solver) + at];
}

/** What a row eliminates that exchanges rows: the matrix, or where it is periodic the folded circle (folded_point.h).
 * sw_band_sides() counts the diagonals beside its main one; sw_band_unknown() is the unknown, and the row of A, in
 * place k; sw_band_place() the place of the column i + off. */
struct sw_band_sides { int lower, upper; };

static inline struct sw_band_sides sw_band_sides(const struct sw_band_desc *d)
{
    const int wide = d->lower > d->upper ? d->lower : d->upper, most = d->n - 1;
    const int lower = d->periodic ? 2 * wide : d->lower, upper = d->periodic ? 2 * wide : d->upper;
    return (struct sw_band_sides){lower < most ? lower : most, upper < most ? upper : most};
}

static inline int sw_band_unknown(const struct sw_band_desc *d, int k)
{
    return d->periodic ? sw_unfolded(d->n, k) : k;
}

/** @return negative: there is no such column */
static inline int sw_band_place(const struct sw_band_desc *d, int i, int off)
{
    const int column = i + off;
    if (d->periodic) return sw_folded(d->n, (column + d->n) % d->n);
    return column < d->n ? column : -1;
}

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
