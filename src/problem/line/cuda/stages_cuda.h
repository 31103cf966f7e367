#ifndef STAGES_CUDA_H
#define STAGES_CUDA_H
/* Steps of a batch on a CUDA device, one stage at a time: a kernel adds what a stage is to the right-hand sides behind
 * it, and a solve for all unknowns makes the next stage of its own, in place. A stepper's own data begin with a struct
 * sw_cuda_stages. */
#include "problem/line/cuda/batch_cuda.h"
#include "problem/line/stepper/imex.h"

struct sw_cuda_stages {
    struct sw_cuda_batch  batch;  /* first: batch_cuda.h works on it; its field u is one of the vectors of `work` */
    struct sw_imex_stages method;
    double               *work;   /* the state, the right-hand sides, the staging; see sw_cuda_stages_size()      */
    double               *row[SW_IMEX_STAGES];  /* right-hand sides, the last of which becomes the state; between two
                                                   steps they hold nothing that is needed                         */
    /** Launch the kernel of a stage. @param u  the stage */
    enum sw_status (*launch)(struct sw_stepper *s, struct sw_line_stage *stage, double *u, long long step);
    /** f := A⁻¹ f, or with Crank-Nicolson what makes the next state of it. @param u  the stage before */
    enum sw_status (*solve)(struct sw_stepper *s, const double *u, double *f);
};

/** Right-hand sides: of each stage but the first, and the result, unless it is the last stage. */
static inline int sw_cuda_stages_rows(const struct sw_imex_stages *m) { return m->count - m->last; }

/** Numbers of a run in `work`, but for what aligns its vectors. */
size_t sw_cuda_stages_size(const struct sw_stepper_desc *desc);
/** Bytes but those that solves take. */
void sw_cuda_stages_bytes(const struct sw_stepper_desc *desc, size_t *fixed, size_t *per_run);

/** The batch and its arrays. On failure what was made stays, for destroy.
 * @param least  numbers of a run that `work` has at least
 * @param line_by_line  how the field lies */
enum sw_status sw_cuda_stages_create(struct sw_stepper *s, size_t least, bool line_by_line);
/** After sw_cuda_batch_load() and once `work` is free. */
enum sw_status sw_cuda_stages_begin(struct sw_stepper *s);
enum sw_status sw_cuda_stages_advance(struct sw_stepper *s, int64_t from, int64_t to);

/** Of each stage with values and each unknown: u read; the right-hand sides behind it written and, but at the first,
 * read; what G and N keep for each point; their operations and those of the sums. Solves apart. */
struct sw_cost sw_cuda_stages_cost(const struct sw_stepper *s);
#endif
