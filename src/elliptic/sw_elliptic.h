#ifndef SW_ELLIPTIC_H
#define SW_ELLIPTIC_H
/* Elliptic problems in flat geometries (docs/explanation/elliptic.md): on cells of a box or of a spherical shell,
 *
 *     -omega2 (Lh u + lambda2 Lz u) + delta u = f
 *
 * where Lh is the Laplacian along the two horizontal coordinates and Lz that along the vertical one. Cell-centred
 * finite volumes: a system A u = f, A symmetric and positive definite, with all terms integrated over the cells. Each
 * system of a batch has its own numbers; a solver is a row of elliptic_table.c.
 *
 * An array of a field has [batch][ny][nz][nx] numbers: x is the fastest, the slab of one y lies together. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_cost.h"
#include "base/sw_status.h"
#include "device/sw_device.h"

struct sw_comm;

enum sw_elliptic_geometry {
    SW_ELLIPTIC_BOX,    /* 0 < x < 1, 0 < y < 1, 0 < z < depth */
    SW_ELLIPTIC_SHELL   /* a panel of a gnomonic cubed sphere: -1 < x, y < 1 (x = X/Z, y = Y/Z), 1 < z < 1 + depth, the
                           distance from the centre; or with the sides SW_ELLIPTIC_SEAM all six panels, joined
                           (base/sw_cubed_sphere.h): n x n cells each, stacked along y */
};
enum sw_elliptic_wall {
    SW_ELLIPTIC_DIRICHLET, SW_ELLIPTIC_NEUMANN, SW_ELLIPTIC_PERIODIC,
    SW_ELLIPTIC_SEAM    /* no wall: the next panel of the sphere */
};

/* How a grid is cut over ranks: along y, so that columns and rows along x are whole; and evenly, so that slabs differ
 * by one row at most. */
struct sw_elliptic_cut {
    const struct sw_comm *comm;  /* the ranks, in the order of their cells, at least one along y for each; NULL: one has
                                    them all, and the rest is not to be looked at                               */
    int64_t whole, first;        /* cells of the whole grid along y; which of them is the first of this rank    */
};

/* What the systems of a batch have in common. Where a grid is cut the functions below are collective, but for those of
 * matrices and names. */
struct sw_elliptic_desc {
    int64_t n[3];                       /* cells along x, y, z: at least 1; of this rank                         */
    struct sw_elliptic_cut cut;
    enum sw_elliptic_geometry geometry;
    bool    full;                       /* of a shell: the cross terms of its skewed coordinates as well, 9 points of
                                           a level; else fluxes of two points, which do not converge to Lh        */
    bool    graded;                     /* levels depth (k/nz)^2; else depth k/nz                               */
    enum sw_elliptic_wall sides[2];     /* at both ends of x, of y; PERIODIC in the box only; SEAM in the shell only,
                                           at all sides: then n[1] = 6 n[0], and the grid is not cut            */
    enum sw_elliptic_wall bottom, top;  /* DIRICHLET or NEUMANN                                                 */
    bool    variable;                   /* of a box: coefficients that differ from face to face                 */
    bool    single;                     /* to be computed in single precision; residuals are formed in double   */
    int     batch;                      /* systems, at least 1                                                  */
};

/* The least tolerance of systems that are computed in single precision: u itself is rounded by 2^-24. Where levels are
 * thin or the Courant number is large A makes much more of that (docs/explanation/elliptic.md): such a solve ends with
 * SW_ELLIPTIC_FLOOR. */
#define SW_ELLIPTIC_SINGLE_TOLERANCE 1e-7

/* The numbers of one system. */
struct sw_elliptic_numbers {
    double omega2, lambda2, delta, depth;  /* all > 0 but delta >= 0 */
    double tolerance;                   /* of |f - A u|_2/|f|_2                                                 */
    int    iterations;                  /* at most                                                              */
    bool (*give_up)(void *user);        /* asked after an iteration, maybe by several threads at once: whether to return
                                           SW_E_STOPPED, and leave u as it is. NULL: never                      */
    void  *give_up_user;
};

/* Coefficients of a variable system at its faces, which multiply Lh's and Lz's: kx [ny][nz][nx+1], face i between cells
 * i-1 and i; ky [ny+1][nz][nx]; kz [ny][nz+1][nx]. All > 0. On the host. */
struct sw_elliptic_faces { const double *kx, *ky, *kz; };

/** Cells of the whole grid along y, and which of them is the first of this rank. */
static inline int64_t sw_elliptic_whole(const struct sw_elliptic_desc *d)
{
    return d->cut.comm ? d->cut.whole : d->n[1];
}
static inline int64_t sw_elliptic_first(const struct sw_elliptic_desc *d) { return d->cut.comm ? d->cut.first : 0; }

/** That of the whole grid, of which this may be a slab. */
static inline struct sw_elliptic_desc sw_elliptic_uncut(const struct sw_elliptic_desc *d)
{
    struct sw_elliptic_desc whole = *d;
    whole.n[1] = sw_elliptic_whole(d);
    whole.cut = (struct sw_elliptic_cut){NULL};
    return whole;
}

/** Whether it is the whole sphere. */
static inline bool sw_elliptic_is_sphere(const struct sw_elliptic_desc *d) { return d->sides[0] == SW_ELLIPTIC_SEAM; }

/* ------------------------------------------------------------------ the matrix of one system, on the host */

/* Weights in A u = area (a u + b (u - up) + c (u - down)) + d sum of east and north (u - neighbour); of a shell with
 * `full` also the gradient of the energy sum over inner vertices of 2 d cross Dx Dy, Dx and Dy the mean differences of
 * the four cells around it. An outer neighbour is 0: at a Dirichlet wall `east`, `north`, b, c count half a cell, at a
 * Neumann wall they are 0; with `full` those at and along walls have what the vertices there add. Of a grid that is cut
 * it has the rows of this rank, whose neighbours along y may be of other ranks. On the sphere the neighbours of a
 * panel's outer cells are those beyond its seams; the row of `north` between two panels belongs to both, as all seams
 * have the same weights. */
struct sw_elliptic_matrix {
    int64_t nx, ny, nz;
    int64_t panel;   /* cells along a side of a panel of the sphere; 0: it is none                              */
    bool    periodic[2];
    double *area;    /* [ny][nx]: of the cell's column at r = 1                                                 */
    double *east;    /* [ny][nx+1]: face i lies between cells i-1 and i                                         */
    double *north;   /* [ny+1][nx]                                                                              */
    double *cross;   /* [ny+1][nx+1]: vertex (i, j) is the lower left corner of cell (i, j); NULL: none         */
    double *level;   /* [nz+1]: z of the faces                                                                  */
    double *volume;  /* [nz]: of a cell over its area                                                           */
    double *a, *b, *c, *d;  /* [nz]                                                                             */
    struct sw_elliptic_faces faces;  /* borrowed; NULL where all coefficients are 1                             */
};

/** The matrix of a system. Its memory is one block: sw_elliptic_matrix_free().
 * @param faces  NULL unless desc->variable; stays the caller's, and has to live as long as the matrix
 * @param like   NULL, or a matrix of the same desc, whose areas and horizontal weights are copied: they do not depend
 *               on the numbers
 * @return SW_E_ARG shapes or numbers out of range, levels without thickness; SW_E_MEMORY */
enum sw_status sw_elliptic_matrix_make(const struct sw_elliptic_desc *desc, const struct sw_elliptic_numbers *numbers,
                                       const struct sw_elliptic_faces *faces, const struct sw_elliptic_matrix *like,
                                       struct sw_elliptic_matrix *matrix);
void sw_elliptic_matrix_free(struct sw_elliptic_matrix *matrix);

/** Whether A is singular: no wall holds u, and delta = 0. Of a single column that is not periodic so are the matrices
 * that the rows divide by: they end with SW_ELLIPTIC_NOT_FINITE. */
bool sw_elliptic_is_singular(const struct sw_elliptic_desc *desc, double delta);

/** The coordinate of face i of n along a horizontal axis. */
double sw_elliptic_face(enum sw_elliptic_geometry geometry, int64_t n, int64_t i);

/** What Dirichlet walls add to the right-hand side: f += the weight of the face times the value there.
 * @param value  at the face of cell (i, j, k) on a wall: side 0 .. 5: west, east, south, north, bottom, top. Of a grid
 *               that is cut j counts the cells of all of it, and for west and east may be one of another rank
 * @param f      in, out: [ny][nz][nx] */
void sw_elliptic_add_walls(const struct sw_elliptic_desc *desc, const struct sw_elliptic_matrix *matrix,
                           double (*value)(const void *context, int side, int64_t i, int64_t j, int64_t k),
                           const void *context, double *f);

/* ------------------------------------------------------------------ solvers */

enum sw_elliptic_fault {
    SW_ELLIPTIC_FINE,
    SW_ELLIPTIC_SLOW,         /* the tolerance was not reached in so many iterations                            */
    SW_ELLIPTIC_FLOOR,        /* rounding keeps the residual above the tolerance                                */
    SW_ELLIPTIC_INDEFINITE,   /* a direction p has p A p <= 0                                                   */
    SW_ELLIPTIC_NOT_FINITE    /* f, or u                                                                        */
};
struct sw_elliptic_outcome {
    enum sw_elliptic_fault fault;
    int    iterations;        /* of conjugate gradients; of a row of all vertical modes, corrections by all of them */
    double residual;          /* |f - A u|_2/|f|_2, formed from u in double; 0 where f = 0                      */
    double reported;          /* what the method's recurrence takes it for                                      */
    const char *by;           /* the row that took over, of which all this is, where the solver's own comes to nothing
                                 (variable coefficients differ too much); NULL: none                            */
};

struct sw_elliptic;

/** @param name  of a row, or NULL for the first one that does the shape on this device
 * @return SW_E_CONFIG no such row; SW_E_ABSENT not here; SW_E_ARG; SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_elliptic_create(const struct sw_elliptic_desc *desc, const char *name, struct sw_device *device,
                                  struct sw_elliptic **solver);

/** The systems to be solved next: matrices [count], borrowed until the last solve; count <= desc->batch. */
enum sw_status sw_elliptic_load(struct sw_elliptic *solver, int count, const struct sw_elliptic_numbers *numbers,
                                const struct sw_elliptic_matrix *matrix);

/** Solve the systems that were loaded; from u = 0.
 * @param f        [count][ny][nz][nx] in the memory of the device, integrated over the cells. Its square has to be in
 *                 the range of numbers: |f|² that underflows is taken for 0
 * @param u        out, likewise; where the fault is not FINE what was reached
 * @param outcome  out [count] on the host
 * @param history  NULL, or out [count][1 + most] on the host: the residual that is reported after each iteration,
 *                 history[0] = 1; NaN behind the last
 * @param most     room in history; iterations beyond it are not recorded
 * @return SW_E_STOPPED numbers->give_up() wants it; SW_E_MEMORY; SW_E_CUDA */
enum sw_status sw_elliptic_solve(struct sw_elliptic *solver, const double *f, double *u,
                                 struct sw_elliptic_outcome *outcome, double *history, int most);

/** Bytes that such a solver would take in the memory of the device. */
enum sw_status sw_elliptic_bytes(const struct sw_elliptic_desc *desc, const char *name, const struct sw_device *device,
                                 size_t *bytes);

/** The name of the row that sw_elliptic_create() would take, NULL: none. */
const char *sw_elliptic_choice(const struct sw_elliptic_desc *desc, const char *name, const struct sw_device *device);

/** Why a row does not do a shape, whatever the device; NULL: it does, or there is no such row. */
const char *sw_elliptic_refusal(const struct sw_elliptic_desc *desc, const char *name);

/** Words and operations of one iteration for one cell. */
struct sw_cost sw_elliptic_cost(const struct sw_elliptic *solver);
const char *sw_elliptic_name(const struct sw_elliptic *solver);
const char *sw_elliptic_row(int k);  /* names that rows go by, "cpu.pcg" and "pcg"; NULL after the last */
void sw_elliptic_destroy(struct sw_elliptic **solver);
#endif
