#ifndef FIELDS_PROBLEM_H
#define FIELDS_PROBLEM_H
/* Problems in two and three dimensions: the user's equations (equation_in_fields.c), and the built-in kinds, each the
 * texts of its equation and its energy (built_in_fields.c). Each takes the configs of the problem of the same name on a
 * line whose grid has more than one dimension (sw_problem_shape.in_fields). */
#include "problem/fields/fields_sim.h"
#include "problem/fields/wall_keys.h"
#include "problem/grid_keys.h"
#include "problem/line/kinds/line_problem.h"
#include "problem/line/kinds/manufactured.h"
#include "problem/sw_problem.h"

/* struct sw_problem.model; NULL where the equations are the user's. The texts see the number keys by the last part of
 * their paths, u, and derivatives of all kinds. */
struct fields_kind { const char *rhs, *energy; };

/* The keys that all of them have. @param word  the default of `method` where time.dt is given */
#define FIELDS_KEYS(word, ...)                                                                                        \
    {.path = "method", .kind = SW_KEY_WORD, .words = "imex1|imex2|imex3", .fallback = word, .adaptive = "imex3",      \
     .decides = true, __VA_ARGS__,                                                                                    \
     .about = "The steps in time: W-methods of order 1, 2 or 3, whose matrix is a product of line matrices."},        \
    {.path = "order", .kind = SW_KEY_WORD, .words = "2|4", .fallback = "2", .common = true, .decides = true,          \
     .about = "The order of all derivatives in dx: 2 or 4."},                                                         \
    SW_GRID_KEYS

/** What prepare() made of the texts, with the user's forcing; NULL: it failed. */
const struct fields_terms *fields_terms_of(const struct sw_setup *setup);
/** The sources that it made; only where fields_terms_of() is not NULL. */
const struct sw_manufactured *fields_source_of(const struct sw_setup *setup);
enum sw_scheme fields_scheme_of(const struct sw_setup *setup);
/** What prepare() made of the texts as a sim takes it; it points into the setup. */
struct fields_desc fields_desc_of(const struct sw_setup *setup);
/** Whether the solver of these runs solves exactly (exact.h), not by lines. */
bool fields_are_exact(const struct sw_setup *setup);
/** Numbers of a run that programs take: the config's, then those of the grid. */
int fields_parameters(const struct sw_setup *setup);

const char *fields_validate_run(const struct sw_setup *setup, const char *solver, int ld, const double *column, int j,
                                struct sw_text *why);
enum sw_status fields_bytes(const struct sw_setup *setup, const struct sw_device *device, struct sw_batch_bytes *bytes);
enum sw_status fields_create(const struct sw_setup *setup, struct sw_device *device, struct sw_sim **sim);
extern const struct sw_beyond_ops     fields_beyond;  /* scalars at walls: beyond.c */
extern const struct sw_problem_shape  fields_shape;
extern const struct sw_problem_texts  fields_texts;
extern const struct sw_problem_time   fields_times;
extern const struct sw_problem_files  fields_files;
extern const struct sw_problem_advice fields_advice;

#define FIELDS_OPERATIONS                                                                                             \
    .solver = fields_sim_row, .validate_run = fields_validate_run, .bytes = fields_bytes, .create = fields_create,     \
    .shape = &fields_shape, .texts = &fields_texts, .time = &fields_times, .files = &fields_files,                     \
    .advice = &fields_advice
#endif
