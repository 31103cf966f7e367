#ifndef ENTRIES_H
#define ENTRIES_H
/* The rows of banded systems from expressions, any part of them at a time (docs/explanation/banded.md).
 *
 *     sum over k of diagonal[k](i) x[i + place[k]] = rhs(i),   i = 1 .. n in expressions
 *
 * for a few diagonals that lie place[k] places right of the main one; of a tridiagonal system -1, 0 and 1.
 * A batch is many runs of one n, each with its own parameters. Rows first .. first + rows - 1 of all runs are filled at
 * once, where the solver wants them; here, as in sw_tridiagonal.h, rows are counted from 0. An entry depends on its row
 * and its run alone, never on which rows are filled with it, nor on threads. Entries outside the matrix, as in the
 * first row those of the diagonals below the main one, are 0 unless cyclic.
 *
 * Row i, counted from 0, is cell i mod 2^31 and step i >> 31 to rand and randn (expr/random_point.h): these problems
 * have no time.
 *
 * Life: create; then for each batch: load, fill and measure (measure.h) as often as wanted. On a device fill queues
 * work and returns. */
#include <stdbool.h>
#include <stdint.h>

#include "device/sw_device.h"
#include "expr/sw_expr.h"

enum { ENTRIES_SIDE = 4, ENTRIES_DIAGONALS = 2 * ENTRIES_SIDE + 1 };  /* on each side of the main one, and in all */

struct system_entries_desc {  /* programs are borrowed: of the CELL symbol i in slot SW_IN_X, and of parameters */
    int64_t n;
    int     capacity;              /* most runs of a batch                                        */
    bool    cyclic;
    int     nparam;                /* parameters of a run: the RUN symbols of the programs         */
    int     diagonals;             /* at least 1. On a device of CUDA the three of tridiagonal systems */
    int     place[ENTRIES_DIAGONALS];  /* [diagonals] -ENTRIES_SIDE .. ENTRIES_SIDE, ascending     */
    const struct sw_program *diagonal[ENTRIES_DIAGONALS];  /* NULL: the caller fills this array    */
    const struct sw_program *rhs;  /* NULL: rhs = A exact, or the caller fills it (given_rhs, no exact) */
    const struct sw_program *exact;/* the solution, NULL: not known                                */
    bool    given_rhs;             /* the caller fills rhs, and exact is there to be compared with  */
};

/* In the memory of the device; [runs loaded][rows] each. */
struct system_arrays { double *diagonal[ENTRIES_DIAGONALS], *rhs; };

struct system_entries;

/** @param device  borrowed  @return SW_E_MEMORY; SW_E_CUDA; SW_E_ABSENT no run-time compiler, or not such diagonals */
enum sw_status system_entries_create(const struct system_entries_desc *desc, struct sw_device *device,
                                     struct system_entries **entries);
void system_entries_destroy(struct system_entries **entries);

/** Bytes of device memory beside the arrays: a constant part and a part a run. */
void system_entries_bytes(const struct system_entries_desc *desc, const struct sw_device *device,
                          size_t *fixed, size_t *per_run);


/** Begin a batch.
 * @param count  runs, 1 .. capacity
 * @param param  [nparam][count]: parameter k of run j is param[k*count + j]; copied */
enum sw_status system_entries_load(struct system_entries *entries, int count, const double *param);

/** Fill the arrays that have programs; then rhs := A exact, if that is wanted, its products and sums in double-double
 * and rounded once. An array that the caller fills is there already then.
 * @param out  rows first .. first + rows - 1 of each; without a program NULL where nothing needs it */
enum sw_status system_entries_fill(struct system_entries *entries, int64_t first, int64_t rows,
                                   const struct system_arrays *out);

/** Wait for fill(), and tell the least row of each run since load() in which it put a number that is not finite.
 * @param row  out [count]; -1: none */
enum sw_status system_entries_first_bad(struct system_entries *entries, int64_t *row);

/* A number that is not finite in a row, or that makes one so. Behind the numbers of the diagonals come these. */
enum { ENTRIES_BAD_RHS, ENTRIES_BAD_EXACT, ENTRIES_BAD_PRODUCT };
struct system_bad_entry {
    int     which;     /* a diagonal, or diagonals + ENTRIES_BAD_..; PRODUCT: rhs := A exact; EXACT: exact in this row
                          is why that is not finite */
    int64_t row;
    double  value;
};

/** What is not finite in a row that first_bad() has told of run j.
 * @param out  as filled; the row is entry `at` of each array */
enum sw_status system_entries_find_bad(struct system_entries *entries, int j, int64_t row,
                                       const struct system_arrays *out, size_t at,
                                       struct system_bad_entry *bad);

/** "main of row 3 is infinite", rows from 1. @param name  [diagonals] */
void system_bad_entry_say(const struct system_bad_entry *bad, int diagonals, const char *const *name,
                          struct sw_text *text);
#endif
