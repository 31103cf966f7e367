#ifndef JOB_HELPERS_H
#define JOB_HELPERS_H
/* Runs of a config, driven as a sweep drives them. */
#include "base/sw_mem.h"
#include "helpers.h"
#include "problem/sw_problem.h"
#include "sweep/sw_sweep.h"

/* A config with one group of runs, being simulated. */

struct job {
    struct sw_config *config;
    struct sw_sweep  *sweep;
    struct sw_group  *group;
    int               ngroup;
    struct sw_setup   setup;
    struct sw_device *device;
    struct sw_sim    *sim;
    double           *column;
    const char      **load_error;
};

static inline enum sw_status expand(const char *text, struct job *w, char **errors)
{
    struct sw_report report = {0};
    *w = (struct job){0};
    enum sw_status st = sw_config_read_text("test.cfg", text, NULL, 0, &report, &w->config);
    if (!st) st = sw_sweep_expand(w->config, &report, &w->sweep);
    *errors = sw_report_print(&report);
    sw_report_free(&report);
    return st;
}

static inline void close_job(struct job *w)
{
    if (w->sim) w->sim->ops->destroy(w->sim);
    sw_groups_free(&w->group, w->ngroup);
    sw_sweep_destroy(&w->sweep);
    sw_config_destroy(&w->config);
    sw_device_close(&w->device);
    sw_free(w->column);
    sw_free(w->load_error);
}

/* Group g of the config. */
static inline struct job open_group(const char *text, int g)
{
    struct job w;
    char *errors = NULL;
    int64_t count, *run = NULL;
    const struct sw_selection all = {0};
    if (expand(text, &w, &errors)) fail_msg("%s", errors);
    sw_free(errors);
    assert_ok(sw_sweep_select(w.sweep, &all, &run, &count));
    assert_ok(sw_sweep_groups(w.sweep, run, count, &w.group, &w.ngroup));
    assert_in_range(g, 0, w.ngroup - 1);
    count = w.group[g].count;
    w.setup = sw_sweep_setup(w.sweep, &w.group[g], (int)count);
    assert_ok(sw_alloc((size_t)count * (size_t)w.setup.ncolumn, &w.column));
    assert_ok(sw_alloc((size_t)count, &w.load_error));
    assert_ok(sw_sweep_columns(w.sweep, w.group[g].run, 0, count, w.column));
    assert_ok(sw_device_open("cpu", 1, &w.device));
    assert_ok(w.sweep->problem->create(w.sweep->problem, &w.setup, w.device, &w.sim));
    assert_ok(w.sim->ops->load(w.sim, (int)count, w.column, w.load_error));
    sw_free(run);
    return w;
}

static inline struct job open_job(const char *text)
{
    struct job w = open_group(text, 0);
    assert_int_equal(w.ngroup, 1);
    return w;
}

/* The state of a config's only run at its end. @return [n], to be freed */
static inline double *final_state(const char *text, int *n)
{
    struct job w = open_job(text);
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

#endif
