#ifndef JOB_HELPERS_H
#define JOB_HELPERS_H
/* Runs of a config, driven as a sweep drives them. */
#include "device/sw_device.h"
#include "problem/sw_problem.h"
#include "sweep_helpers.h"

/* Runs of one shape, being simulated. */
struct job {
    struct made       made;
    struct sw_group  *group;       /* [ngroup] of the runs asked for; those of one of them are loaded */
    int               ngroup, count;
    struct sw_setup   setup;
    struct sw_device *device;
    bool              lent;        /* the device is somebody else's */
    struct sw_sim    *sim;
    double           *column;      /* [ncolumn][count] */
    const char      **load_error;  /* [count] */
};

/* Group g of runs `run` of a config, which becomes the job's own.
 * @param lent  device to compute on; NULL: the job's own, one thread of the CPU */
static inline struct job load_group(struct made made, const int64_t *run, int64_t count, int g, struct sw_device *lent)
{
    struct job w = {.made = made, .device = lent, .lent = lent};
    const struct sw_problem *p = made.sweep->problem;
    assert_ok(sw_sweep_groups(made.sweep, run, count, &w.group, &w.ngroup));
    assert_in_range(g, 0, w.ngroup - 1);
    w.count = (int)w.group[g].count;
    w.setup = sw_sweep_setup(made.sweep, &w.group[g], w.count);
    assert_ok(sw_alloc((size_t)w.count * (size_t)w.setup.ncolumn, &w.column));
    assert_ok(sw_alloc((size_t)w.count, &w.load_error));
    assert_ok(sw_sweep_columns(made.sweep, w.group[g].run, 0, w.count, w.column));
    if (!lent) assert_ok(sw_device_open("cpu", 1, &w.device));
    assert_ok(p->create(&w.setup, w.device, &w.sim));
    assert_ok(w.sim->ops->load(w.sim, w.count, w.column, w.load_error));
    return w;
}

/* The same where the runs are of one shape, and none fails to load. */
static inline struct job load_runs(struct made made, const int64_t *run, int64_t count, struct sw_device *lent)
{
    struct job w = load_group(made, run, count, 0, lent);
    assert_int_equal(w.ngroup, 1);
    for (int j = 0; j < w.count; j++) assert_null(w.load_error[j]);
    return w;
}

static inline void close_job(struct job *w)
{
    if (w->sim) w->sim->ops->destroy(w->sim);
    sw_groups_free(&w->group, w->ngroup);
    if (!w->lent) sw_device_close(&w->device);
    sw_free(w->column);
    sw_free(w->load_error);
    unmake(&w->made);
}

/* Group g of all runs of a text. */
static inline struct job open_group(const char *text, int g)
{
    int64_t count, *run = NULL;
    const struct sw_selection all = {0};
    const struct made made = make_text(text, NULL, 0);
    assert_ok(sw_sweep_select(made.sweep, &all, &run, &count));
    struct job w = load_group(made, run, count, g, NULL);
    sw_free(run);
    return w;
}

static inline struct job open_job(const char *text)
{
    struct job w = open_group(text, 0);
    assert_int_equal(w.ngroup, 1);
    return w;
}

/* The state of a job's only run at its end; closes it. @return [n], to be freed */
static inline double *finish_job(struct job w, int *n)
{
    double *u = NULL;
    assert_null(w.load_error[0]);
    assert_ok(sw_sim_initial(w.sim));
    assert_ok(w.sim->ops->advance(w.sim, 0, w.group->steps));
    *n = (int)sw_sim_state_size(w.sim);
    assert_ok(sw_alloc((size_t)*n, &u));
    assert_ok(sw_sim_get_state(w.sim, u));
    close_job(&w);
    return u;
}

/* The same of a text. */
static inline double *final_state(const char *text, int *n) { return finish_job(open_job(text), n); }

#endif
