#ifndef SW_BVP_IMPL_H
#define SW_BVP_IMPL_H
/* What the author of a row sees. One file a method, its rows go into bvp_table.c. */
#include "base/row.h"
#include "device/sw_owned.h"
#include "problem/bvp/sw_bvp.h"

enum { SW_BVP_MANY = 4096 };  /* problems of a batch that are worth threads of the host: some 10 us of work each */

struct sw_bvp_ops {
    SW_ROW;
    bool           (*fits)(const struct sw_bvp_desc *desc);  /* sw_bvp_plain, if it sums              */
    size_t         own_size;                                 /* bytes of own                          */
    /* List bvp->arrays. Also of a solver that only counts, whose other data are zeros. Each array has a part that does
     * not depend on desc.capacity, or one that goes with it. */
    void           (*arrays)(struct sw_bvp *bvp);
    /* Add what a solver inside the row takes. NULL: there is none. */
    enum sw_status (*other_bytes)(const struct sw_bvp_ops *row, const struct sw_bvp_desc *desc,
                                  const struct sw_device *device, size_t *fixed, size_t *per_run);
    enum sw_status (*create)(struct sw_bvp *bvp);            /* with the arrays; NULL: nothing else   */
    /* run, param and count are in bvp; refused ones are left out. On a device the field stays there: fetch brings it
     * (`sweep bench` times solve and a wait). */
    enum sw_status (*solve)(struct sw_bvp *bvp);
    enum sw_status (*fetch)(struct sw_bvp *bvp, const void **field, const struct sw_bvp_result **result);
    void           (*destroy)(struct sw_bvp *bvp);           /* what is not in arrays; NULL: nothing  */
    struct sw_cost (*cost)(const struct sw_bvp *bvp);        /* NULL: not counted                     */
    int            element_size;       /* bytes of a number of its columns, 4 or 8; 0: as desc.single says */
    bool           columns;            /* it uses r                                                       */
    bool           general;            /* it solves the general problem, not only the plain case          */
    int64_t        from;               /* "auto" takes it for so many points and more                     */
    int            scan_element_size;  /* bytes of a number of steps B, the sums across columns, if it has such */
};

struct sw_bvp {
    const struct sw_bvp_ops *ops;
    struct sw_bvp_desc       desc;
    struct sw_device        *device;
    int                      count;   /* problems of the batch                                       */
    struct sw_bvp_run       *run;     /* [capacity]; r is set: no 0                                  */
    double                  *param;   /* [nparam][count]; room for capacity                          */
    bool                    *refused; /* [capacity]                                                  */
    struct sw_owned         arrays;  /* of all of these, and of own; freed when it is destroyed     */
    void                    *own;     /* the row's own data: zeros at first                          */
};

extern const struct sw_bvp_ops *const sw_bvp_table[];  /* ends with NULL; order is preference */
#endif
