#include "field/power.h"

#include <math.h>

#include "base/sw_mem.h"
#include "field/dft.h"

struct sw_power {
    int      dim;
    int64_t  n[SW_DIMS], half;   /* waves along x: n/2 + 1, the others are conjugates of these             */
    int64_t  rings;
    int     *ring;               /* [half x ny x nz] of each mode; rings: none                             */
    double  *wave, *count;       /* [rings] mean |k|, and modes                                            */
    double   scale;              /* V/N²                                                                   */
    double  *re, *im;            /* [half x ny x nz]                                                       */
    double  *line[2];            /* [longest side] real and imaginary part of a line                       */
    double  *room;               /* [8][longest transform]                                                 */
    int64_t  length;             /* of that                                                                */
    struct sw_dft dft[SW_DIMS];
};

static int64_t modes_of(const struct sw_power *p) { return p->half * p->n[1] * p->n[2]; }

/* The modes along x but the first and, of an even n, the last stand for two. */
static double weight_of(const struct sw_power *p, int64_t k) { return k == 0 || 2 * k == p->n[0] ? 1 : 2; }

/* ---- rings */

static int64_t least_nyquist(int dim, const int64_t n[SW_DIMS], const double length[SW_DIMS], double dk)
{
    double least = INFINITY;
    for (int d = 0; d < dim; d++) least = fmin(least, M_PI * (double)n[d] / length[d]);
    return (int64_t)floor(least / dk * (1 + 1e-12));
}

static void number_rings(struct sw_power *p, const double length[SW_DIMS], double dk)
{
    for (int64_t at = 0; at < modes_of(p); at++) {
        const int64_t k[SW_DIMS] = {at % p->half, at / p->half % p->n[1], at / p->half / p->n[1]};
        double square = 0;
        for (int d = 0; d < p->dim; d++) {
            const double j = (double)(2 * k[d] > p->n[d] ? p->n[d] - k[d] : k[d]);
            square += pow(2 * M_PI * j / length[d], 2);
        }
        const double ring = floor(sqrt(square) / dk + 0.5), weight = weight_of(p, k[0]);
        p->ring[at] = (int)(ring < (double)p->rings ? ring : (double)p->rings);
        if (p->ring[at] == p->rings) continue;
        p->wave[p->ring[at]] += weight * sqrt(square);
        p->count[p->ring[at]] += weight;
    }
    for (int64_t j = 0; j < p->rings; j++) p->wave[j] /= p->count[j];
}

static enum sw_status allocate(struct sw_power *p)
{
    int64_t longest = 1;
    for (int d = 0; d < p->dim; d++) {
        SW_TRY(sw_dft_create((int)p->n[d], &p->dft[d]));
        longest = p->n[d] > longest ? p->n[d] : longest;
        p->length = p->dft[d].length > p->length ? p->dft[d].length : p->length;
    }
    SW_TRY(sw_alloc((size_t)modes_of(p), &p->ring));
    SW_TRY(sw_alloc((size_t)p->rings, &p->wave));
    SW_TRY(sw_alloc((size_t)p->rings, &p->count));
    SW_TRY(sw_alloc((size_t)modes_of(p), &p->re));
    SW_TRY(sw_alloc((size_t)modes_of(p), &p->im));
    SW_TRY(sw_alloc((size_t)longest, &p->line[0]));
    SW_TRY(sw_alloc((size_t)longest, &p->line[1]));
    return sw_alloc(8 * (size_t)p->length, &p->room);
}

enum sw_status sw_power_create(int dim, const int64_t n[SW_DIMS], const double length[SW_DIMS], struct sw_power **power)
{
    double shortest = INFINITY, volume = 1, points = 1;
    struct sw_power *p;
    *power = NULL;
    SW_TRY(sw_alloc(1, &p));
    p->dim = dim;
    for (int d = 0; d < SW_DIMS; d++) p->n[d] = n[d];
    for (int d = 0; d < dim; d++) {
        shortest = fmin(shortest, length[d]);
        volume *= length[d];
        points *= (double)n[d];
    }
    const double dk = 2 * M_PI / shortest;
    p->half = n[0] / 2 + 1;
    p->rings = least_nyquist(dim, n, length, dk) + 1;
    p->scale = volume / (points * points);
    const enum sw_status st = allocate(p);
    if (!st) number_rings(p, length, dk);
    if (st) sw_power_destroy(&p);
    *power = p;
    return st;
}

void sw_power_destroy(struct sw_power **power)
{
    struct sw_power *p = power ? *power : NULL;
    if (!p) return;
    for (int d = 0; d < p->dim; d++) sw_dft_destroy(&p->dft[d]);
    sw_free(p->ring);
    sw_free(p->wave);
    sw_free(p->count);
    sw_free(p->re);
    sw_free(p->im);
    sw_free(p->line[0]);
    sw_free(p->line[1]);
    sw_free(p->room);
    sw_free(p);
    *power = NULL;
}

int64_t sw_power_rings(const struct sw_power *p) { return p->rings; }
const double *sw_power_waves(const struct sw_power *p) { return p->wave; }

/* ---- the transform */

struct half { const double *re, *im; };  /* waves 0 .. n/2 of a real line */

static struct half transform(struct sw_power *p, int d, const double *line, int which)
{
    double *room = p->room + 4 * which * p->length;
    double *const re[2] = {room, room + p->length}, *const im[2] = {room + 2 * p->length, room + 3 * p->length};
    const int at = sw_dft_real(&p->dft[d], line, re, im);
    return (struct half){re[at], im[at]};
}

static void transform_rows(struct sw_power *p, const double *u)
{
    for (int64_t row = 0; row < p->n[1] * p->n[2]; row++) {
        const struct half x = transform(p, 0, u + row * p->n[0], 0);
        for (int64_t k = 0; k < p->half; k++) {
            p->re[row * p->half + k] = x.re[k];
            p->im[row * p->half + k] = x.im[k];
        }
    }
}

/* A complex line z = a + i b has the transform A + i B, of which A and B, of reals, have conjugates at n - k. */
static void transform_line(struct sw_power *p, int d, double *re, double *im, int64_t stride)
{
    const int64_t n = p->n[d];
    for (int64_t j = 0; j < n; j++) {
        p->line[0][j] = re[j * stride];
        p->line[1][j] = im[j * stride];
    }
    const struct half a = transform(p, d, p->line[0], 0), b = transform(p, d, p->line[1], 1);
    for (int64_t k = 0; k < n; k++) {
        const int64_t at = 2 * k > n ? n - k : k;
        const double sign = 2 * k > n ? -1 : 1;
        re[k * stride] = a.re[at] - sign * b.im[at];
        im[k * stride] = sign * a.im[at] + b.re[at];
    }
}

void sw_power_form(struct sw_power *p, const double *u, double *ring)
{
    const int64_t plane = p->half * p->n[1];
    transform_rows(p, u);
    for (int64_t at = 0; at < modes_of(p) && p->dim > 1; at++)
        if (at % plane < p->half) transform_line(p, 1, p->re + at, p->im + at, p->half);
    for (int64_t at = 0; at < plane && p->dim > 2; at++) transform_line(p, 2, p->re + at, p->im + at, plane);
    for (int64_t j = 0; j < p->rings; j++) ring[j] = 0;
    for (int64_t at = 0; at < modes_of(p); at++)
        if (p->ring[at] < p->rings)
            ring[p->ring[at]] += weight_of(p, at % p->half) * (p->re[at] * p->re[at] + p->im[at] * p->im[at]);
    for (int64_t j = 0; j < p->rings; j++) ring[j] *= p->scale / p->count[j];
}
