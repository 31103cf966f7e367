/* Every compact scheme and every closure there is, in fractions. To add one: add its row; test_fd_schemes.c
 * checks its order exactly. Sources: Lele (1992), sections 2.1 and 2.2 for the derivatives, section 4.1 for closures,
 * appendix B for what lies half-way; filters: D. V. Gaitonde and M. R. Visbal, AIAA J. 38 (2000). Families with alpha
 * as their parameter, beta = 0: Lele's (2.1.6) and (2.2.6); those of second order have one pair. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "fd/sw_fd_scheme.h"

#define F(n, d) {(n), (d)}
#define ROW(id) static const struct sw_fd_scheme id

ROW(d1_c4) = {"d1_c4", "f', 4th order (Pade)", SW_FD_FIRST, 4, 1, .alpha = F(1, 4), .a = {F(0, 1), F(3, 2)}};
ROW(d1_c6) = {"d1_c6", "f', 6th order", SW_FD_FIRST, 6, 2, .alpha = F(1, 3), .a = {F(0, 1), F(14, 9), F(1, 9)}};
ROW(d1_c8) = {"d1_c8", "f', 8th order", SW_FD_FIRST, 8, 3, .alpha = F(3, 8),
              .a = {F(0, 1), F(25, 16), F(1, 5), F(-1, 80)}};
ROW(d1_c10) = {"d1_c10", "f', 10th order, five diagonals", SW_FD_FIRST, 10, 3, .alpha = F(1, 2), .beta = F(1, 20),
               .a = {F(0, 1), F(17, 12), F(101, 150), F(1, 100)}};
ROW(d2_c4) = {"d2_c4", "f'', 4th order (Pade)", SW_FD_SECOND, 4, 1, .alpha = F(1, 10), .a = {F(0, 1), F(6, 5)}};
ROW(d2_c6) = {"d2_c6", "f'', 6th order", SW_FD_SECOND, 6, 2, .alpha = F(2, 11), .a = {F(0, 1), F(12, 11), F(3, 11)}};
ROW(d2_c8) = {"d2_c8", "f'', 8th order", SW_FD_SECOND, 8, 3, .alpha = F(9, 38),
              .a = {F(0, 1), F(147, 152), F(51, 95), F(-23, 760)}};
ROW(d1s_c4) = {"d1s_c4", "f' half-way, 4th order", SW_FD_STAGGERED, 4, 1, .alpha = F(1, 22), .a = {F(0, 1), F(12, 11)}};
ROW(d1s_c6) = {"d1s_c6", "f' half-way, 6th order", SW_FD_STAGGERED, 6, 2, .alpha = F(9, 62),
               .a = {F(0, 1), F(63, 62), F(17, 62)}};
ROW(mid_c4) = {"mid_c4", "f half-way, 4th order", SW_FD_MIDPOINT, 4, 1, .alpha = F(1, 6), .a = {F(0, 1), F(4, 3)}};
ROW(mid_c6) = {"mid_c6", "f half-way, 6th order", SW_FD_MIDPOINT, 6, 2, .alpha = F(3, 10),
               .a = {F(0, 1), F(3, 2), F(1, 10)}};
ROW(d1_a2) = {"d1_a2", "f', 2nd order for every alpha", SW_FD_FIRST, 2, 1, .alpha = F(1, 4), .higher_order = 4,
              .any_alpha = true, .a = {F(0, 1), F(1, 1)}, .more = {F(0, 1), F(2, 1)}};
ROW(d1_a4) = {"d1_a4", "f', 4th order for every alpha", SW_FD_FIRST, 4, 2, .alpha = F(1, 3), .higher_order = 6,
              .any_alpha = true, .a = {F(0, 1), F(4, 3), F(-1, 3)}, .more = {F(0, 1), F(2, 3), F(4, 3)}};
ROW(d2_a2) = {"d2_a2", "f'', 2nd order for every alpha", SW_FD_SECOND, 2, 1, .alpha = F(1, 10), .higher_order = 4,
              .any_alpha = true, .a = {F(0, 1), F(1, 1)}, .more = {F(0, 1), F(2, 1)}};
ROW(d2_a4) = {"d2_a4", "f'', 4th order for every alpha", SW_FD_SECOND, 4, 2, .alpha = F(2, 11), .higher_order = 6,
              .any_alpha = true, .a = {F(0, 1), F(4, 3), F(-1, 3)}, .more = {F(0, 1), F(-4, 3), F(10, 3)}};
ROW(f2) = {"f2", "filter, 2nd order", SW_FD_FILTER, 2, 1, .any_alpha = true,
           .a = {F(1, 2), F(1, 2)}, .more = {F(1, 1), F(1, 1)}};
ROW(f4) = {"f4", "filter, 4th order", SW_FD_FILTER, 4, 2, .any_alpha = true,
           .a = {F(5, 8), F(1, 2), F(-1, 8)},
           .more = {F(3, 4), F(1, 1), F(1, 4)}};
ROW(f6) = {"f6", "filter, 6th order", SW_FD_FILTER, 6, 3, .any_alpha = true,
           .a = {F(11, 16), F(15, 32), F(-3, 16), F(1, 32)},
           .more = {F(5, 8), F(17, 16), F(3, 8), F(-1, 16)}};
ROW(f8) = {"f8", "filter, 8th order", SW_FD_FILTER, 8, 4, .any_alpha = true,
           .a = {F(93, 128), F(7, 16), F(-7, 32), F(1, 16), F(-1, 128)},
           .more = {F(70, 128), F(18, 16), F(14, 32), F(-2, 16), F(2, 128)}};
ROW(f10) = {"f10", "filter, 10th order", SW_FD_FILTER, 10, 5, .any_alpha = true,
            .a = {F(193, 256), F(105, 256), F(-15, 64), F(45, 512), F(-5, 256), F(1, 512)},
            .more = {F(126, 256), F(302, 256), F(30, 64), F(-90, 512), F(10, 256), F(-2, 512)}};

const struct sw_fd_scheme *const sw_fd_schemes[] = {
    &d1_c4, &d1_c6, &d1_c8, &d1_c10, &d2_c4, &d2_c6, &d2_c8, &d1s_c4, &d1s_c6, &mid_c4, &mid_c6,
    &d1_a2, &d1_a4, &d2_a2, &d2_a4, &f2, &f4, &f6, &f8, &f10, NULL,
};

/* Row 1 is of third order for every alpha; of the first derivative of fourth order with 3, of the second with 10. The
 * usual choice is third order: closures of fourth order let waves that reach the wall die out much more slowly. */
#define D1_3 .alpha = F(2, 1), .w = {F(-5, 2), F(2, 1), F(1, 2)}
#define D1_4 .alpha = F(3, 1), .w = {F(-17, 6), F(3, 2), F(3, 2), F(-1, 6)}
#define D2_3 .alpha = F(11, 1), .w = {F(13, 1), F(-27, 1), F(15, 1), F(-1, 1)}
#define D2_4 .alpha = F(10, 1), .w = {F(145, 12), F(-76, 3), F(29, 2), F(-4, 3), F(1, 12)}
#undef ROW
#define ROW(id) static const struct sw_fd_closure id

ROW(d1_346) = {"3-4-6", SW_FD_FIRST, 6, 3, D1_3, .inner = {"d1_c4"}};
ROW(d1_446) = {"4-4-6", SW_FD_FIRST, 6, 4, D1_4, .inner = {"d1_c4"}};
/* Their second row is the scheme c4 with one pair, also of a family with two. */
ROW(d1_344) = {"3-4-4", SW_FD_FIRST, 4, 3, D1_3, .inner = {"d1_c4"}};
ROW(d1_444) = {"4-4-4", SW_FD_FIRST, 4, 4, D1_4, .inner = {"d1_c4"}};
ROW(d2_346) = {"3-4-6", SW_FD_SECOND, 6, 3, D2_3, .inner = {"d2_c4"}};
ROW(d2_446) = {"4-4-6", SW_FD_SECOND, 6, 4, D2_4, .inner = {"d2_c4"}};
ROW(d2_344) = {"3-4-4", SW_FD_SECOND, 4, 3, D2_3, .inner = {"d2_c4"}};
ROW(d2_444) = {"4-4-4", SW_FD_SECOND, 4, 4, D2_4, .inner = {"d2_c4"}};
/* Centred filters of lower order towards the wall, whose own value stays as it is: the usual way (M. R. Visbal and
 * D. V. Gaitonde, J. Comput. Phys. 181 (2002), "lower-order centered"). */
ROW(f_reduced) = {"reduced", SW_FD_FILTER, 0, 99, .w = {F(1, 1)}, .inner = {"f2", "f4", "f6", "f8"}};

const struct sw_fd_closure *const sw_fd_closures[] = {
    &d1_346, &d1_446, &d1_344, &d1_444, &d2_346, &d2_446, &d2_344, &d2_444, &f_reduced, NULL,
};

const struct sw_fd_scheme *sw_fd_scheme_find(const char *name)
{
    for (int k = 0; sw_fd_schemes[k]; k++)
        if (!strcmp(sw_fd_schemes[k]->name, name)) return sw_fd_schemes[k];
    return NULL;
}

const struct sw_fd_closure *sw_fd_closure_find(const struct sw_fd_scheme *s, const char *boundary)
{
    for (int k = 0; sw_fd_closures[k]; k++) {
        const struct sw_fd_closure *c = sw_fd_closures[k];
        if (c->kind == s->kind && (!c->interior || c->interior == s->order) && !strcmp(c->name, boundary)) return c;
    }
    return NULL;
}

int sw_fd_order(const struct sw_fd_scheme *s, double alpha)
{
    if (!s->higher_order) return s->order;
    return fabs(alpha - (double)s->alpha.num / s->alpha.den) < 1e-15 ? s->higher_order : s->order;
}

void sw_fd_add_boundaries(const struct sw_fd_scheme *s, struct sw_text *text)
{
    sw_text_add(text, "periodic");
    for (int k = 0; sw_fd_closures[k]; k++)
        if (sw_fd_closure_find(s, sw_fd_closures[k]->name) == sw_fd_closures[k])
            sw_text_printf(text, ", %s", sw_fd_closures[k]->name);
}

int sw_fd_derivative(enum sw_fd_kind kind)
{
    return kind == SW_FD_SECOND ? 2 : kind == SW_FD_FIRST || kind == SW_FD_STAGGERED ? 1 : 0;
}

int sw_fd_divisor(enum sw_fd_kind kind, int k)
{
    switch (kind) {
    case SW_FD_FIRST:     return 2 * k;
    case SW_FD_SECOND:    return k * k;
    case SW_FD_STAGGERED: return 2 * k - 1;
    default:              return 2;
    }
}
