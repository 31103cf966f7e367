#ifndef ELLIPTIC_REFINE_H
#define ELLIPTIC_REFINE_H
/* What all methods share, wherever they compute: a method goes on until it takes the residual for small enough, then
 * the residual is formed from u, and the method begins again from there if it is not. */
#include "device/sw_owned.h"
#include "elliptic/elliptic_real.h"

/* The ranks of a grid that is cut; where it is not they are one, and nothing is sent. */
struct elliptic_ranks {
    const struct sw_comm *comm;                 /* NULL: it is not cut                                 */
    bool   periodic;                            /* the first and the last are neighbours               */
    int    count;
    const struct sw_elliptic_numbers *numbers;  /* [count] of the systems at hand                      */
    struct sw_elliptic_numbers *ours;           /* the same, but that all ranks give up together       */
    bool   stopped;                             /* some rank was to give up when they last added up    */
    double *numbers_sent;
};

/** @param own  gets the arrays */
void elliptic_ranks_make(const struct sw_elliptic_desc *desc, struct sw_owned *own, struct elliptic_ranks *ranks);

/** Begin with some systems. @return their numbers for elliptic_refine() */
const struct sw_elliptic_numbers *elliptic_ranks_begin(struct elliptic_ranks *ranks, int count,
                                                       const struct sw_elliptic_numbers *numbers);

/** Sums of all ranks, in their order. One reduction, which also tells whether a rank is to give up.
 * @param sum  [count] on the host, in, out; count 0 is legal: at most 3, or the systems of the batch
 * @return SW_E_COMM */
enum sw_status elliptic_ranks_sum(struct elliptic_ranks *ranks, int count, double *sum);

/* What one pass over the vectors can do together, where a row has that. */
struct elliptic_fused {
    enum sw_status (*apply)(void *context, const real *x, real *y, double *sum);          /* y = A x; <x, y>          */
    enum sw_status (*dots)(void *context, const real *x, const real *y, const real *z, double sum[2]);
                                                                                          /* <x, z>, <y, z>           */
    enum sw_status (*add)(void *context, double alpha, const real *x, real *y, double *sum);
                                                                                          /* y += alpha x; <y, y>     */
    enum sw_status (*advance)(void *context, double alpha, real *u, const real *z, double beta, real *p);
                                                                           /* u += alpha p, then p = z + beta p       */
};

/* The vectors of some systems of one shape, one after another, and what is done with them. */
struct elliptic_space {
    void *context;
    int   systems;
    enum sw_status (*apply)(void *context, const real *x, real *y);             /* y = A x                        */
    enum sw_status (*precondition)(void *context, const real *r, real *z);      /* z = M^-1 r; NULL: there is none */
    enum sw_status (*dot)(void *context, const real *x, const real *y, double *sum);      /* [systems]; waits     */
    enum sw_status (*combine)(void *context, double alpha, const real *x, double beta, real *y);
                                                            /* y = alpha x + beta y; beta = 0 does not look at y  */
    enum sw_status (*residual)(void *context, const real *f, const real *u, real *r, double *rr);
                                       /* r = f - A u and |r|² [systems], waits; NULL: by the others; of a lean
                                        * space r may be NULL: only |r|²                                          */
    const struct elliptic_fused *fused;                                         /* NULL: one thing after another  */
    real   *work[5];       /* of the length of all u                                                              */
    bool    flexible;      /* M^-1 differs from iteration to iteration, or is not symmetric to the last digit      */
    bool    lean;          /* it has residual(); the method leaves pass->r as it is, takes u for 0 in the first pass,
                            * and seldom needs another one: r is stored only for that                              */
};

/* One system on its way. */
struct elliptic_way {
    const struct sw_elliptic_numbers *numbers;
    struct sw_elliptic_outcome *outcome;
    bool    due;            /* it is not done                       */
    bool    given_up;       /* numbers->give_up() wanted it         */
    double  norm_f, rr;     /* |f|; |r|²                            */
    double  before;         /* the residual at the last beginning   */
    bool    another;        /* set by the method: where it did not halve the residual it goes on in another way */
    double *history;        /* NULL, or [1 + most]                  */
    int     most;
};

/* What a method is given. */
struct elliptic_pass {
    const struct elliptic_space *space;
    struct elliptic_way *way;  /* [systems]: those that are not due are left as they are             */
    const double *r;        /* f - A u: in space->work[0]; of a lean space in the first pass f itself */
    bool    first;          /* of a lean space: u is 0, whatever its memory holds                     */
};

/** After an iteration, which left |r|² in way->rr: count it, and write down what is reported.
 * @return whether another one is due; not where numbers->give_up() says so, for which elliptic_refine() fails */
bool elliptic_record(struct elliptic_way *way);

/** Whether pq = <p, A p> ends the method: it is not above 0, which makes it a fault. */
bool elliptic_breaks(struct elliptic_way *way, double pq);

/** A method: from r = f - A u and |r|² in way->rr of each system that is due, iterate until elliptic_record() says that
 * no other iteration is due, or elliptic_breaks() that none is possible. The method has to look whether there is one to
 * make at all. It may overwrite all of space->work. */
typedef enum sw_status elliptic_method(void *context, struct elliptic_pass *pass, double *u);

/** Solve A u = f from u = 0 by a method. When it is done the residual is formed from u, and the method begins again
 * from there with those systems where that is larger than the tolerance: as long as that still halves it. Of the space:
 * apply, dot, combine or residual; work[0].
 * @param numbers  [systems]: tolerance and iterations at most
 * @param outcome  out [systems]
 * @param history  NULL, or [systems][1 + most] as in sw_elliptic_solve()
 * @return SW_E_STOPPED given up; SW_E_MEMORY; SW_E_CUDA */
enum sw_status elliptic_refine(const struct elliptic_space *space, const struct sw_elliptic_numbers *numbers,
                               const double *f, double *u, struct sw_elliptic_outcome *outcome, double *history,
                               int most, elliptic_method *method, void *context);
#endif
