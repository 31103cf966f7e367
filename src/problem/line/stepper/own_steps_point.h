#ifndef OWN_STEPS_POINT_H
#define OWN_STEPS_POINT_H
/* Steps of a run's own, chosen so that the estimated error of each stays within a tolerance
 * (docs/explanation/adaptive_steps.md).
 *
 * A run goes from one output time to the next in `left` steps of dt, so that it lands on the output time: t = T - left
 * dt. dt is changed only where the error asks for less than 0.95 or more than 1.15 of it, since a new dt is a new
 * matrix, and then so that a whole number of steps is left. The controller is of the kind PI (Gustafsson, ACM Trans.
 * Math. Softw. 17 (1991), 533): with r the estimated error over the tolerance, of a step and of the one before,
 *
 *     dt_new = 0.9 r^(-0.7/k) r_before^(0.4/k) dt,     k - 1 the order of the embedded solution
 *
 * within 0.3 .. 3; where the step is refused, r > 1 or not a number, 0.9 r^(-1/k) dt within 0.1 .. 0.8. Powers are
 * taken in single precision: a new dt is no closer to what is best than that. Where r is so small that r^(-1/k) dt is a
 * large part of the run, something may grow that r does not see: dt does not grow with it. */
#include <math.h>
#include <stdbool.h>

#include "base/sw_hd.h"

enum { SW_OWN_STEPS_PEAKS = 4 };  /* SW_UNKNOWNS_MOST */

enum sw_own_steps_end {           /* why a run cannot go on */
    SW_OWN_STEPS_GO_ON,
    SW_OWN_STEPS_TOO_SMALL,       /* dt is below rounding of the time */
    SW_OWN_STEPS_NOT_FINITE,      /* and so it would be as the steps give no finite numbers */
    SW_OWN_STEPS_TOO_MANY         /* SW_OWN_STEPS_MOST between two output times */
};

/* What is expected counts for half when so much of the time to the output has passed while errors told something. */
enum { SW_OWN_STEPS_FADING = 64 };

enum { SW_OWN_STEPS_TICKS = 1024 };  /* between two output times, where the steps of a batch may be interrupted */

#define SW_OWN_STEPS_MOST 1e7
#define SW_OWN_STEPS_ROUNDING 8.881784197001252e-16  /* 2^-50: a smaller dt over T is below rounding */
#define SW_OWN_STEPS_NOTHING 9.332636185032189e-302  /* 2^-1000: numbers below it have lost digits */

/* Of a run, all double, so that an array of doubles keeps it: what its steps depend on, then what is told of them. */
struct sw_own_steps {
    double goal;          /* the number of the output time it goes to, from 1; 0: it has not begun                */
    double left;          /* steps to there                                                                       */
    double dt, wanted;    /* of the next step; what the error asks for                                            */
    double memory;        /* log2 of r of the step before                                                         */
    double attempts;      /* since the output time before                                                         */
    double peak[SW_OWN_STEPS_PEAKS];  /* largest |u| so far, of each unknown                                      */
    double expected;      /* how much of what ends and forces bring until the output time (own_steps_drive.h) still
                           * counts, 1 .. 0                                                                       */
    double taken, refused, least, largest;  /* steps; dt of those taken                                           */
    double error;         /* sum over the steps of the largest |estimated error|                                  */
    double end;           /* enum sw_own_steps_end: `dt` is then the step that was too small                      */
};
enum { SW_OWN_STEPS_NUMBERS = 13 + SW_OWN_STEPS_PEAKS };

/* What bounds the steps of a run. */
struct sw_own_limits {
    double tolerance, absolute;  /* relative to u, and in its unit                        */
    double most;                 /* no step is longer                                     */
    double careful;              /* nor than this after steps that tell nothing           */
    double over_quiet;           /* nor where errors allow steps longer than 1/over_quiet */
    double share;                /* windows of own_steps_drive.h over output times        */
    int    k;                    /* the order of the embedded solution, and 1: imex.h     */
};

/** Where a run is, by rounding not before where it was to be. @param times  [goals + 1] the output times, from 0 */
SW_HD static inline double sw_own_steps_time(const struct sw_own_steps *s, const double *times)
{
    const long long goal = (long long)s->goal;
    if (goal == 0) return 0;
    const double t = times[goal] - s->left * s->dt;
    return t > times[goal - 1] ? t : times[goal - 1];
}

/** The time of tick k SW_OWN_STEPS_TICKS + i: i/SW_OWN_STEPS_TICKS of the way from times[k] to times[k + 1]. */
SW_HD static inline double sw_own_steps_time_of_tick(const double *times, long long tick)
{
    const long long last = tick / SW_OWN_STEPS_TICKS, behind = tick % SW_OWN_STEPS_TICKS;
    double t = times[last];
    if (behind) t += (times[last + 1] - times[last]) * ((double)behind / SW_OWN_STEPS_TICKS);
    return t;
}

/** Whether a run, which is at t, is at a tick, whose time is t_of_tick, or beyond. */
SW_HD static inline bool sw_own_steps_is_at(const struct sw_own_steps *s, double t, long long tick, double t_of_tick)
{
    const long long at = (long long)s->goal * SW_OWN_STEPS_TICKS;
    if (s->left == 0 || at <= tick) return s->left == 0 && at >= tick;
    return t >= t_of_tick;
}

/** Whether a run is at a tick or beyond. */
SW_HD static inline bool sw_own_steps_reached(const struct sw_own_steps *s, const double *times, long long tick)
{
    return sw_own_steps_is_at(s, sw_own_steps_time(s, times), tick, sw_own_steps_time_of_tick(times, tick));
}

/** The first tick behind where a run is, which has begun. */
SW_HD static inline long long sw_own_steps_tick(const struct sw_own_steps *s, const double *times)
{
    const long long goal = (long long)s->goal;
    const double ticks = SW_OWN_STEPS_TICKS, from = times[goal - 1],
                 part = (sw_own_steps_time(s, times) - from) / (times[goal] - from) * ticks;
    return (goal - 1) * SW_OWN_STEPS_TICKS + 1 + (long long)(part < 0 ? 0 : part > ticks - 1 ? ticks - 1 : part);
}

/** How many steps it is to a tick, as far as can be told before they are taken. */
SW_HD static inline double sw_own_steps_expected(const struct sw_own_steps *s, const double *times, long long tick)
{
    const double dt = s->left > 0 ? s->dt : s->wanted;
    return dt > 0 ? (sw_own_steps_time_of_tick(times, tick) - sw_own_steps_time(s, times)) / dt : 0;
}

/** Divide what remains to the output time into steps of at most `wanted`. */
SW_HD static inline void sw_own_steps_aim(struct sw_own_steps *s, double remaining)
{
    double steps = ceil(remaining / s->wanted - 1e-6);
    if (!(steps >= 1)) steps = 1;
    if (!(steps <= 9007199254740992.0)) steps = 9007199254740992.0;
    s->left = steps;
    s->dt = remaining / steps;
}

/** Begin to go to the next output time, which is so far away. */
SW_HD static inline void sw_own_steps_next(struct sw_own_steps *s, double remaining)
{
    s->goal += 1;
    s->attempts = 0;
    s->expected = 1;
    if (s->dt > s->wanted) s->wanted = s->dt;
    sw_own_steps_aim(s, remaining);
}

/** What error an unknown may have: the tolerance times |u| and 0.1 of its peak, an absolute one, and what rounding of
 * another unknown brings, added up. @param size  largest |u| before and after the step */
SW_HD static inline double sw_own_steps_bound(const struct sw_own_limits *limits, double size, double peak,
                                              double peak_of_all)
{
    return limits->tolerance * (size + 0.1 * peak) + limits->absolute + 1e-15 * peak_of_all + SW_OWN_STEPS_NOTHING;
}

/** A largest number as it counts: its upper word, 20 digits of its 52, so that a GPU compares words, not pairs. It is
 * smaller by 2^-20 at most. NaN stays NaN as arithmetic makes it. */
SW_HD static inline double sw_own_steps_upper(double x)
{
    union { double number; unsigned long long bits; } both;
    both.number = x;
    both.bits &= 0xffffffff00000000ull;
    return both.number;
}

/** The larger of two, and NaN if one is. */
SW_HD static inline double sw_own_steps_worse(double a, double b) { return a != a || a > b ? a : b; }

/** An estimated error, and that of what terms do by time (imex.h, q), the larger counts. A term that is no number at a
 * time where no stage needs it has none: it may be at the end of the run. */
SW_HD static inline double sw_own_steps_with_time(double error, double by_time)
{
    return by_time > error && isfinite(by_time) ? by_time : error;
}

SW_HD static inline double sw_own_steps_clamp(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

/** Choose the first dt of a run that has not begun: the one given, or one by which u changes by a hundredth, if u_t
 * stays what it is at the beginning; where no u_t is known to bound it, a thousandth of the first interval.
 * @param size      [unknowns] largest |u|  @param rate  [unknowns] largest |u_t| at t = 0
 * @param given     0: none */
SW_HD static inline void sw_own_steps_first(struct sw_own_steps *s, int unknowns, const double *size,
                                            const double *rate, double interval, double given,
                                            const struct sw_own_limits *limits)
{
    double dt = 1e-3 * interval;
    bool bounded = false;
    for (int v = 0; v < unknowns; v++) s->peak[v] = sw_own_steps_upper(size[v]);
    for (int v = 0; v < unknowns; v++) {
        const double change = 0.01 * sw_own_steps_upper(size[v]) / sw_own_steps_upper(rate[v]);
        if (!(change > 0) || (bounded && !(change < dt))) continue;
        if (isfinite(change)) dt = change, bounded = true;
    }
    /* it is at rest */
    if ((!bounded || dt > limits->most || dt * limits->over_quiet > 1) && limits->careful < dt) dt = limits->careful;
    if (given > 0) dt = given;
    s->wanted = dt < limits->most ? dt : limits->most;
    s->dt = 0;
}

/** Whether a step tells nothing of what it missed: its error is next to nothing, or no more than rounding of u. */
SW_HD static inline bool sw_own_steps_silent(double error, double bound, double size)
{
    return error <= 1e-10 * bound || error <= 1e-14 * size;
}

/** The window of own_steps_drive.h that an output time is in. */
SW_HD static inline int sw_own_steps_window(long long goal, double share) { return (int)((double)(goal - 1) * share); }

/** The size that counts besides |u| itself: the largest so far, or what is expected. */
SW_HD static inline double sw_own_steps_peak(const struct sw_own_steps *s, int v, const double *drive)
{
    return fmax(s->peak[v], s->expected * drive[v]);
}

/** Choose what follows a step.
 * @param ratio  of its error over what it may be, the largest of the unknowns
 * @param error  the largest |estimated error|
 * @param silent it tells nothing
 * @param time   of the goal
 * @return whether the step is taken; if not, dt is smaller and the step is to be repeated, unless s->end says that
 *         there is no use */
SW_HD static inline bool sw_own_steps_control(struct sw_own_steps *s, double ratio, double error, bool silent,
                                              const struct sw_own_limits *limits, double time)
{
    const double old = s->dt;
    const int k = limits->k;
    s->attempts += 1;
    if (ratio <= 1) {
        const float e = log2f((float)(ratio < 1e-12 ? 1e-12 : ratio));
        const float power = (0.4f * (float)s->memory - 0.7f * e) / (float)k;
        const double factor = sw_own_steps_clamp(0.9f * exp2f(power), 0.3, 3);
        double most = limits->most;
        double quiet = old * limits->over_quiet;  /* to the power k: a smaller r allows steps over 1/over_quiet */
        quiet *= k == 3 ? quiet * quiet : quiet;
        if ((silent || ratio < quiet) && limits->careful < most) most = limits->careful > old ? limits->careful : old;
        s->taken += 1;
        s->error += error;
        if (old < s->least || s->taken == 1) s->least = old;
        if (old > s->largest) s->largest = old;
        s->memory = e < -10 ? -10 : e;
        s->left -= 1;
        const double wanted = old * factor < most ? old * factor : most;
        if (s->left == 0) s->wanted = wanted;
        else if (wanted > 1.15 * old || wanted < 0.95 * old) {
            const double left = s->left;
            s->wanted = wanted;
            sw_own_steps_aim(s, left * old);
            if (s->left == left) s->dt = old;
        }
    } else {
        const float power = ratio < 1e30 ? -log2f((float)ratio) / (float)k : -100;
        const double factor = sw_own_steps_clamp(0.9f * exp2f(power), 0.1, 0.8);
        s->refused += 1;
        s->memory = 0;
        s->wanted = old * factor;
        if (s->wanted < SW_OWN_STEPS_ROUNDING * time) {
            s->end = ratio < 1e30 ? SW_OWN_STEPS_TOO_SMALL : SW_OWN_STEPS_NOT_FINITE;
            return false;
        }
        sw_own_steps_aim(s, s->left * old);
    }
    if (s->attempts >= SW_OWN_STEPS_MOST && s->left > 0) s->end = SW_OWN_STEPS_TOO_MANY;
    return ratio <= 1;
}

/** Choose what follows a step from its largest |estimated error| and the largest |u| behind it, of each unknown.
 * @param size    [unknowns]; @param before  [unknowns] where the step began; becomes size where the step is taken
 * @param drive   [unknowns] what ends and forces will bring: as it comes, it counts less and less
 * @param drive   [windows][unknowns] of the run (own_steps_drive.h)
 * @param times   [goals + 1] the output times, from 0
 * @return whether the step is taken */
SW_HD static inline bool sw_own_steps_judge(struct sw_own_steps *s, int unknowns, const double *error,
                                            const double *size, double *before, const double *drive,
                                            const struct sw_own_limits *limits, const double *times)
{
    const long long goal = (long long)s->goal;
    const double dt = s->dt, fading = (times[goal] - times[goal - 1]) / SW_OWN_STEPS_FADING;
    double ratio = 0, worst = 0, peak = 0;
    bool silent = true;
    drive += sw_own_steps_window(goal, limits->share) * unknowns;
    for (int v = 0; v < unknowns; v++) peak = fmax(peak, sw_own_steps_peak(s, v, drive));
    for (int v = 0; v < unknowns; v++) {
        const double largest = sw_own_steps_upper(sw_own_steps_worse(size[v], before[v]));
        const double missed = sw_own_steps_upper(error[v]);
        const double bound = sw_own_steps_bound(limits, largest, sw_own_steps_peak(s, v, drive), peak);
        worst = sw_own_steps_worse(worst, missed);
        ratio = sw_own_steps_worse(ratio, missed / bound);
        silent &= sw_own_steps_silent(missed, bound, largest);
    }
    if (!sw_own_steps_control(s, ratio, worst, silent, limits, times[goal])) return false;
    if (!silent) s->expected *= fading / (fading + dt);
    for (int v = 0; v < unknowns; v++) {
        before[v] = sw_own_steps_upper(size[v]);
        s->peak[v] = fmax(s->peak[v], before[v]);
    }
    return true;
}
#endif
