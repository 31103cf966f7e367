#ifndef W_STEP_H
#define W_STEP_H
/* A step of one run by a W-method (w_methods.h), whatever gives F. A state is [unknowns][z][y][x]. */
#include <stddef.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "problem/fields/solves.h"

/** f = F(u, t) of the run at hand.
 * @param u, f  [unknowns][points]  @param step  its number, which rand and randn see */
typedef void fields_right_hand_side(void *own, double t, int64_t step, const double *u, double *f);

struct fields_step {
    const struct fields_method  *method;
    int                          unknowns;
    size_t                       points;   /* of an unknown */
    double                       t, dt;
    int64_t                      number;
    const struct fields_solves  *solves;
    void                        *solver;   /* P for this dt */
    fields_right_hand_side      *evaluate;
    void                        *own;
};

/* What a step needs, of the points of all unknowns each; the caller's arrays. */
struct fields_work {
    double *k[FIELDS_STAGES];  /* [stages of the method] increments                     */
    double *stage;             /* the unknowns of a stage                               */
    double *next;              /* out: u+                                               */
    double *base;              /* u less what moves (w_run.h); NULL: nothing does       */
};

/** Take a step from u to w->next. */
void fields_take_step(const struct fields_step *s, struct fields_work *w, const double *u);

/** The largest |estimated error| of each unknown in the step that was taken last; w->stage is overwritten.
 * @param error  [unknowns], NaN where one is */
void fields_estimate_error(const struct fields_step *s, struct fields_work *w, double *error);

/** Make those errors larger where F does more by the time than the stages see; the increments are overwritten. */
void fields_estimate_by_time(const struct fields_step *s, struct fields_work *w, double *error);
#endif
