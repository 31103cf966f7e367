/* Statistics over runs: which runs go together, arithmetic against plain sums in long double, texts of files. */
#include "base/sw_order.h"
#include "helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "store/catalog/run_table_impl.h"
#include "store/statistics.h"
#include "sweep/sw_keys.h"

/* A table of three parameters, of runs in any order, some of which failed. */
static struct sw_run_table *make_table(int64_t nruns, const double (*param)[3], const int *status)
{
    static const char *const name[] = {"a", "seed", "b"};
    struct sw_run_table *t;
    assert_ok(sw_run_table_alloc(nruns, 3, &t));
    assert_ok(sw_run_table_add_column(t, sw_run_column_find("status")));
    for (int k = 0; k < 3; k++) assert_ok(sw_run_table_set_param(t, k, name[k]));
    for (int64_t j = 0; j < nruns; j++) {
        struct sw_run_row row = sw_run_row_empty();
        row.status = (unsigned char)status[j];
        t->index[j] = j;
        sw_run_table_set_row(t, j, &row);
        for (int k = 0; k < 3; k++) t->param[(int64_t)k * nruns + j] = param[j][k];
    }
    return t;
}

/* A grid of 2 x 3 points with 5 seeds; without its last point there is none. */
static void runs_go_together(void **state)
{
    (void)state;
    struct sw_statistics what = {0};
    struct sw_ensembles e;
    double param[30][3];
    int status[30];
    for (int j = 0; j < 30; j++) {
        param[j][0] = j / 15 ? -1 : 0.5;
        param[j][1] = j / 3 % 5;
        param[j][2] = j % 3 == 1 ? -0.0 : j % 3;  /* 0 and -0 are one value */
        if (j % 3 == 1 && j % 2) param[j][2] = 0.0;
        if (j % 3 == 0) param[j][2] = 7;
        status[j] = j == 4 ? SW_RUN_DIVERGED : SW_RUN_DONE;
    }
    assert_ok(sw_statistics_parse("mean; of u; over seed", &what));
    for (int64_t nruns = 30; nruns >= 16; nruns -= 14) {
        struct sw_run_table *t = make_table(nruns, param, status);
        assert_ok(sw_ensembles_find(t, &what, &e));
        assert_int_equal(e.naxis, 2);
        assert_int_equal(e.grid, nruns == 30);
        assert_int_equal(e.count, nruns == 30 ? 6 : 4);
        int64_t all = 0, done = 0;
        for (int64_t p = 0; p < e.count; p++) {
            all += e.nruns[p];
            done += e.nok[p];
            for (int64_t k = e.begin[p]; k < e.begin[p + 1]; k++) {
                assert_int_not_equal(e.row[k], 4);
                if (k > e.begin[p]) assert_true(e.row[k] > e.row[k - 1]);
                for (int d = 0; d < 3; d += 2) assert_true(param[e.row[k]][d] == param[e.row[e.begin[p]]][d]);
            }
        }
        assert_int_equal(all, nruns);
        assert_int_equal(done, nruns - 1);
        assert_int_equal(e.nok[1], 4);
        sw_ensembles_free(&e);
        sw_run_table_free(&t);
    }
    sw_statistics_free(&what);
}

/* Statistic k of n numbers in long double; of up to 11 numbers below 3 doubles are off by a few units of 4e-16. */
static double plain(int k, const double *v, int n)
{
    long double sum = 0, square = 0, least = INFINITY, most = -INFINITY;
    for (int j = 0; j < n; j++) {
        sum += v[j];
        least = v[j] < least ? v[j] : least;
        most = v[j] > most ? v[j] : most;
        if (isnan(v[j])) return NAN;
    }
    for (int j = 0; j < n; j++) square += (v[j] - sum / n) * (v[j] - sum / n);
    const long double var = n > 1 ? square / (n - 1) : NAN;
    return (double)(n < 1 ? NAN : k == SW_STATISTIC_MEAN ? sum / n : k == SW_STATISTIC_VAR ? var :
                    k == SW_STATISTIC_SEM ? sqrtl(var / n) : k == SW_STATISTIC_MIN ? least : most);
}

static double plain_quantile(double *v, int n, double p)
{
    if (n < 1) return NAN;
    for (int j = 0; j < n; j++) if (isnan(v[j])) return NAN;
    qsort(v, (size_t)n, sizeof *v, sw_by_real);
    const double at = (n - 1) * p;
    const int below = (int)floor(at), above = below + 1 < n ? below + 1 : n - 1;
    return v[below] + (at - below) * (v[above] - v[below]);
}

static void check_near(double a, double b)
{
    if (isnan(b)) assert_true(isnan(a));
    else assert_true(fabs(a - b) <= 1e-14);
}

/* Of ensembles of 0, 1, 2, ... runs, of any number of cells. */
static void numbers_are_right(void **state)
{
    (void)state;
    enum { ENSEMBLES = 11, RUNS = ENSEMBLES*(ENSEMBLES + 1)/2, CELLS = 19, Q = 4 };
    static double param[RUNS][3], value[RUNS*CELLS], of[SW_STATISTICS_COUNT][(ENSEMBLES + 1)*CELLS*Q], scratch[9*RUNS];
    double *result[SW_STATISTICS_COUNT];
    int status[RUNS], seed = 0;
    struct sw_statistics what = {0};
    struct sw_ensembles e;
    for (int j = 0, p = 0; j < RUNS; j++) {
        if (j == (p + 1)*(p + 2)/2) p++;
        param[j][0] = p;
        param[j][1] = j;
        status[j] = p == 3 ? SW_RUN_ERROR : SW_RUN_DONE;
    }
    assert_ok(sw_statistics_parse("mean sem var min max quantiles 0 0.3 0.5 1; of u; over seed b", &what));
    struct sw_run_table *t = make_table(RUNS, (const double (*)[3])param, status);
    assert_ok(sw_ensembles_find(t, &what, &e));
    assert_int_equal(e.count, ENSEMBLES);
    for (int cells = 1; cells <= CELLS; cells++) {
        for (int k = 0; k < RUNS*cells; k++, seed++) value[k] = (double)(seed * 7919 % 4001) / 2000 + (seed % 5 == 0);
        if (cells > 2) value[30*cells + 1] = NAN;
        for (int k = 0; k < SW_STATISTICS_COUNT; k++) result[k] = of[k];
        sw_ensembles_form(&e, &what, value, cells, result, scratch);
        for (int p = 0; p < ENSEMBLES; p++)
            for (int c = 0; c < cells; c++) {
                double v[ENSEMBLES];
                int n = 0;
                for (int j = 0; j < RUNS; j++)
                    if (param[j][0] == p && status[j] == SW_RUN_DONE) v[n++] = value[j*cells + c];
                for (int k = 0; k < SW_STATISTIC_QUANTILES; k++) check_near(of[k][p*cells + c], plain(k, v, n));
                for (int q = 0; q < Q; q++)
                    check_near(of[SW_STATISTIC_QUANTILES][(p*Q + q)*cells + c], plain_quantile(v, n, what.quantile[q]));
            }
    }
    sw_ensembles_free(&e);
    sw_run_table_free(&t);
    sw_statistics_free(&what);
}

static void texts_are_read(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", ";", "mean", "mean;", "mean; of", "mean; of u", "mean; of u;", "mean; of; over s",
        "mean; of u; over", "mean; of u; over s;", "mode; of u; over s", "quantiles; of u; over s",
        "mean 0.5; of u; over s", "quantiles 1.5; of u; over s", "quantiles nan; of u; over s",
        "mean; over s; of u", "; of u; over s", "0.5; ; ;", "mean; of u; over s; without u",
        "mean; of u; over s; without fields;", "mean; of u; over s; at", "mean; of u; over s; at 2 2",
        "mean; of u; at 2", "mean; of u; over s; at -1", "mean; of u; over s; at end",
        "mean; of u; over s; without fields; at 2"};
    struct sw_statistics what = {0};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_ok(sw_statistics_parse(wrong[k], &what));
        if (what.what || what.nat || what.drop_fields || what.drop_scalars) fail_msg("\"%s\" is read", wrong[k]);
        assert_string_equal(what.text, wrong[k]);
    }
    struct sw_text many = {0};
    sw_text_add(&many, "quantiles");
    for (int k = 0; k <= SW_QUANTILES_MOST; k++) sw_text_add(&many, " 0.5");
    sw_text_add(&many, "; of u; over s");
    assert_ok(sw_statistics_parse(sw_text_get(&many), &what));
    assert_int_equal(what.what, 0);
    sw_text_free(&many);
    assert_ok(sw_statistics_parse("max quantiles 0.25 1 mean; of u over; over of s", &what));
    assert_int_equal(what.what, 1u << SW_STATISTIC_MAX | 1u << SW_STATISTIC_QUANTILES | 1u << SW_STATISTIC_MEAN);
    assert_int_equal(what.nquantile, 2);
    assert_true(what.nof == 2 && !strcmp(what.of[1], "over") && what.nover == 2 && !strcmp(what.over[0], "of"));
    assert_false(what.drop_fields || what.drop_scalars);
    sw_statistics_free(&what);
    assert_ok(sw_statistics_parse("max; of u; over s; without fields scalars", &what));
    assert_true(what.drop_fields && what.drop_scalars && !what.nat);
    sw_statistics_free(&what);
    assert_ok(sw_statistics_parse("max; of u; over s; at 0 12; without fields", &what));
    assert_true(what.what && what.nat == 2 && what.at[1] == 12 && what.drop_fields && !what.drop_scalars);
    sw_statistics_free(&what);
    struct sw_text words = {0};
    for (int k = 0; k < SW_STATISTICS_COUNT; k++) sw_text_printf(&words, "%s%s", k ? "|" : "", sw_statistic_names[k]);
    assert_string_equal(sw_key_find(NULL, "statistics.what")->words, sw_text_get(&words));
    sw_text_free(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_go_together), cmocka_unit_test(numbers_are_right),
                                       cmocka_unit_test(texts_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
