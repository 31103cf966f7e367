#ifndef ROW_H
#define ROW_H
/* The front end of every table of rows. A row is one way to do a piece of work, "cpu.thomas" or "cuda.fused"; a table
 * lists them in the order of preference. Here a row is found by its name, the first one that does a request is picked,
 * and a user is told why a row does not, and which ones would.
 *
 *     struct sw_band_ops { SW_ROW; bool (*fits)(const struct sw_band_desc *desc); ... };
 *     const struct sw_band_ops *const sw_band_table[] = {&band_thomas_cpu, ..., NULL};
 *
 *     static const char *refuse(const struct sw_row *row, const void *request, enum sw_status *kind) { ... }
 *     SW_ROWS(rows, "band solver", sw_band_table, .refuse = refuse);
 *
 *     SW_TRY(sw_row_pick(&rows, name, device->space, desc, &row));
 *     ops = (const struct sw_band_ops *)row;
 */
#include <stdbool.h>

#include "base/sw_space.h"
#include "base/sw_status.h"

/* name    "<where>.<how>", the name users write
 * about   one line for `sweep list`
 * space   where the arrays live that it works on
 * absent  NULL, or why this build lacks it: "built without CUDA: ..." */
#define SW_ROW_MEMBERS             \
    const char   *name, *about;    \
    enum sw_space space;           \
    const char   *absent
struct sw_row { SW_ROW_MEMBERS; };
/* The first member of the struct of a row: its members by their own names, or together as `row`. */
#define SW_ROW                     \
    union {                        \
        struct sw_row row;         \
        struct { SW_ROW_MEMBERS; }; \
    }

struct sw_rows {
    const char *noun;                       /* what a row is, "band solver"; begins a refusal                */
    const struct sw_row *(*row)(int k);     /* NULL after the last                                           */
    /** Why a row, which this build has and which works in the space asked for, does not do a request: a static text;
     * NULL: it does.
     * @param row   NULL: why no row does
     * @param kind  SW_E_ABSENT on entry; set to SW_E_CONFIG where the request itself is at fault              */
    const char *(*refuse)(const struct sw_row *row, const void *request, enum sw_status *kind);
    /** Whether a row that does a request is slower at it than rows behind it, and is picked where none of these does
     * it, or by its name; NULL: the order of the table is that of speed for all requests                     */
    bool (*slower)(const struct sw_row *row, const void *request);
    bool places_optional;                   /* "a2d" names cpu.a2d and cuda.a2d, too                          */
};

/* Define a table over a typed array of rows that ends with NULL. */
#define SW_ROWS(rows, what, array, ...)                                                                      \
    static const struct sw_row *rows##_row(int k) { return (array)[k] ? &(array)[k]->row : NULL; }           \
    static const struct sw_rows rows = {.noun = what, .row = rows##_row, __VA_ARGS__}

/** Whether a name, as a user writes it, names this row; NULL names every row. */
bool sw_row_named(const struct sw_rows *rows, const struct sw_row *row, const char *name);

/** The first row of that name; NULL: there is none. */
const struct sw_row *sw_row_find(const struct sw_rows *rows, const char *name);

/** Whether this build has the row, and it does the request in that space. */
bool sw_row_usable(const struct sw_rows *rows, const struct sw_row *row, enum sw_space space, const void *request);

/** The first usable row of that name, or of any name where it is NULL: then one that is not slower, if there is one.
 * @param row  out: borrowed from the table
 * @return SW_E_CONFIG there is no such row, or the request is at fault; SW_E_ABSENT none is here that does it. The
 *         message says why, and which rows would: "band solver cpu.gauss: there is no such row; fit here:
 *         cpu.thomas". Where none would, a line follows for each row of that space with its own reason, and for each
 *         row of the host that does it. Its cause is SW_CAUSE_ROWS */
enum sw_status sw_row_pick(const struct sw_rows *rows, const char *name, enum sw_space space, const void *request,
                           const struct sw_row **row);
#endif
