#ifndef SCHEMA_HDF5_H
#define SCHEMA_HDF5_H
/* The layout of an output file (docs/reference/output.md): metadata, run table, data groups. Parts and final files have
 * it alike. */
#include "store/catalog/run_table_impl.h"
#include "store/hdf5/h5_hdf5.h"

void sw_h5_write_metadata(struct sw_h5 *h, const struct sw_metadata *metadata);
void sw_h5_read_metadata(struct sw_h5 *h, struct sw_metadata *metadata);

/** The scale `run`, then parameters and results; coordinates: names of the parameters, "" if there are none. */
void sw_h5_write_runs(struct sw_h5 *h, const char *path, int64_t count, const int64_t *index);
/** Read it: numbers of runs, 0 .. SW_H5_MOST; any other is a failure. */
void sw_h5_read_runs(struct sw_h5 *h, const char *path, int64_t count, int64_t *index);
void sw_h5_write_table(struct sw_h5 *h, const struct sw_run_table *table, const char *coordinates);
/** @param metadata moved into the table */
void sw_h5_read_table(struct sw_h5 *h, struct sw_metadata *metadata, struct sw_run_table **table);

/* A data group holds the arrays of all runs with one n (in each dimension): at the root, or in a group of its own
 * ("n00064", "n00064x00032") if n is swept. */
enum sw_var_kind {
    SW_VAR_T,       /* t   (run, time):     times of saved fields, where runs disagree               */
    SW_VAR_TS,      /* t_s (run, time_s):   times of the series, likewise                            */
    SW_VAR_XC,      /* xc  (run, x):        points, likewise                                         */
    SW_VAR_YC,      /* yc  (run, y)                                                                  */
    SW_VAR_ZC,      /* zc  (run, z)                                                                  */
    SW_VAR_LON,     /* lon (run, y, x):     longitudes of the points of a cubed sphere               */
    SW_VAR_LAT,     /* lat (run, y, x):     latitudes                                                */
    SW_VAR_STATE,   /* state_last (run, state_value): what the runs go on from, once they have ended */
    SW_VAR_HISTORY, /* residual_history (run, iteration)                                             */
    SW_VAR_SERIES,  /*     (run, time_s)                                                             */
    SW_VAR_FIELD,   /*     (run, time, x), (run, time, y, x), (run, time, z, y, x)                   */
    SW_VAR_KINDS,
    SW_VAR_SCALES = SW_VAR_ZC + 1  /* so many of them hold what are scales where the runs agree       */
};
/** What holds the values of the scale along dimension d where runs disagree. */
static inline enum sw_var_kind sw_scale_var(int d) { return SW_VAR_XC + d; }
struct sw_var {
    enum sw_var_kind kind;
    enum sw_h5_type  type;  /* SW_H5_DOUBLE or SW_H5_SINGLE */
    char *name, *unit, *long_name;
};
struct sw_data_group {                   /* free with sw_data_group_free()                                         */
    char     name[SW_SHAPE_NAME]; /* "": at the root                                                    */
    bool     schema_1;                   /* of a file of schema 1, where some datasets had other names             */
    bool     numbered;                   /* the scale along x is called i, and holds 1 .. n                        */
    int      dim;                        /* dimensions of a field                                                  */
    int64_t  n[SW_DIMS], count;          /* points along x, y, z, 1 where there is no such dimension; runs         */
    int64_t *index;                      /* [count] of the runs                                                    */
    int64_t  nfield, nscalar;            /* outputs a run in here                                                  */
    int64_t  nhistory;                   /* entries a run of SW_VAR_HISTORY                                        */
    int64_t  nstate;                     /* numbers a run of SW_VAR_STATE                                          */
    int64_t  field_first, scalar_first;  /* which ones: a part may begin later                                     */
    bool     columns;                    /* of a problem whose slabs lie along y (sw_problem_shape)                */
    bool     cut;                        /* of a run that is cut: a field comes in pieces                          */
    int64_t  piece_first, piece_count;   /* of a run that is cut: the points of its last field that are in here, along
                                            sw_data_group_axis(); count 0: all of them                             */
    int64_t  slab, slabs;                /* the pieces are those of all fields, and this is piece `slab` of so many; 0,
                                            0: of one field                                                        */
    int64_t  state_fields, state_behind; /* the fields at the beginning of SW_VAR_STATE, and at its end, of a slab with
                                            its points; 0, 0: not known, of states that never came in slabs        */
    double  *scale[SW_VAR_SCALES];       /* [sw_scale_length()] values of time, time_s, x, y, z; NULL: runs disagree,
                                            see t, t_s, xc, yc, zc; or there is no such scale, or it has numbers    */
    int      nvar;
    struct sw_var *var;
};
enum sw_status sw_data_group_add(struct sw_data_group *s, enum sw_var_kind kind, enum sw_h5_type type, const char *name,
                                 const char *unit, const char *long_name);
/** The same of a kind that has one name: t, t_s, xc, yc, zc, lon, lat, state_last, residual_history. */
enum sw_status sw_data_group_add_kind(struct sw_data_group *s, enum sw_var_kind kind);
void sw_data_group_free(struct sw_data_group *s);
/** The axis along which fields come in pieces: the last one that has more than one point; or y, of columns. */
int sw_data_group_axis(const struct sw_data_group *s);
/** Points of a whole field for one along that axis: lines 1. And how many of them lie beyond it, apart from each
 * other in a file: 1 but for columns of three dimensions. */
int64_t sw_data_group_across(const struct sw_data_group *s);
int64_t sw_data_group_outer(const struct sw_data_group *s);
/** Numbers a run of SW_VAR_STATE in a file of whole grids; and in one of slabs, of so many points along the axis. */
int64_t sw_data_group_whole_state(const struct sw_data_group *s);
int64_t sw_data_group_state_of(const struct sw_data_group *s, int64_t points);
/** The stretches of a run's state that a slab has: part k of fields + 1 + behind, from the first.
 * @param from  out: where it begins in the state of the slab  @param to  out: and in that of the whole
 * @param first, points  of the slab, along the axis  @return its numbers; 0: there is no part k */
int64_t sw_data_group_state_part(const struct sw_data_group *s, int64_t k, int64_t first, int64_t points,
                                 int64_t *from, int64_t *to);
/** What the scale along dimension d is called: "x", "y", "z"; or "i", of points that are numbered. */
const char *sw_data_group_scale(const struct sw_data_group *s, int d);
/** The variable of that name; NULL: none. */
struct sw_var *sw_data_group_var(const struct sw_data_group *s, const char *name);

/* A chunk must stay below 4 GiB: at most so many points of an output go into one; fewer where a part holds a piece of
 * an output, as each chunk that it touches is there as a whole. */
enum { SW_CHUNK_POINTS = 1 << 26, SW_CHUNK_OF_PIECES = 1 << 20 };
int64_t sw_clamp(int64_t value, int64_t least, int64_t most);

enum { SW_PATH = 320 };
/** Where a dataset of that name lies: "/u", "/n00064/u", or in a file of schema 1 under the name that it had there,
 * into path[SW_PATH]. The scale "run" of a group of its own is called "group_run". */
const char *sw_data_group_path(const struct sw_data_group *s, const char *name, char *path);

/** Outputs along a variable's dimension of outputs (1 if it has none), the number of the first of them in the run, and
 * values an output. */
int64_t sw_var_outputs(const struct sw_data_group *s, enum sw_var_kind kind);
int64_t sw_var_first(const struct sw_data_group *s, enum sw_var_kind kind);
int64_t sw_var_inner(const struct sw_data_group *s, enum sw_var_kind kind);
/** A block of whole outputs in the dimensions the variable has: where row and output begin, and how large it is.
 * Return the rank. */
int sw_var_start(const struct sw_data_group *s, enum sw_var_kind kind, int64_t row, int64_t output,
                 hsize_t start[SW_H5_RANK]);
int sw_var_size(const struct sw_data_group *s, enum sw_var_kind kind, int64_t rows, int64_t outputs,
                hsize_t size[SW_H5_RANK]);
/** The same for a chunk, whose outputs are cut where they have more than SW_CHUNK_POINTS points. */
int sw_var_chunk(const struct sw_data_group *s, enum sw_var_kind kind, int64_t rows, int64_t outputs,
                 hsize_t chunk[SW_H5_RANK]);

/** Whether there is a scale with values for this kind < SW_VAR_SCALES, if the runs agree; and so many they are. */
bool sw_scale_has_values(const struct sw_data_group *s, enum sw_var_kind kind);
int64_t sw_scale_length(const struct sw_data_group *s, enum sw_var_kind kind);

/** Say which fields a state has; write_data_group() does so where there is a state by then. */
void sw_h5_write_state_shape(struct sw_h5 *h, const struct sw_data_group *s);
/** The data group's group, if it has one of its own, and its attributes. */
void sw_h5_write_data_group(struct sw_h5 *h, const struct sw_data_group *s);
/** The scales time, time_s, x, as far as there is something over them. */
void sw_h5_write_scales(struct sw_h5 *h, const struct sw_data_group *s);
/** Make a variable's dataset, its shape given; values come later. */
hid_t sw_h5_make_var(struct sw_h5 *h, const struct sw_data_group *s, const struct sw_var *var,
                     const struct sw_h5_shape *shape);
/** Give all variables their scales and attributes. coordinates: as for the table (not used in a group of its own). */
void sw_h5_finish_vars(struct sw_h5 *h, const struct sw_data_group *s, const char *coordinates);

/** All data groups of a file, possibly none. Free each, then the list with sw_free(). */
void sw_h5_read_data_groups(struct sw_h5 *h, const struct sw_run_table *table, struct sw_data_group **data_group,
                            int *count);
#endif
