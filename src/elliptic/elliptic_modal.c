#include "elliptic/elliptic_modal.h"

#include <math.h>
#include <string.h>

#include "comm/sw_comm.h"

/* The least part of a residual that one iteration leaves: rounding leaves more, or nearly so. */
static const double LEAST_PART = 1e-13;

/* ------------------------------------------------------------------ modes of the systems */

void elliptic_verticals_make(int64_t nz, int batch, struct sw_owned *own, struct elliptic_verticals *set)
{
    struct elliptic_vertical none;
    *set = (struct elliptic_verticals){.nz = nz, .batch = batch};
    sw_array(own, (size_t)batch, &set->vertical);
    sw_array(own, (size_t)batch, &set->of);
    sw_array(own, (size_t)batch, &set->due);
    for (int v = 0; v < batch; v++) {
        struct elliptic_vertical *one = set->vertical ? &set->vertical[v] : &none;
        sw_array(own, (size_t)nz, &one->lambda);
        sw_array(own, (size_t)nz, &one->weight);
        sw_array(own, (size_t)nz, &one->norm);
        sw_array(own, 4 * (size_t)nz, &one->numbers);
    }
}

/* The numbers that modes depend on: those that differ most often first. */
static const double *numbers_of(const struct sw_elliptic_matrix *m, int k)
{
    const double *const vectors[] = {m->b, m->d, m->a, m->c};
    return vectors[k];
}

static bool has_numbers(const struct elliptic_vertical *v, const struct sw_elliptic_matrix *m)
{
    bool same = v->found;
    for (int k = 0; same && k < 4; k++)
        same = memcmp(v->numbers + k * m->nz, numbers_of(m, k), (size_t)m->nz * sizeof(double)) == 0;
    return same;
}

/* @return its place; -1: there is none */
static int place_of(const struct elliptic_verticals *set, const struct sw_elliptic_matrix *m)
{
    for (int v = 0; v < set->batch; v++)
        if (has_numbers(&set->vertical[v], m)) return v;
    return -1;
}

int elliptic_verticals_load(struct elliptic_verticals *set, int count, const struct sw_elliptic_matrix *matrix)
{
    int due = 0;
    for (int v = 0; v < set->batch; v++) set->vertical[v].used = false;
    for (int j = 0; j < count; j++) {
        set->of[j] = place_of(set, &matrix[j]);
        if (set->of[j] >= 0) set->vertical[set->of[j]].used = true;
    }
    for (int j = 0, at = 0; j < count; j++) {
        if (set->of[j] < 0) set->of[j] = place_of(set, &matrix[j]);
        if (set->of[j] >= 0) continue;
        while (set->vertical[at].used) at++;
        for (int k = 0; k < 4; k++)
            memcpy(set->vertical[at].numbers + k * set->nz, numbers_of(&matrix[j], k),
                   (size_t)set->nz * sizeof(double));
        set->vertical[at].found = set->vertical[at].used = true;
        set->of[j] = at;
        set->due[due++] = j;
    }
    return due;
}

int elliptic_vertical_find(struct elliptic_verticals *set, int due, const struct sw_elliptic_matrix *matrix,
                           struct elliptic_modes *modes, int threads)
{
    const struct sw_elliptic_matrix *m = &matrix[set->due[due]];
    struct elliptic_vertical *v = &set->vertical[set->of[set->due[due]]];
    const int64_t nz = m->nz;
    const double *x = modes->x;
    elliptic_modes_find(modes, m, threads);
    memcpy(v->lambda, modes->lambda, (size_t)nz * sizeof(double));
    for (int64_t i = 0; i < nz; i++) v->weight[i] = v->norm[i] = 0;
    for (int64_t l = 0; l < nz; l++)
        for (int64_t i = 0; i < nz; i++) {
            v->weight[i] += (m->d[l] * x[l * nz + i]) * (m->d[l] * x[l * nz + i]);
            v->norm[i] += x[l * nz + i] * x[l * nz + i];
        }
    for (int64_t i = 0; i < nz; i++) v->norm[i] = sqrt(v->norm[i]);
    return set->of[set->due[due]];
}

/* ------------------------------------------------------------------ a grid that is cut over ranks */

static int64_t mode_of(const struct sw_comm *comm, int rank, int64_t k)
{
    return k * comm->size + (k % 2 ? comm->size - 1 - rank : rank);
}

/* How many of nz modes a rank has. */
static int64_t modes_of(const struct sw_comm *comm, int rank, int64_t nz)
{
    const int64_t rounds = nz / comm->size;
    return rounds + (mode_of(comm, rank, rounds) < nz);
}

int64_t elliptic_modal_mode(const struct elliptic_modal_cut *c, int64_t k)
{
    return c->comm ? mode_of(c->comm, c->comm->rank, k) : k;
}

struct sw_elliptic_desc elliptic_modal_planes(const struct sw_elliptic_desc *d)
{
    struct sw_elliptic_desc planes = *d;
    if (!d->cut.comm) return planes;
    planes.n[1] = d->cut.whole;
    planes.n[2] = modes_of(d->cut.comm, d->cut.comm->rank, d->n[2]);
    planes.cut = (struct sw_elliptic_cut){NULL};
    return planes;
}

void elliptic_modal_cut_make(const struct sw_elliptic_desc *d, struct sw_owned *own, struct elliptic_modal_cut *c)
{
    *c = (struct elliptic_modal_cut){.comm = d->cut.comm, .modes = elliptic_modal_planes(d).n[2]};
    if (!c->comm) return;
    const size_t size = (size_t)c->comm->size;
    sw_array(own, size + 1, &c->first);
    sw_array(own, size, &c->with_rows);
    sw_array(own, size, &c->with_modes);
    sw_array(own, (size_t)d->n[2], &c->row);
}

enum sw_status elliptic_modal_cut_load(const struct sw_elliptic_desc *d, const struct sw_elliptic_numbers *numbers,
                                       struct elliptic_modal_cut *c)
{
    struct sw_elliptic_desc plane = elliptic_modal_planes(d);
    double first[SW_COMM_MOST];
    if (!c->comm || c->plane.area) return SW_OK;
    plane.n[2] = plane.batch = 1;
    SW_TRY(sw_elliptic_matrix_make(&plane, numbers, NULL, NULL, &c->plane));
    SW_TRY(sw_comm_gather_one(c->comm, (double)d->cut.first, first));
    for (int r = 0; r < c->comm->size; r++) c->first[r] = (int64_t)first[r];
    c->first[c->comm->size] = d->cut.whole;
    return SW_OK;
}

struct sw_elliptic_matrix elliptic_modal_plane(const struct elliptic_modal_cut *c, const struct sw_elliptic_matrix *m)
{
    struct sw_elliptic_matrix plane = c->comm ? c->plane : *m;
    plane.nz = m->nz;
    return plane;
}

void elliptic_modal_order(const struct elliptic_modal_cut *c, int64_t nz, double *x)
{
    for (int64_t l = 0; c->comm && l < nz; l++, x += nz) {
        double *to = c->row;
        for (int r = 0; r < c->comm->size; r++)
            for (int64_t k = 0; k < modes_of(c->comm, r, nz); k++) *to++ = x[mode_of(c->comm, r, k)];
        memcpy(x, c->row, (size_t)nz * sizeof *x);
    }
}

void elliptic_modal_count(struct elliptic_modal_cut *c, int64_t nz, int64_t rows, int64_t words)
{
    for (int r = 0; r < c->comm->size; r++) {
        c->with_rows[r] = (size_t)(rows * words * modes_of(c->comm, r, nz));
        c->with_modes[r] = (size_t)((c->first[r + 1] - c->first[r]) * words * c->modes);
    }
}

enum sw_status elliptic_modal_outcomes(const struct elliptic_modal_cut *c, int64_t count,
                                       struct elliptic_plane_outcome *outcome)
{
    enum { NUMBERS = sizeof *outcome / sizeof(double) };
    return sw_comm_sum(c->comm, NUMBERS * (size_t)count, (double *)outcome);
}

/* ------------------------------------------------------------------ how small residuals have to be */

double elliptic_plane_stiffness(const struct sw_elliptic_matrix *m)
{
    double most = 0;
    for (int64_t j = 0; j < m->ny; j++) {  /* a row's middle and its ends tell enough */
        const int64_t at[] = {0, m->nx / 2, m->nx - 1};
        for (int k = 0; k < 3; k++) {
            const double *east = m->east + j * (m->nx + 1) + at[k], *north = m->north + j * m->nx + at[k];
            most = fmax(most, (east[0] + east[1] + north[0] + north[m->nx]) / m->area[j * m->nx + at[k]]);
        }
    }
    return most;
}

/* The weights of cell (i, j): s, that of walls h, and the sum of absolute values beside the diagonal. */
static double weights_of(const struct sw_elliptic_matrix *m, bool periodic_x, bool periodic_y, int64_t i, int64_t j,
                         double *wall, double *beside)
{
    const double *east = m->east + j * (m->nx + 1) + i, *north = m->north + j * m->nx + i,
                 side[4] = {east[0], east[1], north[0], north[m->nx]};
    const bool at_wall[4] = {!periodic_x && i == 0, !periodic_x && i == m->nx - 1, !periodic_y && j == 0,
                             !periodic_y && j == m->ny - 1};
    double sum = (side[0] + side[1]) + (side[2] + side[3]);
    *wall = *beside = 0;
    for (int k = 0; k < 4; k++) *(at_wall[k] ? wall : beside) += fabs(side[k]);
    if (!m->cross) return sum;
    const double *south = m->cross + j * (m->nx + 1) + i, *above = south + m->nx + 1,
                 corner[4] = {0.5 * south[0], -0.5 * south[1], -0.5 * above[0], 0.5 * above[1]};
    for (int k = 0; k < 4; k++) {
        sum += corner[k];
        *beside += fabs(corner[k]);
    }
    return sum;
}

void elliptic_plane_bound(const struct sw_elliptic_matrix *m, bool periodic_x, bool periodic_y,
                          struct elliptic_plane_bounds *b)
{
    *b = (struct elliptic_plane_bounds){.held = 1, .area = {INFINITY, 0}, .sum = {INFINITY, 0}};
    for (int64_t j = 0; j < m->ny; j++)
        for (int64_t i = 0; i < m->nx; i++) {
            double wall, beside;
            const double sum = weights_of(m, periodic_x, periodic_y, i, j, &wall, &beside),
                         area = m->area[j * m->nx + i];
            if (wall > 0) b->walled = fmax(b->walled, sum / area), b->held = fmin(b->held, wall / sum);
            else b->open = fmax(b->open, sum / area);
            if (sum > 0) b->beside = fmax(b->beside, beside / sum);
            b->area[0] = fmin(b->area[0], area), b->area[1] = fmax(b->area[1], area);
            b->sum[0] = fmin(b->sum[0], sum), b->sum[1] = fmax(b->sum[1], sum);
        }
}

/* About the square root of the condition number for a mode, which its iterations grow with: the diagonal bounds it, and
 * so does the number of cells along an axis. */
static double hardness_of(const struct sw_elliptic_matrix *m, double stiffness, double lambda)
{
    const double cells = (double)(m->nx > m->ny ? m->nx : m->ny);
    return lambda > 0 ? fmin(sqrt(1 + 2 * stiffness / lambda), cells) : cells;
}

void elliptic_modal_share(const struct elliptic_vertical *v, const struct sw_elliptic_matrix *m, double stiffness,
                          double *hardness, double *share)
{
    double all = 0;
    for (int64_t i = 0; i < m->nz; i++)
        all += hardness[i] = hardness_of(m, stiffness, v->lambda[i]);
    for (int64_t i = 0; i < m->nz; i++) share[i] = sqrt(hardness[i] / v->weight[i] / all);
}

double elliptic_modal_part(const struct sw_elliptic_numbers *numbers)
{
    return numbers->iterations > 0 ? fmax(0.5 * numbers->tolerance, LEAST_PART) : -1;
}

double elliptic_modal_goal(const struct elliptic_way *way)
{
    return fmax(0.5 * way->numbers->tolerance * way->norm_f, LEAST_PART * sqrt(way->rr));
}

void elliptic_modal_record(struct elliptic_way *way, const struct elliptic_vertical *v, int64_t nz,
                           const struct elliptic_plane_outcome *outcome)
{
    way->rr = 0;
    for (int64_t i = 0; i < nz; i++) {
        if (elliptic_breaks(way, outcome[i].pq)) return;
        way->rr += v->weight[i] * outcome[i].residual * outcome[i].residual;
    }
    elliptic_record(way);
}
