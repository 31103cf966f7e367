#ifndef SLICES_IMPL_H
#define SLICES_IMPL_H
/* Between the files of runs that are cut into slices: tridiagonal_slices.c makes them, keeps their state and gives
 * their outputs; slices_steps.c takes their steps. */
#include "device/sw_snapshot.h"
#include "linalg/sw_tridiagonal.h"
#include "problem/tridiagonal/matrices.h"
#include "problem/tridiagonal/randsvd.h"
#include "problem/tridiagonal/tridiagonal.h"

enum { LOWER = TRIDIAGONAL_LOWER, MAIN, UPPER, RHS, ARRAYS };

/* Why a run cannot go on. */
enum failure { NO_FAILURE, BAD_ENTRY, SINGULAR, OVERFLOWS, EARLIER };
struct fault {
    enum failure failure;
    int64_t step, first, last;  /* found in this step; the rows at fault, from 0 */
    struct tridiagonal_bad_entry bad;             /* of BAD_ENTRY */
};

/* A device, and the slice that it has in its memory. */
struct lane {
    struct sw_device *device;
    struct tridiagonal_entries *entries;
    struct sw_tridiagonal *solver;
    double *array[ARRAYS], *x;                    /* [most_rows] in the memory of the device        */
    double *host;               /* [piece_rows] on the way from or to the device; NULL: not needed  */
    int64_t slice, first, rows;                   /* rows 0: there is none                          */
    bool    reduced;            /* and the solver's last call has reduced it                        */
    struct tridiagonal_sums sums;                 /* of the last step                               */
    struct fault fault;
};

struct slices_sim {
    struct sw_sim     sim;      /* first: the operations get a pointer to it                        */
    struct sw_setup   setup;
    int64_t           n, slices, most_rows, piece_rows;
    const struct tridiagonal_matrix *matrix;      /* NULL: given                                    */
    const struct tridiagonal_source *source;      /* NULL: no array is in a file                    */
    int64_t           stored;   /* which of its systems the run is, from 0                          */
    struct sw_program *own[3];  /* of the matrix; NULL: the config's, or none                       */
    int               lanes;    /* devices that work on the run, each on a slice of its own         */
    struct lane      *lane;
    int64_t           from, to; /* the steps that the lanes take now, and remote helpers after them */
    bool              lost;     /* a remote helper has failed in one of them: `to` is before it     */
    int               chosen;   /* lane of the piece of x to be saved, and where it begins there    */
    int64_t           chosen_row, chosen_rows;
    struct sw_relation *relation;                 /* [slices]                                       */
    double            (*ends)[4];                 /* [slices]                                       */
    char             *saved[SW_SNAPSHOT_SLOTS];   /* [piece_rows] pieces of x as they are saved     */
    struct randsvd    block;
    bool              closed;   /* the ends of all slices are known                                 */
    struct tridiagonal_sums sums;
    struct fault      fault;
};

/** The rows of a slice. */
void slices_rows(const struct slices_sim *t, int64_t slice, int64_t *first, int64_t *count);

/* Operations of struct sw_sim_ops. */
enum sw_status slices_advance(struct sw_sim *sim, int64_t from, int64_t to);
enum sw_status slices_help(struct sw_sim *sim, const double *asked, double *answered);
#endif
