#ifndef STORE_STATISTICS_H
#define STORE_STATISTICS_H
/* Statistics over runs, formed of the rows of a run table. No HDF5 here.
 *
 * The runs that differ in the axes of sw_statistics.over alone are an ensemble: there is one for each point of the
 * other axes. Its runs are taken in the order of their indices, so the bits of a statistic depend on the runs alone. */
#include "store/catalog/sw_run_table.h"
#include "sweep/sw_statistics.h"

enum { SW_ENSEMBLE_AXES = 7 };  /* of a grid: with quantiles, time and space SW_H5_RANK dimensions */

struct sw_ensembles {            /* free with sw_ensembles_free()                                           */
    int      naxis;
    int     *param;              /* [naxis] the parameters that are left, in the order of the table         */
    bool     grid;               /* every value of one with every value of the others                       */
    int64_t *size;               /* [naxis] values of each                                                  */
    int64_t **sample;            /* [naxis][size] a row that has the value: in the order in which they come  */
    int64_t  count;              /* ensembles: of a grid the last axis varies fastest; else as they come     */
    int64_t *first;              /* [count] a row of each                                                   */
    int64_t *nruns;              /* [count] its rows                                                        */
    int64_t *nok;                /* [count] those that are done                                             */
    int64_t *begin;              /* [count + 1] of those in `row`                                           */
    int64_t *row;                /* by ensemble, ascending                                                  */
    int64_t  largest;            /* rows of an ensemble that are done, at most                              */
};
/** @return SW_E_MEMORY */
enum sw_status sw_ensembles_find(const struct sw_run_table *table, const struct sw_statistics *what,
                                 struct sw_ensembles *ensembles);
void sw_ensembles_free(struct sw_ensembles *ensembles);

/** Form the statistics of some cells: of each number that runs have, over the runs of each ensemble that are done. Of n
 * runs mean = sum/n and var = sum of (v - mean)^2 over n - 1, both sums in pairs (field/sum.h), sem = sqrt(var/n); NaN
 * where there are no runs, for var and sem fewer than two, or where a run has NaN.
 * @param value    [rows of the table][cells]
 * @param result   of each statistic in what->what [count][cells], of quantiles [count][nquantile][cells]; others NULL
 * @param scratch  [SW_ENSEMBLE_LANES * largest] */
enum { SW_ENSEMBLE_LANES = 9 };
void sw_ensembles_form(const struct sw_ensembles *ensembles, const struct sw_statistics *what, const double *value,
                       int64_t cells, double *const result[SW_STATISTICS_COUNT], double *scratch);
#endif
