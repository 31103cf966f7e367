#include "sweep/sw_keys.h"

#include <stddef.h>
#include <string.h>

/* The keys every problem has. What one problem adds is in its own file under src/problem/. A number key that decides is
 * a column of the run table and may differ from run to run; the other numbers here have one value for the whole sweep,
 * except output.scalars.every, which is computed for each run like the output times. */
const struct sw_key sw_common_keys[] = {
    {.path = "title", .kind = SW_KEY_TEXT, .fallback = "",
     .about = "A line that says what the sweep is about; it goes into the output file and onto the plots."},
    {.path = "problem", .kind = SW_KEY_TEXT, .decides = true,
     .about = "The kind of problem to solve, one of those that `sweep list` shows."},
    {.path = "stepper", .former = "solver", .kind = SW_KEY_ROW, .fallback = "auto", .decides = true,
     .about = "The stepper that does the work, as `sweep list` names it, \"cpu.plain\", or with its band solver, "
              "\"cpu.plain+cpu.lapack\"; \"auto\" takes the best that fits, \"$axis\" the word of an axis. Problems "
              "without a stepper have another key in its place: `differences`, or `solver`."},

    {.path = "grid.n", .kind = SW_KEY_COUNT, .unit = "points", .min = 1, .max = 1e9, .decides = true, .visible = true,
     .about = "Number of grid points; on a periodic domain of length L they are L/n apart."},
    {.path = "grid.length", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true, .decides = true,
     .visible = true, .about = "Length of the domain."},
    {.path = "grid.x0", .kind = SW_KEY_REAL, .unit = "1", .fallback = "0", .decides = true,
     .about = "Coordinate of the first grid point."},
    {.path = "grid.dim", .kind = SW_KEY_COUNT, .unit = "1", .min = 1, .max = 3, .fallback = "1", .decides = true,
     .about = "Number of space dimensions."},

    {.path = "time.dt", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true, .decides = true,
     .visible = true, .about = "Time step; time.end must be a whole number of steps. Left out: each run takes steps "
                                "of its own, with a time.tolerance of 1e-4. With time.tolerance the first one."},
    {.path = "time.end", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true, .decides = true,
     .visible = true, .about = "Time at which a run ends; it starts at 0."},

    {.path = "stop.steady", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1, .above = true,
     .with = "stop.steady", .fallback = "", .decides = true,
     .about = "A run ends early when no value has changed by more than so much of the largest |u|, per unit of time, "
              "from one look to the next, and in the step after it."},
    {.path = "stop.when", .kind = SW_KEY_TEXT, .fallback = "",
     .about = "A run ends early when this holds: an expression over mean, min, max, integral and crossings of fields, "
              "\"max(abs(u)) > 10\"."},
    {.path = "stop.every", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true, .fallback = "",
     .about = "Time between two looks at whether a run is to end early; left out: that of output.scalars.every."},

    {.path = "sweep", .kind = SW_KEY_NAMES, .fallback = "",
     .about = "The axes of the sweep: each member is a parameter with its values, a list or \"linspace(a, b, k)\", "
              "\"logspace(a, b, k)\", \"range(a, b, step)\", a list of these and numbers, or in random "
              "mode \"uniform(a, b)\", \"loguniform(a, b)\", \"integer(a, b)\", \"normal(mean, deviation)\", "
              "\"lognormal(mean, deviation)\"."},
    {.path = "sweep.mode", .kind = SW_KEY_WORD, .words = "product|zip|random|table", .fallback = "product",
     .about = "How the axes are combined: every value with every other, value by value, points drawn at random, or "
              "rows of a table, each point or row with every value of the axes that are lists."},
    {.path = "sweep.file", .kind = SW_KEY_TEXT, .fallback = "",
     .about = "The file of mode \"table\": CSV, its first line the names of the columns, each of which is an axis, and "
              "each further line a point of all of them, or HDF5, with a dataset for each; \"-\": standard input. The "
              "output file keeps what was read."},
    {.path = "sweep.where", .kind = SW_KEY_TEXT, .fallback = "",
     .about = "Which points of the axes are runs, \"a < 2*b\": those where this expression over axes, defines and "
              "numbers of the run holds; by default all."},
    {.path = "table.columns", .kind = SW_KEY_TEXT, .fallback = "",
     .about = "The columns of the table that are axes, \"a, b\"; by default all."},
    {.path = "table.dataset", .kind = SW_KEY_TEXT, .fallback = "/",
     .about = "Of a table in an HDF5 file the group whose datasets are the columns, or the dataset of compounds whose "
              "members are; of results of a sweep its axes are."},
    {.path = "table.rows", .kind = SW_KEY_TEXT, .fallback = "",
     .about = "The table as a text, \"a,b\\n1,2\\n\", in place of sweep.file."},
    {.path = "sample.method", .kind = SW_KEY_WORD, .words = "lhs|sobol|random", .fallback = "lhs",
     .about = "How random mode fills the intervals: Latin hypercube, Sobol sequence, or independent draws."},
    {.path = "sample.count", .kind = SW_KEY_COUNT, .unit = "points", .min = 1, .max = 1e7, .fallback = "",
     .about = "Number of points in random mode; each is a run, or one for each combination of the axes that are "
              "lists."},
    {.path = "sample.seed", .kind = SW_KEY_COUNT, .unit = "1", .min = 0, .max = 9007199254740992.0, .fallback = "1",
     .about = "Which random sample is drawn; the same seed gives the same runs, and Sobol with seed 0 is the plain "
              "sequence."},
    {.path = "refine.of", .kind = SW_KEY_TEXT, .fallback = "",
     .about = "What decides where cells between the values of axes are split: a scalar as it is at the end of a run, "
              "or a column of the run table, \"energy\"."},
    {.path = "refine.over", .kind = SW_KEY_LIST, .fallback = "",
     .about = "The axes, one to three, between whose values cells are split, [\"a\", \"b\"]; at each point of the "
              "other axes by the results there alone."},
    {.path = "refine.where", .kind = SW_KEY_WORD, .words = "jump|gradient|between", .fallback = "jump",
     .about = "Which cells are split, round after round: those on which values differ by more than refine.by, by more "
              "than that share of the range of all values so far, or that have some below refine.at and some not."},
    {.path = "refine.by", .kind = SW_KEY_REAL, .min = 0, .max = 1e300, .fallback = "",
     .about = "Of refine.where = \"jump\" the difference that splits no cell yet, by default 0; of \"gradient\" the "
              "share of the range, by default 0.1."},
    {.path = "refine.at", .kind = SW_KEY_REAL, .fallback = "",
     .about = "Of refine.where = \"between\" the value whose place is sought."},
    {.path = "refine.levels", .kind = SW_KEY_COUNT, .min = 1, .max = 12, .fallback = "3",
     .about = "How many times a cell may be halved: the finest cells are 2^levels times finer than those between the "
              "values of the axes."},
    {.path = "reuse", .kind = SW_KEY_TEXT, .fallback = "",
     .about = "A file of results from which runs are taken over instead of being computed: those in which all that "
              "decides their numbers is the same."},
    {.path = "define", .kind = SW_KEY_NAMES, .fallback = "",
     .about = "Names of your own: each member is a number or an expression over the parameters of a run, computed once "
              "a run."},

    {.path = "output.file", .kind = SW_KEY_TEXT, .fallback = "",
     .about = "The HDF5 file to write; by default results/NAME.h5 for a config called NAME.cfg."},
    {.path = "output.fields.times", .kind = SW_KEY_TIMES, .unit = "1", .fallback = "",
     .about = "Times at which the fields are saved, each rounded to the nearest step; without it no fields are saved."},
    {.path = "output.fields.precision", .kind = SW_KEY_WORD, .words = "double|single", .fallback = "double",
     .about = "Precision in which the fields are stored; single halves the file."},
    {.path = "output.fields.keep", .kind = SW_KEY_SWITCH, .fallback = "true",
     .about = "Whether fields stay in a file that has all runs of the sweep; false: it keeps their statistics alone."},
    {.path = "output.xdmf", .kind = SW_KEY_SWITCH, .fallback = "false",
     .about = "Write NAME.xdmf beside NAME.h5 when the sweep is done, through which ParaView opens the fields as time "
              "series, one a run; `sweep xdmf` writes it later."},
    {.path = "output.scalars.every", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .above = true,
     .fallback = "", .about = "Time between entries of the scalar series (mass, energy, ...), from 0 to the end."},
    {.path = "output.scalars.times", .kind = SW_KEY_TIMES, .unit = "1", .fallback = "",
     .about = "Times of the scalar series, in place of output.scalars.every; without both no series is saved."},
    {.path = "output.scalars.keep", .kind = SW_KEY_SWITCH, .fallback = "true",
     .about = "Whether the series stay in a file that has all runs of the sweep; false: it keeps their statistics "
              "alone."},
    {.path = "output.scalars.define", .kind = SW_KEY_NAMES, .fallback = "",
     .about = "Scalars of your own, beside the built-in ones: each member is a name and an expression over mean, min, "
              "max, integral and crossings of fields, \"sqrt(mean(u^2) - mean(u)^2)\"."},

    {.path = "output.state", .kind = SW_KEY_SWITCH, .fallback = "false",
     .about = "Keep the state in which each run ends, in double precision: 8 bytes a point. With it a finished sweep "
              "can be lengthened: `sweep run` with a larger time.end computes only what is new."},

    {.path = "statistics.over", .kind = SW_KEY_LIST, .fallback = "",
     .about = "The axes over which statistics are formed, [\"seed\"]: the group `statistics` of the file has one "
              "number for each point of the other axes."},
    {.path = "statistics.of", .kind = SW_KEY_LIST, .fallback = "",
     .about = "What statistics are formed of: names of scalars, fields and columns of the run table, and power spectra "
              "of periodic fields, [\"energy\", \"u\", \"spectrum(u)\", \"t_reached\"]."},
    {.path = "statistics.what", .kind = SW_KEY_LIST, .words = "mean|sem|var|min|max|quantiles", .fallback = "",
     .about = "Which statistics: sem is the standard error of the mean, var the variance; left out: mean and sem. Runs "
              "that diverged or failed are counted, and left out."},
    {.path = "statistics.quantiles", .kind = SW_KEY_LIST, .fallback = "",
     .about = "Which quantiles, from 0 to 1 and ascending; left out: 0.05, 0.25, 0.5, 0.75, 0.95."},
    {.path = "statistics.times", .kind = SW_KEY_LIST, .fallback = "",
     .about = "Some of the times at which fields are saved, (5.0, \"end\"): statistics of fields are of these alone; "
              "left out: of all."},

    {.path = "output.history", .kind = SW_KEY_SWITCH, .fallback = "false",
     .about = "Of a problem that iterates (elliptic): save the residual that a run reports after each iteration, up to "
              "1024 of them, as residual_history."},

    {.path = "accuracy.runs", .kind = SW_KEY_COUNT, .unit = "runs", .min = 0, .max = 1e7, .fallback = "",
     .about = "Of so many runs, spread over the sweep, estimate the error: each is computed again with half the step, "
              "and with twice the points, and the run table has what that says of its error (error_time, "
              "error_space). Without it a few runs are computed again with half the step alone, at a twentieth of the "
              "cost of the sweep, or less than a second; 0: none."},

    {.path = "run.device", .kind = SW_KEY_TEXT, .fallback = "auto",
     .about = "Where to compute: \"auto\" (the GPUs, or the CPU where there is none or a short trial finds that it "
              "ends before a GPU would begin), \"cpu\", \"cuda\" (all visible GPUs of the model of the first), "
              "\"cuda:1\" or \"cuda:0,2\" (these); \"cpu:0,1\" is the CPU in two groups of threads. Several devices "
              "share the batches, or the slices of large runs of `tridiagonal`, and no more of them are opened than "
              "there is work for; no result depends on it."},
    {.path = "run.precision", .kind = SW_KEY_WORD, .words = "double|single", .fallback = "double", .decides = true,
     .about = "Precision of the time stepping, and of elliptic problems; single is faster where a solver of `sweep "
              "list` has it, and refused for runs that it would spoil (docs/explanation/recursive_form.md, "
              "elliptic.md)."},
    {.path = "run.split", .kind = SW_KEY_WORD, .words = "auto|runs|grid|pencils", .fallback = "auto",
     .about = "How the processes that mpirun has started, or several devices, share the work: \"runs\", each computes "
              "runs of its own; \"grid\", the grid of each run is cut over all of them, into slabs along its last axis "
              "(docs/howto/mpi.md), or where these get thin in three dimensions, along y and z; \"pencils\", always "
              "along y and z; \"auto\" cuts grids where a run does not fit one device, or there are fewer runs than "
              "devices and the runs are large. Of compact, advection and elliptic."},
    {.path = "run.ranks_per_run", .kind = SW_KEY_COUNT, .min = 0, .max = 4096, .fallback = "0",
     .about = "How many processes, or devices of one process, cut the grid of a run among them: those of the job form "
              "groups of so many, and each group takes runs as it becomes free. It divides the number of all. Not "
              "given: with run.split = \"grid\" all cut each run; with \"auto\" the smallest groups that end soonest "
              "(docs/howto/mpi.md)."},
    {.path = "run.checkpoint", .kind = SW_KEY_REAL, .unit = "min", .min = 0, .max = 1e6, .fallback = "10",
     .about = "Minutes between checkpoints of the batch under way; 0 for none. Not given: as often as costs 1 % of the "
              "time, which is measured, between 30 s and 10 minutes, with at most 32 MiB of states in 10 minutes, or "
              "one checkpoint."},
    {.path = "run.memory", .kind = SW_KEY_REAL, .unit = "GiB", .min = 0, .max = 1e9, .fallback = "0",
     .about = "Most memory that a batch may take on its device, and on the host, each; 0 for what is free. With less "
              "memory batches are smaller, and runs of `tridiagonal` that do not fit are solved slice by slice."},
    {.path = "run.batch", .kind = SW_KEY_COUNT, .unit = "runs", .min = 0, .max = 1e9, .fallback = "0",
     .about = "Most runs advanced together; 0 lets the memory of the device decide."},
    {0},
};

bool sw_key_needs_time(const char *path)
{
    static const char *const of_time[] = {"time", "output.fields.times", "output.scalars", "output.state", "accuracy",
                                          "stop", "noise", "statistics.times"};
    for (size_t k = 0; k < sizeof of_time / sizeof *of_time; k++) {
        const size_t length = strlen(of_time[k]);
        if (!strncmp(path, of_time[k], length) && (!path[length] || path[length] == '.')) return true;
    }
    return false;
}

/* A problem without time has neither time.dt and time.end nor output times: its fields are saved or not. One without
 * iterations has no history of them. Points that are numbered, or that the problem itself places, have no length. */
static bool applies(const struct sw_problem *problem, const struct sw_key *key)
{
    if (problem && !problem->time && sw_key_needs_time(key->path)) return false;
    if (problem && !(problem->measures & SW_ITERATES) && !strcmp(key->path, "output.history")) return false;
    if (problem && (problem->shape->numbered || problem->shape->place) && !strncmp(key->path, "grid.", 5))
        return !strcmp(key->path, "grid.n");
    return true;
}

/* A problem's own row takes the place of the common one with the same id name: "grid.n", or "solver". */
static const struct sw_key *find_id_name(const struct sw_key *key, const char *name)
{
    while (key->path && strcmp(sw_key_id_name(key), name)) key++;
    return key->path ? key : NULL;
}

const char *sw_key_last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

const char *sw_key_id_name(const struct sw_key *key) { return key->former ? key->former : key->path; }

int sw_keys_list(const struct sw_problem *problem, const struct sw_key *list[SW_MAX_KEYS])
{
    int n = 0;
    for (const struct sw_key *key = sw_common_keys; key->path; key++) {
        const struct sw_key *own = problem ? find_id_name(problem->keys, sw_key_id_name(key)) : NULL;
        if (own || applies(problem, key)) list[n++] = own ? own : key;
    }
    for (const struct sw_key *key = problem ? problem->keys : NULL; key && key->path && n < SW_MAX_KEYS; key++)
        if (!find_id_name(sw_common_keys, sw_key_id_name(key))) list[n++] = key;
    return n;
}

const struct sw_key *sw_key_at(const struct sw_problem *problem, int k)
{
    const struct sw_key *list[SW_MAX_KEYS];
    return k < sw_keys_list(problem, list) ? list[k] : NULL;
}

const struct sw_key *sw_key_find(const struct sw_problem *problem, const char *path)
{
    const struct sw_key *list[SW_MAX_KEYS], *former = NULL;
    const int n = sw_keys_list(problem, list);
    for (int k = 0; k < n; k++) {
        if (!strcmp(list[k]->path, path)) return list[k];
        if (list[k]->former && !strcmp(list[k]->former, path)) former = list[k];
    }
    return former;
}

const struct sw_setting *sw_key_setting(const struct sw_config *config, const struct sw_key *key)
{
    const struct sw_setting *now = sw_config_find(config, key->path);
    const struct sw_setting *former = key->former ? sw_config_find(config, key->former) : NULL;
    if (now && former) return former->override > now->override ? former : now;
    return now ? now : former;
}
