#ifndef FIELDS_SOLVES_H
#define FIELDS_SOLVES_H
/* How the steps of a row solve with Q = P⁻¹ (w_methods.h): by a product of line matrices (product.c), or another way.
 * One of these is a thread's; it is for one run after the other. */
#include <stdbool.h>
#include <stddef.h>

#include "device/sw_owned.h"
#include "problem/fields/w_methods.h"

struct fields_desc;

struct fields_solves {
    bool exact;  /* fields_matrix_rule.exact: P has all that is linear by itself */
    /** Bytes of memory that one takes. */
    size_t (*bytes)(const struct fields_desc *desc);
    /** @param desc  its n, terms, walls, wall  @param arrays  own its arrays  @param solver  out: NULL on failure
     * @return SW_E_MEMORY; it is then to be destroyed, too */
    enum sw_status (*create)(const struct fields_desc *desc, struct sw_owned *arrays, void **solver);
    void (*destroy)(void *solver);  /* what is not in arrays; of NULL it is fine */
    /** Begin with a run. @param dx  distances of points @param param  parameter k of the run is param[k*stride] */
    void (*begin)(void *solver, const double dx[FIELDS_AXES], const double *param, int64_t stride);
    /** Prepare P of unknown v for steps of dt. @return false where a coefficient is not finite */
    bool (*factor)(void *solver, int v, double gamma_dt, const struct fields_matrix *m);
    /** x = P⁻¹ x, of a field of unknown v. @param x  [z][y][x] */
    void (*solve)(void *solver, int v, double *x);
    /** What a solve may be off by, relative to the field: the sum of sw_line_rounding() of periodic axes,
     * and of u (9 + c) between walls, c = 1 + 4 s2 + 16 s4 the condition of A (docs/explanation/banded_solvers.md). */
    double (*rounding)(const void *solver, double gamma_dt, const struct fields_matrix *m);
};

extern const struct fields_solves fields_lines;  /* product.c */
#endif
