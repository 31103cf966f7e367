#ifndef DRIVE_FORCES_H
#define DRIVE_FORCES_H
/* Forces over the time of a run, looked at before its first step: the windows, the times and the formulas of
 * own_steps_drive.h, of whatever a force is evaluated on. Times are evaluated side by side, in lanes of one program
 * that are far from each other in time, at SW_DRIVE_PLACES points each, the same in all rounds. */
#include <stdbool.h>
#include <stdint.h>

#include "expr/sw_expr.h"
#include "problem/line/stepper/own_steps_drive.h"

enum {
    SW_DRIVE_LANES = 64, SW_DRIVE_ROUNDS = SW_DRIVE_TIMES / SW_DRIVE_LANES, SW_DRIVE_PLACES = 4,
    SW_DRIVE_SAMPLES = SW_DRIVE_PLACES * SW_DRIVE_LANES
};

/* The output times of window w lie behind begin and go to end; samples k each .. k each + each - 1 are in window k. */
struct sw_drive_windows {
    int count, each;
    double begin[SW_DRIVE_WINDOWS], end[SW_DRIVE_WINDOWS];
};

/** How many windows output times make. @param times  [goals + 1]; NULL: none */
int sw_drive_count(int64_t goals, const double *times);
void sw_drive_set_windows(int64_t goals, const double *times, struct sw_drive_windows *windows);
/** Of sample number k, -1: it is in no window. */
int sw_drive_window_of(const struct sw_drive_windows *windows, int k);

/** Where sample k = 0 .. SW_DRIVE_SAMPLES - 1 looks: part 0 .. 1 of an axis, quasi-random in a quarter of it each. */
double sw_drive_place(int k);

/** Begin the times of a round; t = 0 in all lanes. @param eval  of SW_DRIVE_LANES lanes */
void sw_drive_begin_times(const struct sw_drive_windows *windows, struct sw_eval *eval, int round);
void sw_drive_begin_first_time(struct sw_eval *eval);

/* A force of unknown v. */
struct sw_drive_force {
    struct sw_eval *eval;          /* of SW_DRIVE_LANES lanes, begun with the run and its cells */
    const double *const *in;       /* what it takes in at t = 0, [SW_DRIVE_SAMPLES] each        */
    double  *first, *now;          /* [SW_DRIVE_SAMPLES] room                                    */
    double   size;                 /* the largest |u| at t = 0                                   */
    bool     from_zero;            /* u is 0 then, as is known                                   */
    double   decay;                /* of a mean value, implicit: -a0; 0: none                    */
    double   last;                 /* the last output time                                       */
    int      unknowns, v;
};

/** Add what a force brings that depends on the time, or does not. @param drive  [windows][unknowns] */
void sw_drive_add_moving(const struct sw_drive_windows *windows, const struct sw_drive_force *force, double *drive);
void sw_drive_add_steady(const struct sw_drive_windows *windows, const struct sw_drive_force *force, double *drive);
#endif
