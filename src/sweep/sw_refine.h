#ifndef SW_REFINE_H
#define SW_REFINE_H
/* Refinement: cells between the values of axes are split where a result changes (cells.h), round after round. The runs
 * of a round follow those of the rounds before it, which keep their numbers and ids: a sweep is expanded anew with the
 * points that a round adds (sw_config.refined). What is added follows from the results alone, so that a sweep which is
 * continued finds the same rounds again. */
#include "sweep/sw_run_result.h"
#include "sweep/sw_sweep.h"

struct sw_refine {                      /* sw_sweep.refine                                                         */
    const char *of;                     /* the scalar, or the column of the run table, whose value decides         */
    const struct sw_run_column *column; /* NULL: a scalar                                                          */
    const char *where;                  /* "jump", "gradient", "between"                                           */
    int         levels, naxis;
    int         axis[3];                /* [naxis] those that are refined                                          */
    int64_t     begin;                  /* runs before any cell is split: the first of sw_sweep.nruns              */
    double      most;                   /* points of the finest grid                                               */
};

struct sw_refiner;
/** @param sweep  with `refine`, and without refined points  @param refiner  out: free with sw_refiner_destroy()
 *  @return SW_E_MEMORY */
enum sw_status sw_refiner_create(const struct sw_sweep *sweep, struct sw_refiner **refiner);
void sw_refiner_destroy(struct sw_refiner **refiner);

/** Take the values of all runs that it has not seen, and add the points of the next round to a config.
 * @param sweep   of that config: all of its runs have ended
 * @param value   [sweep->nruns] NaN: it has none, the run has failed
 * @param added   out: points; 0: no cell is to be split any more. sweep.where may leave out some of them
 * @return SW_E_MEMORY */
enum sw_status sw_refiner_round(struct sw_refiner *refiner, const struct sw_sweep *sweep, const double *value,
                                struct sw_config *config, int64_t *added);

/** Cells so far: split, and not split because a run at a corner has no value. */
struct sw_refined_cells { int64_t split, blocked; };
struct sw_refined_cells sw_refiner_cells(const struct sw_refiner *refiner);

/** The level at which the point of a run was added, 0: by the config. 0 in a sweep that is not refined. */
int sw_sweep_refine_level(const struct sw_sweep *sweep, int64_t run);
#endif
