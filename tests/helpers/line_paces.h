#ifndef LINE_PACES_H
#define LINE_PACES_H
/* Batches of lines with paces against the same runs one by one: every number to the bit, wherever a batch stops. */
#include "four_paces.h"
#include "line_models.h"
#include "problem/line/stepper/scalars_point.h"

enum { PACED_RUNS = 19 };

/* All that comes out: of each look the state of a run and, at goals, its scalars; and when it diverged. */
struct paced_numbers { double *u, scalars[LOOKS][SW_LINE_SCALARS]; int64_t diverged; };

static int paces_given[PACED_RUNS];

/* @param of  the pace of a run alone; NULL: all runs by their paces  @param out  [count] */
static inline void look_at_paces(struct line_sim *m, int count, const struct run *run, const int *of,
                                 struct paced_numbers *out)
{
    const int line = m->n * m->unknowns;
    int64_t diverged[PACED_RUNS], before = 0;
    start_line(m, count, run);
    for (int j = 0; j < count; j++) assert_ok(sw_alloc((size_t)(LOOKS * line), &out[j].u));
    for (int k = 0; k < LOOKS; k++) {
        const int64_t at = of ? sw_pace_step(&four_paces, *of, paced_looks[k]) : paced_looks[k];
        const bool is_goal = paced_looks[k] % SW_TICKS == 0;
        const void *field;
        const double *scalars;
        assert_ok(stepper_advance(m->s, before, at));
        before = at;
        double *u = state_of_line(m);
        if (is_goal) {
            assert_ok(stepper_snapshot(m->s, 0, SW_SNAPSHOT_SCALARS));
            assert_ok(stepper_fetch(m->s, 0, &field, &scalars));
        }
        for (int j = 0; j < count; j++) {
            memcpy(out[j].u + k * line, u + j * line, (size_t)line * sizeof *u);
            for (int c = 0; c < SW_LINE_SCALARS; c++)
                out[j].scalars[k][c] = is_goal ? scalars[j * SW_LINE_SCALARS + c] : 0;
        }
        sw_free(u);
    }
    assert_ok(stepper_diverged(m->s, diverged));
    for (int j = 0; j < count; j++) out[j].diverged = diverged[j];
}

static inline void expect_same_numbers(const struct paced_numbers *a, const struct paced_numbers *b, int line, int j)
{
    for (int c = 0; c < LOOKS * line; c++)
        if (memcmp(&a->u[c], &b->u[c], sizeof *a->u))
            fail_msg("run %d, look %d, point %d: %.17g, alone %.17g", j, c / line, c % line, a->u[c], b->u[c]);
    for (int c = 0; c < LOOKS * SW_LINE_SCALARS; c++)
        if (memcmp(&a->scalars[0][c], &b->scalars[0][c], sizeof(double)))
            fail_msg("run %d, look %d, scalar %d: %.17g, alone %.17g", j, c / SW_LINE_SCALARS, c % SW_LINE_SCALARS,
                     a->scalars[0][c], b->scalars[0][c]);
    assert_int_equal(a->diverged, b->diverged);
}

/* Lines of few lanes and many, of lengths that lanes do not divide; several unknowns; ends; order 4. */
struct paced_model { const char *name; int n, count; bool alike; struct model t; };
static const struct paced_model paced_models[] = {
    {"no terms, runs alike", 40, PACED_RUNS, true,
     {.scheme = SW_CRANK_NICOLSON, .unknowns = 1, .initial = {"cos(0.3*x) + 0.1*a"}}},
    {"no terms", 101, PACED_RUNS, false,
     {.scheme = SW_CRANK_NICOLSON, .unknowns = 1, .initial = {"cos(0.3*x) + 0.1*a"}}},
    {"force of t", 333, PACED_RUNS, false,
     {.scheme = SW_BACKWARD_EULER, .unknowns = 1, .initial = {"cos(0.3*x) + 0.1*a"}, .g = {"c*u^3 - u"},
      .s = {"c*cos(3*t + 0.1*x) + b*u^2"}}},
    {"force of t, Crank-Nicolson", 37, 7, false,
     {.scheme = SW_CRANK_NICOLSON, .unknowns = 1, .initial = {"cos(0.3*x) + 0.1*a"}, .s = {"sin(t)*a + cos(2*t)"}}},
    {"a line of two warps", 2500, 5, false,
     {.scheme = SW_CRANK_NICOLSON, .unknowns = 1, .initial = {"cos(0.3*x) + 0.1*a"}, .s = {"c*cos(3*t) + b*u^2"}}},
    {"imex2", 50, PACED_RUNS, false,
     {.scheme = SW_IMEX2, .unknowns = 2, .initial = {"cos(0.3*x) + 0.1*a", "0.5 + 0.3*sin(0.2*x)"},
      .g = {"a*u", NULL}, .s = {"v*u - v + sin(t)", "-b*v*(vr - vl) + b*v^2"}}},
    {"imex3, odd orders", 33, 11, false,
     {.scheme = SW_IMEX3, .unknowns = 1, .orders = 1 | 1 << 1, .initial = {"cos(0.3*x)"}, .s = {"u - u^3 + t"}}},
    {"ends", 64, PACED_RUNS, false,
     {.scheme = SW_IMEX2, .unknowns = 1, .initial = {"0.2"}, .s = {"u - u^3 + 0.1*cos(x - t) + b*u^2"},
      .end = {{SW_END_VALUE}, {SW_END_SLOPE}}, .condition = {{{"0.2*cos(3*t)", NULL}}, {{"1e-7*sin(t)", NULL}}}}},
    {"ends, Crank-Nicolson", 45, 9, false,
     {.scheme = SW_CRANK_NICOLSON, .unknowns = 1, .initial = {"0.2"}, .s = {"0.1*cos(x - t)"},
      .end = {{SW_END_VALUE}, {SW_END_VALUE}}, .condition = {{{"0.2*cos(3*t)", NULL}}, {{"0.3*a", NULL}}}}},
};
enum { PACED_MODELS = sizeof paced_models / sizeof *paced_models };

/* Runs of random paces. Run 3 diverges where N has b u². */
static inline void make_paced_runs(const struct paced_model *p, uint64_t *running, struct run *run)
{
    for (int j = 0; j < p->count; j++) {
        const int pace = paces_given[j] = (int)((test_random(running) + 1) * 0.5 * PACES) % PACES;
        const double dt = 0.03 / (double)paced_steps[pace];
        run[j] = (struct run){{.dt = dt, .dx = 1.0, .x0 = 0.1 * j, .pace = pace},
                              {0.1 * j, j == 3 ? 1e200 : 0.3, 1.0 - 0.1 * j}};
        for (int v = 0; v < p->t.unknowns; v++)
            run[j].line.a[v] = (struct sw_line_operator){
                .s4 = p->alike ? 0.5 : dt * (10 + 40 * j), .s2 = p->alike ? 0.2 : dt * (1 + v),
                .s0 = p->t.orders & 1 ? 0.01 * j : 0, .s1 = p->t.orders & 2 ? 0.02 * j : 0};
    }
}

/* @param of  the runs one by one, by their paces; NULL: all in one batch
 * @return false: the row takes no such model */
static inline bool look_by_row(const struct sw_stepper_ops *row, struct sw_device *where, const struct paced_model *p,
                               const struct run *run, const int *of, struct paced_numbers *out)
{
    struct line_sim m;
    paces_of_lines = of ? NULL : &four_paces;
    const bool made = make_line_on(row, &m, where, p->t, p->n, of ? 1 : p->count);
    paces_of_lines = NULL;
    if (made && !of) look_at_paces(&m, p->count, run, NULL, out);
    for (int j = 0; made && of && j < p->count; j++) look_at_paces(&m, 1, &run[j], &of[j], &out[j]);
    unmake_line(&m);
    return made;
}

/* Other rows solve in another order: they are off by rounding, which a step multiplies by little. */
static inline void expect_near(const struct paced_numbers *a, const struct paced_numbers *b, int line, int j)
{
    double off = 0, largest = 1;
    assert_int_equal(a->diverged, b->diverged);
    for (int c = 0; c < LOOKS * line; c++) {
        assert_int_equal(isnan(a->u[c]), isnan(b->u[c]));
        if (isnan(a->u[c])) continue;
        off = fmax(off, fabs(a->u[c] - b->u[c]));
        largest = fmax(largest, fabs(b->u[c]));
    }
    if (off > 1e-9 * largest) fail_msg("run %d is off by %g of %g", j, off, largest);
}

/* All models by a row, in one batch and one by one, and by a reference where there is one. */
static inline void paces_change_nothing(const struct sw_stepper_ops *row, struct sw_device *where,
                                        const struct sw_stepper_ops *reference)
{
    uint64_t running = 7;
    for (int k = 0; k < PACED_MODELS; k++) {
        const struct paced_model *p = &paced_models[k];
        const int line = p->n * p->t.unknowns;
        struct run run[PACED_RUNS];
        struct paced_numbers together[PACED_RUNS], alone[PACED_RUNS], plain[PACED_RUNS] = {{0}};
        make_paced_runs(p, &running, run);
        assert_true(look_by_row(row, where, p, run, NULL, together) &&
                    look_by_row(row, where, p, run, paces_given, alone));
        if (reference) assert_true(look_by_row(reference, host, p, run, paces_given, plain));
        print_message("%s\n", p->name);
        if (p->t.s[0] && strstr(p->t.s[0], "b*u^2")) assert_true(together[3].diverged > 0);
        for (int j = 0; j < p->count; j++) {
            expect_same_numbers(&together[j], &alone[j], line, j);
            if (reference) expect_near(&together[j], &plain[j], line, j);
            sw_free(together[j].u);
            sw_free(alone[j].u);
            sw_free(plain[j].u);
        }
    }
}
#endif
