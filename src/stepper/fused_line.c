#include "stepper/fused_line.h"

#include <string.h>

#include "stepper/recursive.h"

/* Powers for the 2^k blocks of stage k, which have `few` or few + 1 points; a stage counts if either changes anything. */
static void set_stages(const struct sw_recursive *r, int n, int lanes, struct sw_fused_line *line)
{
    for (int k = 0; 1 << k < lanes && k < SW_FUSED_MAX_STAGES; k++)
        for (int more = 0; more < 2; more++) {
            double *power = line->power[2 * k + more];
            sw_recursive_power(r, ((int64_t)n << k) / lanes + more, power);
            if (!sw_recursive_negligible(power)) line->stages = k + 1;
        }
}

void sw_fused_line_set(int n, int lanes, double s4, double s2, struct sw_fused_line *line, double *table)
{
    struct sw_recursive r;
    double turn[4], (*power)[4] = (double (*)[4])table;
    if (!sw_recursive_factor(s4, s2, &r)) sw_recursive_factor(0.0, 0.0, &r);
    *line = (struct sw_fused_line){.a1 = r.a1, .a2 = r.a2, .scale = r.scale, .reach = 1};
    set_stages(&r, n, lanes, line);
    sw_recursive_power(&r, n, turn);
    sw_recursive_closure(&r, n, line->closure);
    line->closed = !sw_recursive_negligible(turn);
    if (lanes <= 32) return;
    sw_recursive_powers(&r, n, lanes, 32, power);
    line->reach = sw_recursive_powers(&r, n, lanes / 32, lanes / 32, power + 64);
}

static bool alike(const struct sw_line_run *a, const struct sw_line_run *b) { return a->s4 == b->s4 && a->s2 == b->s2; }

bool sw_fused_lines_set(int n, int lanes, int count, const struct sw_line_run *run, int threads, struct sw_fused_line *line,
                        double *table)
{
    enum { PIECE = 64 };  /* runs that a thread takes at once: those in a row are often alike */
    size_t size = (size_t)sw_fused_table(lanes);
    int differ = 1;
    while (differ < count && alike(&run[differ], &run[0])) differ++;
    if (differ == count) count = 1;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (count > PIECE)
    for (int piece = 0; piece < count; piece += PIECE)
        for (int j = piece; j < piece + PIECE && j < count; j++) {
            double *mine = table + (size_t)j * size;
            if (j > piece && alike(&run[j], &run[j - 1])) {
                line[j] = line[j - 1];
                if (size) memcpy(mine, mine - size, size * sizeof *mine);
            } else {
                sw_fused_line_set(n, lanes, run[j].s4, run[j].s2, &line[j], mine);
            }
        }
    return count > 1;
}
