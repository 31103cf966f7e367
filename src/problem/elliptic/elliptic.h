#ifndef ELLIPTIC_H
#define ELLIPTIC_H
/* Between the files of the problem `elliptic`: elliptic_run.c has the system that a run stands for and what its
 * expressions give at cells and faces, elliptic_gauge.c what becomes of their mean where u is known up to a constant,
 * elliptic_sim.c solves a batch, elliptic.c has the keys, what is refused, and what is said of a run before. Each calls
 * those before it only. */
#include "elliptic/sw_elliptic.h"
#include "field/compatibility.h"
#include "field/evaluate.h"
#include "problem/sw_problem.h"

/* What runs of a shape with these words have in common. */
struct sw_elliptic_desc elliptic_describe(const struct sw_setup *setup, int batch);

/** Whether the geometry is the whole sphere: grid.n has the cells of a panel, a grid six panels stacked along y. */
bool elliptic_on_sphere(const struct sw_setup *setup);

/** Likewise of run j, whose setup counts for its columns, functions and choices only. @param column  [ncolumn][ld] */
struct sw_elliptic_desc elliptic_describe_run(const struct sw_setup *setup, int64_t ld, const double *column,
                                              int64_t j);

/** The numbers of run j; omega2 as physics.courant has it where that is given. @param column  [ncolumn][ld] */
struct sw_elliptic_numbers elliptic_numbers(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j);

/* ------------------------------------------------------------------ a run, its cells and faces (elliptic_run.c) */

/* A run, whose expressions are evaluated. */
struct elliptic_run {
    const struct sw_setup *setup;
    struct sw_elliptic_desc desc;
    int            dim;
    double         depth;
    const double  *column;   /* of the run: column k at column[k*stride] */
    int64_t        stride;
    int            threads;
};

/* Points of a run: the centres of the cells; the centres of the faces across `axis`, one more along it; those of them
 * that are on the two walls, two along it; or in each cell the point that lies a `part` of the way from its lower to
 * its upper face along each axis. They are numbered as in a file, x fastest, then y; their values lie as solvers want
 * them, x fastest, then z: [n[1]][n[2]][n[0]]. */
struct elliptic_points {
    enum { ELLIPTIC_CENTRES, ELLIPTIC_FACES, ELLIPTIC_WALLS, ELLIPTIC_INSIDE } kind;
    int axis;
    double part[SW_DIMS];
};

/** Where they are. */
struct sw_grid elliptic_grid(const struct sw_elliptic_desc *desc, double depth, struct elliptic_points points);

/** Their numbers along x, y, z. @return their product */
int64_t elliptic_count(const struct sw_elliptic_desc *desc, struct elliptic_points points, int64_t n[SW_DIMS]);

/** Where a function key is evaluated there, and for which run. */
struct sw_sampling elliptic_sampling(const struct elliptic_run *run, const struct sw_program *program,
                                     struct elliptic_points points);

/** What it gives there.
 * @param value  out [elliptic_count()]
 * @return SW_E_MEMORY */
enum sw_status elliptic_sample(const struct elliptic_run *run, const struct sw_program *program,
                               struct elliptic_points points, double *value);

/** boundary.value at the ELLIPTIC_WALLS across an axis; 0 on those of them that do not hold u.
 * @param value  out [elliptic_count()]
 * @return SW_E_MEMORY */
enum sw_status elliptic_sample_walls(const struct elliptic_run *run, int axis, double *value);

/** Whether a wall across the axis holds u. */
bool elliptic_holds_u(const struct sw_elliptic_desc *desc, int axis);

/** Integrate values at the centres over the cells.
 * @param f  in, out: [ny][nz][nx] */
void elliptic_integrate(const struct sw_elliptic_matrix *matrix, int threads, double *f);

/** The number of the first point whose value is not finite, or with `positive` not above 0; -1: there is none.
 * @param n  points along x, y, z: elliptic_count() */
int64_t elliptic_find_bad(const double *value, const int64_t n[SW_DIMS], bool positive);

/** Where the value of the point with this number lies. */
int64_t elliptic_place(const int64_t n[SW_DIMS], int64_t number);

/** "kx is -1 at x = ..": of the point with the number `bad`. */
void elliptic_say_bad(const struct elliptic_run *run, const char *key, struct elliptic_points points, int64_t bad,
                      double value, struct sw_text *text);

/** What is wrong with values that are not finite, or not above 0: of the first point in the order of the whole grid,
 * on whichever rank. Collective where the grid is cut. Of no effect where `why` says something, on all ranks.
 * @param value     at these points of this rank
 * @param positive  they have to be above 0
 * @param why       in, out: "" where they are good
 * @return SW_E_COMM */
enum sw_status elliptic_blame(const struct elliptic_run *run, const char *key, struct elliptic_points points,
                              const double *value, bool positive, struct sw_text *why);

/** The coefficient of a periodic box at its seam, of those at the first and the last face along an axis, both above 0:
 * the first, where they are equal to 1e-9; else their harmonic mean, as what lies on either side of a face conducts one
 * behind the other. */
double elliptic_seam(double first, double last);
bool elliptic_jumps(double first, double last);

/* ------------------------------------------------------------------ the mean (elliptic_gauge.c) */

/* Where the grid is cut what follows is collective. */

/** The mean of u over the cells of all ranks. @param u  [ny][nz][nx]  @param comm  NULL: there is one
 * @return SW_E_COMM */
enum sw_status elliptic_mean(const struct sw_comm *comm, const struct sw_elliptic_matrix *matrix, const double *u,
                             double *mean);

/* What is taken off f: its mean over the cells, and that by a finer rule, which is not formed of one that rounding may
 * have left. */
struct elliptic_taken { double mean, finer; bool rounding; };

/** What the mean of a text is that a singular system leaves no room for (field/compatibility.h).
 * @param key     of the text: f, exact
 * @param f       [ny][nz][nx], integrated over the cells
 * @param brief   only by the first of the finer rules
 * @param values  room for a number for each cell
 * @param taken   out
 * @return SW_E_MEMORY */
enum sw_status elliptic_judge_mean(const struct elliptic_run *run, const struct sw_elliptic_matrix *matrix,
                                   const char *key, const double *f, bool brief, double *values,
                                   enum sw_mean_kind *kind, struct elliptic_taken *taken);

/** Give the right-hand side of a singular system a solution: take its mean off, weighted by the cells' volumes, as the
 * rows of A sum to 0; or say why there is none.
 * @param f    in, out; the rest as above
 * @param why  out, where the mean is not the grid's; else unchanged
 * @return SW_E_MEMORY */
enum sw_status elliptic_take_mean_off(const struct elliptic_run *run, const struct sw_elliptic_matrix *matrix,
                                      double *f, double *values, struct elliptic_taken *taken, struct sw_text *why);

/** "f has the mean 1: ..", which is not the grid's. */
void elliptic_refuse_mean(const struct elliptic_taken *taken, struct sw_text *why);

/* ------------------------------------------------------------------ a batch (elliptic_sim.c) */

enum sw_status elliptic_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim);
enum sw_status elliptic_bytes(const struct sw_setup *setup, const struct sw_device *device,
                              struct sw_batch_bytes *bytes);
#endif
