#ifndef ADVECTION_PIECE_CPU_H
#define ADVECTION_PIECE_CPU_H
/* What the passes of a step (advection_cpu.c) and pictures (advection_picture_cpu.c) stand on, in the CPU's row of
 * `advection`: what a thread works with, pieces of runs, and what is evaluated on them. */
#include "problem/advection/advection_impl.h"

enum { PIECE = 1024 };  /* 8 KiB an array */

enum { NOW, NEXT, SUM, SLOPE, BEND = SLOPE + SW_DIMS, FIELDS = BEND + SW_DIMS };

struct worker {                              /* of one thread                                          */
    struct sw_eval *eval[ADVECTION_PROGRAMS];
    double  at[SW_DIMS][PIECE];              /* coordinates                                            */
    double  wide[FIELDS][PIECE];             /* fields, where they are float                           */
    double  rate[PIECE], value[PIECE];       /* k = u_t; what a program gives                          */
    double  speed[PIECE];                    /* sum |c_d|/dx_d                                         */
    double  wall_at[SW_DIMS][PIECE], given[PIECE];
    int     wall[PIECE];                     /* points of the piece at a wall                          */
};

struct cpu {
    struct worker *worker;   /* [threads]                                            */
    int64_t       *stop;     /* [capacity]                                           */
    struct advection_watch *watch;  /* [capacity]                                    */
    int64_t        pieces;   /* of a run                                             */
    double       (*part)[ADVECTION_SCALARS];  /* [capacity][pieces]                  */
    struct sw_snapshots *snapshots;
};

/* A piece of run j, whose fields are those of a part. */
struct piece { const struct advection_part *of; int j; size_t first; int count; };

static inline struct piece piece_of(const struct advection_sim *a, const struct advection_part *part, int64_t item)
{
    const int64_t pieces = ((const struct cpu *)a->own)->pieces;
    const size_t first = (size_t)(item % pieces) * PIECE, left = a->points - first;
    return (struct piece){part, part->from + (int)(item / pieces), first, left < PIECE ? (int)left : PIECE};
}

static inline size_t place(const struct advection_sim *a, const struct piece *p)
{
    return (size_t)p->j * a->points + p->first;
}

/* ------------------------------------------------------------------ fields */

/* The piece of a field: in place, or widened from float. */
static inline const double *get(const struct advection_sim *a, const struct piece *p, const void *field, double *wide)
{
    if (a->word == 8) return (const double *)field + place(a, p);
    const float *from = (const float *)field + place(a, p);
    for (int i = 0; i < p->count; i++) wide[i] = (double)from[i];
    return wide;
}

/* Where to form the piece of a field: in place, or where it is narrowed from; put() then stores it. */
static inline double *form(const struct advection_sim *a, const struct piece *p, void *field, double *wide)
{
    return a->word == 8 ? (double *)field + place(a, p) : wide;
}

static inline void put(const struct advection_sim *a, const struct piece *p, void *field, const double *wide)
{
    if (a->word == 8) return;
    float *to = (float *)field + place(a, p);
    for (int i = 0; i < p->count; i++) to[i] = (float)wide[i];
}

/* The piece as stretches of lines along x: points from .. to-1 of the piece, the first of which has these indices. */
struct stretch { int from, to; int64_t index[SW_DIMS]; };

static inline struct stretch first_stretch(const struct advection_sim *a, const struct piece *p)
{
    const int64_t *n = a->setup.n, first = (int64_t)p->first, left = n[0] - first % n[0];
    return (struct stretch){0, left < p->count ? (int)left : p->count,
                            {first % n[0], first / n[0] % n[1], first / n[0] / n[1]}};
}

static inline bool next_stretch(const struct advection_sim *a, const struct piece *p, struct stretch *s)
{
    const int64_t *n = a->setup.n;
    if (s->to == p->count) return false;
    s->from = s->to;
    s->to = n[0] < p->count - s->from ? s->from + (int)n[0] : p->count;
    s->index[0] = 0;
    if (++s->index[1] == n[1]) {
        s->index[1] = 0;
        s->index[2]++;
    }
    return true;
}

static inline int64_t stopped_at(const struct cpu *c, int j) { return __atomic_load_n(&c->stop[j], __ATOMIC_RELAXED); }

/* What is done to all pieces: stage `number` of step number step + 1, or the end of step number `step`. */
struct pass { int64_t step; int number, how; };
typedef void piece_work(const struct advection_sim *a, struct worker *w, const struct piece *p, const struct pass *);

/* ------------------------------------------------------------------ work on pieces */

/** w->at of the coordinates that programs name. */
void advection_cpu_set_coordinates(const struct advection_sim *a, struct worker *w, const struct piece *p);

/** The values of a program at some points. */
void advection_cpu_evaluate(const struct advection_sim *a, struct worker *w, int which, int j, int count,
                            double (*at)[PIECE], const double *u, double t, double *out);

/** The velocity along axis d at the piece's points, w->value; only the first is there if it is the same at all of them.
 * @return whether it is */
bool advection_cpu_velocity(const struct advection_sim *a, struct worker *w, const struct piece *p, int d,
                            const double *u, double t);

/** Add |c_d|/dx_d to w->speed, right after advection_cpu_velocity(). */
void advection_cpu_add_speed(const struct advection_sim *a, struct worker *w, const struct piece *p, int d,
                             bool uniform);

/** The largest w->speed; what is not finite does not count. */
double advection_cpu_fastest(const struct worker *w, int count);

/** Work on the pieces of runs that have not stopped before step number `least`: by all threads, or the one whose part
 * it is. */
void advection_cpu_each_piece(const struct advection_sim *a, const struct advection_part *part, int64_t least,
                              piece_work *work, const struct pass *pass);
#endif
