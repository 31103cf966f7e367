#ifndef SW_FD_IMPL_H
#define SW_FD_IMPL_H
/* Private to the rows of the table of compact differences: one file a row, listed in fd_table.c. */
#include <math.h>

#include "base/row.h"
#include "device/sw_owned.h"
#include "fd/fd_cut.h"
#include "fd/sw_fd.h"

struct sw_fd_ops {
    SW_ROW;                 /* its space: where f and out must live                     */
    bool           adds;    /* it does desc.add                                         */
    /* of rows for lines that are cut over ranks, which do no others and have no fits(): why it does not do a cut, in
     * words for the user; NULL where it does. The text may lie in cut->why */
    const char    *(*refuse_cut)(struct fd_cut *cut);
    /* line: the scheme on the axis; desc.scheme and desc.boundary are not to be used   */
    bool           (*fits)(const struct sw_fd_desc *desc, const struct sw_fd_line *line);
    /* optional: why it does not fit, in words for the user; NULL where it fits         */
    const char    *(*why_not)(const struct sw_fd_desc *desc, const struct sw_fd_line *line);
    size_t         own_size;                                                   /* bytes of own */
    /* fills own, which is zeros, and arrays: no communication. Of a row with refuse_cut: where the arrays are counted,
     * no more than that */
    enum sw_status (*create)(struct sw_fd *fd);
    enum sw_status (*apply)(const struct sw_fd *fd, const void *f, void *out);  /* of cut lines: collective */
    void           (*destroy)(struct sw_fd *fd);         /* what is not in arrays; NULL: nothing */
    struct sw_cost (*cost)(const struct sw_fd_desc *desc, const struct sw_fd_line *line);
    /* optional, all three or none: first derivatives of fields along two axes in one pass, which reads f from memory
     * once; bits as by apply. `first` and `second` differentiate along the first two axes that have more than one
     * point. create fills own, or leaves it NULL where one pass is not faster */
    enum sw_status (*create_joined)(struct sw_fd_joined *joined);
    enum sw_status (*apply_joined)(const struct sw_fd_joined *joined, const void *f, void *out_1, void *out_2);
    void           (*destroy_joined)(struct sw_fd_joined *joined);                       /* own may be NULL */
};

struct sw_fd {
    const struct sw_fd_ops *ops;
    struct sw_fd_desc       desc;    /* checked; scheme and boundary are NULL                         */
    struct sw_fd_line       line;
    struct fd_cut           cut;     /* of lines that are cut over ranks; n is cut.m below then           */
    size_t                  stride;  /* from a point to the next along the axis: 1, nx, nx ny         */
    size_t                  outer;   /* lines: outer*stride. Line o*stride + s begins at o*stride*n + s, */
    struct sw_device       *device;  /* n = line.n                                                    */
    struct sw_owned        arrays;  /* freed when it is destroyed */
    void                   *own;
};

struct sw_fd_joined {
    const struct sw_fd *first, *second;  /* borrowed, of one row                                      */
    void               *own;
};

/** Whether a pivot can be divided by. create() checks every pivot, so that apply() need not. */
static inline bool sw_fd_pivot_good(double pivot) { return isfinite(pivot) && isfinite(1 / pivot); }

extern const struct sw_fd_ops *const sw_fd_table[];  /* ends with NULL; order is preference */
#endif
