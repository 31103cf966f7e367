#ifndef SW_STATISTICS_H
#define SW_STATISTICS_H
/* Which statistics over runs a sweep asks for: of some quantities, over some axes. A sweep writes them as a text, which
 * files keep and a run table reads: "mean sem quantiles 0.1 0.9; of energy; over seed", with "; at 2 10" for some of
 * the outputs of fields, and "; without fields scalars" where a file with all runs keeps their statistics alone. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"

enum sw_statistic {
    SW_STATISTIC_MEAN,
    SW_STATISTIC_SEM,       /* standard error of the mean: sqrt(var/n)                                             */
    SW_STATISTIC_VAR,       /* of the population that the runs are drawn from: sum of (v - mean)^2 over n - 1       */
    SW_STATISTIC_MIN,
    SW_STATISTIC_MAX,
    SW_STATISTIC_QUANTILES, /* between the two runs at (n - 1) p in order, linearly (Hyndman, Fan 1996, number 7)   */
    SW_STATISTICS_COUNT
};
extern const char *const sw_statistic_names[SW_STATISTICS_COUNT + 1];  /* "mean", ...; ends with NULL */

enum { SW_QUANTILES_MOST = 64 };
struct sw_statistics {          /* start from {0}; free with sw_statistics_free()                          */
    char    *text;              /* as files have it; "": none are asked for                                */
    unsigned what;              /* 1 << enum sw_statistic; 0: none, or the text is none that sweep writes  */
    int      nof, nover;
    char   **of, **over;        /* [nof], [nover] names, in `words`                                        */
    int      nquantile;
    double   quantile[SW_QUANTILES_MOST];
    int      nat;               /* outputs of fields that count, by their numbers from 0; 0: all do        */
    int64_t *at;                /* [nat] ascending                                                         */
    bool     drop_fields, drop_scalars;
    char    *words;             /* the text, cut                                                           */
};
/** Read the text of a file; what was read before is freed. @return SW_E_MEMORY */
enum sw_status sw_statistics_parse(const char *text, struct sw_statistics *statistics);
bool sw_statistics_is_over(const struct sw_statistics *statistics, const char *axis);
/** Whether a quantity is the power spectrum of a field, "spectrum(u)" (field/power.h).
 * @param field  out: its name, or that of the quantity if not */
enum { SW_QUANTITY_NAME = 80 };
bool sw_statistics_spectrum(const char *quantity, char field[SW_QUANTITY_NAME]);
/** What the names of its arrays in a file begin with: "u" of u_mean, "u_spectrum" of spectrum(u). @return stem */
enum { SW_STATISTICS_STEM = SW_QUANTITY_NAME + 16 };
const char *sw_statistics_stem(const char *quantity, char stem[SW_STATISTICS_STEM]);
void sw_statistics_free(struct sw_statistics *statistics);
#endif
