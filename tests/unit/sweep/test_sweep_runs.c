/* Runs as a set: ids, groups and output times, selections, a million of them. */
#include <math.h>
#include <sys/resource.h>

#include "base/sw_err.h"
#include "sweep_helpers.h"

/* ------------------------------------------------------------------ ids */

static void ids_are_what_they_were(void **state)
{
    (void)state;
    /* Stored, and computed once more by a few lines of Python from the comment in ids.c: output files find their
     * finished runs by them. A change here must be meant, and changes the schema word in ids.c. */
    struct made m = MAKE("sweep.a=[0.1, 0.2]", "initial=a*cos(x)"),
                w = MAKE("sweep.s=[\"cpu.plain\", \"auto\"]", "stepper=$s");
    uint64_t id[2];
    assert_ok(sw_sweep_ids(m.sweep, 0, 2, id));
    assert_int_equal(id[0], 0x19b2737009437ee2);
    assert_int_equal(id[1], 0xf4bf2465b35353a8);
    assert_int_equal(id_of(&w, 1), 0x255f6e02b68a5d0d);
    assert_string_equal(m.sweep->id, "f63e5700b3ae");
    unmake(&m);
    unmake(&w);
}

#define SAME_ID(left, right) assert_true(same_ids(MAKE left, MAKE right))
#define OTHER_ID(left, right) assert_false(same_ids(MAKE left, MAKE right))

static void an_id_does_not_depend_on_how_a_value_is_written(void **state)
{
    (void)state;
    SAME_ID(("sweep.a=[0.1, 0.2]", "initial=a*x"), ("define.a=0.1", "initial=a*x"));
    SAME_ID(("sweep.a=[0.1, 0.2]", "initial=a*x"), ("sweep.a=linspace(0.1, 1, 7)", "initial=a * x"));
    SAME_ID(("sweep.a=[0.1, 0.2]", "initial=a*x"), ("sweep.a=0.1", "initial=((a)*x)"));
    SAME_ID(("sweep.n=[16, 32]", "grid.n=n"), ("grid.n=16"));
    SAME_ID(("grid.n=16"), ("grid.n=\"2*8\""));
    SAME_ID(("grid.x0=0.0"), ("grid.x0=-0.0"));
    SAME_ID(("grid.x0=0.0"), ("stepper=auto"));
    SAME_ID(("sweep.s=[\"cpu.plain\", \"auto\"]", "stepper=$s"), ("stepper=cpu.plain"));
    SAME_ID(("sweep={ a=[1, 2]; b=[3, 4]; }", "initial=a*b"), ("sweep={ b=[3, 4]; a=[1, 2]; }", "initial=a*b"));
    SAME_ID(("define={ a=1; b=2; }", "initial=a*b"), ("define={ b=2; a=1; c=7; }", "initial=a*b"));
}

static void an_id_does_not_depend_on_output_device_or_title(void **state)
{
    (void)state;
    SAME_ID(("title=one"),
            ("title=two", "output={ file=\"x.h5\"; fields={ times=[0, 1]; }; }", "run={ device=\"cpu\"; batch=3; }"));
}

static void an_id_depends_on_all_that_decides(void **state)
{
    (void)state;
    OTHER_ID(("initial=x"), ("initial=2*x"));
    OTHER_ID(("initial=x"), ("initial=x", "forcing=x"));
    OTHER_ID(("forcing=x"), ("exact=x"));
    OTHER_ID(("grid.n=16"), ("grid.n=17"));
    OTHER_ID(("grid.n=16"), ("grid.x0=0.5"));
    OTHER_ID(("physics.D=2.0"), ("physics.gamma=2.0"));
    OTHER_ID(("time.dt=0.1"), ("time.dt=0.05"));
    OTHER_ID(("stepper=auto"), ("stepper=cpu.plain"));
    OTHER_ID(("run.precision=double"), ("run.precision=single"));
    OTHER_ID(("define.a=0.1", "initial=a*x"), ("define.a=0.1000000000000001", "initial=a*x"));
    OTHER_ID(("define.a=0.1", "initial=a*x"), ("define.b=0.1", "initial=b*x"));
    OTHER_ID(("define={ a=1; b=2; }", "initial=a+b^2"), ("define={ a=2; b=1; }", "initial=a+b^2"));
    OTHER_ID(("problem=heat", "physics={ kappa=1.0; }"), ("problem=heat", "physics={ kappa=1.0; }", "order=2"));
}

static void a_longer_axis_keeps_the_ids(void **state)
{
    (void)state;
    struct made few = MAKE("sweep={ a=\"range(1, 5)\"; s=[1, 2]; }", "initial=a*randn(s)"),
                many = MAKE("sweep={ a=\"range(1, 9)\"; s=[1, 2, 3]; }", "initial=a*randn(s)");
    uint64_t f[10], m[27], block[5];
    assert_ok(sw_sweep_ids(few.sweep, 0, 10, f));
    assert_ok(sw_sweep_ids(many.sweep, 0, 27, m));
    for (int a = 0; a < 5; a++)
        for (int s = 0; s < 2; s++) assert_int_equal(f[2 * a + s], m[3 * a + s]);
    assert_ok(sw_sweep_ids(many.sweep, 20, 5, block));
    assert_memory_equal(block, m + 20, sizeof block);
    unmake(&few);
    unmake(&many);
}

static void the_sweep_id_is_of_the_set_of_runs(void **state)
{
    (void)state;
    struct made a = MAKE("sweep={ a=[1, 2]; b=[3, 4]; }", "initial=a*b"),
                b = MAKE("sweep={ b=[4, 3]; a=[1, 2]; }", "initial=a*b"),
                c = MAKE("sweep={ b=[4, 3]; a=[1, 5]; }", "initial=a*b");
    uint64_t id[4];
    assert_ok(sw_sweep_ids(a.sweep, 0, 4, id));
    assert_ok(sw_sweep_ids(c.sweep, 0, 4, id));
    assert_ok(sw_sweep_ids(b.sweep, 0, 3, id));
    assert_string_equal(b.sweep->id, "");
    assert_ok(sw_sweep_ids(b.sweep, 0, 4, id));
    assert_int_equal(strlen(a.sweep->id), 12);
    assert_string_equal(a.sweep->id, b.sweep->id);
    assert_string_not_equal(a.sweep->id, c.sweep->id);
    unmake(&a);
    unmake(&b);
    unmake(&c);
}

static void runs_that_are_the_same_are_refused(void **state)
{
    (void)state;
    struct made m = MAKE("sweep.a=[1, 2, -1]", "define.b=a*a", "initial=b*x");
    uint64_t id[3];
    assert_int_equal(sw_sweep_ids(m.sweep, 0, 3, id), SW_E_CONFIG);
    assert_string_equal(sw_err_message(), "runs 0 (a = 1) and 2 (a = -1) compute the same; leave one out");
    unmake(&m);
}

/* ------------------------------------------------------------------ groups and output times */

static struct sw_group *groups_of(const struct made *m, int *count)
{
    struct sw_group *group;
    int64_t *run;
    assert_ok(sw_alloc((size_t)m->sweep->nruns, &run));
    for (int64_t r = 0; r < m->sweep->nruns; r++) run[r] = r;
    assert_ok(sw_sweep_groups(m->sweep, run, m->sweep->nruns, &group, count));
    sw_free(run);
    return group;
}

static void check_steps(const char *field, const char *value, int count, const int64_t *step)
{
    char text[200];
    int n;
    snprintf(text, sizeof text, "output.%s=%s", field, value);
    struct made m = MAKE("time={ dt=0.1; end=10.0; }", text);
    struct sw_group *g = groups_of(&m, &n);
    bool scalars = field[0] == 's';
    assert_int_equal(n, 1);
    assert_int_equal(g->steps, 100);
    assert_int_equal(scalars ? g->nscalar : g->nfield, count);
    assert_int_equal(scalars ? g->nfield : g->nscalar, 0);
    assert_memory_equal(scalars ? g->scalar_step : g->field_step, step, (size_t)count * sizeof *step);
    assert_string_equal(g->name, "");
    sw_groups_free(&g, n);
    unmake(&m);
}
#define STEPS(field, value, ...) \
    check_steps(field, value, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__})

static void output_times_round_to_the_nearest_step(void **state)
{
    (void)state;
    STEPS("fields.times", "linspace(0, end, 6)", 0, 20, 40, 60, 80, 100);
    STEPS("fields.times", "linspace(0, end, 4)", 0, 33, 67, 100);
    STEPS("fields.times", "[0.0, 0.04, 0.05, 0.3, 10.0]", 0, 1, 3, 100);
    STEPS("fields.times", "(10, \"end/2\", 0.3, 0.31)", 3, 50, 100);
    STEPS("fields.times", "2.5", 25);
    STEPS("fields.times", "end", 100);
    STEPS("fields.times", "range(0, 3)", 0, 10, 20, 30);
    STEPS("fields.times", "range(1, end, 4.5)", 10, 55, 100);
    STEPS("fields.times", "logspace(dt, end, 3)", 1, 10, 100);
    STEPS("scalars.times", "[1, 2]", 10, 20);
    STEPS("scalars.every", "4.0", 0, 40, 80, 100);
    STEPS("scalars.every", "end/3", 0, 33, 67, 100);
    STEPS("scalars.every", "50.0", 0, 100);
}

static void a_series_finer_than_the_steps_has_one_entry_a_step(void **state)
{
    (void)state;
    int n;
    struct made m = MAKE("output.scalars.every=1e-9");
    struct sw_group *g = groups_of(&m, &n);
    assert_int_equal(g->nscalar, 11);
    sw_groups_free(&g, n);
    unmake(&m);
}

static void bad_times_are_refused(void **state)
{
    (void)state;
    REFUSED("-s: error: 'output.fields.times': time 1.5 is not within 0 and the end, 1\n",
            "output.fields.times=(0, \"1.5\")");
    REFUSED("-s: error: 'output.fields.times': time -0.1 is not within 0 and the end, 1\n",
            "output.fields.times=linspace(-0.1, 1, 3)");
    REFUSED("-s: error: 'output.fields.times' in run 1 (T = 0.2): time 0.5 is not within 0 and the end, 0.2\n",
            "sweep.T=[0.5, 0.2]", "time.end=T", "output.fields.times=0.5");
    REFUSED("-s: error: 'output.fields.times' is empty; leave it out to save nothing\n", "output.fields.times=[]");
    REFUSED("-s: error: 'output.fields.times': write linspace(a, b, k)\n", "output.fields.times=linspace(0, end)");
    REFUSED("-s: error: 'output.fields.times': the number of times must be a whole number from 1\n",
            "output.fields.times=linspace(0, end, 2.5)");
    REFUSED("-s: error: 'output.fields.times': the step must be positive and finite\n",
            "output.fields.times=range(0, end, 0)");
    REFUSED("-s: error: 'output.fields.times': there is no time in this range\n", "output.fields.times=range(end, 0)");
    REFUSED("-s: error: 'output.fields.times': the ends of logspace must be positive\n",
            "output.fields.times=logspace(0, end, 3)");
    REFUSED("-s: error: 'output.fields.times': more than 10 million times in a run\n",
            "output.fields.times=linspace(0, end, 1e8)");
    REFUSED("-s: error: 'output.fields.times', column 1: unknown name 'endd'\n    endd\n    ^~~~  did you mean 'end'? "
            "known: n length dt "
            "end gamma D pi e\n",
            "output.fields.times=linspace(0, endd, 3)");
    REFUSED("-s: error: 'output.scalars.every': the time between two entries must be positive and finite\n",
            "output.scalars.every=0");
    REFUSED("-s: error: 'output.scalars.every': more than 10 million times in a run\n", "output.scalars.every=1e-9",
            "time.dt=1e-8");
    REFUSED("-s: error: 'output.scalars' has both every and times; leave one out\n",
            "output.scalars={ every=0.5; times=[0]; }");
    REFUSED("-s: error: 'output.scalars' does not say when: add every = ...\n", "output.scalars={ }");
}

static void runs_of_one_shape_form_a_group(void **state)
{
    (void)state;
    int n;
    struct made m =
        MAKE("sweep={ D=[1, 2]; n=[64, 32]; }", "grid.n=n", "physics.D=D", "output.fields.times=linspace(0, end, 3)");
    struct sw_group *g = groups_of(&m, &n);
    assert_int_equal(n, 2);
    assert_int_equal(g[0].n[0], 32);
    assert_string_equal(g[0].name, "n00032");
    assert_int_equal(g[0].count, 2);
    assert_int_equal(g[0].run[0], 1);
    assert_int_equal(g[0].run[1], 3);
    assert_int_equal(g[1].n[0], 64);
    sw_groups_free(&g, n);
    unmake(&m);
    /* dt and end in proportion: other numbers, the same steps */
    m = MAKE("sweep.c=linspace(0.1, 1.3, 50)", "time={ dt=\"c*0.1\"; end=\"c*3\"; }",
             "output.fields.times=linspace(0, end, 7)", "output.scalars.every=end/4");
    g = groups_of(&m, &n);
    assert_int_equal(n, 1);
    assert_int_equal(g->count, 50);
    assert_int_equal(g->steps, 30);
    assert_int_equal(g->nscalar, 5);
    assert_string_equal(g->name, "");
    sw_groups_free(&g, n);
    unmake(&m);
    m = MAKE("sweep.T=[2, 1]", "time.end=T");
    g = groups_of(&m, &n);
    assert_int_equal(n, 2);
    assert_int_equal(g[0].steps, 10);
    assert_int_equal(g[0].run[0], 1);
    sw_groups_free(&g, n);
    unmake(&m);
}

static void many_shapes_are_told_apart(void **state)
{
    (void)state;
    int n;
    struct made m = MAKE("sweep={ n=\"range(5, 2004)\"; D=[1, 2, 3]; }", "grid.n=n", "physics.D=D");
    struct sw_group *g = groups_of(&m, &n);
    assert_int_equal(n, 2000);
    for (int k = 0; k < n; k++) {
        assert_int_equal(g[k].n[0], k + 5);
        assert_int_equal(g[k].count, 3);
        for (int j = 0; j < 3; j++) assert_int_equal(g[k].run[j], 3 * k + j);
    }
    sw_groups_free(&g, n);
    assert_ok(sw_sweep_groups(m.sweep, NULL, 0, &g, &n));
    assert_int_equal(n, 0);
    sw_groups_free(&g, n);
    unmake(&m);
}

/* ------------------------------------------------------------------ selections */

static int64_t select_runs(const struct made *m, const char *only, int shard, int nshards, int64_t **run)
{
    int64_t count;
    assert_ok(sw_sweep_select(m->sweep, &(struct sw_selection){only, shard, nshards}, run, &count));
    for (int64_t k = 1; k < count; k++) assert_true((*run)[k] > (*run)[k - 1]);
    return count;
}

static int64_t how_many(const struct made *m, const char *only)
{
    int64_t *run, count = select_runs(m, only, 0, 0, &run);
    sw_free(run);
    return count;
}

static void only_keeps_what_holds(void **state)
{
    (void)state;
    struct made m = MAKE("sweep={ a=\"range(1, 10)\"; b=[0.5, 1.5]; w=[\"cpu.simd\", \"auto\"]; }", "stepper=$w",
                         "define.c=a*b", "initial=c*x");
    int64_t *run;
    assert_int_equal(how_many(&m, NULL), 40);
    assert_int_equal(how_many(&m, "a > 8 && b == 0.5"), 4);
    assert_int_equal(how_many(&m, "c < 1"), 2);
    assert_int_equal(how_many(&m, "w == auto"), 20);
    assert_int_equal(how_many(&m, "n == 16 && D == 1"), 40);
    assert_int_equal(how_many(&m, "run < 0"), 0);
    assert_int_equal(how_many(&m, "(a - 1)/(a - 1)"), 36);  /* not a number is not true */
    assert_int_equal(select_runs(&m, "run == 7", 0, 0, &run), 1);
    assert_int_equal(run[0], 7);
    sw_free(run);
    unmake(&m);
}

/* 0.1*3 is 0.30000000000000004. */
static void only_compares_to_a_few_units_in_the_last_place(void **state)
{
    static const struct { const char *only; int count; } cases[] = {
        {"d == 0.3", 1}, {"d != 0.3", 9}, {"d < 0.3", 2}, {"d <= 0.3", 3}, {"d > 0.3", 7}, {"d >= 0.3", 8},
        {"0.3 == d", 1}, {"d == 0.30000000000001", 0}, {"d > 0.29999999999999", 8}, {"1/(k - 1) == 1/0", 1},
        {"1/(k - 1) > 5", 1}, {"0/(k - 1) == 0", 9}, {"0/(k - 1) != 0", 1}, {"k - 1 == 0", 1}, {"d == 0.3 || k > 9", 2},
    };
    (void)state;
    struct made m = MAKE("sweep.k=range(1, 10)", "define.d=0.1*k", "initial=d*x");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (how_many(&m, cases[k].only) != cases[k].count) fail_msg("%s", cases[k].only);
    unmake(&m);
}

static void a_bad_selection_is_refused(void **state)
{
    (void)state;
    struct made m = MAKE("sweep.a=[1, 2]", "initial=a*x");
    int64_t *run, count;
    assert_int_equal(sw_sweep_select(m.sweep, &(struct sw_selection){.only = "a > q"}, &run, &count), SW_E_USAGE);
    assert_string_equal(
        sw_err_message(),
        "--only, column 5: unknown name 'q'\n    a > q\n        ^  known: a n length dt end gamma D run pi e");
    assert_null(run);
    assert_int_equal(sw_sweep_select(m.sweep, &(struct sw_selection){.only = "0-1"}, &run, &count), SW_E_USAGE);
    assert_string_equal(sw_err_message(),
                        "--only, '0-1' is no condition on runs: write run <= 9, or seed == 1 && a > 0.5");
    assert_int_equal(sw_sweep_select(m.sweep, &(struct sw_selection){.only = "a >"}, &run, &count), SW_E_USAGE);
    assert_int_equal(sw_sweep_select(m.sweep, &(struct sw_selection){.shard = 3, .nshards = 2}, &run, &count),
                     SW_E_USAGE);
    assert_string_equal(sw_err_message(), "--shard 3/2: shards are numbered 1 to N");
    assert_int_equal(sw_sweep_select(m.sweep, &(struct sw_selection){.shard = 0, .nshards = 2}, &run, &count),
                     SW_E_USAGE);
    unmake(&m);
}

/* The largest shard is within the cost of one run of the smallest, or is one run: Graham's rule gives no run to a shard
 * that is not the lightest. */
static void shards_are_a_partition_of_equal_cost(void **state)
{
    (void)state;
    struct made m = MAKE("sweep={ D=\"range(1, 11)\"; n=[16, 32, 256]; }", "grid.n=n", "physics.D=D");
    static const int points[] = {16, 32, 256};
    static const char *const only[] = {NULL, "D > 3", "n == 32"};
    for (int o = 0; o < 3; o++)
        for (int shards = 1; shards <= 7; shards++) {
            int seen[33] = {0};
            int64_t all = how_many(&m, only[o]), sum = 0;
            double least = INFINITY, most = 0;
            int64_t *together, *first;
            assert_ok(sw_sweep_shares(m.sweep, only[o], shards, &together, &first));
            for (int shard = 1; shard <= shards; shard++) {
                int64_t *run, count = select_runs(&m, only[o], shard, shards, &run);
                double cost = 0;
                assert_int_equal(count, first[shard] - first[shard - 1]);
                assert_memory_equal(run, together + first[shard - 1], (size_t)count * sizeof *run);
                for (int64_t k = 0; k < count; k++) {
                    seen[run[k]]++;
                    cost += points[run[k] % 3];
                }
                assert_true(count > 0);
                least = fmin(least, cost);
                most = fmax(most, cost);
                sum += count;
                sw_free(run);
            }
            sw_free(together);
            sw_free(first);
            assert_true(most - least <= (o == 2 ? 32 : 256));
            assert_int_equal(sum, all);
            for (int r = 0; r < 33; r++) assert_true(seen[r] <= 1);
        }
    unmake(&m);
}

/* One run as expensive as all others together has a shard to itself; runs that differ in steps alone count too. */
static void an_expensive_run_has_a_shard_to_itself(void **state)
{
    (void)state;
    struct made m = MAKE("sweep={ k=[1, 1000, 2, 3, 4]; }", "time.end=k*0.01", "time.dt=0.01");
    int64_t *run;
    assert_int_equal(select_runs(&m, NULL, 1, 3, &run), 1);
    assert_int_equal(run[0], 1);
    sw_free(run);
    assert_int_equal(select_runs(&m, NULL, 2, 3, &run), 2);  /* 4 and 1; 3 and 2 go to shard 3 */
    assert_int_equal(run[0], 0);
    assert_int_equal(run[1], 4);
    sw_free(run);
    unmake(&m);
}

/* ------------------------------------------------------------------ many runs */

/* ------------------------------------------------------------------ few runs that stand for all */

/* Whether one of the few has this number in a column. */
static bool few_have(const struct made *m, const struct sw_representatives *few, const char *column, double value)
{
    for (int k = 0; k < few->count; k++)
        if (number(m->sweep, column, few->run[k]) == value) return true;
    return false;
}

/* The reference is all 24,000 runs, one after another. */
static void few_runs_have_the_ends_of_all_columns(void **state)
{
    (void)state;
    struct made m = MAKE("sweep={ a=\"linspace(-2, 3, 100)\"; b=\"range(1, 80)\"; "
                         "s=[\"cpu.plain\", \"auto\", \"cpu.simd\"]; }",
                         "define={ c=\"(a - 0.33)^2*(b - 40)\"; }", "physics.D=\"2 + sin(7*a + b)\"",
                         "initial=cos(c*x)", "stepper=$s");
    static const char *const name[] = {"a", "b", "c", "physics.D"};
    struct sw_representatives few, again;
    int64_t *some, n = 0;
    double *column;
    assert_int_equal(m.sweep->nruns, 24000);
    assert_ok(sw_alloc((size_t)m.sweep->ncolumn * 24000, &column));
    assert_ok(sw_alloc(24000, &some));
    assert_ok(sw_sweep_columns(m.sweep, NULL, 0, 24000, column));
    assert_ok(sw_representatives_choose(m.sweep, NULL, 24000, 64, &few));
    assert_in_range(few.count, 48, 64);
    for (int k = 1; k < few.count; k++) assert_true(few.run[k - 1] < few.run[k]);
    for (int c = 0; c < 4; c++) {
        double least = INFINITY, largest = -INFINITY;
        for (int k = 0; k < m.sweep->ncolumn; k++)
            for (int r = 0; r < 24000 && !strcmp(m.sweep->column_name[k], name[c]); r++) {
                least = fmin(least, column[k * 24000 + r]);
                largest = fmax(largest, column[k * 24000 + r]);
            }
        assert_true(few_have(&m, &few, name[c], least) && few_have(&m, &few, name[c], largest));
    }
    for (int word = 0; word < 3; word++) assert_true(few_have(&m, &few, "s", word));
    for (int corner = 0; corner < 4; corner++) {  /* runs are numbered with the last axis fastest */
        const int64_t first = (corner & 1 ? 99 : 0) * 240 + (corner & 2 ? 79 : 0) * 3;
        assert_true(sw_representatives_has(&few, first) || sw_representatives_has(&few, first + 1) ||
                    sw_representatives_has(&few, first + 2));
    }
    assert_false(sw_representatives_has(&few, -1));
    assert_ok(sw_representatives_choose(m.sweep, NULL, 24000, 64, &again));
    assert_int_equal(again.count, few.count);
    assert_memory_equal(again.run, few.run, (size_t)few.count * sizeof *few.run);
    sw_representatives_free(&again);
    sw_representatives_free(&few);
    for (int64_t r = 0; r < 24000; r++)
        if (r / 3 % 80 >= 30) some[n++] = r;  /* b > 30: of runs that are chosen themselves */
    assert_ok(sw_representatives_choose(m.sweep, some, n, 64, &few));
    for (int k = 0; k < few.count; k++) assert_true(number(m.sweep, "b", few.run[k]) > 30);
    assert_true(few_have(&m, &few, "b", 31) && few_have(&m, &few, "b", 80));
    sw_representatives_free(&few);
    assert_ok(sw_representatives_choose(m.sweep, some, 5, 5, &few));
    assert_memory_equal(few.run, some, 5 * sizeof *some);
    sw_representatives_free(&few);
    sw_free(column);
    sw_free(some);
    unmake(&m);
}

/* A larger choice has more runs between the ends; a small one keeps to its size. */
static void few_runs_are_no_more_than_asked_for(void **state)
{
    (void)state;
    struct made m = MAKE("sweep={ a=\"range(1, 50)\"; b=\"range(1, 40)\"; }", "initial=a*cos(b*x)");
    for (int most = 0; most < 200; most += 7) {
        struct sw_representatives few;
        assert_ok(sw_representatives_choose(m.sweep, NULL, m.sweep->nruns, most, &few));
        assert_true(few.count <= most && few.count >= most / 2);
        sw_representatives_free(&few);
    }
    unmake(&m);
}

static void a_million_runs_take_little_memory(void **state)
{
    (void)state;
    struct made m = MAKE("sweep={ a=\"linspace(0, 1, 1000)\"; b=\"range(1, 1000)\"; }", "define.c=a*b",
                         "initial=cos(c*x) + a - b", "time.end=0.1*floor(5 + 10*a)");
    uint64_t *id;
    int n;
    assert_int_equal(m.sweep->nruns, 1000000);
    assert_ok(sw_alloc(1000000, &id));
    assert_ok(sw_sweep_ids(m.sweep, 0, 1000000, id));
    struct sw_group *g = groups_of(&m, &n);
    assert_int_equal(n, 11);
    sw_groups_free(&g, n);
    sw_free(id);
    unmake(&m);
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < 500 * 1024);
}

/* libconfig grows a list by 16 at a time, which realloc of the C library forgives and that of the sanitizer does not.
 */
#ifdef __SANITIZE_ADDRESS__
enum { VALUES = 10000 };
#else
enum { VALUES = 1000000 };
#endif

static void a_list_of_a_million_values_is_read(void **state)
{
    (void)state;
    struct sw_text text = {0};
    sw_text_add(&text, base_text);
    sw_text_add(&text, "sweep = { a = [0.5");
    for (int k = 1; k < VALUES; k++) sw_text_printf(&text, ",%d.5", k);
    sw_text_add(&text, "]; };\n");
    static const char *const o[] = {"initial=a*x"};
    struct made m = make_text(sw_text_get(&text), o, 1);
    assert_int_equal(m.sweep->nruns, VALUES);
    assert_near(number(m.sweep, "a", VALUES - 1), VALUES - 0.5, 0);
    sw_text_free(&text);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_runs_take_little_memory),  /* first: what others took of the memory counts, too */
        cmocka_unit_test(ids_are_what_they_were),
        cmocka_unit_test(an_id_does_not_depend_on_how_a_value_is_written),
        cmocka_unit_test(an_id_does_not_depend_on_output_device_or_title),
        cmocka_unit_test(an_id_depends_on_all_that_decides),
        cmocka_unit_test(a_longer_axis_keeps_the_ids),
        cmocka_unit_test(the_sweep_id_is_of_the_set_of_runs),
        cmocka_unit_test(runs_that_are_the_same_are_refused),
        cmocka_unit_test(output_times_round_to_the_nearest_step),
        cmocka_unit_test(a_series_finer_than_the_steps_has_one_entry_a_step),
        cmocka_unit_test(bad_times_are_refused),
        cmocka_unit_test(runs_of_one_shape_form_a_group),
        cmocka_unit_test(many_shapes_are_told_apart),
        cmocka_unit_test(only_keeps_what_holds),
        cmocka_unit_test(only_compares_to_a_few_units_in_the_last_place),
        cmocka_unit_test(a_bad_selection_is_refused),
        cmocka_unit_test(shards_are_a_partition_of_equal_cost),
        cmocka_unit_test(an_expensive_run_has_a_shard_to_itself),
        cmocka_unit_test(few_runs_have_the_ends_of_all_columns),
        cmocka_unit_test(few_runs_are_no_more_than_asked_for),
        cmocka_unit_test(a_list_of_a_million_values_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
