#include "problem/line/stepper/fourth_order.h"

struct sw_line_mass sw_line_mass_for(bool third, bool fourth)
{
    if (fourth) return (struct sw_line_mass){.d2 = 1.0 / 6.0};
    if (third) return (struct sw_line_mass){.d2 = 1.0 / 4.0, .d4 = 1.0 / 120.0};
    return (struct sw_line_mass){0};
}

struct sw_line_operator sw_line_fourth_order(const struct sw_line_operator *a, const struct sw_line_mass *p)
{
    return (struct sw_line_operator){.s4 = a->s4 - (p->d2 - 1.0 / 12.0) * a->s2 + p->d4 * a->s0,
                                     .s2 = a->s2 - p->d2 * a->s0,
                                     .s0 = a->s0,
                                     .s1 = a->s1,
                                     .s3 = a->s3 + (p->d2 - 1.0 / 6.0) * a->s1};
}

double sw_line_mass_of_g(const struct sw_line_mass *p) { return sw_line_has_mass(p) ? p->d2 - 1.0 / 12.0 : 0.0; }
