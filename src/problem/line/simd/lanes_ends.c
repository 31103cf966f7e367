#include "problem/line/simd/lanes_ends.h"

#include "problem/line/stepper/closing_point.h"

static struct sw_pair coefficients(const struct sw_recursive *r) { return (struct sw_pair){-r->a1, -r->a2}; }

static void answers(const struct sw_recursive *r, int n, long double h[4])
{
    sw_recursive_answer(r, n - 3, h);
    for (int k = 2; k < 4; k++) h[k] = -r->a1 * h[k - 1] - r->a2 * h[k - 2];
}

static void close_start(const struct sw_circuit *k, double start[2][SW_LANES_STARTS])
{
    for (int c = 0; c < SW_LANES_STARTS; c++) {
        const long double y[3] = {c == 3, c == 4, c == 5};
        const struct sw_pair t = sw_closing_start(k, c == 0, c == 1, c == 2, y);
        start[0][c] = (double)t.one;
        start[1][c] = (double)t.two;
    }
}

void sw_lanes_close_line(int n, const bool value[2], struct sw_lanes_line *line)
{
    for (int way = 0; way < SW_LANES_WAYS; way++) {
        const bool down = way == SW_LANES_DOWN;
        struct sw_circuit k = {.decays = line->decays};
        sw_closing_set_ends(value[down], value[!down], coefficients(&line->factor[way]),
                            coefficients(&line->factor[!way]), &k);
        if (!line->decays) {
            answers(&line->factor[way], n, k.first);
            answers(&line->factor[!way], n, k.second);
            sw_closing_set_rounds(&k);
        }
        close_start(&k, line->start[way]);
        for (int c = 0; c < 3; c++) {
            const long double y[3] = {c == 0, c == 1, c == 2};
            long double out[3];
            sw_closing_turn(&k.far, y, out);
            for (int row = 0; row < 3; row++) line->far[way][row][c] = (double)out[row];
        }
    }
}

void sw_lanes_set_closing(struct sw_lanes_closing *closing, int lane, const struct sw_lanes_line *line)
{
    for (int way = 0; way < SW_LANES_WAYS; way++) {
        for (int k = 0; k < 2 * SW_LANES_STARTS; k++)
            closing->start[way][k / SW_LANES_STARTS][k % SW_LANES_STARTS][lane] =
                line->start[way][k / SW_LANES_STARTS][k % SW_LANES_STARTS];
        for (int k = 0; k < 9; k++) closing->far[way][k / 3][k % 3][lane] = line->far[way][k / 3][k % 3];
    }
}
