#ifndef FIELDS_POINT_H
#define FIELDS_POINT_H
/* What the kernels that step fields (cuda/fields/) get of a batch, and what one of their threads does for a run: its
 * time, its dt, P. What a run does from step to step is that of w_run.c. */
#ifndef __CUDACC_RTC__
#include "problem/fields/w_matrix_point.h"
#include "problem/line/cuda/recursive_device_point.h"
#include "problem/line/stepper/own_steps_point.h"
#endif

/* A line matrix of an axis as two recursions, for threads of which each has a segment of a line: the state that comes
 * into a segment is the sum over segments before it of what these leave behind, started from zero, times powers, and in
 * the end times (I - P^n)⁻¹. */
struct fields_line {
    int    is_one, terms;     /* nothing but the factor is left; of the sum so many segments matter */
    double a1, a2;
    double power[2][4];       /* of a segment, and of the last one of a line, which may be shorter  */
    double closure[4];
};

/* P of an unknown, and what it was made of. */
struct fields_system {
    struct fields_matrix matrix;
    double dt;                /* 0: it has not been made */
    double most[2][FIELDS_AXES];  /* largest values of what varies, as raised: of second, of fourth derivatives */
    double scale;             /* of all axes together    */
    struct fields_line axis[FIELDS_AXES];
};

/* Where a run is. */
struct fields_pace {
    double    t, dt;
    long long number;         /* of the step, which rand and randn see                          */
    int       goes;           /* a step is taken now                                            */
    int       turned;         /* its state is in `stage`, and the next one in `u`               */
    int       took;           /* a step, since it has begun                                     */
};

/* What is known of a field: the largest |estimated error|, |u+| and |error by time| of each unknown, as bits, which
 * grow as numbers do and NaN is behind all of them. */
enum { FIELDS_LARGEST = 3, FIELDS_PLACE = 9 };

struct fields_on_device {         /* arrays in the memory of the device */
    int count;                            /* runs                                                        */
    const double *param;                  /* [nparam][count]                                             */
    const double *place;                  /* [count][FIELDS_PLACE] x0, dx, ddx of the axes               */
    const double *dt;                     /* [count] where dt is given                                   */
    double *u, *stage, *k[FIELDS_STAGES]; /* [count][unknowns][z][y][x]                                  */
    const struct fields_stiffness *constant;  /* [count][unknowns], 0 where a coefficient varies         */
    unsigned long long *most, *next_most; /* [count][varying] largest values, as bits; behind a step     */
    struct fields_system *system;         /* [count][unknowns]                                           */
    unsigned long long *largest;          /* [count][FIELDS_LARGEST][unknowns]                           */
    struct fields_pace *pace;             /* [count]                                                     */
    int *stopped;                         /* [count]                                                     */
    long long *diverged;                  /* [count] the step; -1 if not, or where stopped not known yet */
    /* where each run takes steps of its own */
    struct sw_own_steps *steps;           /* [count]                                                     */
    const struct sw_own_limits *limits;   /* [count]                                                     */
    const double *first_dt, *times;       /* [count]; [goals + 1]                                        */
    const double *drive;                  /* [count][drives]: fields_drive.h                             */
    int drives;
    double *size;                         /* [count][unknowns] largest |u|                               */
    int *going;                           /* how many runs take a step now                               */
    const struct fields_method *method;   /* [1]                                                         */
    const struct fields_matrix_rule *rule;
};

/** Factor an axis, for lines of n points in segments of `segment`.
 * @param scale  what a right-hand side is to be multiplied with is multiplied with what this axis needs
 * @return false where a coefficient is not finite */
SW_HD static inline bool fields_line_factor(const struct sw_line_operator *a, int n, int segment,
                                            struct fields_line *line, double *scale)
{
    struct sw_line_operator symmetric = *a;
    struct sw_recursion up, down;
    const double over = 1.0 / (1.0 + a->s0);
    const int segments = (n + segment - 1) / segment, last = n - (segments - 1) * segment;
    double entries[4];
    line->is_one = a->s2 == 0.0 && a->s4 == 0.0;
    *scale *= over;
    if (!isfinite(over)) return false;
    if (line->is_one) return true;
    symmetric.s0 = 0.0;
    if (!sw_recursion_factors(&symmetric, &up, &down)) return false;
    *scale *= up.scale;
    line->a1 = up.a1;
    line->a2 = up.a2;
    const struct sw_recursion_power one = sw_recursion_one(&up), of_segment = sw_recursion_power_of(&one, segment),
                                    of_last = sw_recursion_power_of(&one, last), whole = sw_recursion_power_of(&one, n);
    sw_recursion_entries(of_segment.m, of_segment.plain, line->power[0]);
    sw_recursion_entries(of_last.m, of_last.plain, line->power[1]);
    sw_recursion_closure(&whole, line->closure);
    struct sw_recursion_power x = of_segment;
    line->terms = last < segment ? 2 : 1;  /* one of them may be the shorter one */
    for (; line->terms < segments; line->terms++) {
        sw_recursion_entries(x.m, x.plain, entries);
        if (sw_recursion_negligible(entries)) break;
        x = sw_recursion_join(&x, &of_segment);
    }
    if (line->terms > segments) line->terms = segments;
    return true;
}

/** Make P of an unknown for a step of dt, unless that is the one there is.
 * @param n, segment  [axes]  @return false where a coefficient is not finite: the next call makes it anew */
SW_HD static inline bool fields_system_make(const struct fields_method *method, const struct fields_matrix_rule *rule,
                                            const struct fields_stiffness *s, double dt, const int *n,
                                            const int *segment, const double *dx, struct fields_system *system)
{
    const struct fields_matrix m = fields_matrix_of(method, rule, s, dt);
    bool same = system->dt == dt && system->matrix.a0 == m.a0, sound = true;
    for (int d = 0; d < rule->axes; d++)
        same = same && system->matrix.m2[d] == m.m2[d] && system->matrix.m4[d] == m.m4[d];
    if (same) return true;
    system->matrix = m;
    system->scale = 1.0;
    for (int d = 0; d < rule->axes && sound; d++) {
        const struct sw_line_operator a = fields_axis_operator(method->gamma * dt, rule->axes, d, dx[d], &m);
        sound = fields_line_factor(&a, n[d], segment[d], &system->axis[d], &system->scale);
    }
    system->dt = sound ? dt : 0.0;
    return sound;
}
#endif
