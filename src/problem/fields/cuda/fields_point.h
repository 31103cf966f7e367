#ifndef FIELDS_POINT_H
#define FIELDS_POINT_H
/* What the kernels that step fields (cuda/fields/) get of a batch, and what one of their threads does for a run: its
 * time, its dt, P. What a run does from step to step is that of w_run.c. */
#ifndef __CUDACC_RTC__
#include "problem/device/paces_point.h"
#include "problem/fields/w_matrix_point.h"
#include "problem/fields/walls_point.h"
#include "problem/line/cuda/recursive_device_point.h"
#include "problem/line/stepper/own_steps_point.h"
#endif

/* A line matrix of an axis as two recursions, for threads of which each has a segment of a line: the state that comes
 * into a segment is the sum over segments before it of what these leave behind, started from zero, times powers, and in
 * the end times (I - P^n)⁻¹. */
struct fields_line {
    int    is_one, terms;     /* nothing but the factor is left; of the sum so many segments matter */
    double a1, a2;            /* of exact solves m2/dx² and sqrt(m4)/dx²: fields_waves_rtc.cuh      */
    double power[2][4];       /* of a segment, and of the last one of a line, which may be shorter  */
    double closure[4];
};

/* Where the axes of an unknown end: the kinds of their walls, FIELDS_NO_WALL where periodic; and where what is
 * eliminated of their lines goes, [fields_eliminated_numbers()]. */
struct fields_line_ends { int kind[FIELDS_AXES][2]; double *eliminated[FIELDS_AXES]; };

/** Of a line of n points in segments of `segment`: [FIELDS_ELIMINATED][segment][segments] coefficients of its points,
 * then of each segment what it makes of the state that comes in, [segments][2][4], upwards and downwards. Threads with
 * segments beside each other have their coefficients beside each other. */
SW_HD static inline int fields_eliminated_numbers(int n, int segment)
{
    return (n + segment - 1) / segment * (FIELDS_ELIMINATED * segment + 8);
}

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

/* What walls_k is for: a step that runs take, runs that begin with what is in u, what is read out. */
enum { FIELDS_WALLS_STEP, FIELDS_WALLS_BEGIN, FIELDS_WALLS_LOOK };

struct fields_on_device {         /* arrays in the memory of the device */
    int count;                            /* runs                                                        */
    const double *param;                  /* [nparam][count]                                             */
    const double *place;                  /* [count][FIELDS_PLACE] x0, dx, ddx of the axes               */
    const double *dt;                     /* [count] where dt is given                                   */
    /* where runs have paces (struct sw_paces), else NULL */
    const int *pace_of;                   /* [count]                                                     */
    const long long *steps_at;            /* [paces][goals + 1]                                          */
    int goals;
    double *u, *stage, *k[FIELDS_STAGES]; /* [count][unknowns][z][y][x]                                  */
    const struct fields_stiffness *constant;  /* [count][unknowns], 0 where a coefficient varies         */
    unsigned long long *most, *next_most; /* [count][varying] largest values, as bits; behind a step     */
    struct fields_system *system;         /* [count][unknowns]                                           */
    unsigned long long *largest;          /* [count][FIELDS_LARGEST][unknowns]                           */
    struct fields_pace *pace;             /* [count]                                                     */
    double *kept;                         /* [count][unknowns][fields_numbers_kept()] of right-hand sides,
                                           * of a run, where steps go through memory                     */
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
    /* where there are walls (cuda/fields/fields_walls_rtc.cuh) */
    double *walls;                        /* [count][WALLS_SIZE] what conditions give                    */
    const double *weights;                /* [count][WEIGHTS_SIZE] fields_wall_weights()                 */
    double *eliminated;                   /* [count][unknowns][ELIMINATED_SIZE] of struct fields_line_ends */
};

/* How many segments before one matter, from `least` on, at most `segments`: what more would bring is negligible. */
SW_HD static inline int fields_line_terms(const struct sw_recursion_power *of_segment, int segments, int least)
{
    struct sw_recursion_power x = *of_segment;
    double entries[4];
    int terms = least;
    for (; terms < segments; terms++) {
        sw_recursion_entries(x.m, x.plain, entries);
        if (sw_recursion_negligible(entries)) break;
        x = sw_recursion_join(&x, of_segment);
    }
    return terms > segments ? segments : terms;
}

/* What a point makes of a state (x_i, x_{i-1}): x = -one x_i - two x_{i-1}. */
SW_HD static inline void fields_line_multiply(double one, double two, double m[4])
{
    const double a = -one * m[0] - two * m[2], b = -one * m[1] - two * m[3];
    m[2] = m[0], m[3] = m[1], m[0] = a, m[1] = b;
}

/* Behind the coefficients of a line the matrices of its segments. */
SW_HD static inline void fields_line_matrices(int n, int segment, double *to)
{
    const int segments = (n + segment - 1) / segment;
    for (int s = 0; s < segments; s++) {
        const int points = s + 1 < segments ? segment : n - s * segment;
        double up[4] = {1.0, 0.0, 0.0, 1.0}, down[4] = {1.0, 0.0, 0.0, 1.0},
               *out = to + FIELDS_ELIMINATED * segment * segments + 8 * s;
        for (int e = 0; e < points; e++) {
            const int back = points - 1 - e;
            fields_line_multiply(to[e * segments + s], to[(segment + e) * segments + s], up);
            fields_line_multiply(to[(3 * segment + back) * segments + s], to[(4 * segment + back) * segments + s],
                                 down);
        }
        for (int c = 0; c < 4; c++) out[c] = up[c], out[4 + c] = down[c];
    }
}

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
    line->terms = fields_line_terms(&of_segment, segments, last < segment ? 2 : 1);  /* one may be the shorter one */
    return true;
}

/** Between walls: coefficients of points, 40 bytes each, and matrices of segments, by the rows of the CPU's elimination
 * (walls_point.h), which become alike far from walls; then none is left to divide.
 * @param kind  of both walls  @param to  out: [fields_eliminated_numbers()]  @return as above */
SW_HD_CALL static inline bool fields_line_eliminate(const struct sw_line_operator *a, const int kind[2], int n,
                                                    int segment, double *to, struct fields_line *line,
                                                    double *scale)
{
    const double over = 1.0 / (1.0 + a->s0);
    const int segments = (n + segment - 1) / segment;
    struct fields_elimination at = fields_wall_begin_elimination();
    struct fields_eliminated row = {0.0, 0.0, 0.0, 0.0, 0.0};
    double far[5];
    bool alike = false;
    line->is_one = a->s2 == 0.0 && a->s4 == 0.0;
    *scale *= over;
    if (!isfinite(over)) return false;
    if (line->is_one) return true;
    fields_wall_far(a, far);
    for (int i = 0; i < n; i++) {
        const int s = i / segment, e = i % segment;
        const bool near = i < 3 || i >= n - 3;
        if (near || !alike) {
            const struct fields_elimination before = at;
            double entries[5] = {far[0], far[1], far[2], far[3], far[4]};
            if (near) fields_wall_row(kind[0], kind[1], n, i, far, entries);
            if (!fields_wall_eliminate(&at, entries, 1.0, &row)) return false;
            alike = at.d1 == before.d1 && at.d2 == before.d2 && at.a1 == before.a1 && at.a2 == before.a2 &&
                    at.b1 == before.b1 && at.b2 == before.b2;
        }
        const double all[FIELDS_ELIMINATED] = {row.l1, row.l2, row.p, row.u1, row.u2};
        for (int c = 0; c < FIELDS_ELIMINATED; c++) to[(c * segment + e) * segments + s] = all[c];
    }
    fields_line_matrices(n, segment, to);
    /* of a line without ends, and one more, as rows near walls let states decay a little later */
    struct sw_line_operator symmetric = *a;
    struct sw_recursion up, down;
    symmetric.s0 = 0.0;
    if (!sw_recursion_factors(&symmetric, &up, &down)) return false;
    const struct sw_recursion_power one = sw_recursion_one(&up), of_segment = sw_recursion_power_of(&one, segment);
    line->terms = fields_line_terms(&of_segment, segments, 1) + 1;
    return true;
}

/** An axis of exact solves, which lines have no part in. @return false where a coefficient is not finite */
SW_HD static inline bool fields_line_of_waves(double m2, double m4, double dx, struct fields_line *line)
{
    line->is_one = 1;
    line->a1 = m2 / (dx * dx);
    line->a2 = sqrt(m4) / (dx * dx);
    return isfinite(line->a1 + line->a2);
}

/** Make P of an unknown for a step of dt, unless that is the one there is.
 * @param n, segment  [axes]  @param ends  NULL: all axes are periodic
 * @return false where a coefficient is not finite: the next call makes it anew */
SW_HD static inline bool fields_system_make(const struct fields_method *method, const struct fields_matrix_rule *rule,
                                            const struct fields_stiffness *s, double dt, const int *n,
                                            const int *segment, const double *dx,
                                            const struct fields_line_ends *ends, struct fields_system *system)
{
    const struct fields_matrix m = fields_matrix_of(method, rule, s, dt);
    bool same = system->dt == dt && system->matrix.a0 == m.a0, sound = true;
    for (int d = 0; d < rule->axes; d++)
        same = same && system->matrix.m2[d] == m.m2[d] && system->matrix.m4[d] == m.m4[d];
    if (same) return true;
    system->matrix = m;
    system->scale = 1.0;
    for (int d = 0; d < rule->axes && sound; d++) {
        if (rule->exact) {
            sound = fields_line_of_waves(m.m2[d], m.m4[d], dx[d], &system->axis[d]);
            continue;
        }
        const struct sw_line_operator a = fields_axis_operator(method->gamma * dt, rule->axes, d, dx[d], &m);
        sound = ends && ends->kind[d][0] != FIELDS_NO_WALL
                    ? fields_line_eliminate(&a, ends->kind[d], n[d], segment[d], ends->eliminated[d], &system->axis[d],
                                            &system->scale)
                    : fields_line_factor(&a, n[d], segment[d], &system->axis[d], &system->scale);
    }
    system->dt = sound ? dt : 0.0;
    return sound;
}
#endif
