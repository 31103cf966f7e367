/* Rows that step fields against the reference, cpu.plain or of exact solves cpu.fourier, over random problems; and that
 * no bit of a run depends on threads or its batch, where threads share a field, too, nor on where it is interrupted. */
#include "random_field_problems.h"

enum { THREADS = 3, CASES = 60 };

static struct sw_device *host[THREADS], *gpu;
static const char *row;  /* that is compared */

static bool is_on_gpu(const char *name) { return !strncmp(name, "cuda.", 5); }

static struct sw_device *device_of(const char *name, int threads) { return is_on_gpu(name) ? gpu : host[threads - 1]; }

static void need_row(void)
{
    if (is_on_gpu(row) && !gpu && sw_device_open("cuda", 1, &gpu)) skip_unless_needed("cuda", sw_err_message());
}

static bool is_compared(void) { return strcmp(row, reference_of(row)) != 0; }

/* cuda.cufft takes an even number of points along x. */
static void fit_row(struct problem *p)
{
    if (!strcmp(row, "cuda.cufft")) p->n[0] += p->n[0] % 2;
}

/* On a GPU each case is compiled. */
static int cases(int most) { return is_on_gpu(row) && !long_suite() ? most / 5 : small_suite() ? most / 6 : most; }

static void as_the_reference(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; is_compared() && k < cases(CASES); k++) {
        struct problem p;
        make_problem(&p, k % 3 == 2 ? 3 : 2, k % 5 == 4 ? 4 : 2, k % 7 == 6, false);
        fit_row(&p);
        if (is_case_asked_for(k)) compare_rows(&p, row, 1 + k % THREADS);
        destroy_problem(&p);
    }
}

static bool takes_walls(void) { return !fields_sim_is_exact(NULL, row); }

static void between_walls_as_the_reference(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; is_compared() && takes_walls() && k < cases(2 * CASES); k++) {
        struct problem p;
        make_problem(&p, k % 3 == 2 ? 3 : 2, 2, k % 7 == 6, true);
        if (is_case_asked_for(k)) compare_rows(&p, row, 1 + k % THREADS);
        destroy_problem(&p);
    }
}

/* Runs that a cluster of 2 to 16 blocks has, by passes or in registers. */
static void in_clusters_as_the_reference(void **state)
{
    static const int64_t n[][2] = {{96, 96}, {91, 104}, {192, 192}, {75, 158}, {256, 256}, {200, 200}, {600, 40},
                                   {512, 512}};
    (void)state;
    need_row();
    for (int k = 0; !strcmp(row, "cuda.fused") && k < 16; k++) {
        struct problem p;
        make_problem(&p, 2, 2, k % 7 == 6, false);
        p.n[0] = n[k % 8][0], p.n[1] = n[k % 8][1];
        if (size_of(&p) > 10000) p.tolerance = 0;  /* the reference would take minutes */
        if (k % 8 == 7) p.scheme = SW_BACKWARD_EULER;
        if (is_case_asked_for(k)) compare_rows(&p, row, 1);
        destroy_problem(&p);
    }
}

/* A state and its record, given to another sim. */
static void interrupted_runs_go_on(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < (small_suite() ? 3 : 8); k++) {
        struct problem p;
        double record[SW_OWN_STEPS_NUMBERS], scalars[SW_LINE_SCALARS];
        make_problem(&p, k % 3 == 2 ? 3 : 2, 2, k % 5 == 4, takes_walls() && k % 4 != 3);
        fit_row(&p);
        const size_t size = size_of(&p);
        if (!has_room(&p, row)) {
            destroy_problem(&p);
            continue;
        }
        if (size > 3000) p.tolerance = 0;  /* a thousand steps at least */
        double *whole = malloc(size * sizeof *whole), *u = malloc(size * sizeof *u);
        const int64_t end = end_of(&p);
        run(&p, row, 1, 0, 1, whole, scalars);
        struct sw_sim *sim = make(&p, row, 2, 0, 1);
        assert_ok(sw_sim_initial(sim));
        assert_ok(sim->ops->advance(sim, 0, end / 2));
        assert_ok(sw_sim_get_state(sim, u));
        if (p.tolerance > 0) assert_ok(sim->ops->records->get(sim, record));
        sim->ops->destroy(sim);
        sim = make(&p, row, 1, 0, 1);
        assert_ok(sw_sim_set_state(sim, u));
        if (p.tolerance > 0) assert_ok(sw_sim_set_record(sim, record));
        assert_ok(sim->ops->advance(sim, end / 2, end));
        assert_ok(sw_sim_get_state(sim, u));
        sim->ops->destroy(sim);
        assert_memory_equal(u, whole, size * sizeof *u);
        free(whole);
        free(u);
        destroy_problem(&p);
    }
}

/* Of runs so large that threads share one. */
static void no_bit_depends_on_threads(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < (small_suite() ? 2 : 6); k++) {
        struct problem p;
        double all_scalars[RUNS_MOST * SW_LINE_SCALARS], one_scalars[SW_LINE_SCALARS];
        make_problem(&p, k % 3 == 2 ? 3 : 2, 2, k % 5 == 4, takes_walls() && k % 2);
        for (int a = 0; a < p.axes; a++) p.n[a] = p.axes > 2 ? 23 + a : 91 + 13 * a;
        fit_row(&p);
        if (small_suite()) p.n[1] = 48;  /* two threads then */
        p.tolerance = k ? 0 : 1e-2;  /* as above */
        if (k == 0) p.scheme = SW_IMEX2;
        const size_t size = size_of(&p);
        if (!has_room(&p, row)) {
            destroy_problem(&p);
            continue;
        }
        double *all = malloc(RUNS_MOST * size * sizeof *all), *one = malloc(size * sizeof *one);
        run(&p, row, 2, 0, RUNS_MOST, all, all_scalars);
        for (int threads = 1; threads <= THREADS; threads++) {
            const int j = threads + 1;
            run(&p, row, threads, j, 1, one, one_scalars);
            assert_memory_equal(one, all + (size_t)j * size, size * sizeof *one);
            assert_memory_equal(one_scalars, all_scalars + j * SW_LINE_SCALARS, sizeof one_scalars);
        }
        free(all);
        free(one);
        destroy_problem(&p);
    }
}

static void runs_of_other_paces_in_one_batch(void **state)
{
    (void)state;
    need_row();
    for (int k = 0; k < cases(CASES); k++) {
        struct problem p;
        make_problem(&p, k % 3 == 2 ? 3 : 2, 2, false, takes_walls() && k % 2);
        fit_row(&p);
        if (is_case_asked_for(k)) paces_change_nothing(&p, row, 1 + k % THREADS);
        destroy_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_reference), cmocka_unit_test(between_walls_as_the_reference),
        cmocka_unit_test(in_clusters_as_the_reference),
        cmocka_unit_test(interrupted_runs_go_on), cmocka_unit_test(runs_of_other_paces_in_one_batch),
        cmocka_unit_test(no_bit_depends_on_threads)};
    int failed = 0;
    for (int k = 0; k < THREADS; k++) assert_ok(sw_device_open("cpu", k + 1, &host[k]));
    for (int k = 0; (row = fields_sim_row(k)); k++)
        if (row_asked_for(row) && !(device_rows_only() && !is_on_gpu(row)))
            failed += cmocka_run_group_tests_name(row, tests, NULL, NULL);
    for (int k = 0; k < THREADS; k++) sw_device_close(&host[k]);
    sw_device_close(&gpu);
    return failed;
}
