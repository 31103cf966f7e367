/* The mean where u is known up to a constant: delta = 0, and no wall holds u (docs/explanation/elliptic.md). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "comm/sw_comm.h"
#include "field/compatibility.h"
#include "problem/elliptic/elliptic.h"

static double volume_of(const struct sw_elliptic_matrix *m, int64_t j, int64_t k, int64_t i)
{
    return m->area[j * m->nx + i] * m->volume[k];
}

static enum sw_status add_ranks(const struct sw_comm *comm, size_t count, double *sum)
{
    return sw_comm_sum(comm, count, sum);
}

enum sw_status elliptic_mean(const struct sw_comm *comm, const struct sw_elliptic_matrix *m, const double *u,
                             double *mean)
{
    double sum = 0, volume = 0;
    for (int64_t r = 0; r < m->ny * m->nz; r++)
        for (int64_t i = 0; i < m->nx; i++) {
            const double v = volume_of(m, r / m->nz, r % m->nz, i);
            sum += v * u[r * m->nx + i];
            volume += v;
        }
    double all[2] = {sum, volume};
    SW_TRY(add_ranks(comm, 2, all));
    *mean = all[0] / all[1];
    return SW_OK;
}

/* ------------------------------------------------------------------ the mean by a finer rule */

/* The cells of a box are alike along an axis that a text does not depend on, and those of two dimensions have one
 * level: there the middle will do. */
struct finer_mean {
    bool looked_into[SW_DIMS];
    const struct elliptic_run *run;
    const struct sw_elliptic_matrix *m;
    const struct sw_program *program;
    double *values;
    double volume;  /* of all cells */
};

/* Of level k at a part of the way from its lower face to its upper one: r² dr of a shell, dz of a box. */
static double density_of_level(const struct finer_mean *q, int64_t k, double part)
{
    const double low = q->m->level[k], thick = q->m->level[k + 1] - low, r = low + part * thick;
    if (!q->looked_into[2]) return q->m->volume[k];
    return q->run->desc.geometry == SW_ELLIPTIC_SHELL ? thick * r * r : thick;
}

/* Of cell (i, j) there: the solid angle dx dy (1 + x² + y²)^(-3/2), or dx dy. */
static double density_of_column(const struct finer_mean *q, const struct sw_grid *at, int64_t i, int64_t j)
{
    const double x = sw_grid_at(at, 0, i), y = sw_grid_at(at, 1, at->panel ? j % at->panel : j), s = 1 + x * x + y * y;
    if (q->run->desc.geometry == SW_ELLIPTIC_BOX) return q->m->area[j * q->m->nx + i];
    return at->dx[0] * at->dx[1] / (s * sqrt(s));
}

/* The integral of the text over the grid as if it were what it is at one point of each cell. */
static enum sw_status add_point(struct finer_mean *q, const double part[SW_DIMS], double weight, double *integral)
{
    const struct elliptic_points inside = {.kind = ELLIPTIC_INSIDE, .part = {part[0], part[1], part[2]}};
    const struct sw_grid at = elliptic_grid(&q->run->desc, q->run->depth, inside);
    const struct sw_elliptic_matrix *m = q->m;
    SW_TRY(elliptic_sample(q->run, q->program, inside, q->values));
    double sum = 0;
    for (int64_t k = 0; k < m->nz; k++) {
        double level = 0;
        for (int64_t j = 0; j < m->ny; j++)
            for (int64_t i = 0; i < m->nx; i++)
                level += density_of_column(q, &at, i, j) * q->values[(j * m->nz + k) * m->nx + i];
        sum += density_of_level(q, k, part[2]) * level;
    }
    *integral += weight * sum;
    return SW_OK;
}

static enum sw_status finer_mean(void *context, const struct sw_gauss *rule, double *mean)
{
    static const struct sw_gauss middle = {1, {0.5}, {1}};
    struct finer_mean *q = context;
    const struct sw_gauss *along[SW_DIMS];
    double integral = 0;
    for (int d = 0; d < SW_DIMS; d++) along[d] = q->looked_into[d] ? rule : &middle;
    for (int c = 0; c < along[2]->count; c++)
        for (int b = 0; b < along[1]->count; b++)
            for (int a = 0; a < along[0]->count; a++)
                SW_TRY(add_point(q, (const double[SW_DIMS]){along[0]->at[a], along[1]->at[b], along[2]->at[c]},
                                 along[0]->weight[a] * along[1]->weight[b] * along[2]->weight[c], &integral));
    SW_TRY(add_ranks(q->run->desc.cut.comm, 1, &integral));
    *mean = integral / q->volume;
    return SW_OK;
}

/* ------------------------------------------------------------------ taking it off */

/* So many digits that f less either number is balanced to the 1e-9 below. */
void elliptic_refuse_mean(const struct elliptic_taken *taken, struct sw_text *why)
{
    const double mean = taken->mean, finer = taken->finer;
    sw_text_set(why, "f has the mean %.12g", mean);
    if (!(fabs(mean - finer) <= 1e-9 * fabs(mean))) sw_text_printf(why, " (by a finer rule %.12g)", finer);
    sw_text_add(why, ": with gauge = \"zero_mean\" there is a solution only where it is 0");
}

/* Rounding of the sum is the grid's as well: of |f| 1e-9 is what expressions and sums may leave. */
enum sw_status elliptic_judge_mean(const struct elliptic_run *run, const struct sw_elliptic_matrix *m, const char *key,
                                   const double *f, bool brief, double *values, enum sw_mean_kind *kind,
                                   struct elliptic_taken *taken)
{
    static const enum sw_input input[SW_DIMS] = {SW_IN_X, SW_IN_Y, SW_IN_Z};
    const struct sw_program *program = sw_setup_function(run->setup, key);
    double sum = 0, size = 0, volume = 0;
    for (int64_t c = 0; c < m->nx * m->ny * m->nz; c++) sum += f[c], size += fabs(f[c]);
    for (int64_t k = 0; k < m->nz; k++)
        for (int64_t a = 0; a < m->nx * m->ny; a++) volume += m->area[a] * m->volume[k];
    double all[3] = {sum, size, volume};
    SW_TRY(add_ranks(run->desc.cut.comm, 3, all));
    sum = all[0], size = all[1], volume = all[2];
    *kind = SW_MEAN_OF_GRID;
    *taken = (struct elliptic_taken){.mean = sum / volume, .rounding = fabs(sum) <= 1e-9 * size};
    if (taken->rounding) return SW_OK;
    struct finer_mean context = {.run = run, .m = m, .program = program, .values = values, .volume = volume};
    struct sw_mean_question question = {.mean = taken->mean, .size = size / volume, .rounding = 1e-9 * size / volume,
                                        .cells = (size_t)(m->nx * sw_elliptic_whole(&run->desc) * m->nz),
                                        .brief = brief,
                                        .finer = finer_mean, .context = &context};
    for (int d = 0; d < run->dim; d++) {
        context.looked_into[d] = run->desc.geometry == SW_ELLIPTIC_SHELL || sw_program_uses_input(program, input[d]);
        question.dim += context.looked_into[d];
    }
    return sw_mean_judge(&question, kind, &taken->finer);
}

enum sw_status elliptic_take_mean_off(const struct elliptic_run *run, const struct sw_elliptic_matrix *m, double *f,
                                      double *values, struct elliptic_taken *taken, struct sw_text *why)
{
    const int64_t cells = m->nx * m->ny * m->nz;
    double most = 0, left = 0;
    enum sw_mean_kind kind;
    SW_TRY(elliptic_judge_mean(run, m, "f", f, false, values, &kind, taken));
    if (kind != SW_MEAN_OF_GRID) elliptic_refuse_mean(taken, why);
    for (int64_t r = 0; r < m->ny * m->nz; r++)
        for (int64_t i = 0; i < m->nx; i++) {
            double *of_cell = &f[r * m->nx + i];
            most = fmax(most, fabs(*of_cell));
            *of_cell -= taken->mean * m->area[r / m->nz * m->nx + i] * m->volume[r % m->nz];
            left = fmax(left, fabs(*of_cell));
        }
    double all[2] = {most, left};
    SW_TRY(sw_comm_max(run->desc.cut.comm, 2, all));
    most = all[0], left = all[1];
    /* of an f that is the same in all cells rounding is left, which has a mean as large as itself */
    if (left <= 32 * DBL_EPSILON * most) memset(f, 0, (size_t)cells * sizeof *f);
    return SW_OK;
}
