#ifndef SW_ELLIPTIC_IMPL_H
#define SW_ELLIPTIC_IMPL_H
/* The interface of an elliptic solver, for authors of rows. One file a solver; its row goes into elliptic_table.c.
 * Its device is the current one (sw_device_use()) in create, load and solve. */
#include "base/row.h"
#include "device/sw_owned.h"
#include "elliptic/sw_elliptic.h"

/* A part of an iteration of a row, to be timed alone. */
struct sw_elliptic_kernel {
    const char *name;        /* "SpMV"; NULL: the list ends */
    double      operations;  /* of a cell, of a matrix without cross terms */
    double      words;       /* likewise: of the precision; what lies in caches is not counted */
    /** Run it on the row's own vectors, as the last solve left them.
     * @param u  [cells] of double, in the memory of the device: room for what a method adds to */
    enum sw_status (*run)(struct sw_elliptic *solver, void *u);
};

struct sw_elliptic_ops {
    SW_ROW;                 /* its space: where f and u live */
    const char    *(*refuse)(const struct sw_elliptic_desc *desc);  /* why it does not do the shape; NULL: it does */
    bool           (*slower)(const struct sw_elliptic_desc *desc);  /* than rows behind it; NULL: never */
    bool           cuts;    /* it solves grids that are cut over ranks, too */
    bool           spheres; /* it joins the panels of the whole sphere, too */
    size_t         own_size;                                        /* bytes of solver->own */
    /** List solver->arrays: what the row takes beside f and u. Also of a solver that only counts, whose other data are
     * zeros. */
    void           (*arrays)(struct sw_elliptic *solver);
    /** What libraries and solvers inside the row take, at most. NULL: there are none. */
    size_t         (*other_bytes)(const struct sw_elliptic_desc *desc, const struct sw_device *device);
    enum sw_status (*create)(struct sw_elliptic *solver);           /* with the arrays; NULL: nothing else */
    enum sw_status (*load)(struct sw_elliptic *solver);             /* of count systems; NULL: nothing to be done */
    /** One of the systems that are loaded, or all of them together: a row has one of the two. Arrays begin with those
     * of the system, or of the first one. */
    enum sw_status (*solve_one)(struct sw_elliptic *solver, int system, const double *f, double *u,
                                struct sw_elliptic_outcome *outcome, double *history, int most);
    enum sw_status (*solve)(struct sw_elliptic *solver, const double *f, double *u,
                            struct sw_elliptic_outcome *outcome, double *history, int most);
    void           (*destroy)(struct sw_elliptic *solver);          /* what is not in arrays; NULL: nothing */
    struct sw_cost (*cost)(const struct sw_elliptic_desc *desc);    /* NULL: not counted */
    const struct sw_elliptic_ops *single;  /* the same row with vectors, matrix and preconditioner in single precision;
                                              f and u are double there, too. NULL: it has double only */
    const struct sw_elliptic_kernel *kernels;  /* NULL: none is timed alone */
    /** What its kernels of elliptic_krylov.h are of. @param space  out: a struct elliptic_space of its precision */
    void           (*find_space)(struct sw_elliptic *solver, void *space);
    const char    *falls_back;  /* the row that takes over where variable coefficients are too much; NULL: none */
    bool           fast;    /* its iterations hardly grow with the grid, omega2 and depth: the tests hold it to that */
};

struct sw_elliptic {
    const struct sw_elliptic_ops *ops;
    struct sw_elliptic_desc desc;               /* checked once */
    struct sw_device *device;
    int     count;                              /* systems loaded */
    const struct sw_elliptic_numbers *numbers;  /* [count] */
    const struct sw_elliptic_matrix  *matrix;   /* [count] */
    struct sw_owned arrays;                    /* freed when it is destroyed */
    void   *own;                                /* the row's own data: zeros at first */
    struct sw_elliptic *other;                  /* of the row to fall back on, for one system; NULL: not yet needed */
};

/* Ends with NULL. Order is preference. */
extern const struct sw_elliptic_ops *const sw_elliptic_table[];

/* Cells of one system. */
static inline size_t sw_elliptic_cells(const struct sw_elliptic_desc *d)
{
    return (size_t)d->n[0] * (size_t)d->n[1] * (size_t)d->n[2];
}
#endif
