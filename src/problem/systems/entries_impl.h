#ifndef ENTRIES_IMPL_H
#define ENTRIES_IMPL_H
/* What entries.h and measure.h call on a kind of device. One file a kind; its row goes into entries_table.c. */
#include "base/row.h"
#include "device/sw_owned.h"
#include "problem/systems/measure.h"

/* The programs of a desc by number: those of the diagonals, as many as there may be, then these. */
enum { ENTRIES_RHS = ENTRIES_DIAGONALS, ENTRIES_EXACT, ENTRIES_PROGRAMS };

struct entries_ops {
    SW_ROW;                    /* named as the kind of device: "cpu"      */
    size_t         (*bytes)(const struct system_entries_desc *desc, size_t *per_run);  /* NULL: none */
    size_t         own_size;                                                /* bytes of own           */
    enum sw_status (*create)(struct system_entries *entries);          /* fills own, which is zeros, and arrays */
    enum sw_status (*load)(struct system_entries *entries);            /* count and param are set */
    enum sw_status (*fill)(struct system_entries *entries, int64_t first, int64_t rows,
                           const struct system_arrays *out);
    enum sw_status (*first_bad)(struct system_entries *entries, int64_t *row);
    enum sw_status (*measure)(struct system_entries *entries, int64_t first, int64_t rows,
                              const struct system_arrays *of, const double *x, const double (*beyond)[2],
                              struct system_sums *sums);
    void           (*destroy)(struct system_entries *entries);         /* what is not in arrays  */
};

struct system_entries {
    const struct entries_ops *ops;
    struct system_entries_desc desc;
    struct sw_device *device;
    int     count;   /* runs loaded                                */
    double *param;   /* [nparam][count] on the host; room for capacity */
    struct sw_owned arrays;
    void   *own;
};

extern const struct entries_ops *const entries_table[];  /* ends with NULL */

/** The desc's programs in the order above. */
void entries_programs(const struct system_entries_desc *desc, const struct sw_program *program[ENTRIES_PROGRAMS]);

/** How many rows before and behind a row its diagonals reach. */
static inline int entries_below(const struct system_entries_desc *d) { return d->place[0] < 0 ? -d->place[0] : 0; }
static inline int entries_above(const struct system_entries_desc *d)
{
    const int last = d->place[d->diagonals - 1];
    return last > 0 ? last : 0;
}

/** Whether rhs := A exact. */
bool entries_multiplies(const struct system_entries_desc *desc);
#endif
