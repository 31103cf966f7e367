/* A batch whose runs stop one by one, around a simulation that counts: run j has two fields of two points, all of which
 * grow by column 0 of the run at each step, and records the steps it has taken. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "device/sw_snapshot.h"
#include "helpers.h"
#include "problem/stopping_sim.h"

enum { RUNS = 8, SIZE = 4, COLUMNS = 2 };

struct counting {
    struct sw_sim sim;
    int    count, loads;
    double rate[RUNS], state[RUNS][SIZE], taken[RUNS];
    double field[SW_SNAPSHOT_SLOTS][RUNS*SIZE], scalars[SW_SNAPSHOT_SLOTS][RUNS];
    float  single[SW_SNAPSHOT_SLOTS][RUNS*SIZE];
    bool   narrow;
    int64_t run_steps;  /* of all runs that were loaded */
};

static struct counting *of(const struct sw_sim *sim) { return (struct counting *)sim; }
static const char *name(const struct sw_sim *sim) { (void)sim; return "counting"; }
static size_t size(const struct sw_sim *sim) { (void)sim; return SIZE; }

static enum sw_status load(struct sw_sim *sim, int count, const double *column, const char **load_error)
{
    struct counting *c = of(sim);
    assert_true(count > 0);
    c->count = count;
    c->loads++;
    for (int j = 0; j < count; j++) {
        c->rate[j] = column[j];
        assert_float_equal(column[count + j], 10*column[j], 0);  /* the columns of a run stay together */
        load_error[j] = NULL;
    }
    return SW_OK;
}

static enum sw_status set_state(struct sw_sim *sim, const double *state)
{
    struct counting *c = of(sim);
    memcpy(c->state, state, (size_t)c->count * sizeof *c->state);
    memset(c->taken, 0, sizeof c->taken);
    return SW_OK;
}

static enum sw_status get_state(struct sw_sim *sim, double *state)
{
    memcpy(state, of(sim)->state, (size_t)of(sim)->count * sizeof *of(sim)->state);
    return SW_OK;
}

static enum sw_status get_some(struct sw_sim *sim, int count, const int *which, double *state)
{
    assert_true(count > 0);
    for (int k = 0; k < count; k++) memcpy(state + k*SIZE, of(sim)->state[which[k]], sizeof *of(sim)->state);
    return SW_OK;
}

static enum sw_status advance(struct sw_sim *sim, int64_t from, int64_t to)
{
    struct counting *c = of(sim);
    for (int j = 0; j < c->count; j++) {
        for (int i = 0; i < SIZE; i++) c->state[j][i] += c->rate[j]*(double)(to - from)*(i + 1);
        c->taken[j] += (double)(to - from);
    }
    c->run_steps += c->count*(to - from);
    return SW_OK;
}

static enum sw_status snapshot(struct sw_sim *sim, int slot, int what)
{
    struct counting *c = of(sim);
    for (int v = 0; v < 2 && what & SW_SNAPSHOT_FIELD; v++)
        for (int j = 0; j < c->count; j++)
            for (int i = 0; i < 2; i++) {
                c->field[slot][(v*c->count + j)*2 + i] = c->state[j][2*v + i];
                c->single[slot][(v*c->count + j)*2 + i] = (float)c->state[j][2*v + i];
            }
    for (int j = 0; j < c->count && what & SW_SNAPSHOT_SCALARS; j++) c->scalars[slot][j] = 100*c->state[j][0];
    return SW_OK;
}

static enum sw_status fetch(struct sw_sim *sim, int slot, const void **field, const double **scalars)
{
    *field = of(sim)->narrow ? (const void *)of(sim)->single[slot] : of(sim)->field[slot];
    *scalars = of(sim)->scalars[slot];
    return SW_OK;
}

static enum sw_status diverged(struct sw_sim *sim, int64_t *step)
{
    for (int j = 0; j < of(sim)->count; j++) step[j] = isnan(of(sim)->state[j][0]) ? 7 : -1;
    return SW_OK;
}

static enum sw_status get_record(struct sw_sim *sim, double *record)
{
    memcpy(record, of(sim)->taken, (size_t)of(sim)->count * sizeof *record);
    return SW_OK;
}

static enum sw_status set_record(struct sw_sim *sim, const double *record)
{
    memcpy(of(sim)->taken, record, (size_t)of(sim)->count * sizeof *record);
    return SW_OK;
}

static void warn(const struct sw_sim *sim, int j, const double *record, bool finite, struct sw_text *text)
{
    (void)finite;
    sw_text_set(text, "%g %g", of(sim)->rate[j], *record);
}

static void destroy(struct sw_sim *sim) { (void)sim; }

static const struct sw_state_ops state_ops = {.size = size, .set = set_state, .get = get_state,
                                              .get_some = get_some};
static const struct sw_record_ops record_ops = {.numbers = 1, .get = get_record, .set = set_record, .warn = warn};
static const struct sw_sim_ops counting_ops = {
    .solver_name = name, .load = load, .advance = advance, .snapshot = snapshot, .fetch = fetch, .diverged = diverged,
    .destroy = destroy, .states = &state_ops, .records = &record_ops};

/* Runs of the rates 1 .. 8, from 0. */
static struct sw_sim *begin(struct counting *c, bool narrow)
{
    static const double zero[RUNS*SIZE];
    const struct sw_setup setup = {.capacity = RUNS, .ncolumn = COLUMNS, .n = {2, 1, 1}, .single = narrow,
                                   .fields = true};
    const char *load_error[RUNS];
    double column[COLUMNS*RUNS];
    struct sw_sim *sim = &c->sim;
    *c = (struct counting){.sim.ops = &counting_ops, .narrow = narrow};
    for (int j = 0; j < RUNS; j++) {
        column[j] = j + 1;
        column[RUNS + j] = 10*(j + 1);
    }
    assert_ok(sw_stopping_sim_create(&setup, 1, &sim));
    assert_ok(sim->ops->load(sim, RUNS, column, load_error));
    assert_ok(sim->ops->states->set(sim, zero));
    return sim;
}

static void stop(struct sw_sim *sim, unsigned runs)  /* as bits */
{
    bool which[RUNS];
    for (int j = 0; j < RUNS; j++) which[j] = runs >> j & 1;
    double now[RUNS*SIZE];
    const bool lost[RUNS] = {false};
    assert_ok(sim->ops->states->get(sim, now));
    assert_ok(sw_stopping_sim_stop(sim, which, lost, now));
}

/* Some runs, in any order, have the states that all of them have together. */
static void assert_some_states(struct sw_sim *sim, const double *state)
{
    static const int which[][RUNS] = {{5, 0, 7, 2}, {0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {1}, {6}};
    static const int count[] = {4, RUNS, RUNS, 1, 1};
    for (size_t c = 0; c < sizeof count / sizeof *count; c++) {
        double some[RUNS*SIZE];
        assert_ok(sw_sim_get_states(sim, RUNS, count[c], which[c], some));
        for (int k = 0; k < count[c]; k++)
            assert_memory_equal(some + k*SIZE, state + which[c][k]*SIZE, SIZE*sizeof *some);
    }
}

/* Each run is where it is after so many steps, in all ways to ask for it. */
static void assert_steps(struct sw_sim *sim, const int steps[RUNS], bool narrow)
{
    double state[RUNS][SIZE], record[RUNS];
    const void *field;
    const double *scalars;
    assert_ok(sim->ops->states->get(sim, &state[0][0]));
    assert_some_states(sim, &state[0][0]);
    assert_ok(sim->ops->records->get(sim, record));
    assert_ok(sim->ops->snapshot(sim, 1, SW_SNAPSHOT_FIELD | SW_SNAPSHOT_SCALARS));
    assert_ok(sim->ops->fetch(sim, 1, &field, &scalars));
    for (int j = 0; j < RUNS; j++) {
        assert_float_equal(record[j], steps[j], 0);
        assert_float_equal(scalars[j], 100.0*(j + 1)*steps[j], 0);
        for (int i = 0; i < SIZE; i++) {
            const int at = (i/2*RUNS + j)*2 + i%2;
            assert_float_equal(state[j][i], (j + 1.0)*steps[j]*(i + 1), 0);
            const double saved = narrow ? (double)((const float *)field)[at] : ((const double *)field)[at];
            assert_float_equal(saved, state[j][i], 0);
        }
    }
}

static void keeps_what_runs_had_when_they_stopped(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        struct counting c;
        struct sw_sim *sim = begin(&c, narrow);
        assert_ok(sim->ops->advance(sim, 0, 5));
        assert_steps(sim, (int[]){5, 5, 5, 5, 5, 5, 5, 5}, narrow);
        stop(sim, 1u << 2);
        assert_ok(sim->ops->advance(sim, 5, 8));
        assert_steps(sim, (int[]){8, 8, 5, 8, 8, 8, 8, 8}, narrow);
        stop(sim, 1u << 0 | 1u << 2 | 1u << 6);  /* run 2 has stopped already */
        assert_ok(sim->ops->advance(sim, 8, 9));
        assert_steps(sim, (int[]){8, 9, 5, 9, 9, 9, 8, 9}, narrow);
        stop(sim, 0xFA);
        assert_int_equal(sw_stopping_sim_running(sim), 0);
        assert_ok(sim->ops->advance(sim, 9, 1000));
        assert_steps(sim, (int[]){8, 9, 5, 9, 9, 9, 8, 9}, narrow);
        sim->ops->destroy(sim);
    }
}

static void computes_the_runs_that_go_on_alone(void **state)
{
    struct counting c;
    struct sw_sim *sim = begin(&c, false);
    int64_t step[RUNS];
    struct sw_text text = SW_SHORT_TEXT;
    (void)state;
    stop(sim, 1u << 3);  /* one of eight: it is computed on, and nobody sees it */
    assert_int_equal(c.count, 8);
    assert_int_equal(c.loads, 1);
    stop(sim, 1u << 1);
    assert_int_equal(c.count, 6);
    assert_int_equal(c.loads, 2);
    assert_ok(sim->ops->advance(sim, 0, 10));
    assert_int_equal(c.run_steps, 60);
    assert_int_equal(sw_stopping_sim_running(sim), 6);
    c.state[4][0] = NAN;  /* of runs 0, 2, 4, 5, 6, 7 */
    assert_ok(sim->ops->diverged(sim, step));
    for (int j = 0; j < RUNS; j++) assert_int_equal(step[j], j == 6 ? 7 : -1);
    sim->ops->records->warn(sim, 6, &(double){10}, false, &text);
    assert_string_equal(text.data, "7 10");
    sw_text_clear(&text);
    sim->ops->records->warn(sim, 1, &(double){0}, true, &text);
    assert_string_equal(text.data, "");
    assert_ok(sw_stopping_sim_load_all(sim));
    sim->ops->records->warn(sim, 1, &(double){0}, true, &text);
    assert_string_equal(text.data, "2 0");
    assert_int_equal(c.count, 8);
    sim->ops->destroy(sim);
}

static void goes_on_from_a_checkpoint(void **state)
{
    struct counting c;
    struct sw_sim *sim = begin(&c, false);
    (void)state;
    assert_ok(sim->ops->advance(sim, 0, 4));
    stop(sim, 7u);
    for (int j = 0; j < 3; j++) assert_float_equal(*sw_stopping_sim_scalars(sim, j), 400.0*(j + 1), 0);
    *sw_stopping_sim_scalars(sim, 1) = 5;
    const void *field;
    const double *scalars;
    assert_ok(sim->ops->snapshot(sim, 0, SW_SNAPSHOT_SCALARS));
    assert_ok(sim->ops->fetch(sim, 0, &field, &scalars));
    assert_float_equal(scalars[1], 5, 0);
    sim->ops->destroy(sim);
}

/* Where the runs would be; then all is as it was, scalars and records that set_state() loses, too. */
static void looks_a_step_ahead(void **state)
{
    struct counting c;
    struct sw_sim *sim = begin(&c, false);
    double now[RUNS*SIZE], ahead[RUNS*SIZE];
    const bool lost[RUNS] = {[1] = true}, which[RUNS] = {[1] = true, [4] = true};
    (void)state;
    assert_ok(sim->ops->advance(sim, 0, 3));
    stop(sim, 1u << 0 | 1u << 3 | 1u << 7);
    assert_int_equal(c.count, 5);
    assert_ok(sim->ops->advance(sim, 3, 6));
    assert_ok(sim->ops->states->get(sim, now));
    assert_ok(sw_stopping_sim_look_ahead(sim, 6, now, ahead, NULL));
    for (int j = 0; j < RUNS; j++)
        for (int i = 0; i < SIZE && j != 0 && j != 3 && j != 7; i++)
            assert_float_equal(ahead[j*SIZE + i], 7.0*(j + 1)*(i + 1), 0);
    assert_steps(sim, (int[]){3, 6, 6, 3, 6, 6, 6, 3}, false);
    assert_ok(sw_stopping_sim_look_ahead(sim, 6, now, ahead, NULL));
    for (int j = 0; j < c.count; j++) c.state[j][0] += 1;  /* whatever the scalars now were: those of before are held */
    assert_ok(sw_stopping_sim_stop(sim, which, lost, now));
    assert_int_equal(c.count, 3);
    assert_float_equal(*sw_stopping_sim_scalars(sim, 4), 3000, 0);
    assert_true(isnan(*sw_stopping_sim_scalars(sim, 1)));
    assert_ok(sim->ops->advance(sim, 6, 8));
    assert_ok(sim->ops->states->get(sim, now));
    const int steps[RUNS] = {3, 0, 8, 3, 6, 8, 8, 3};
    for (int j = 0; j < RUNS; j++)
        for (int i = 0; i < SIZE; i++)
            if (j == 1) assert_true(isnan(now[j*SIZE + i]));
            else assert_float_equal(now[j*SIZE + i], (j + 1.0)*steps[j]*(i + 1), 0);
    sim->ops->destroy(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_runs_had_when_they_stopped),
        cmocka_unit_test(computes_the_runs_that_go_on_alone),
        cmocka_unit_test(goes_on_from_a_checkpoint),
        cmocka_unit_test(looks_a_step_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
