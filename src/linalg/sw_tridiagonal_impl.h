#ifndef SW_TRIDIAGONAL_IMPL_H
#define SW_TRIDIAGONAL_IMPL_H
/* The interface of a tridiagonal solver, for authors of rows. One file a solver; its row goes into
 * tridiagonal_table.c. Its device is the current one (sw_device_use()) in all that return a status. */
#include "base/row.h"
#include "device/sw_owned.h"
#include "linalg/sw_tridiagonal.h"

/* Slice `number` of the 2^depth that a solver takes: its leaves and its rows. */
struct sw_slice { int64_t number, first_leaf, leaves, first, rows; };

/* A row that solves slices (sw_tridiagonal.h). A leaf of the tree is a tile of relations, a partition of SPIKE,
 * on a GPU some of them. */
struct sw_slice_ops {
    int     most_leaves;                               /* under a node at the deepest depth, at least 2 */
    bool    own_bits;                                  /* x has other last bits in other numbers of slices */
    int64_t (*leaves)(int64_t n);
    int64_t (*leaf_row)(int64_t n, int64_t leaf);      /* its first row; n behind the last leaf */
    enum sw_status (*reduce)(struct sw_tridiagonal *solver, const struct sw_slice *slice,
                             const struct sw_tridiagonal_rows *rows, struct sw_relation *relation);
    /** @param ends  out [count] */
    enum sw_status (*close)(int64_t count, const struct sw_relation *relation, bool cyclic, double (*ends)[4]);
    enum sw_status (*expand)(struct sw_tridiagonal *solver, const struct sw_slice *slice,
                             const struct sw_tridiagonal_rows *rows, bool reduced, const double ends[4], double *x);
};

struct sw_tridiagonal_ops {
    SW_ROW;                 /* its space: where rows and x live */
    bool stable;            /* its backward error stays within 10 times that of elimination with partial pivoting,
                               whatever the matrix; where x is not as good in each row, that of tridiagonal_judge.c
                               takes its place. Else it may break down, and is asked for dominant ones only */
    bool misses_infinity;   /* an infinite pivot leaves x finite: entries are looked at on the host as well */
    const char    *(*refuse)(const struct sw_tridiagonal_desc *desc);  /* why it does not do the shape; NULL: it does */
    size_t         own_size;                                           /* bytes of solver->own */
    /** List solver->arrays: what the row takes beside rows and x. Also of a solver that only counts, whose other data
     * are zeros. */
    void           (*arrays)(struct sw_tridiagonal *solver);
    size_t         (*library_bytes)(const struct sw_tridiagonal_desc *desc);  /* NULL: no library takes more */
    enum sw_status (*create)(struct sw_tridiagonal *solver);           /* with the arrays; NULL: nothing else */
    enum sw_status (*solve)(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows, double *x);
    /** Whether x of each system is finite, after waiting for the solve, and the last pivots are more than rounding, if
     * the row can tell. On a device, of a stable row, also whether x solves each row (tridiagonal_row_point.h), which
     * is looked at for it on the host. @param fine  out [batch], on the host. NULL, on the host: x is looked at */
    enum sw_status (*check_solution)(struct sw_tridiagonal *solver, const struct sw_tridiagonal_rows *rows,
                                     const double *x, bool *fine);
    void           (*destroy)(struct sw_tridiagonal *solver);          /* what is not in arrays; NULL: nothing */
    struct sw_cost (*cost)(const struct sw_tridiagonal_desc *desc);    /* NULL: not counted */
    const struct sw_slice_ops *slices;                                 /* NULL: it solves whole systems only */
};

struct sw_tridiagonal {
    const struct sw_tridiagonal_ops *ops;
    struct sw_tridiagonal_desc desc;     /* checked once */
    int               depth;             /* of the slices it solves; 0: the whole system */
    struct sw_device *device;
    struct sw_owned  arrays;            /* freed when it is destroyed */
    void             *own;               /* the row's own data: zeros at first */
};

/* Ends with NULL. Order is preference. */
extern const struct sw_tridiagonal_ops *const sw_tridiagonal_table[];

/* The tree over leaves 0 .. leaves-1: node s of 2^depth at a depth covers leaves s*leaves/2^depth ..
 * (s+1)*leaves/2^depth - 1, rounded down (relation_first_leaf()). The deepest nodes have most_leaves leaves or fewer,
 * and 1 at least. */
int sw_relations_depth(int64_t leaves, int most_leaves);
/** The close of rows that keep relations: up and down the tree over `count` slices, any number. */
enum sw_status sw_relations_close(int64_t count, const struct sw_relation *relation, bool cyclic, double (*ends)[4]);

/* x of a longer system may be as large as a regular matrix can make it: of (-1, 2, -1) the condition is n^2/2. */
enum { TRIDIAGONAL_BOUNDED_ROWS = 1 << 20 };

/** Look at a system whose x is in doubt: a plain elimination with partial pivoting on the host, rows, columns and
 * right-hand sides scaled by powers of two.
 * @param x         what was found
 * @param solution  out [n]: what elimination finds; written where it is not better, too
 * @param better    out: that solves the scaled rows better than x does */
enum sw_status sw_tridiagonal_judge(int64_t n, bool cyclic, const struct sw_tridiagonal_rows *rows, const double *x,
                                    double *solution, bool *better, struct sw_tridiagonal_outcome *outcome);
/** Whether the matrix, of finite entries, is singular: exactly. Some 100 ns a row. */
bool sw_tridiagonal_is_singular(int64_t n, bool cyclic, const struct sw_tridiagonal_rows *rows);
#endif
