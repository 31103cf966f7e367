#ifndef SW_BAND_IMPL_H
#define SW_BAND_IMPL_H
/* What a solver author sees. One file per solver; its row goes into band_table.c. */
#include "solver/sw_band.h"

struct sw_band_ops {
    const char    *name;    /* "<where>.<how>", the name users write                         */
    const char    *about;   /* one line for `sweep list`                                     */
    enum sw_space  space;   /* where band and x must live                                    */
    enum sw_layout layout;
    const char    *absent;  /* NULL, or why this build lacks it ("built without CUDA: ...")  */
    bool           (*fits)(const struct sw_band_desc *desc);
    enum sw_status (*create)(struct sw_band *solver);  /* fills solver->own                  */
    enum sw_status (*factor)(struct sw_band *solver, const double *band, int *bad);
    enum sw_status (*solve)(const struct sw_band *solver, double *x);
    void           (*destroy)(struct sw_band *solver); /* own may be NULL                    */
};

struct sw_band {
    const struct sw_band_ops *ops;
    struct sw_band_desc       desc;    /* checked once, in sw_band_create(); ld is set        */
    struct sw_device         *device;
    void                     *own;     /* the solver's own data                              */
};

/* Ends with NULL. Order is preference. */
extern const struct sw_band_ops *const sw_band_table[];
#endif
