#ifndef INITIAL_FILE_H
#define INITIAL_FILE_H
/* Initial values from a file (input/sw_saved.h): what a problem does whose key `initial` may be an expression, or a
 * group that names one. A problem takes SW_INITIAL_FILE_KEYS into its keys, sw_initial_content() as its content(), what
 * sw_initial_validate() says into its validate_run(), and SW_INITIAL_WARNINGS into its warnings. The batch then begins
 * with the fields that sw_initial_read() gives.
 *
 * Of several unknowns (setup->unknown) each has a dataset: a field is [unknowns][points].
 *
 * A file is opened once in a process, and stays open: a command knows one state of it. Any thread may call at any
 * time. */
#include "problem/resolution.h"
#include "problem/sw_problem.h"

#define SW_INITIAL_FILE_KEYS                                                                                          \
    {.path = "initial.file", .kind = SW_KEY_TEXT, .fallback = "", .reads = true,                                      \
     .about = "The file that holds the field at time 0, in place of an expression: the results of a sweep, or "       \
              "another HDF5 file; \"$axis\" takes the word of an axis. A path begins in the folder of the command."}, \
    {.path = "initial.dataset", .kind = SW_KEY_TEXT, .fallback = "", .with = "initial.file",                          \
     .about = "The dataset of initial.file: a field of a sweep (of all groups, where n is swept), or n numbers, or "  \
              "runs x n of them; for each unknown one, with commas between them. Left out, they have the names of "   \
              "the unknowns: \"/u\"."},                                                                               \
    {.path = "initial.run", .kind = SW_KEY_COUNT, .unit = "1", .min = 0, .max = 1e15, .stand_in = "same",             \
     .with = "initial.file", .fallback = "same", .decides = true, .idle = sw_initial_shared,                          \
     .about = "Which run of the file: a number from 0 or an expression; \"same\" takes the one that initial.match "   \
              "finds."},                                                                                              \
    {.path = "initial.match", .kind = SW_KEY_WORD, .words = "axes|run", .fallback = "axes", .with = "initial.file",   \
     .decides = true, .added_later = true, .common = true,                                                            \
     .about = "How the same run is found: by the values of the axes of numbers that both sweeps have, which one run " \
              "of the file must have, or by its number."},                                                            \
    {.path = "initial.time", .kind = SW_KEY_REAL, .unit = "1", .min = 0, .max = 1e300, .stand_in = "last",            \
     .with = "initial.file", .fallback = "last", .decides = true,                                                     \
     .about = "Which of the times that were saved of this run: one of them, or \"last\". The new run begins at "      \
              "t = 0."},                                                                                              \
    {.path = "initial.interpolate", .kind = SW_KEY_SWITCH, .fallback = "true", .with = "initial.file",                \
     .about = "Whether a field with another n is interpolated, on periodic lines; else such a run is refused."}

/** Whether the initial values of runs with these words are in a file. */
bool sw_initial_in_file(const struct sw_setup *setup);

/** struct sw_key.idle: whether the file has one field, for all runs. */
bool sw_initial_shared(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j);

/** struct sw_problem_files.content */
enum sw_status sw_initial_content(const struct sw_setup *setup, bool *any, unsigned char digest[32], const char **key);

/** As struct sw_problem.validate_run, of what concerns a file.
 * @param walls  whether the grid has walls: other points are refused then */
const char *sw_initial_validate(const struct sw_setup *setup, bool walls, int64_t ld, const double *column, int64_t j,
                                struct sw_text *why);

/** The field of run j at the points of setup->n, from a file that sw_initial_validate() takes. Where the grid is cut
 * only the slab is read; of a line that is interpolated, all of it.
 * @param u  out: [unknowns][points]; of one that is interpolated all are NaN if one in the file is not finite
 * @return SW_E_CONFIG sw_initial_validate() does not take it; SW_E_IO the file cannot be read, or has changed (the
 *         message names it); SW_E_MEMORY */
enum sw_status sw_initial_read(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j, double *u);

/** The field of the first unknown of run j at some points; of a large field, only pieces with such points are read, one
 * after another. The set-up is that of whole grids.
 * @param count  points along x, y, z  @param at  [count[d]] which of the grid they are, rising
 * @param u      out: [count[2]][count[1]][count[0]]  @return as sw_initial_read() */
enum sw_status sw_initial_sample(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                 const int count[SW_DIMS], const int64_t *const at[SW_DIMS], double *u);

/** Begin the runs of a batch that is loaded: by sw_sim_initial(), or with their fields from a file.
 * @param column  [ncolumn][count]
 * @param finite  out: [count] false: the field in the file is not finite, or not in setup->single_steps; the run is to
 *                fail, whatever becomes of its state; where the grid is cut: in the slab
 * @return as sw_initial_read(); what the sim returns */
enum sw_status sw_initial_begin(struct sw_sim *sim, const struct sw_setup *setup, int threads, int count,
                                const double *column, bool *finite);

/** Name the first number of the field in the file that is not finite, or is too large for setup->single_steps: its
 * value, where it is, and the last saved time at which there is none.
 * @return false: there is none, or it cannot be read */
bool sw_initial_describe_nonfinite(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   struct sw_text *text);

/** struct sw_run_warning.warn: where the field is taken from a run whose words are not compared, has another number of
 * points, where these lie elsewhere, and where it is not finite. */
enum sw_status sw_initial_warn_words(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                     const double *state, struct sw_text *text);
enum sw_status sw_initial_warn_points(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                      const double *state, struct sw_text *text);
enum sw_status sw_initial_warn_axes(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                    const double *state, struct sw_text *text);
enum sw_status sw_initial_warn_bad(const struct sw_setup *setup, int64_t ld, const double *column, int64_t j,
                                   const double *state, struct sw_text *text);
#define SW_INITIAL_WARNINGS \
    {.warn = sw_initial_warn_words}, {.warn = sw_initial_warn_points}, {.warn = sw_initial_warn_axes}, \
    {.warn = sw_initial_warn_bad, .of_all = sw_initial_in_file}, \
    {.warn = sw_resolution_warn_initial}, {.warn = sw_resolution_warn_result, .of_result = true}
#endif
