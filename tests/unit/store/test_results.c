/* Output files with synthetic numbers: what goes into parts comes out of the merged file, however it was cut. */
#include "helpers.h"

#include <fcntl.h>
#include <glob.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "store/hdf5/schema_hdf5.h"
#include "store/files/sw_output.h"

/* ---- a sweep and its ids from a text */
struct fixture {
    struct sw_config *config;
    struct sw_sweep  *sweep;
    uint64_t         *id;
    struct sw_group  *group;
    int               ngroup;
    int64_t          *all;
    int               scalars;    /* of the problem */
};

static void set_up(struct fixture *f, const char *text)
{
    struct sw_report report = {0};
    *f = (struct fixture){0};
    enum sw_status st = sw_config_read_text("test.cfg", text, NULL, 0, &report, &f->config);
    if (!st) st = sw_sweep_expand(f->config, &report, &f->sweep);
    char *wrong = sw_report_print(&report);
    if (st) fail_msg("%s\n%s", sw_err_message(), wrong);
    sw_free(wrong);
    sw_report_free(&report);
    assert_ok(sw_alloc((size_t)f->sweep->nruns, &f->id));
    assert_ok(sw_sweep_ids(f->sweep, 0, f->sweep->nruns, f->id));
    assert_ok(sw_alloc((size_t)f->sweep->nruns, &f->all));
    for (int64_t k = 0; k < f->sweep->nruns; k++) f->all[k] = k;
    assert_ok(sw_sweep_groups(f->sweep, f->all, f->sweep->nruns, &f->group, &f->ngroup));
    for (const struct sw_quantity *q = f->sweep->problem->scalars; q->name; q++) f->scalars++;
}

static void tear_down(struct fixture *f)
{
    sw_groups_free(&f->group, f->ngroup);
    sw_free(f->all);
    sw_free(f->id);
    sw_sweep_destroy(&f->sweep);
    sw_config_destroy(&f->config);
}

#define HEAD "title = \"test\"; problem = \"hyperdiffusion\"; initial = \"sin(x)\";"
#define SMALL HEAD "grid = { n = 8; length = 1.0; }; time = { dt = 0.5; end = 10.0; };"
#define PLAIN SMALL "physics = { gamma = \"g\"; D = 1.0; };" \
    "output = { fields = { times = \"linspace(0, end, 6)\"; }; scalars = { every = 1.0; }; };"
#define TEN PLAIN "sweep = { g = \"range(1, 10)\"; };"

static const struct sw_provenance provenance = {
    .command_line = "sweep run test.cfg", .solver = "cpu.plain", .device = "none", .hostname = "here", .started = 1.7e9,
};

/* ---- synthetic numbers: exact in single precision; which run is told by its id */
static double mark(uint64_t id) { return (double)(id % 1024); }
static double field_at(uint64_t id, int64_t step, int64_t i)
{
    return mark(id) + 1024.0 * (double)step + (double)i / 16;
}
static double scalar_at(uint64_t id, int64_t step, int k) { return mark(id) - 3.0 * (double)step + 0.125 * k; }

static void add_field(struct sw_part *part, const struct fixture *f, const struct sw_part_desc *d, int64_t step)
{
    int64_t n = d->group->n[0];
    double *wide;
    float *narrow;
    assert_ok(sw_alloc((size_t)(d->count * n), &wide));
    assert_ok(sw_alloc((size_t)(d->count * n), &narrow));
    for (int64_t k = 0; k < d->count * n; k++) {
        wide[k] = field_at(d->id[k / n], step, k % n);
        narrow[k] = (float)wide[k];
    }
    assert_ok(sw_part_add_field(part, f->sweep->single_fields ? (void *)narrow : (void *)wide));
    sw_free(wide);
    sw_free(narrow);
}

static void add_scalars(struct sw_part *part, const struct fixture *f, const struct sw_part_desc *d, int64_t step)
{
    double *value;
    assert_ok(sw_alloc((size_t)(d->count * f->scalars), &value));
    for (int k = 0; k < d->count * f->scalars; k++) value[k] = scalar_at(d->id[k / f->scalars], step, k % f->scalars);
    assert_ok(sw_part_add_scalars(part, value, NULL));
    sw_free(value);
}

static struct sw_run_result result_of(uint64_t id, enum sw_run_status status, int64_t step)
{
    struct sw_run_result r = {.row = {.status = status, .t_reached = 0.5 * (double)step, .steps = step,
                                      .wall_time = 0.25, .err_l2 = mark(id) / 3, .err_max = mark(id) / 7,
                                      .err_rel = NAN, .err_interior = NAN}};
    if (status > SW_RUN_DONE) snprintf(r.message, sizeof r.message, "not finite at t = %g", r.row.t_reached);
    return r;
}

struct stretch {                  /* what one part is to hold */
    int     group, first, count;  /* runs of the group */
    int64_t from, to;             /* outputs with from < step <= to; from = -1: from the start */
    enum sw_run_status status;
    bool    state;
};

static void describe(const struct fixture *f, const struct stretch *s, struct sw_part_desc *d, uint64_t *id)
{
    const struct sw_group *g = &f->group[s->group];
    *d = (struct sw_part_desc){.sweep = f->sweep, .group = g, .run = g->run + s->first, .id = id, .count = s->count};
    for (int k = 0; k < s->count; k++) id[k] = f->id[d->run[k]];
    while (d->field_first < g->nfield && g->field_step[d->field_first] <= s->from) d->field_first++;
    while (d->scalar_first < g->nscalar && g->scalar_step[d->scalar_first] <= s->from) d->scalar_first++;
}

static void write_part(const struct fixture *f, const char *file, const struct stretch *s)
{
    const struct sw_group *g = &f->group[s->group];
    struct sw_part_desc d;
    struct sw_part *part;
    uint64_t *id;
    struct sw_run_result *result;
    double *state = NULL;
    assert_ok(sw_alloc((size_t)s->count, &id));
    assert_ok(sw_alloc((size_t)s->count, &result));
    describe(f, s, &d, id);
    assert_ok(sw_part_create(file, &d, &provenance, &part));
    for (int64_t k = d.field_first; k < g->nfield && g->field_step[k] <= s->to; k++)
        add_field(part, f, &d, g->field_step[k]);
    for (int64_t k = d.scalar_first; k < g->nscalar && g->scalar_step[k] <= s->to; k++)
        add_scalars(part, f, &d, g->scalar_step[k]);
    for (int k = 0; k < s->count; k++) result[k] = result_of(id[k], s->status, s->to);
    if (s->state) {
        assert_ok(sw_alloc((size_t)(s->count * g->n[0]), &state));
        for (int64_t k = 0; k < s->count * g->n[0]; k++) state[k] = 1.0 / 3.0 + (double)k;
    }
    const struct sw_part_state last = {state, (size_t)g->n[0], s->to, s->status != SW_RUN_PENDING};
    assert_ok(sw_part_commit(&part, result, state ? &last : NULL));
    assert_null(part);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_DATATYPE));
    sw_free(state);
    sw_free(result);
    sw_free(id);
}

/* All runs of all groups, in parts of `most` runs. */
static void write_all(const struct fixture *f, const char *file, int most, enum sw_run_status status)
{
    for (int g = 0; g < f->ngroup; g++)
        for (int first = 0; first < f->group[g].count; first += most) {
            int left = (int)f->group[g].count - first;
            write_part(f, file,
                       &(struct stretch){g, first, left < most ? left : most, -1, f->group[g].steps, status, false});
        }
}

static void merge_into(const struct fixture *f, const char *file)
{
    struct sw_merge_options how = {.sweep = f ? f->sweep : NULL, .id = f ? f->id : NULL};
    assert_ok(sw_merge_parts(file, &how, &provenance));
}

static const char *path_of(const char *name)
{
    static char path[8][300];
    static int next;
    char *p = path[next++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", test_folder(), name);
    return p;
}

/* ---- reading with HDF5 itself */
static hid_t open_file(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* A dataset of numbers as double; dims out. */
static double *read_numbers(hid_t file, const char *name, hsize_t dim[3])
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0) fail_msg("no dataset %s", name);
    hid_t space = H5Dget_space(dataset);
    double *value;
    dim[0] = dim[1] = dim[2] = 1;
    H5Sget_simple_extent_dims(space, dim, NULL);
    assert_ok(sw_alloc((size_t)(dim[0] * dim[1] * dim[2]), &value));
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    return value;
}

static double one_number(hid_t file, const char *name, int row)
{
    hsize_t dim[3];
    double *value = read_numbers(file, name, dim), x = value[row];
    sw_free(value);
    return x;
}

static bool is_there(hid_t file, const char *name) { return H5Lexists(file, name, H5P_DEFAULT) > 0; }

static void check_scalar_series(const struct fixture *f, hid_t file, const struct sw_group *g, const char *prefix,
                                int k, const char *name, int rows)
{
    char path[64];
    hsize_t dim[3];
    snprintf(path, sizeof path, "%s/%s", prefix, name);
    double *value = read_numbers(file, path, dim);
    assert_int_equal(dim[0], rows);
    assert_true((int64_t)dim[1] >= g->nscalar);
    for (int row = 0; row < g->count && rows == g->count; row++)
        for (int t = 0; t < g->nscalar; t++)
            if (value[(hsize_t)row * dim[1] + (hsize_t)t] != scalar_at(f->id[g->run[row]], g->scalar_step[t], k))
                fail_msg("%s: row %d, entry %d is wrong", path, row, t);
    sw_free(value);
}

/* The arrays of a group whose runs make up the whole section `prefix` of the file. */
static void check_section(const struct fixture *f, const char *path, const struct sw_group *g, const char *prefix)
{
    hid_t file = open_file(path);
    char name[64];
    hsize_t dim[3];
    snprintf(name, sizeof name, "%s/u", prefix);
    double *u = read_numbers(file, name, dim);
    assert_int_equal(dim[0], g->count);
    assert_int_equal(dim[1], g->nfield);
    assert_int_equal(dim[2], g->n[0]);
    for (hsize_t k = 0; k < dim[0] * dim[1] * dim[2]; k++) {
        int64_t i = (int64_t)(k % dim[2]), t = (int64_t)(k / dim[2] % dim[1]), row = (int64_t)(k / dim[2] / dim[1]);
        if (u[k] != field_at(f->id[g->run[row]], g->field_step[t], i))
            fail_msg("%s: run %d, time %d, point %d is %g", name, (int)row, (int)t, (int)i, u[k]);
    }
    sw_free(u);
    for (int k = 0; k < f->scalars; k++)
        check_scalar_series(f, file, g, prefix, k, f->sweep->problem->scalars[k].name, (int)g->count);
    H5Fclose(file);
}

static void check_ids(const struct fixture *f, const char *path)
{
    struct sw_run_table *t;
    assert_ok(sw_run_table_read(path, &t));
    assert_int_equal(t->nruns, f->sweep->nruns);
    assert_int_equal(t->sweep_runs, f->sweep->nruns);
    assert_string_equal(t->sweep_id, f->sweep->id);
    for (int64_t k = 0; k < t->nruns; k++) {
        assert_int_equal(t->index[k], k);
        assert_true(t->id[k] == f->id[k]);
        assert_true(sw_run_table_row(t, k).err_l2 == mark(f->id[k]) / 3);
    }
    sw_run_table_free(&t);
}

static int count_parts(const char *file)
{
    char command[400];
    int count = -1;
    snprintf(command, sizeof command, "ls '%s.d' 2>/dev/null | grep -c 'part-.*h5$'", file);
    FILE *pipe = popen(command, "r");
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return count;
}

/* ---- tests */
static void parts_come_back_whatever_their_size(void **state)
{
    static const int sizes[] = {1, 3, 10};
    struct fixture f;
    (void)state;
    set_up(&f, TEN);
    for (int k = 0; k < 3; k++) {
        char name[32];
        snprintf(name, sizeof name, "parts%d.h5", sizes[k]);
        const char *file = path_of(name);
        write_all(&f, file, sizes[k], SW_RUN_DONE);
        merge_into(&f, file);
        check_section(&f, file, &f.group[0], "");
        check_ids(&f, file);
        assert_int_equal(count_parts(file), 0);
    }
    tear_down(&f);
}

static uint64_t inode_of(const char *path)
{
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    return (uint64_t)s.st_ino;
}

/* Merge parts of `sizes` runs each; is the first of them the result then? */
static bool first_part_becomes_the_file(const struct fixture *f, const char *name, const int *sizes, int64_t last,
                                        const struct sw_merge_options *how)
{
    const char *file = path_of(name);
    char part[400];
    snprintf(part, sizeof part, "%s.d/part-000001.h5", file);
    for (int k = 0, first = 0; sizes[k]; first += sizes[k++])
        write_part(f, file, &(struct stretch){0, first, sizes[k], -1, last, SW_RUN_DONE, false});
    uint64_t inode = inode_of(part);
    assert_ok(sw_merge_parts(file, how, &provenance));
    assert_int_equal(count_parts(file), how->keep_parts ? 1 : 0);
    return inode_of(file) == inode;
}

static void a_part_that_is_all_of_the_result_becomes_the_file(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, TEN);
    struct sw_merge_options how = {.sweep = f.sweep, .id = f.id, .allow_missing = true}, keep = how;
    keep.keep_parts = true;
    assert_true(first_part_becomes_the_file(&f, "whole.h5", (int[]){10, 0}, 20, &how));
    check_section(&f, path_of("whole.h5"), &f.group[0], "");
    check_ids(&f, path_of("whole.h5"));
    assert_false(first_part_becomes_the_file(&f, "copied.h5", (int[]){10, 0}, 20, &keep));
    check_section(&f, path_of("copied.h5"), &f.group[0], "");
    assert_false(first_part_becomes_the_file(&f, "two.h5", (int[]){6, 4, 0}, 20, &how));
    assert_true(first_part_becomes_the_file(&f, "some.h5", (int[]){6, 0}, 20, &how));  /* --only */
    tear_down(&f);
}

/* Merge what is there of a file, and say what runs are expected to be. */
static enum sw_status merge_expected(const struct fixture *f, const char *file, enum sw_expected what, int64_t *missing)
{
    unsigned char expected[10];
    struct sw_merge_summary sum;
    memset(expected, what, sizeof expected);
    assert_int_equal(f->sweep->nruns, sizeof expected);
    struct sw_merge_options how = {.sweep = f->sweep, .id = f->id, .allow_missing = true, .summary = &sum,
                                   .expected = expected};
    enum sw_status st = sw_merge_parts(file, &how, &provenance);
    *missing = sum.missing;
    return st;
}

static void results_that_are_gone_are_named_and_nothing_is_merged(void **state)
{
    struct fixture f;
    int64_t missing;
    char part[400];
    const char *file = path_of("gone.h5");
    (void)state;
    set_up(&f, TEN);
    assert_int_equal(merge_expected(&f, file, SW_EXPECTED, &missing), SW_E_IO);  /* not even a part */
    assert_int_equal(missing, 10);
    write_all(&f, file, 4, SW_RUN_DONE);
    snprintf(part, sizeof part, "%s.d/part-000002.h5", file);
    assert_int_equal(truncate(part, 5000), 0);
    assert_int_equal(merge_expected(&f, file, SW_EXPECTED_IN_PART, &missing), SW_E_IO);
    assert_int_equal(missing, 4);
    assert_contains(sw_err_message(), "the results of 4 runs that had ended are gone (runs 4..7)");
    assert_int_equal(count_parts(file), 3);
    assert_int_equal(access(file, F_OK), -1);
    write_part(&f, file, &(struct stretch){0, 4, 4, -1, 20, SW_RUN_DONE, false});
    assert_ok(merge_expected(&f, file, SW_EXPECTED_IN_PART, &missing));
    assert_int_equal(missing, 0);
    assert_int_equal(count_parts(file), 0);  /* the damaged one, too: all runs are in the file */
    check_section(&f, file, &f.group[0], "");
    /* computed again, and lost: what the file has of them is older */
    write_part(&f, file, &(struct stretch){0, 0, 5, -1, 20, SW_RUN_DIVERGED, false});
    assert_int_equal(merge_expected(&f, file, SW_EXPECTED_IN_PART, &missing), SW_E_IO);
    assert_int_equal(missing, 5);
    assert_ok(merge_expected(&f, file, SW_EXPECTED, &missing));
    tear_down(&f);
}

static struct sw_run_table *table_of(const char *file)
{
    struct sw_run_table *t;
    assert_ok(sw_run_table_read(file, &t));
    return t;
}

static void a_part_of_an_earlier_call_or_sweep_does_not_become_the_file(void **state)
{
    struct fixture f, more;
    const char *file = path_of("former.h5"), *grown = path_of("grown.h5");
    struct sw_provenance later = provenance;
    (void)state;
    set_up(&f, TEN);
    set_up(&more, PLAIN "sweep = { g = \"range(1, 11)\"; };");
    later.started += 60;
    write_all(&f, file, 10, SW_RUN_DONE);
    struct sw_merge_options how = {.sweep = f.sweep, .id = f.id, .allow_missing = true};
    assert_ok(sw_merge_parts(file, &how, &later));
    struct sw_run_table *t = table_of(file);  /* both calls are in it */
    assert_string_equal(t->history, "2023-11-14T22:13:20Z sweep run test.cfg\n2023-11-14T22:14:20Z sweep run test.cfg");
    sw_run_table_free(&t);
    write_all(&f, grown, 10, SW_RUN_DONE);
    how = (struct sw_merge_options){.sweep = more.sweep, .id = more.id, .allow_missing = true};
    assert_ok(sw_merge_parts(grown, &how, &provenance));
    t = table_of(grown);
    assert_int_equal(t->sweep_runs, 11);
    assert_int_equal(t->nruns, 10);
    sw_run_table_free(&t);
    tear_down(&f);
    tear_down(&more);
}

static void a_part_that_cannot_be_renamed_stays(void **state)
{
    struct fixture f;
    char blocked[320];
    const char *file = path_of("blocked.h5");
    (void)state;
    set_up(&f, TEN);
    write_all(&f, file, 10, SW_RUN_DONE);
    snprintf(blocked, sizeof blocked, "%s/in_the_way", file);
    assert_int_equal(mkdir(file, 0777), 0);
    assert_int_equal(mkdir(blocked, 0777), 0);
    struct sw_merge_options how = {.sweep = f.sweep, .id = f.id};
    assert_int_equal(sw_merge_parts(file, &how, &provenance), SW_E_IO);
    assert_contains(sw_err_message(), "blocked.h5");
    assert_int_equal(count_parts(file), 1);
    assert_int_equal(rmdir(blocked), 0);
    assert_int_equal(rmdir(file), 0);
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "");
    tear_down(&f);
}

/* Chunks are of one size: where they do not divide the runs or outputs, what is left free must be little. */
static void little_is_left_free_in_chunks(void **state)
{
    struct fixture f;
    const char *file = path_of("room.h5");
    struct stat s;
    (void)state;
    set_up(&f, "problem = \"heat\"; grid = { n = 4096; length = 8.0; }; time = { dt = 0.5; end = 2.0; };"
               "physics = { kappa = 1.0; }; initial = \"g\";"
               "output = { fields = { times = \"linspace(0, end, 4)\"; }; };"
               "sweep = { g = \"range(1, 129)\"; };");  /* 129 lines of 32 KiB: a line more than a chunk may hold */
    write_all(&f, file, 129, SW_RUN_DONE);
    merge_into(&f, file);
    assert_int_equal(stat(file, &s), 0);
    assert_true((double)s.st_size < 1.03 * 4 * 129 * 4096 * 8);
    tear_down(&f);
}

static void single_precision_is_stored_as_such(void **state)
{
    struct fixture f;
    const char *file = path_of("single.h5");
    (void)state;
    set_up(&f, SMALL "physics = { gamma = 1.0; D = 1.0; };"
               "output = { fields = { times = [0.0, 10.0]; precision = \"single\"; }; scalars = { every = 5.0; }; };"
               "forcing = \"x*seed\"; sweep = { seed = [1, 2, 3]; };");
    write_all(&f, file, 2, SW_RUN_DONE);
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "");
    hid_t h = open_file(file), u = H5Dopen2(h, "/u", H5P_DEFAULT), type = H5Dget_type(u), list = H5Dget_create_plist(u);
    float fill = 0;
    assert_int_equal(H5Tget_size(type), 4);
    assert_int_equal(H5Pget_layout(list), H5D_CONTIGUOUS);  /* joined: one run after the other */
    H5Pget_fill_value(list, H5T_NATIVE_FLOAT, &fill);
    assert_true(isnan(fill));
    H5Pclose(list);
    H5Tclose(type);
    H5Dclose(u);
    H5Fclose(h);
    tear_down(&f);
}

static void scales_hold_times_and_points(void **state)
{
    struct fixture f;
    const char *file = path_of("scales.h5");
    (void)state;
    set_up(&f, TEN);
    write_all(&f, file, 5, SW_RUN_DONE);
    merge_into(&f, file);
    hid_t h = open_file(file);
    for (int k = 0; k < 6; k++) assert_true(one_number(h, "time", k) == 2.0 * k);
    for (int k = 0; k < 11; k++) assert_true(one_number(h, "time_s", k) == 1.0 * k);
    for (int k = 0; k < 8; k++) assert_true(one_number(h, "x", k) == k / 8.0);
    for (int k = 0; k < 10; k++) assert_true(one_number(h, "g", k) == k + 1.0);
    assert_false(is_there(h, "t"));
    assert_false(is_there(h, "t_s"));
    assert_false(is_there(h, "xc"));
    H5Fclose(h);
    tear_down(&f);
}

/* The state of one slab, that is all of the grid. */
static enum sw_status read_whole(const struct sw_checkpoint *checkpoint, double *state, size_t numbers)
{
    const struct sw_state_shape whole = {.fields = 1, .across = numbers, .count = 1, .whole = 1};
    return sw_checkpoint_read(checkpoint, &whole, state);
}

static void a_chain_is_joined_along_time(void **state)
{
    struct fixture f;
    struct sw_completed *completed;
    struct sw_report report = {0};
    double u[4 * 8];
    const char *file = path_of("chain.h5");
    (void)state;
    set_up(&f, TEN);
    write_part(&f, file, &(struct stretch){0, 0, 6, -1, 20, SW_RUN_DONE, false});
    write_part(&f, file, &(struct stretch){0, 6, 4, -1, 7, SW_RUN_PENDING, true});
    write_part(&f, file, &(struct stretch){0, 6, 4, 7, 8, SW_RUN_PENDING, true});
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_int_equal(report.count, 0);
    assert_int_equal(completed->count, 6);
    assert_true(completed->has_parts && !completed->has_file);
    assert_int_equal(completed->ncheckpoint, 1);
    assert_int_equal(completed->checkpoint[0].count, 4);
    assert_int_equal(completed->checkpoint[0].step, 8);
    assert_int_equal(completed->checkpoint[0].fields_done, 3);   /* steps 0, 4, 8 */
    assert_int_equal(completed->checkpoint[0].scalars_done, 5);  /* steps 0, 2, 4, 6, 8 */
    assert_true(completed->checkpoint[0].id[1] == f.id[7]);
    assert_int_equal(sw_completed_status(completed, f.id[7]), SW_RUN_PENDING);
    assert_int_equal(sw_completed_status(completed, f.id[5]), SW_RUN_DONE);
    const struct sw_run_counts counts = sw_completed_count(completed, f.id, (const int64_t[]){1, 5, 7}, 3);
    assert_true(counts.done == 2 && counts.pending == 1 && !counts.diverged && !counts.failed);
    assert_ok(read_whole(&completed->checkpoint[0], u, 8));
    for (int k = 0; k < 4 * 8; k++) assert_true(u[k] == 1.0 / 3.0 + k);
    assert_int_equal(read_whole(&completed->checkpoint[0], u, 7), SW_E_IO);
    assert_contains(sw_err_message(), completed->checkpoint[0].part[0].path);
    assert_contains(sw_err_message(), "is not the list of 28 numbers it should be; remove this file, no other: its 4 "
                                      "runs continue from the part before it, or begin again");
    sw_completed_close(&completed);
    write_part(&f, file, &(struct stretch){0, 6, 4, 8, 20, SW_RUN_DONE, false});
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_int_equal(completed->ncheckpoint, 0);
    assert_int_equal(completed->count, 10);
    sw_completed_close(&completed);
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "");
    check_ids(&f, file);
    hid_t h = open_file(file);
    assert_true(one_number(h, "wall_time", 0) == 0.25);
    assert_true(one_number(h, "wall_time", 9) == 0.75);  /* three parts */
    assert_true(one_number(h, "steps", 9) == 20);
    H5Fclose(h);
    sw_report_free(&report);
    tear_down(&f);
}

/* As far as it costs no result that is there. */
static void the_advice_about_a_state_of_no_use_can_be_followed(void **state)
{
    struct fixture f;
    struct sw_completed *completed;
    struct sw_report report = {0};
    double u[4 * 8];
    const char *file = path_of("short.h5");
    (void)state;
    set_up(&f, TEN);
    write_part(&f, file, &(struct stretch){0, 0, 6, -1, 20, SW_RUN_DONE, false});
    write_part(&f, file, &(struct stretch){0, 6, 4, -1, 7, SW_RUN_PENDING, true});
    write_part(&f, file, &(struct stretch){0, 6, 4, 7, 8, SW_RUN_PENDING, true});
    for (int step = 8; step >= 7; step--) {  /* the chain's last part is of no use, then the one before it */
        assert_ok(sw_completed_open(file, &report, &completed));
        assert_int_equal(completed->count, 6);
        assert_int_equal(completed->ncheckpoint, 1);
        assert_int_equal(completed->checkpoint[0].step, step);
        assert_int_equal(read_whole(&completed->checkpoint[0], u, 7), SW_E_IO);
        assert_contains(sw_err_message(), "remove this file, no other");
        assert_int_equal(unlink(completed->checkpoint[0].part[0].path), 0);
        assert_int_equal(read_whole(&completed->checkpoint[0], u, 8), SW_E_IO);
        assert_null(strstr(sw_err_message(), "remove"));  /* it cannot be read: a reason that may pass */
        sw_completed_close(&completed);
    }
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_int_equal(completed->count, 6);
    assert_int_equal(completed->ncheckpoint, 0);
    sw_completed_close(&completed);
    assert_int_equal(report.count, 0);
    sw_report_free(&report);
    tear_down(&f);
}

static void an_unfinished_batch_keeps_its_parts(void **state)
{
    struct fixture f;
    struct sw_completed *completed;
    struct sw_report report = {0};
    const char *file = path_of("unfinished.h5");
    (void)state;
    set_up(&f, TEN);
    write_part(&f, file, &(struct stretch){0, 0, 6, -1, 20, SW_RUN_DONE, false});
    write_part(&f, file, &(struct stretch){0, 6, 4, -1, 7, SW_RUN_PENDING, true});
    struct sw_merge_options how = {.sweep = f.sweep, .id = f.id};
    assert_int_equal(sw_merge_parts(file, &how, &provenance), SW_E_REFUSED);
    assert_contains(sw_err_message(), "would lack 4 of 10 runs: 6..9");
    assert_int_equal(access(file, F_OK), -1);
    how.allow_missing = true;
    assert_ok(sw_merge_parts(file, &how, &provenance));
    assert_int_equal(count_parts(file), 1);
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_int_equal(completed->count, 6);
    assert_int_equal(completed->ncheckpoint, 1);
    sw_completed_close(&completed);
    write_part(&f, file, &(struct stretch){0, 6, 4, 7, 20, SW_RUN_DONE, false});
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "");
    assert_int_equal(count_parts(file), 0);
    tear_down(&f);
}

static void a_lengthened_axis_moves_rows(void **state)
{
    struct fixture f, g;
    const char *file = path_of("longer.h5");
    (void)state;
    set_up(&f, PLAIN "forcing = \"x*seed\"; sweep = { g = [2.0, 4.0]; seed = [1, 2]; };");
    write_all(&f, file, 4, SW_RUN_DONE);
    merge_into(&f, file);
    set_up(&g, PLAIN "forcing = \"x*seed\"; sweep = { g = [1.0, 2.0, 3.0, 4.0]; seed = [1, 2]; };");
    for (int k = 0; k < 4; k++)  /* runs with g = 1 and g = 3 */
        write_part(&g, file, &(struct stretch){0, k / 2 * 4 + k % 2, 1, -1, 20, SW_RUN_DONE, false});
    struct sw_merge_options alone = {0};
    assert_int_equal(sw_merge_parts(file, &alone, NULL), SW_E_REFUSED);
    assert_contains(sw_err_message(), "are of different sweeps");
    struct sw_merge_options old = {.sweep = f.sweep, .id = f.id};
    assert_int_equal(sw_merge_parts(file, &old, NULL), SW_E_REFUSED);
    assert_contains(sw_err_message(), "holds 4 runs that are not of this sweep");
    merge_into(&g, file);
    check_section(&g, file, &g.group[0], "");
    check_ids(&g, file);
    hid_t h = open_file(file);
    for (int k = 0; k < 8; k++) assert_true(one_number(h, "g", k) == 1.0 + k / 2);
    H5Fclose(h);
    tear_down(&f);
    tear_down(&g);
}

static void a_swept_n_gives_each_n_its_group(void **state)
{
    struct fixture f;
    const char *file = path_of("groups.h5");
    (void)state;
    set_up(&f, HEAD "sweep = { n = [16, 8]; gamma = [1.0, 2.0, 3.0]; }; grid = { n = \"n\"; length = 1.0; };"
               "physics = { gamma = \"gamma\"; D = 1.0; }; time = { dt = 0.5; end = 10.0; };"
               "output = { fields = { times = [0.0, 5.0, 10.0]; }; scalars = { every = 5.0; }; };");
    assert_int_equal(f.ngroup, 2);
    write_all(&f, file, 2, SW_RUN_DONE);
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "/n00008");
    check_section(&f, file, &f.group[1], "/n00016");
    check_ids(&f, file);
    hid_t h = open_file(file);
    assert_false(is_there(h, "u"));
    assert_false(is_there(h, "x"));
    assert_true(one_number(h, "/n00008/group_run", 0) == 3);
    assert_true(one_number(h, "/n00016/x", 1) == 1.0 / 16);
    H5Fclose(h);
    tear_down(&f);
}

static void one_n_that_becomes_two_moves_to_its_group(void **state)
{
    struct fixture f, g;
    const char *file = path_of("regroup.h5");
    (void)state;
    set_up(&f, PLAIN "sweep = { g = [1.0, 2.0]; };");
    write_all(&f, file, 2, SW_RUN_DONE);
    merge_into(&f, file);
    set_up(&g, HEAD "sweep = { n = [8, 16]; g = [1.0, 2.0]; }; grid = { n = \"n\"; length = 1.0; };"
               "physics = { gamma = \"g\"; D = 1.0; }; time = { dt = 0.5; end = 10.0; };"
               "output = { fields = { times = \"linspace(0, end, 6)\"; }; scalars = { every = 1.0; }; };");
    memcpy(g.id, f.id, 2 * sizeof *f.id);  /* whether the ids agree is not this module's matter */
    write_part(&g, file, &(struct stretch){1, 0, 2, -1, 20, SW_RUN_DONE, false});
    merge_into(&g, file);
    check_section(&g, file, &g.group[0], "/n00008");
    check_section(&g, file, &g.group[1], "/n00016");
    tear_down(&f);
    tear_down(&g);
}

static void times_that_differ_are_stored_per_run(void **state)
{
    struct fixture f;
    const char *file = path_of("times.h5");
    hsize_t dim[3];
    (void)state;
    set_up(&f, HEAD "sweep = { dt = [0.5, 0.25]; end = [1.0, 2.0]; length = [1.0, 2.0]; };"
               "grid = { n = 8; length = \"length\"; };"
               "physics = { gamma = 1.0; D = 1.0; }; time = { dt = \"dt\"; end = \"end\"; };"
               "output = { fields = { times = \"linspace(0, end, 3)\"; }; scalars = { every = 0.5; }; };");
    write_all(&f, file, 1, SW_RUN_DONE);
    merge_into(&f, file);
    hid_t h = open_file(file);
    double *t = read_numbers(h, "t", dim);
    assert_true(dim[0] == 8 && dim[1] == 3);
    for (int run = 0; run < 8; run++)
        for (int k = 0; k < 3; k++) assert_true(t[run * 3 + k] == 0.5 * k * (run / 2 % 2 + 1));
    sw_free(t);
    for (int k = 0; k < 3; k++) assert_true(one_number(h, "time", k) == k);
    assert_false(is_there(h, "t_s"));  /* 0, 0.5, ...: the shorter series is a beginning of the longer */
    for (int k = 0; k < 5; k++) assert_true(one_number(h, "time_s", k) == 0.5 * k);
    double *mass = read_numbers(h, "mass", dim), *xc;
    assert_true(dim[0] == 8 && dim[1] == 5);
    assert_true(mass[2] == scalar_at(f.id[0], 2, 0) && isnan(mass[3]) && isnan(mass[4]));
    assert_true(mass[2 * 5 + 4] == scalar_at(f.id[2], 4, 0));
    sw_free(mass);
    xc = read_numbers(h, "xc", dim);
    for (int run = 0; run < 8; run++)
        for (int i = 0; i < 8; i++) assert_true(xc[run * 8 + i] == i * (run % 2 + 1) / 8.0);
    sw_free(xc);
    double *u = read_numbers(h, "u", dim);
    for (int run = 0; run < 8; run++)  /* the last time of each */
        assert_true(u[(run * 3 + 2) * 8 + 5] == field_at(f.id[run], (run / 2 % 2 + 1) * (run / 4 + 1) * 2, 5));
    sw_free(u);
    H5Fclose(h);
    tear_down(&f);
}

static void words_are_stored_as_words(void **state)
{
    struct fixture f;
    struct sw_run_table *t;
    const char *file = path_of("words.h5");
    (void)state;
    set_up(&f, SMALL "physics = { gamma = 1.0; D = 1.0; };"
               "stepper = \"$how\"; forcing = \"x*seed\";"
               "sweep = { how = [\"cpu.thomas\", \"cpu.lapack\"]; seed = [1, 2]; };");
    write_all(&f, file, 1, SW_RUN_DONE);
    for (int merged = 0; merged < 2; merged++) {
        if (merged) merge_into(&f, file);
        assert_ok(sw_run_table_read(file, &t));
        assert_int_equal(t->nparam, 2);
        assert_string_equal(t->param_name[0], "how");
        assert_int_equal(t->nword[0], 2);
        for (int k = 0; k < 4; k++)
            assert_string_equal(t->word[0][(int)t->param[k]], k < 2 ? "cpu.thomas" : "cpu.lapack");
        assert_int_equal(t->nword[1], 0);
        sw_run_table_free(&t);
    }
    tear_down(&f);
}

/* ---- histories */
enum { HISTORY_RUNS = 10 };
static double history_at(uint64_t id, int64_t k) { return mark(id) + (double)k / 8; }

/* Runs first .. first + count - 1 with histories of so many entries, the last of which only the first run has; 0:
 * without. */
static void write_histories(const struct fixture *f, const char *file, int first, int count, int64_t entries)
{
    const struct stretch s = {0, first, count, -1, 20, SW_RUN_DONE, false};
    struct sw_run_result result[HISTORY_RUNS];
    struct sw_part_desc d;
    struct sw_part *part;
    uint64_t id[HISTORY_RUNS];
    double *history;
    describe(f, &s, &d, id);
    assert_ok(sw_alloc((size_t)(count * (entries + 1)), &history));
    for (int64_t k = 0; k < count * entries; k++)
        history[k] = k % entries == entries - 1 && k >= entries ? NAN : history_at(id[k / entries], k % entries);
    assert_ok(sw_part_create(file, &d, &provenance, &part));
    for (int64_t k = 0; k < f->group->nfield; k++) add_field(part, f, &d, f->group->field_step[k]);
    for (int64_t k = 0; k < f->group->nscalar; k++) add_scalars(part, f, &d, f->group->scalar_step[k]);
    if (entries) assert_ok(sw_part_add_history(part, history, entries));
    for (int k = 0; k < count; k++) result[k] = result_of(id[k], SW_RUN_DONE, 20);
    assert_ok(sw_part_commit(&part, result, NULL));
    sw_free(history);
}

static void check_histories(const struct fixture *f, const char *path, const int *entries, int widest)
{
    hid_t file = open_file(path);
    hsize_t dim[3];
    double *history = read_numbers(file, "residual_history", dim), *number = read_numbers(file, "iteration", dim);
    assert_int_equal(dim[0], widest);
    for (int k = 0; k < widest; k++) assert_true(number[k] == k);
    sw_free(number);
    sw_free(history);
    history = read_numbers(file, "residual_history", dim);
    assert_int_equal(dim[0], HISTORY_RUNS);
    assert_int_equal(dim[1], widest);
    for (int run = 0; run < HISTORY_RUNS; run++)
        for (int k = 0; k < widest; k++) {
            const double value = history[run * widest + k];
            if (k < entries[run]) assert_true(value == history_at(f->id[run], k));
            else assert_true(isnan(value));
        }
    sw_free(history);
    H5Fclose(file);
}

static void histories_are_as_wide_as_the_longest(void **state)
{
    static const int entries[HISTORY_RUNS] = {0, 0, 5, 4, 4, 4, 9, 8, 1, 1};
    const char *file = path_of("histories.h5");
    struct fixture f;
    (void)state;
    set_up(&f, TEN);
    write_histories(&f, file, 0, 2, 0);
    write_histories(&f, file, 2, 4, 5);
    write_histories(&f, file, 6, 2, 9);
    write_histories(&f, file, 8, 1, 1);
    write_histories(&f, file, 9, 1, 1);
    merge_into(&f, file);
    check_histories(&f, file, entries, 9);
    check_section(&f, file, &f.group[0], "");
    assert_int_equal(remove(file), 0);
    write_histories(&f, file, 0, HISTORY_RUNS, 3);  /* one part, which becomes the file */
    merge_into(&f, file);
    check_histories(&f, file, (int[]){3, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 3);
    tear_down(&f);
}

static void nothing_saved_means_no_arrays(void **state)
{
    struct fixture f;
    const char *file = path_of("bare.h5");
    (void)state;
    set_up(&f, SMALL "physics = { gamma = 1.0; D = 1.0; };"
               "forcing = \"x*seed\"; sweep = { seed = [1, 2]; };");
    write_all(&f, file, 1, SW_RUN_DONE);
    merge_into(&f, file);
    check_ids(&f, file);
    hid_t h = open_file(file);
    assert_false(is_there(h, "u") || is_there(h, "mass") || is_there(h, "time") || is_there(h, "time_s") ||
                 is_there(h, "x"));
    H5Fclose(h);
    tear_down(&f);
}

static void runs_that_end_before_their_first_output_are_results(void **state)
{
    struct fixture f;
    struct sw_run_table *t;
    const char *file = path_of("early.h5");
    (void)state;
    set_up(&f, SMALL "physics = { gamma = \"g\"; D = 1.0; };"
               "output = { fields = { times = [10.0]; }; }; sweep = { g = [1.0, 2.0]; };");
    write_part(&f, file, &(struct stretch){0, 0, 2, -1, 3, SW_RUN_DIVERGED, false});
    merge_into(&f, file);
    hid_t h = open_file(file);
    assert_false(is_there(h, "u"));
    H5Fclose(h);
    write_part(&f, file, &(struct stretch){0, 0, 1, -1, 20, SW_RUN_DONE, false});
    merge_into(&f, file);
    h = open_file(file);
    assert_true(one_number(h, "u", 3) == field_at(f.id[0], 20, 3));
    assert_true(isnan(one_number(h, "u", 8 + 3)));
    H5Fclose(h);
    assert_ok(sw_run_table_read(file, &t));
    assert_true(sw_run_table_row(t, 0).status == SW_RUN_DONE && sw_run_table_row(t, 1).status == SW_RUN_DIVERGED);
    sw_run_table_free(&t);
    tear_down(&f);
}

static void a_file_lists_all_the_devices_it_comes_from(void **state)
{
    struct fixture f;
    struct sw_run_table *t;
    struct sw_part *part;
    const char *file = path_of("devices.h5");
    static const char *const solver[] = {"cpu.plain", "cuda.split", "cpu.plain", "cuda.split"};
    (void)state;
    set_up(&f, SMALL "physics = { gamma = \"g\"; D = 1.0; };"
               "sweep = { g = \"range(1, 4)\"; };");
    for (int k = 0; k < 4; k++) {
        struct sw_provenance p = {.solver = solver[k], .command_line = "sweep x", .started = 1.7e9 + k / 2};
        struct sw_part_desc d = {
            .sweep = f.sweep, .group = f.group, .run = f.group->run + k, .id = f.id + k, .count = 1};
        struct sw_run_result r = result_of(f.id[k], SW_RUN_DONE, 20);
        assert_ok(sw_part_create(file, &d, &p, &part));
        assert_ok(sw_part_commit(&part, &r, NULL));
    }
    merge_into(&f, file);
    assert_ok(sw_run_table_read(file, &t));
    assert_string_equal(t->solver, "cpu.plain; cuda.split");
    assert_string_equal(t->history, "2023-11-14T22:13:20Z sweep x\n2023-11-14T22:13:21Z sweep x\n"
                                    "2023-11-14T22:13:20Z sweep run test.cfg");
    sw_run_table_free(&t);
    tear_down(&f);
}

static void one_run_without_parameters_is_a_file_too(void **state)
{
    struct fixture f;
    const char *file = path_of("one.h5");
    (void)state;
    set_up(&f, SMALL "physics = { gamma = 1.0; D = 1.0; };"
               "output = { fields = { times = [10.0]; }; scalars = { every = 5.0; }; };");
    write_all(&f, file, 1, SW_RUN_DONE);
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "");
    check_ids(&f, file);
    tear_down(&f);
}

static void long_series_of_few_runs_fill_blocks(void **state)
{
    struct fixture f;
    const char *file = path_of("series.h5");
    (void)state;
    set_up(&f, HEAD "grid = { n = 8; length = 1.0; }; physics = { gamma = 1.0; D = 1.0; };"
               "time = { dt = 0.5; end = 50000.0; };"
               "output = { fields = { times = \"linspace(0, end, 20001)\"; }; scalars = { every = 0.5; }; };"
               "forcing = \"x*seed\"; sweep = { seed = \"range(1, 7)\"; };");
    write_part(&f, file, &(struct stretch){0, 0, 7, -1, 61234, SW_RUN_PENDING, true});
    write_part(&f, file, &(struct stretch){0, 0, 7, 61234, 100000, SW_RUN_DONE, false});
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "");
    tear_down(&f);
}

static void check_large(int runs, int times)
{
    struct fixture f;
    char text[600];
    const char *file = path_of("large.h5");
    snprintf(text, sizeof text,
             HEAD "grid = { n = 65536; length = 1.0; }; physics = { gamma = \"g\"; D = 1.0; };"
                  "time = { dt = 0.5; end = %g; }; output = { fields = { times = \"linspace(0, end, %d)\"; };"
                  "scalars = { every = 0.5; }; }; sweep = { g = \"range(1, %d)\"; };", 0.5 * (times - 1), times, runs);
    set_up(&f, text);
    write_all(&f, file, runs, SW_RUN_DONE);
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "");
    assert_ok(sw_output_remove(file));
    tear_down(&f);
}

static void a_run_larger_than_a_block_is_joined_piece_by_piece(void **state)
{
    (void)state;
    check_large(1, 70);  /* 70 * 65536 * 8 bytes = 35 MiB, a block is 32 MiB */
}

static void a_time_larger_than_a_block_is_written_in_chunks(void **state)
{
    (void)state;
    check_large(10, 2);  /* 10 * 65536 * 8 bytes = 5 MiB, a part's block is 4 MiB */
}

static void a_damaged_part_is_named_and_passed_over(void **state)
{
    struct fixture f;
    struct sw_completed *completed;
    struct sw_report report = {0};
    char part[400];
    const char *file = path_of("damaged.h5");
    (void)state;
    set_up(&f, TEN);
    write_all(&f, file, 4, SW_RUN_DONE);
    snprintf(part, sizeof part, "%s.d/part-000002.h5", file);
    assert_int_equal(truncate(part, 3000), 0);
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_int_equal(report.count, 1);
    assert_int_equal(report.entry[0].severity, SW_WARNING);
    assert_contains(report.entry[0].text, "part-000002.h5 is a damaged HDF5 file");
    assert_int_equal(completed->count, 6);
    sw_completed_close(&completed);
    write_part(&f, file, &(struct stretch){0, 4, 4, -1, 20, SW_RUN_DONE, false});
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "");
    sw_report_free(&report);
    tear_down(&f);
}

static void a_part_whose_beginning_is_lost_does_not_count(void **state)
{
    struct fixture f;
    struct sw_completed *completed;
    struct sw_report report = {0};
    char part[400];
    const char *file = path_of("orphan.h5");
    (void)state;
    set_up(&f, TEN);
    write_part(&f, file, &(struct stretch){0, 0, 10, -1, 7, SW_RUN_PENDING, true});
    write_part(&f, file, &(struct stretch){0, 0, 10, 7, 13, SW_RUN_PENDING, true});
    write_part(&f, file, &(struct stretch){0, 0, 10, 13, 20, SW_RUN_DONE, false});
    snprintf(part, sizeof part, "%s.d/part-000002.h5", file);
    assert_int_equal(truncate(part, 3000), 0);
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_int_equal(completed->count, 0);
    assert_int_equal(completed->ncheckpoint, 1);
    assert_int_equal(completed->checkpoint[0].step, 7);
    sw_completed_close(&completed);
    sw_report_free(&report);
    tear_down(&f);
}

static void put_file(const char *path, const char *content)
{
    FILE *out = fopen(path, "w");
    fputs(content, out);
    fclose(out);
}

static void what_is_not_ours_is_called_what_it_is(void **state)
{
    struct sw_completed *completed;
    struct sw_report report = {0};
    char expect[400];
    (void)state;
    const char *text = path_of("text.h5"), *foreign = path_of("foreign.h5"), *empty = path_of("empty.h5");
    put_file(text, "not HDF5 at all");
    put_file(empty, "");
    H5Fclose(H5Fcreate(foreign, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const char *const path[] = {text, foreign, empty};
    const char *const what[] = {"is not an HDF5 file", "is an HDF5 file, but not one that sweep has written",
                                "is not an HDF5 file"};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(sw_completed_open(path[k], &report, &completed), SW_E_IO);
        snprintf(expect, sizeof expect, "%s %s", path[k], what[k]);
        assert_string_equal(sw_err_message(), expect);
        assert_null(completed);
    }
    struct sw_run_table *t;
    assert_int_equal(sw_run_table_read(path_of("missing.h5"), &t), SW_E_IO);
    assert_contains(sw_err_message(), "missing.h5: there is no such file, and no parts of it");
    assert_ok(sw_completed_open(path_of("missing.h5"), &report, &completed));
    assert_true(!completed->has_file && !completed->has_parts && completed->count == 0 && !completed->config_text);
    sw_completed_close(&completed);
}

static void a_truncated_result_is_called_damaged(void **state)
{
    struct fixture f;
    struct sw_run_table *t;
    const char *file = path_of("cut.h5");
    (void)state;
    set_up(&f, TEN);
    write_all(&f, file, 10, SW_RUN_DONE);
    merge_into(&f, file);
    for (int size = 20000; size > 8; size = size * 2 / 3) {
        assert_int_equal(truncate(file, size), 0);
        assert_int_equal(sw_run_table_read(file, &t), SW_E_IO);
        assert_contains(sw_err_message(), "cut.h5 is a damaged HDF5 file");
    }
    tear_down(&f);
}

static void lines_without_points_are_called_damage(void **state)
{
    struct fixture f;
    const char *file = path_of("points.h5");
    struct sw_run_table *t;
    (void)state;
    set_up(&f, TEN);
    write_all(&f, file, 10, SW_RUN_DONE);
    merge_into(&f, file);
    for (int64_t n = 0; n > -2; n--) {
        hid_t h = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), points = H5Aopen(h, "points", H5P_DEFAULT);
        assert_true(H5Awrite(points, H5T_NATIVE_INT64, &n) >= 0);
        H5Aclose(points);
        H5Fclose(h);
        assert_int_equal(sw_run_table_read(file, &t), SW_E_IO);
        assert_contains(sw_err_message(), n ? "points.h5: says points = -1 at '/'"
                                            : "points.h5: holds lines of less than one point");
    }
    tear_down(&f);
}

/* points_along is an attribute that only files of two and three dimensions have. */
static void boxes_that_do_not_agree_are_called_damage(void **state)
{
    static const struct { hsize_t count; int64_t n[4]; const char *why; } wrong[] = {
        {2, {4, 3}, "does not agree with itself on its points"},
        {2, {0, 16}, "holds lines of less than one point"},
        {3, {-4, -4, 1}, "holds lines of less than one point"},
        {4, {16, 1, 1, 1}, "attribute points_along of / is not the list of numbers it should be"},
    };
    struct fixture f;
    const char *file = path_of("box.h5");
    struct sw_run_table *t;
    (void)state;
    set_up(&f, TEN);
    write_all(&f, file, 10, SW_RUN_DONE);
    merge_into(&f, file);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        hid_t h = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &wrong[k].count, NULL);
        if (k) H5Adelete(h, "points_along");
        hid_t along = H5Acreate2(h, "points_along", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Awrite(along, H5T_NATIVE_INT64, wrong[k].n) >= 0);
        H5Aclose(along);
        H5Sclose(space);
        H5Fclose(h);
        assert_int_equal(sw_run_table_read(file, &t), SW_E_IO);
        assert_contains(sw_err_message(), wrong[k].why);
    }
    tear_down(&f);
}

/* Attributes and lists by another hand: a number that is a list would be read past its place, a list of two dimensions
 * by a place of one, and one that is longer than the file asks for more memory than there is. */
static void what_is_no_number_or_list_is_called_damage(void **state)
{
    enum { LONG = 1000 };
    static const int64_t many[LONG];
    static const hsize_t size[4][2] = {{LONG}, {1}, {10, 1}, {(hsize_t)1 << 42}}, chunk[1] = {1024};
    struct fixture f;
    const char *file = path_of("hand.h5");
    struct sw_run_table *t;
    (void)state;
    set_up(&f, TEN);
    for (int k = 0; k < 4; k++) {
        const char *why[] = {"attribute points of / is not the number it should be",
                             "attribute points of / is not the number it should be",
                             "dataset /run_id is not the list of 10 texts it should be",
                             "dataset /run is not the list it should be"};
        write_all(&f, file, 10, SW_RUN_DONE);
        merge_into(&f, file);
        hid_t h = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
        hid_t space = H5Screate_simple(k == 2 ? 2 : 1, size[k], NULL), chunked = H5Pcreate(H5P_DATASET_CREATE);
        H5Tset_size(text, H5T_VARIABLE);
        H5Pset_chunk(chunked, 1, chunk);
        if (k < 2) {
            H5Adelete(h, "points");
            hid_t type = k ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
            hid_t points = H5Acreate2(h, "points", type, space, H5P_DEFAULT, H5P_DEFAULT);
            assert_true(H5Awrite(points, H5T_NATIVE_INT64, many) >= 0);
            H5Aclose(points);
        } else {
            const char *name = k == 2 ? "run_id" : "run";
            H5Ldelete(h, name, H5P_DEFAULT);
            H5Dclose(H5Dcreate2(h, name, k == 2 ? text : H5T_NATIVE_INT64, space, H5P_DEFAULT,
                                k == 2 ? H5P_DEFAULT : chunked, H5P_DEFAULT));
        }
        H5Sclose(space);
        H5Tclose(text);
        H5Pclose(chunked);
        H5Fclose(h);
        assert_int_equal(sw_run_table_read(file, &t), SW_E_IO);
        assert_contains(sw_err_message(), why[k]);
        assert_int_equal(unlink(file), 0);
    }
    tear_down(&f);
}

/* A chunk holds whole lines and planes as far as they go, and stays below 4 GiB (2^26 doubles are 512 MiB). */
static void chunks_of_large_boxes_are_cut_between_planes_or_lines(void **state)
{
    static const struct { int dim; int64_t n[3]; hsize_t chunk[5]; } known[] = {
        {1, {1 << 27, 1, 1}, {1, 3, 1 << 26}},
        {2, {64, 32, 1}, {1, 3, 32, 64}},
        {2, {1 << 14, 1 << 14, 1}, {1, 3, 1 << 12, 1 << 14}},
        {3, {64, 32, 16}, {1, 3, 16, 32, 64}},
        {3, {1000, 1000, 1000}, {1, 3, 67, 1000, 1000}},
        {3, {1 << 14, 1 << 13, 4}, {1, 3, 1, 1 << 12, 1 << 14}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const struct sw_data_group s = {.dim = known[k].dim, .n = {known[k].n[0], known[k].n[1], known[k].n[2]}};
        hsize_t chunk[SW_H5_RANK];
        assert_int_equal(sw_var_chunk(&s, SW_VAR_FIELD, 1, 3, chunk), 2 + known[k].dim);
        for (int d = 0; d < 2 + known[k].dim; d++) assert_int_equal(chunk[d], known[k].chunk[d]);
    }
}

static void shards_are_joined(void **state)
{
    struct fixture f;
    const char *a = path_of("a.h5"), *b = path_of("b.h5"), *all = path_of("all.h5");
    (void)state;
    set_up(&f, TEN);
    for (int k = 0; k < 10; k++) write_part(&f, k % 2 ? b : a, &(struct stretch){0, k, 1, -1, 20, SW_RUN_DONE, false});
    struct sw_merge_options partly = {.sweep = f.sweep, .id = f.id, .allow_missing = true}, alone = {0};
    assert_ok(sw_merge_parts(a, &partly, &provenance));
    assert_ok(sw_merge_parts(b, &partly, &provenance));
    const char *const one[] = {a}, *const both[] = {a, b};
    assert_int_equal(sw_merge(one, 1, all, &alone, NULL), SW_E_REFUSED);
    assert_contains(sw_err_message(), "all.h5 would lack 5 of 10 runs: 1, 3, 5, 7, 9");
    assert_ok(sw_merge(both, 2, all, &alone, NULL));
    check_section(&f, all, &f.group[0], "");
    check_ids(&f, all);
    assert_int_equal(sw_merge(both, 2, all, &alone, NULL), SW_E_REFUSED);
    assert_contains(sw_err_message(), "all.h5 is there and is not among the files to merge");
    const char *const itself[] = {all, b};
    assert_ok(sw_merge(itself, 2, all, &alone, NULL));
    check_section(&f, all, &f.group[0], "");
    struct sw_run_table *t;
    assert_ok(sw_run_table_read(all, &t));
    assert_string_equal(t->history, "2023-11-14T22:13:20Z sweep run test.cfg");  /* one call: one line */
    assert_string_equal(t->solver, "cpu.plain");
    sw_run_table_free(&t);
    tear_down(&f);
}

static void shards_of_other_sweeps_are_refused(void **state)
{
    struct fixture f, g;
    const char *a = path_of("one_sweep.h5"), *b = path_of("other_sweep.h5");
    (void)state;
    set_up(&f, PLAIN "sweep = { g = [1.0, 2.0]; };");
    set_up(&g, PLAIN "sweep = { g = [3.0, 4.0]; };");
    write_all(&f, a, 2, SW_RUN_DONE);
    write_all(&g, b, 2, SW_RUN_DONE);
    merge_into(&f, a);
    merge_into(&g, b);
    const char *const both[] = {a, b};
    assert_int_equal(sw_merge(both, 2, path_of("neither.h5"), &(struct sw_merge_options){0}, NULL), SW_E_REFUSED);
    assert_contains(sw_err_message(), "are of different sweeps");
    assert_contains(sw_err_message(), f.sweep->id);
    tear_down(&f);
    tear_down(&g);
}

static void a_newer_result_counts_but_an_unfinished_one_does_not(void **state)
{
    struct fixture f;
    struct sw_completed *completed;
    struct sw_report report = {0};
    const char *file = path_of("retry.h5");
    (void)state;
    set_up(&f, TEN);
    write_all(&f, file, 10, SW_RUN_DONE);
    write_part(&f, file, &(struct stretch){0, 3, 2, -1, 9, SW_RUN_DIVERGED, false});
    merge_into(&f, file);
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_int_equal(completed->count, 10);
    assert_int_equal(sw_completed_status(completed, f.id[3]), SW_RUN_DIVERGED);
    assert_int_equal(sw_completed_status(completed, f.id[5]), SW_RUN_DONE);
    sw_completed_close(&completed);
    write_part(&f, file, &(struct stretch){0, 3, 2, -1, 7, SW_RUN_PENDING, true});
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_int_equal(sw_completed_status(completed, f.id[3]), SW_RUN_DIVERGED);
    assert_int_equal(completed->ncheckpoint, 1);
    sw_completed_close(&completed);
    struct sw_run_table *t;
    assert_ok(sw_run_table_read(file, &t));
    assert_int_equal(sw_run_table_row(t, 3).status, SW_RUN_DIVERGED);
    assert_string_equal(t->message[3], "not finite at t = 4.5");
    assert_string_equal(t->message[2], "");
    sw_run_table_free(&t);
    write_part(&f, file, &(struct stretch){0, 3, 2, 7, 20, SW_RUN_DONE, false});
    merge_into(&f, file);
    check_section(&f, file, &f.group[0], "");
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_int_equal(sw_completed_status(completed, f.id[3]), SW_RUN_DONE);
    sw_completed_close(&completed);
    tear_down(&f);
}

static void the_table_of_a_running_sweep_includes_its_parts(void **state)
{
    struct fixture f;
    struct sw_run_table *t;
    const char *file = path_of("running.h5");
    (void)state;
    set_up(&f, TEN);
    write_part(&f, file, &(struct stretch){0, 0, 4, -1, 20, SW_RUN_DONE, false});
    write_part(&f, file, &(struct stretch){0, 4, 3, -1, 12, SW_RUN_PENDING, true});
    assert_ok(sw_run_table_read(file, &t));
    assert_int_equal(t->nruns, 7);
    assert_int_equal(t->sweep_runs, 10);
    assert_int_equal(sw_run_table_row(t, 4).status, SW_RUN_PENDING);
    assert_true(sw_run_table_row(t, 4).t_reached == 6.0 && t->param[6] == 7.0);
    assert_string_equal(t->config_text, f.config->text);
    sw_run_table_free(&t);
    tear_down(&f);
}

static void a_second_process_is_refused_by_name(void **state)
{
    struct sw_output_lock *lock;
    const char *file = path_of("sub/folder/locked.h5");
    char tmp[400], expect[80];
    int status;
    (void)state;
    assert_ok(sw_output_lock(file, &lock));
    snprintf(tmp, sizeof tmp, "%s.d/part-000007.h5.tmp", file);
    put_file(tmp, "half");
    fflush(NULL);
    snprintf(expect, sizeof expect, "is being written by process %ld on ", (long)getpid());
    pid_t child = fork();
    if (child == 0) {
        struct sw_output_lock *second;
        _exit(sw_output_lock(file, &second) == SW_E_REFUSED && strstr(sw_err_message(), expect) ? 0 : 1);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(access(tmp, F_OK), 0);  /* the refused one touched nothing */
    sw_output_unlock(&lock);
    assert_ok(sw_output_lock(file, &lock));
    assert_int_equal(access(tmp, F_OK), -1);  /* ours now, and nobody alive writes it */
    sw_output_unlock(&lock);
    snprintf(tmp, sizeof tmp, "%s.d", file);
    assert_int_equal(access(tmp, F_OK), -1);
}

static void a_lock_that_leads_nowhere_is_refused(void **state)
{
    struct sw_output_lock *lock;
    const char *file = path_of("nowhere.h5");
    char path[400];
    (void)state;
    snprintf(path, sizeof path, "%s.d", file);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s.d/lock", file);
    assert_int_equal(symlink("/there/is/no/such/folder", path), 0);
    assert_int_equal(sw_output_lock(file, &lock), SW_E_REFUSED);
    assert_contains(sw_err_message(), "nowhere.h5.d/lock is a link, a device or a pipe, and was not made by sweep");
    assert_int_equal(unlink(path), 0);
    assert_ok(sw_output_lock(file, &lock));
    sw_output_unlock(&lock);
}

/* In a process of its own; it lives until `end` is closed. */
static pid_t join_in_child(const char *file, int end)
{
    struct sw_output_lock *lock;
    char byte;
    fflush(NULL);
    pid_t child = fork();
    if (child) return child;
    if (sw_output_lock_join(file, &lock)) _exit(1);
    if (write(end, "j", 1) != 1 || read(end, &byte, 1) != 1) _exit(2);
    sw_output_unlock(&lock);
    _exit(0);
}

static void those_that_share_hold_it_to_the_last(void **state)
{
    struct sw_output_lock *lock, *other;
    const char *file = path_of("shared.h5");
    char folder[400], byte;
    int pair[2], status;
    (void)state;
    assert_ok(sw_output_lock(file, &lock));
    assert_int_equal(sw_output_lock_join(file, &other), SW_E_REFUSED);  /* for himself */
    assert_ok(sw_output_lock_share(lock));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    pid_t child = join_in_child(file, pair[1]);
    assert_int_equal(read(pair[0], &byte, 1), 1);
    assert_int_equal(sw_output_lock(file, &other), SW_E_REFUSED);
    assert_non_null(strstr(sw_err_message(), ", or another rank of its job; wait for it"));
    sw_output_unlock(&lock);
    assert_int_equal(sw_output_lock(file, &other), SW_E_REFUSED);  /* the child has outlived the first */
    assert_int_equal(write(pair[0], "e", 1), 1);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    snprintf(folder, sizeof folder, "%s.d", file);
    assert_int_equal(access(folder, F_OK), -1);
    assert_ok(sw_output_lock(file, &lock));
    sw_output_unlock(&lock);
    close(pair[0]);
    close(pair[1]);
}

static void a_dead_holder_holds_nothing(void **state)
{
    struct sw_output_lock *lock;
    const char *file = path_of("dead.h5");
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (sw_output_lock(file, &lock)) _exit(1);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
    assert_ok(sw_output_lock(file, &lock));
    sw_output_unlock(&lock);
}

static void removing_takes_file_and_parts(void **state)
{
    struct fixture f;
    struct sw_completed *completed;
    struct sw_report report = {0};
    const char *file = path_of("removed.h5");
    (void)state;
    set_up(&f, TEN);
    write_all(&f, file, 10, SW_RUN_DONE);
    merge_into(&f, file);
    write_all(&f, file, 5, SW_RUN_DONE);
    assert_ok(sw_output_remove(file));
    assert_ok(sw_completed_open(file, &report, &completed));
    assert_true(!completed->has_file && !completed->has_parts);
    sw_completed_close(&completed);
    assert_ok(sw_output_remove(file));
    tear_down(&f);
}

static void a_folder_that_cannot_be_written_is_named(void **state)
{
    struct fixture f;
    struct sw_part *part;
    char file[400];
    (void)state;
    set_up(&f, TEN);
    snprintf(file, sizeof file, "%s", path_of("plain_file"));
    put_file(file, "");
    strcat(file, "/x.h5");
    struct sw_part_desc d = {.sweep = f.sweep, .group = f.group, .run = f.group->run, .id = f.id, .count = 1};
    assert_int_equal(sw_part_create(file, &d, &provenance, &part), SW_E_IO);
    assert_null(part);
    assert_contains(sw_err_message(), "plain_file: ");
    tear_down(&f);
}

/* A file size limit stands in for a full disk: writing fails at any place in the file. Returns whether the part came to
 * be. */
static bool write_within(const struct fixture *f, const char *file, rlim_t limit)
{
    struct rlimit old, small;
    struct stretch s = {0, 0, 10, -1, 20, SW_RUN_DONE, false};
    struct sw_part_desc d;
    struct sw_part *part = NULL;
    uint64_t id[10];
    double field[80] = {0}, scalars[64] = {0};
    struct sw_run_result result[10] = {{.row = {0}}};
    describe(f, &s, &d, id);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &small);
    enum sw_status st = sw_part_create(file, &d, &provenance, &part);
    for (int k = 0; k < f->group->nfield && !st; k++) st = sw_part_add_field(part, field);
    for (int k = 0; k < f->group->nscalar && !st; k++) st = sw_part_add_scalars(part, scalars, NULL);
    if (!st) st = sw_part_commit(&part, result, NULL);
    else sw_part_abandon(&part);
    setrlimit(RLIMIT_FSIZE, &old);
    if (!st) return true;
    assert_int_equal(st, SW_E_IO);
    assert_contains(sw_err_message(), "full.h5.d/part-000001.h5.tmp: File too large");
    return false;
}

static void a_part_that_does_not_fit_leaves_nothing(void **state)
{
    struct fixture f;
    const char *file = path_of("full.h5");
    int failures = 0;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    set_up(&f, TEN);
    for (rlim_t limit = 64; !write_within(&f, file, limit); limit = limit * 5 / 4) {
        char tmp[400];
        snprintf(tmp, sizeof tmp, "%s.d/part-000001.h5.tmp", file);
        assert_int_equal(access(tmp, F_OK), -1);
        assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE), 0);
        failures++;
    }
    assert_true(failures > 10);
    tear_down(&f);
}

static void a_merge_that_does_not_fit_changes_nothing(void **state)
{
    struct fixture f;
    struct rlimit old, small;
    const char *file = path_of("full_merge.h5"), *left = path_of("full_merge.h5.d/.sweep-*");
    int failures = 0;
    glob_t found;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    set_up(&f, TEN);
    write_part(&f, file, &(struct stretch){0, 0, 9, -1, 20, SW_RUN_DONE, false});
    struct sw_merge_options how = {.sweep = f.sweep, .id = f.id, .allow_missing = true};
    assert_ok(sw_merge_parts(file, &how, &provenance));
    write_part(&f, file, &(struct stretch){0, 9, 1, -1, 20, SW_RUN_DONE, false});
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    enum sw_status st = SW_E_IO;
    for (small.rlim_cur = 64; st; small.rlim_cur = small.rlim_cur * 5 / 4) {
        struct sw_run_table *t;
        setrlimit(RLIMIT_FSIZE, &small);
        st = sw_merge_parts(file, &how, &provenance);
        setrlimit(RLIMIT_FSIZE, &old);
        if (!st) break;
        assert_int_equal(st, SW_E_IO);
        assert_contains(sw_err_message(), "full_merge.h5.d/.sweep-");
        assert_contains(sw_err_message(), ": File too large");
        assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE), 0);
        assert_int_equal(glob(left, 0, NULL, &found), GLOB_NOMATCH);
        assert_int_equal(count_parts(file), 1);
        if (failures++ == 5) {
            assert_ok(sw_run_table_read(file, &t));
            assert_int_equal(t->nruns, 10);
            sw_run_table_free(&t);
        }
    }
    assert_true(failures > 10);
    check_section(&f, file, &f.group[0], "");
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_back_whatever_their_size),
        cmocka_unit_test(a_part_that_is_all_of_the_result_becomes_the_file),
        cmocka_unit_test(results_that_are_gone_are_named_and_nothing_is_merged),
        cmocka_unit_test(a_part_of_an_earlier_call_or_sweep_does_not_become_the_file),
        cmocka_unit_test(a_part_that_cannot_be_renamed_stays),
        cmocka_unit_test(little_is_left_free_in_chunks),
        cmocka_unit_test(single_precision_is_stored_as_such),
        cmocka_unit_test(scales_hold_times_and_points),
        cmocka_unit_test(a_chain_is_joined_along_time),
        cmocka_unit_test(the_advice_about_a_state_of_no_use_can_be_followed),
        cmocka_unit_test(an_unfinished_batch_keeps_its_parts),
        cmocka_unit_test(a_lengthened_axis_moves_rows),
        cmocka_unit_test(a_swept_n_gives_each_n_its_group),
        cmocka_unit_test(one_n_that_becomes_two_moves_to_its_group),
        cmocka_unit_test(times_that_differ_are_stored_per_run),
        cmocka_unit_test(words_are_stored_as_words),
        cmocka_unit_test(histories_are_as_wide_as_the_longest),
        cmocka_unit_test(nothing_saved_means_no_arrays),
        cmocka_unit_test(runs_that_end_before_their_first_output_are_results),
        cmocka_unit_test(a_file_lists_all_the_devices_it_comes_from),
        cmocka_unit_test(one_run_without_parameters_is_a_file_too),
        cmocka_unit_test(long_series_of_few_runs_fill_blocks),
        cmocka_unit_test(a_run_larger_than_a_block_is_joined_piece_by_piece),
        cmocka_unit_test(a_time_larger_than_a_block_is_written_in_chunks),
        cmocka_unit_test(a_damaged_part_is_named_and_passed_over),
        cmocka_unit_test(a_part_whose_beginning_is_lost_does_not_count),
        cmocka_unit_test(what_is_not_ours_is_called_what_it_is),
        cmocka_unit_test(a_truncated_result_is_called_damaged),
        cmocka_unit_test(lines_without_points_are_called_damage),
        cmocka_unit_test(what_is_no_number_or_list_is_called_damage),
        cmocka_unit_test(boxes_that_do_not_agree_are_called_damage),
        cmocka_unit_test(chunks_of_large_boxes_are_cut_between_planes_or_lines),
        cmocka_unit_test(shards_are_joined),
        cmocka_unit_test(shards_of_other_sweeps_are_refused),
        cmocka_unit_test(a_newer_result_counts_but_an_unfinished_one_does_not),
        cmocka_unit_test(the_table_of_a_running_sweep_includes_its_parts),
        cmocka_unit_test(a_second_process_is_refused_by_name),
        cmocka_unit_test(a_lock_that_leads_nowhere_is_refused),
        cmocka_unit_test(those_that_share_hold_it_to_the_last),
        cmocka_unit_test(a_dead_holder_holds_nothing),
        cmocka_unit_test(removing_takes_file_and_parts),
        cmocka_unit_test(a_folder_that_cannot_be_written_is_named),
        cmocka_unit_test(a_part_that_does_not_fit_leaves_nothing),
        cmocka_unit_test(a_merge_that_does_not_fit_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
