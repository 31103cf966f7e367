#ifndef FIELDS_SAMPLES_H
#define FIELDS_SAMPLES_H
/* Values that programs of field_terms.h have over a run's field, before the run and at its end, for what is said of it
 * then. */
#include "problem/fields/field_terms.h"
#include "problem/sw_setup.h"

/* Of a larger initial field nothing is known before the run; of a program values are taken at so many points, in rows
 * that are evenly spaced. */
enum { FIELDS_SAMPLES_FIELD = 1 << 22, FIELDS_SAMPLES_POINTS = 1 << 20 };

struct fields_range { double least, most; };

/** Least and largest values of programs, which are not finite where a value is not.
 * @param one      the setup of run j: its points count
 * @param column   [ncolumn][ld], of which run j
 * @param param    [fields_parameters()] what programs take of the run
 * @param state    the run's field, [unknowns][points], at time t; NULL: its initial values
 * @param program  [count]; those of rate RUN and NULL are passed over
 * @param range    out: [count], where there is a value
 * @param known    out: false: the initial field is too large, or cannot be read
 * @return SW_E_MEMORY */
enum sw_status fields_samples(const struct sw_setup *one, const struct fields_terms *terms, int64_t ld,
                              const double *column, int64_t j, const double *param, const double *state, double t,
                              int count, const struct sw_program *const *program, struct fields_range *range,
                              bool *known);

/* How large and how rough a field is, of each unknown: max|u|, and the largest |u_{i+1} - 2 u_i + u_{i-1}| along each
 * axis, but at walls. */
struct fields_roughness { double size[SW_UNKNOWNS_MOST], bend[SW_UNKNOWNS_MOST][SW_DIMS]; };

/** Likewise; the field has to have the points of one. @param rough  out: where it is known */
enum sw_status fields_roughness_of(const struct sw_setup *one, const struct fields_terms *terms, int64_t ld,
                                   const double *column, int64_t j, const double *state,
                                   struct fields_roughness *rough, bool *known);
#endif
