#ifndef SWEEP_SAMPLE_H
#define SWEEP_SAMPLE_H
/* The points of a random sweep, in the unit box: a Latin hypercube, a Sobol sequence, or independent draws. Every
 * number is a pure function of seed, axis and point (random, Sobol: a larger count goes on where the smaller one ended)
 * or of seed, axis, point and count (Latin hypercube). An axis draws by its name, so that another axis in the config
 * leaves its values alone; in a Sobol sequence the drawn axes take the dimensions in the order of the config. */
#include "sweep/sw_sweep.h"

enum sample_method { SAMPLE_LHS, SAMPLE_SOBOL, SAMPLE_RANDOM };
struct sample {
    enum sample_method method;
    int64_t   count;                    /* points                                                                   */
    double    seed;
    int       dimensions;               /* axes that are drawn, in the order of the config                          */
    int      *stream;                   /* [dimensions] the sequence of random numbers of an axis, by its name      */
    uint32_t *rank;                     /* LHS: [dimensions][count] in which of the count slices a point lies       */
    uint32_t (*direction)[32];          /* Sobol: [dimensions]                                                      */
    uint32_t *shift;                    /* Sobol: [dimensions]                                                      */
};

/** Prepare the sample of a sweep whose method, count, seed and dimensions are set.
 * @param name  [dimensions] of the axes that are drawn  @return SW_E_MEMORY */
enum sw_status sample_prepare(struct sw_sweep *s, const char *const *name);

/** The coordinate of a point in a dimension, in [0, 1]. */
double sample_coordinate(const struct sample *sample, int dimension, int64_t point);

/** The number that a normal variable is below with probability p, 0 < p < 1. */
double normal_quantile(double p);

enum { SOBOL_AXES = 21 };
/** The direction numbers of dimension 0 .. SOBOL_AXES-1. */
void sobol_directions(int dimension, uint32_t direction[32]);
/** Point `index` of the sequence, as a fraction of 2^32. */
uint32_t sobol_point(const uint32_t direction[32], uint32_t index);
#endif
