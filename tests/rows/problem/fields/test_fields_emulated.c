/* The rows that step fields on a GPU, whose kernels run on this machine's processor here (helpers/emulated_device.h):
 * against cpu.plain, exact solves against cpu.fourier, over equations, methods, shapes and states. Off by rounding
 * alone: sums of a solve are taken in another order and with fused multiply-adds, P from numbers that double precision
 * has formed. */
#include "emulated_cufft.h"
#include "emulated_device.h"
#include "field_cases.h"

#include "device/sw_device.h"
#include "device/sw_snapshot.h"

static const double rates[] = {1, 0.3, 4, 2.2, 0.7};

/* The row on the host that takes the same steps. */
static const char *reference_of(const char *row)
{
    return fields_sim_is_exact(NULL, row) ? "cpu.fourier" : "cpu.plain";
}

static struct sw_device *device_of(const char *row)
{
    return strncmp(row, "cpu.", 4) ? &emulated_device : emulated_host;
}

static struct sw_sim *make_sim(struct field_case *p, const char *row, int count)
{
    const struct fields_source source = {fill_field_runs, keep_field_runs, &p->runs};
    struct sw_sim *sim;
    const char *error[8];
    assert_ok(fields_sim_create(&p->desc, row, device_of(row), &source, &sim));
    assert_ok(sim->ops->load(sim, count, rates, error));
    for (int j = 0; j < count; j++)
        if (error[j]) fail_msg("%s: %s", p->runs.e->name, error[j]);
    return sim;
}

/* ------------------------------------------------------------------ the same numbers */

enum { RUNS = 3, RECORD = 64 };
struct outcome { double *u, record[RUNS * RECORD], scalars[RUNS][SW_LINE_SCALARS]; int64_t diverged[RUNS]; };

/* @param to  steps, or ticks, in two parts */
static void take(struct field_case *p, const char *row, int64_t to, struct outcome *o)
{
    struct sw_sim *sim = make_sim(p, row, RUNS);
    const void *field;
    const double *scalars;
    o->u = malloc(RUNS * p->size * sizeof(double));
    assert_ok(sw_sim_initial(sim));
    assert_ok(sim->ops->advance(sim, 0, to / 3));
    assert_ok(sim->ops->advance(sim, to / 3, to));
    assert_ok(sw_sim_get_state(sim, o->u));
    assert_ok(sim->ops->diverged(sim, o->diverged));
    assert_true(sim->ops->records->numbers <= RECORD);
    assert_ok(sim->ops->records->get(sim, o->record));
    assert_ok(sim->ops->snapshot(sim, 0, SW_SNAPSHOT_FIELD | SW_SNAPSHOT_SCALARS));
    assert_ok(sim->ops->fetch(sim, 0, &field, &scalars));
    memcpy(o->scalars, scalars, sizeof o->scalars);
    for (int j = 0; j < RUNS; j++)  /* fields leave all runs of an unknown after the other */
        for (size_t c = 0; c < p->size; c++) {
            const size_t points = p->size / (size_t)p->terms->unknowns, v = c / points;
            const double there = ((const double *)field)[(v * RUNS + (size_t)j) * points + c % points];
            assert_true(there == o->u[(size_t)j * p->size + c] || isnan(there));
        }
    sim->ops->destroy(sim);
}

static double off_by(size_t n, const double *a, const double *b)
{
    double off = 0, largest = 0;
    for (size_t c = 0; c < n; c++) {
        if (isnan(a[c]) != isnan(b[c])) return INFINITY;
        if (isnan(a[c])) continue;
        off = fmax(off, fabs(a[c] - b[c]));
        largest = fmax(largest, fabs(b[c]));
    }
    return largest > 0 ? off / largest : off;
}

/* Seven steps, or some tens of the runs' own, each off by what rounding of its solves is: within 1e-15 (1 + sqrt(m4
 * dt/dx⁴)) of the reference's, which in these cases is 1e-14 at most; ten thousand times that would be an error. The
 * steps themselves are the same: their errors agree to far more digits than decide them. */
static void compare(const struct field_equation *e, const char *row, const int64_t n[3], int k, double tolerance)
{
    static const enum sw_scheme schemes[] = {SW_BACKWARD_EULER, SW_IMEX2, SW_IMEX3};
    struct field_case p;
    struct outcome host_o, device_o;
    make_field_case(e, n, schemes[k], tolerance, RUNS, &p);
    const int64_t to = tolerance > 0 ? 2 * SW_OWN_STEPS_TICKS : 7;
    take(&p, reference_of(row), to, &host_o);
    take(&p, row, to, &device_o);
    const double off = off_by(RUNS * p.size, device_o.u, host_o.u),
                 of_scalars = off_by(RUNS * SW_LINE_SCALARS, device_o.scalars[0], host_o.scalars[0]),
                 of_records = off_by((size_t)(RUNS * (tolerance > 0 ? SW_OWN_STEPS_NUMBERS : 1)), device_o.record,
                                     host_o.record);
    print_message("%-16s imex%d %lldx%lldx%lld%s: %.2g, scalars %.2g, records %.2g\n", e->name, k + 1, (long long)n[0],
                  (long long)n[1], (long long)n[2], tolerance > 0 ? " own" : "", off, of_scalars, of_records);
    assert_memory_equal(device_o.diverged, host_o.diverged, sizeof host_o.diverged);
    assert_true(off < 1e-10 && of_scalars < 1e-10 && of_records < 1e-9);
    free(host_o.u);
    free(device_o.u);
    destroy_field_case(&p);
}

/* An equation has one method and one shape, and another with steps of its own; SW_LONG=1: all methods. Shapes have
 * lines of one segment and of many, whose last one is whole, short, a point; rows and columns that fill no block. */
static void row_agrees(const char *row)
{
    static const int64_t flat[][3] = {{32, 32, 1}, {17, 40, 1}, {300, 5, 1}, {7, 270, 1}, {33, 64, 1}},
                         deep[][3] = {{16, 12, 10}, {9, 17, 5}};
    for (int k = 0; k < FIELD_EQUATIONS; k++)
        for (int m = 0; m < 3; m++) {
            const struct field_equation *e = &field_equations[k];
            const int64_t *n = e->axes > 2 ? deep[(k + m) % 2] : flat[(3 * k + m) % 5],
                          *own = e->axes > 2 ? n : flat[(3 * k + m + 2) % 5];
            if (!long_suite() && m != k % 3) continue;
            const bool noisy = !strcmp(e->name, "noise");
            if (m == 0 || k % 2 || noisy || long_suite()) compare(e, row, n, m, 0);
            if (m > 0 && !noisy) compare(e, row, own, m, 1e-3);
        }
}

static void stream_agrees(void **state)
{
    const int64_t long_columns[] = {8, 2100, 1};  /* of a cluster */
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    row_agrees("cuda.stream");
    compare(&field_equations[0], "cuda.stream", long_columns, 0, 0);
}

/* Rows of an even number of points; texts that products do not take. */
static void cufft_agrees(void **state)
{
    static const int64_t flat[][3] = {{16, 12, 1}, {18, 40, 1}, {300, 5, 1}, {8, 135, 1}, {34, 21, 1}},
                         deep[][3] = {{16, 12, 10}, {10, 17, 5}},
                         few[][3] = {{20, 13, 1}, {12, 9, 5}};
    static const struct field_equation high[] = {
        {"crystal", 2, 1, {"lap((1 - 0.25*a)*u + 2*lap(u) + lap(lap(u)) + u^3) + dxy(u)"}, NULL,
         {"-0.2 + 0.3*cos(x)*cos(y/2)"}, 0.1, 2, NULL},
        {"high, two unknowns", 3, 2,
         {"0.1*lap(lap(lap(u))) + dx(u) - u*v", "a*lap(v) + 0.1*dxxxxyy(v) + dyyy(v) + cos(t)*u"}, NULL,
         {"cos(x)*sin(y)", "sin(z) + cos(x + y)"}, 0.05, 2, NULL}};
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    for (int k = 0; k < FIELD_EQUATIONS + 2; k++)
        for (int m = 0; m < 3; m++) {
            const struct field_equation *e = k < FIELD_EQUATIONS ? &field_equations[k] : &high[k - FIELD_EQUATIONS];
            const bool noisy = !strcmp(e->name, "noise");
            const int64_t *n = k >= FIELD_EQUATIONS ? few[e->axes > 2]
                               : e->axes > 2        ? deep[(k + m) % 2]
                                                    : flat[(3 * k + m) % 5];
            if (!long_suite() && m != (k + 1) % 3) continue;
            compare(e, "cuda.cufft", n, m, 0);
            if (m > 0 && !noisy) compare(e, "cuda.cufft", n, m, k < FIELD_EQUATIONS ? 1e-3 : 1e-2);
        }
}

static void fused_agrees(void **state)
{
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    row_agrees("cuda.fused");
}

/* Shapes whose lines threads have in registers: of 16 and of 32 points, exchanged at once and in two parts. */
static void fused_in_registers_agrees(void **state)
{
    static const struct { int equation, method; int64_t n[3]; double tolerance; } cases[] = {
        {0, 0, {128, 128, 1}, 0}, {0, 1, {64, 64, 1}, 0}, {0, 2, {64, 48, 1}, 1e-4}, {0, 0, {96, 96, 1}, 0},
        {2, 1, {32, 64, 1}, 0}, {3, 0, {96, 96, 1}, 0}, {4, 1, {96, 32, 1}, 1e-4}};
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        compare(&field_equations[cases[k].equation], "cuda.fused", cases[k].n, cases[k].method, cases[k].tolerance);
}

/* A force in time that errors are looked at for. */
static const struct field_equation pushed = {
    "pushed", 2, 1, {"a*lap(u) - u^3 + tanh(5*(t - 0.3))*cos(x)*sin(y)"}, NULL, {"sin(x)*cos(y)"}, 0.02, 2, NULL};

/* Runs of a cluster of 2, 4 or 16 blocks, by passes and in registers: what varies elsewhere, time, noise, unknowns,
 * orders; a last block with fewer rows, and of a segment that is shorter; columns that are more than threads. */
static void fused_in_clusters_agrees(void **state)
{
    static const struct { const struct field_equation *e; int method; int64_t n[3]; double tolerance; } cases[] = {
        {&field_equations[1], 1, {50, 77, 1}, 0}, {&pushed, 1, {84, 90, 1}, 1e-2},
        {&field_equations[3], 1, {81, 90, 1}, 0}, {&field_equations[2], 2, {96, 96, 1}, 0},
        {&field_equations[0], 2, {96, 96, 1}, 1e-4}, {&field_equations[0], 1, {128, 128, 1}, 0},
        {&field_equations[0], 0, {160, 128, 1}, 0},
        {&field_equations[4], 1, {600, 30, 1}, 0}, {&field_equations[3], 2, {81, 80, 1}, 1e-4},
        {&field_equations[0], 1, {200, 200, 1}, 1e-4}};
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (k < 7 || long_suite())
            compare(cases[k].e, "cuda.fused", cases[k].n, cases[k].method, cases[k].tolerance);
}

/* ------------------------------------------------------------------ runs that stop */

/* u_t = a u^2 + lap(u) blows up where a u0 is large; the coefficient a^0.5 of a run is no number. */
static const struct field_equation growing = {
    "growing", 2, 1, {"a*abs(a)*u^2 + sqrt(a)*lap(u)"}, NULL, {"1 + 0.1*cos(x)"}, 0.2, 2, NULL};
static const double growths[] = {4, 0.01, -1};

static void stop_alike(const char *row, enum sw_scheme scheme, double tolerance)
{
    const int64_t n[] = {12, 20, 1}, to = tolerance > 0 ? 2 * SW_OWN_STEPS_TICKS : 14;
    struct field_case p;
    int64_t step[2][4];
    double *u[2];
    make_field_case(&growing, n, scheme, tolerance, 4, &p);
    const struct fields_source source = {fill_field_runs, keep_field_runs, &p.runs};
    for (int k = 0; k < 2; k++) {
        struct sw_sim *sim;
        const char *error[3];
        u[k] = malloc(3 * p.size * sizeof(double));
        const char *name = k ? row : reference_of(row);
        assert_ok(fields_sim_create(&p.desc, name, device_of(name), &source, &sim));
        assert_ok(sim->ops->load(sim, 3, growths, error));
        assert_true(!error[0] && !error[1] && error[2]);
        assert_ok(sw_sim_initial(sim));
        assert_ok(sim->ops->advance(sim, 0, to / 2));
        assert_ok(sim->ops->advance(sim, to / 2, to));
        assert_ok(sw_sim_get_state(sim, u[k]));
        assert_ok(sim->ops->diverged(sim, step[k]));
        assert_true(step[k][0] > 0 && step[k][1] == -1 && step[k][2] == 0);
        /* states that come from elsewhere: the first one is no number, and its run stops where the call begins */
        for (size_t c = 0; c < 3 * p.size; c++) u[k][c] = c == 5 ? NAN : 0.5 + 0.1 * sin((double)c);
        assert_ok(sim->ops->states->set(sim, u[k]));
        assert_ok(sim->ops->advance(sim, to / 2, to));
        assert_ok(sim->ops->states->get(sim, u[k]));
        assert_ok(sim->ops->diverged(sim, step[k] + 1));
        assert_true(step[k][1] == to / 2 && isnan(u[k][0]) && isnan(u[k][2 * p.size]) && isfinite(u[k][p.size]));
        sim->ops->destroy(sim);
    }
    assert_memory_equal(step[0], step[1], sizeof step[0]);
    assert_true(off_by(3 * p.size, u[1], u[0]) < 1e-10);
    free(u[0]);
    free(u[1]);
    destroy_field_case(&p);
}

static void runs_stop_alike(void **state)
{
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    stop_alike("cuda.stream", SW_BACKWARD_EULER, 0);
    stop_alike("cuda.stream", SW_IMEX3, 1e-3);
    stop_alike("cuda.cufft", SW_BACKWARD_EULER, 0);
    stop_alike("cuda.cufft", SW_IMEX3, 1e-3);
    stop_alike("cuda.fused", SW_IMEX2, 0);
    stop_alike("cuda.fused", SW_IMEX2, 1e-3);
}

/* No bit depends on where a run is interrupted, or on the batch. */
static void advance_in_parts(const char *row, const struct field_equation *e, double tolerance, int64_t nx,
                             int64_t ny)
{
    const int64_t n[] = {nx, ny, 1}, to = tolerance > 0 ? 2 * SW_OWN_STEPS_TICKS : 6;
    struct field_case p;
    double *u[2], *again;
    make_field_case(e, n, SW_IMEX2, tolerance, RUNS, &p);
    again = malloc(RUNS * p.size * sizeof(double));
    struct sw_sim *sim = make_sim(&p, row, RUNS);
    for (int k = 0; k < 2; k++) {
        u[k] = malloc(RUNS * p.size * sizeof(double));
        assert_ok(sw_sim_initial(sim));
        for (int part = 0; part < 3 * k; part++) {
            double record[RUNS * RECORD];
            assert_ok(sim->ops->advance(sim, to * part / 3, to * (part + 1) / 3));
            assert_ok(sw_sim_get_state(sim, again));
            if (tolerance > 0) assert_ok(sim->ops->records->get(sim, record));
            assert_ok(sim->ops->states->set(sim, again));  /* as a checkpoint does */
            if (tolerance > 0) assert_ok(sim->ops->records->set(sim, record));
        }
        if (!k) assert_ok(sim->ops->advance(sim, 0, to));
        assert_ok(sw_sim_get_state(sim, u[k]));
    }
    assert_memory_equal(u[0], u[1], RUNS * p.size * sizeof(double));
    const char *error[RUNS];
    assert_ok(sim->ops->load(sim, RUNS - 1, rates, error));  /* a batch of fewer */
    assert_ok(sw_sim_initial(sim));
    assert_ok(sim->ops->advance(sim, 0, to));
    assert_ok(sw_sim_get_state(sim, again));
    assert_memory_equal(u[0], again, (RUNS - 1) * p.size * sizeof(double));
    sim->ops->destroy(sim);
    free(u[0]);
    free(u[1]);
    free(again);
    destroy_field_case(&p);
}

static void no_bit_depends_on_interruptions(void **state)
{
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    advance_in_parts("cuda.stream", &field_equations[0], 0, 20, 18);
    advance_in_parts("cuda.fused", &field_equations[1], 1e-3, 20, 18);
    advance_in_parts("cuda.fused", &field_equations[1], 0, 50, 77);  /* a cluster */
    advance_in_parts("cuda.cufft", &field_equations[0], 1e-3, 20, 18);
}

/* ------------------------------------------------------------------ which row */

static void expect_refusal(struct field_case *p, const char *row, const char *why)
{
    const struct fields_source source = {fill_field_runs, keep_field_runs, &p->runs};
    struct sw_sim *sim;
    assert_int_equal(fields_sim_create(&p->desc, row, &emulated_device, &source, &sim), SW_E_ABSENT);
    if (!strstr(sw_err_message(), why)) fail_msg("%s: not \"%s\"", sw_err_message(), why);
}

static void runs_that_do_not_fit_are_refused(void **state)
{
    const int64_t n[] = {24, 24, 1}, large[] = {560, 560, 1}, long_lines[] = {16400, 5, 1};
    struct field_case p;
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    make_field_case(&field_equations[0], n, SW_BACKWARD_EULER, 0, 1, &p);
    expect_refusal(&p, "cpu.plain", "fit here: cuda.fused cuda.stream cuda.cufft");
    p.desc.n[0] = 23;
    expect_refusal(&p, "cuda.cufft", "it takes an even number of points along x only");
    p.desc.n[0] = 24;
    p.desc.walls[1] = true;
    expect_refusal(&p, "cuda.cufft", "periodic along all axes");
    p.desc.walls[1] = false;
    memcpy(p.desc.n, large, sizeof large);
    expect_refusal(&p, "cuda.fused", "more than the shared memory of a block holds");
    memcpy(p.desc.n, (const int64_t[]){160, 160, 1}, sizeof large);
    p.desc.walls[1] = true;
    expect_refusal(&p, "cuda.fused", "two dimensions without walls that of a cluster of 16");
    p.desc.walls[1] = false;
    memcpy(p.desc.n, long_lines, sizeof long_lines);
    expect_refusal(&p, "cuda.stream", "its lines have at most 16384 points");
    memcpy(p.desc.n, n, sizeof n);
    emulated_device.sm = 86;  /* whose blocks have less */
    p.desc.n[0] = p.desc.n[1] = 112;
    expect_refusal(&p, "cuda.fused", "more than the shared memory of a block holds");
    emulated_device.sm = 90;
    destroy_field_case(&p);
}

/* @param taken  by auto, on the emulated device */
static void expect_row(enum sw_scheme scheme, int64_t n, bool noisy, const char *taken)
{
    const int64_t points[] = {n, n, 1};
    struct field_case p;
    struct sw_sim *sim;
    make_field_case(&field_equations[noisy ? 2 : 0], points, scheme, 0, 1, &p);
    const struct fields_source source = {fill_field_runs, keep_field_runs, &p.runs};
    assert_ok(fields_sim_create(&p.desc, NULL, &emulated_device, &source, &sim));
    assert_string_equal(sim->ops->solver_name(sim), taken);
    sim->ops->destroy(sim);
    destroy_field_case(&p);
}

/* Clusters only where they are faster of many runs. */
static void auto_takes_what_is_faster(void **state)
{
    (void)state;
    if (emulated_absent()) skip_unless_needed("c++", emulated_absent());
    expect_row(SW_BACKWARD_EULER, 64, false, "cuda.fused");
    expect_row(SW_BACKWARD_EULER, 256, false, "cuda.fused");
    expect_row(SW_BACKWARD_EULER, 512, false, "cuda.fused");
    expect_row(SW_IMEX2, 128, false, "cuda.fused");
    expect_row(SW_IMEX3, 128, false, "cuda.stream");
    expect_row(SW_BACKWARD_EULER, 200, true, "cuda.stream");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stream_agrees), cmocka_unit_test(cufft_agrees),
                                       cmocka_unit_test(fused_agrees),
                                       cmocka_unit_test(fused_in_registers_agrees),
                                       cmocka_unit_test(fused_in_clusters_agrees),
                                       cmocka_unit_test(runs_that_do_not_fit_are_refused),
                                       cmocka_unit_test(auto_takes_what_is_faster),
                                       cmocka_unit_test(runs_stop_alike),
                                       cmocka_unit_test(no_bit_depends_on_interruptions)};
    return cmocka_run_group_tests(tests, open_emulated_host, close_emulated_host);
}
