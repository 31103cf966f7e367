#ifndef SWEEP_AXIS_H
#define SWEEP_AXIS_H
/* The axes of a sweep: read from the config, combined, and their values. */
#include "sweep/sw_sweep.h"

enum axis_kind { AXIS_LIST, AXIS_LINSPACE, AXIS_LOGSPACE, AXIS_RANGE,  /* lists of values */
                 AXIS_TABLE,  /* a column of a table (table.h) */
                 AXIS_UNIFORM, AXIS_LOGUNIFORM, AXIS_INTEGER, AXIS_NORMAL, AXIS_LOGNORMAL };  /* drawn at random */

struct axis {
    const char              *name;
    const struct sw_setting *setting;
    enum axis_kind           kind;
    int64_t                  count;     /* values; 0: refused                                                   */
    double                   a, b;      /* ends; of a range, start and step; of a normal, mean and deviation    */
    double                   unit;      /* 1/unit: the decimal place to which a and b are written; 0: none is   */
    double                  *value;     /* LIST, TABLE: [count]                                                 */
    const char             **word;      /* of words: [nword], of a list as many as values; value has their numbers */
    int                      nword;
    int64_t                  stride;    /* how many runs in a row share a value; zip: 1                         */
    int                      dimension; /* drawn: of the random sample                                          */
};

/** Read the group `sweep`, and combine its axes: sw_sweep.axis, sw_sweep_own.axis, number of runs, strides, random
 * sample. @return SW_E_MEMORY */
enum sw_status axes_read(struct sw_sweep *s);

/** Value i of an axis that is not drawn. */
double axis_value(const struct axis *axis, int64_t i);

/** The values of axis k for some runs: run[0 .. count-1], or first, first+1, ... if run is NULL. They are computed
 * where they are needed, so that an axis of a million values costs nothing. */
void axis_values(const struct sw_sweep *s, int k, const int64_t *run, int64_t first, int count, double *out);
#endif
