/* Which run of a batch has which lane of which group. */
#include "problem/line/simd_group.h"

#include <omp.h>

#include "base/sw_mem.h"
#include "problem/line/line_cpu.h"

/* Runs of one matrix get lanes next to each other: then few groups have more than one reach.
 * @param begin  [systems]: how many runs have the matrices before this one */
static void fill_groups(struct sw_stepper *s, const struct sw_lanes_line *line, const int *system, int *begin)
{
    struct sw_simd *p = s->own;
    int runs = 0;
    for (int k = 0; k < p->rooms; k++) {
        p->group[k].lanes = (struct sw_lanes){0};
        p->group[k].runs = 0;
    }
    for (int j = 0; j < s->count; j++) {
        if (system[j] < 0) continue;
        int at = begin[system[j]]++, lane = at % p->lanes;
        struct sw_simd_group *g = &p->group[at / p->lanes];
        sw_lanes_set(&g->lanes, lane, &line[system[j]], s->run[j].dt, s->run[j].dx);
        g->run[lane] = j;
        g->runs++;
        runs++;
    }
    p->groups = runs / p->lanes + (runs % p->lanes != 0);
}

/* @param begin  out [systems] */
static void count_systems(int count, const int *system, int systems, int *begin)
{
    int before = 0;
    for (int k = 0; k < systems; k++) begin[k] = 0;
    for (int j = 0; j < count; j++)
        if (system[j] >= 0) begin[system[j]]++;
    for (int k = 0; k < systems; k++) {
        int runs = begin[k];
        begin[k] = before;
        before += runs;
    }
}

enum sw_status sw_simd_load(struct sw_stepper *s, const char **load_error)
{
    struct sw_simd *p = s->own;
    struct sw_line_matrix *matrix = NULL;
    struct sw_lanes_line *line = NULL;
    int *system = NULL, *begin = NULL, systems;
    enum sw_status st;

    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &matrix));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &line));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &system));
    SW_TRY_TO(done, st, sw_alloc((size_t)s->count, &begin));
    systems = sw_line_matrices(s->count, s->run, load_error, matrix, system);
    for (int k = 0; k < systems; k++)
        if (!sw_lanes_line(s->desc.n, matrix[k].s4, matrix[k].s2, s->desc.single_steps, &line[k])) line[k].reach = -1;
    for (int j = 0; j < s->count; j++) {
        if (load_error[j] || line[system[j]].reach >= 0) continue;
        load_error[j] = "the implicit part is not positive definite: the equation is ill-posed";
        system[j] = -1;
    }
    sw_host_load(s, load_error);
    count_systems(s->count, system, systems, begin);
    fill_groups(s, line, system, begin);
#pragma omp parallel for schedule(dynamic) num_threads(sw_host_workers(s, 1, 10.0))
    for (int k = 0; k < p->groups; k++) sw_simd_begin_batch(s, &p->worker[omp_get_thread_num()], &p->group[k]);
done:
    sw_free(matrix);
    sw_free(line);
    sw_free(system);
    sw_free(begin);
    return st;
}
