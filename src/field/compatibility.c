#include "field/compatibility.h"

#include <math.h>

/* Roots of the third Legendre polynomial, on [0, 1]. */
void sw_gauss_rule(int parts, struct sw_gauss *rule)
{
    const double off = 0.5 * sqrt(0.6), node[SW_GAUSS] = {0.5 - off, 0.5, 0.5 + off},
                 weight[SW_GAUSS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    rule->count = SW_GAUSS * parts;
    for (int k = 0; k < rule->count; k++) {
        rule->at[k] = (k / SW_GAUSS + node[k % SW_GAUSS]) / parts;
        rule->weight[k] = weight[k % SW_GAUSS] / parts;
    }
}

/* The part of the grid's error that the finer mean may be; and of a mean that is none, the change from rule to rule. Of
 * smooth texts, and of waves as short as a cell, the first Gauss rule leaves 1/40 of the error of the midpoint and of
 * the trapezoidal rule at most. A jump leaves as much to each as it happens to lie: more parts bring that down. */
static const double clear = 0.25;

/* Points of a rule behind the first; such rules take jumps and kinks apart. Some 50 ms. */
static const double most_points = 0x1p20;

/* Rules agree about a jump, too, that lies between the same points of theirs, but what it makes is a cell's share of f:
 * one comparable to f is known to be a mean as soon as two rules agree. */
static bool is_mean(const struct sw_mean_question *q, double before, double mean)
{
    return fabs(mean - before) <= clear * fabs(mean) && fabs(mean) >= clear * q->size;
}

enum sw_status sw_mean_judge(const struct sw_mean_question *q, enum sw_mean_kind *kind, double *finer)
{
    double before = q->mean;
    struct sw_gauss rule;
    *kind = SW_MEAN_UNDECIDED;
    for (int parts = 1; parts <= SW_GAUSS_PARTS && *kind == SW_MEAN_UNDECIDED; parts *= 2) {
        sw_gauss_rule(parts, &rule);
        if (parts > 1 && (q->brief || (double)q->cells * pow(rule.count, q->dim) > most_points)) break;
        SW_TRY(q->finer(q->context, &rule, finer));
        if (!isfinite(*finer)) break;
        if (fabs(*finer) <= fmax(clear * fabs(q->mean - *finer), q->rounding)) *kind = SW_MEAN_OF_GRID;
        else if (is_mean(q, before, *finer)) *kind = SW_MEAN_OF_TEXT;
        before = *finer;
    }
    return SW_OK;
}

void sw_mean_say_taken(const char *what, double mean, double finer, struct sw_text *text)
{
    if (mean != 0)
        sw_text_set(text, "the mean of %s on this grid, %.6g, was taken off; a finer rule has %.2g", what, mean, finer);
}

void sw_mean_say_exact(double mean, struct sw_text *text)
{
    sw_text_set(text, "exact has the mean %.6g, and u has the mean 0: the error norms measure that difference", mean);
}
