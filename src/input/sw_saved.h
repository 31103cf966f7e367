#ifndef SW_SAVED_H
#define SW_SAVED_H
/* Fields that are saved in a file, one for each run, or for each run and time:
 *
 *     a field of the results of a sweep (docs/reference/output.md): (run, time, points), with points in one to
 *     three dimensions;
 *         where the number of points differs from run to run, of all groups together
 *     any other dataset, of HDF5 or a Matrix Market array: (points), of all runs alike, or (run, points); of some or
 *         all of run, time, z, y, x in any order, where the file has dimensions of these names (sw_array_role())
 *
 * Where the file has a list of the numbers of its runs, as results have, run k is the one of that number; else it is
 * row k. Any thread may call at any time. Messages do not name the file. */
#include "input/sw_arrays.h"

struct sw_saved;

/** Open a file and find a dataset.
 * @param wrong_dataset  out: where it fails, whether it is the dataset that is to blame, not the file
 * @return as sw_arrays_open(), sw_arrays_find_box(); SW_E_CONFIG it is no dataset of fields */
enum sw_status sw_saved_open(const char *path, const char *dataset, struct sw_saved **saved, bool *wrong_dataset);
void sw_saved_close(struct sw_saved **saved);

enum { SW_SAVED_DIMS = 3 };
#define SW_SAVED_LAST 1e300  /* as a time: the last of the run */

/* One field of a file. */
struct sw_saved_place {
    int     group;               /* the dataset that has it                                     */
    bool    of_runs;             /* its first dimension is that of runs                         */
    bool    guessed;             /* which it is without a name that would say so                */
    int64_t row, time;           /* in those before the dimensions of the points                */
    bool    shared;              /* there is one field, for all runs                            */
    double  t;                   /* its time; NaN: the file does not say                        */
    int64_t n[SW_SAVED_DIMS];    /* points along x, y, z; 1 in a dimension that it does not have */
};

/* What is to blame where there is no such field. */
enum sw_saved_wrong { SW_SAVED_WRONG_RUN, SW_SAVED_WRONG_TIME, SW_SAVED_WRONG_DATASET };

/** Find the field of a run at a time.
 * @param dim    dimensions of the points, 1 to SW_SAVED_DIMS: they decide what a dataset that is no result is
 * @param run    its number in the file, from 0
 * @param time   SW_SAVED_LAST, or one that was saved, to a part in 1e9
 * @param wrong  out, where it fails
 * @return SW_E_CONFIG there is none, with those there are */
enum sw_status sw_saved_find(const struct sw_saved *saved, int dim, double run, double time,
                             struct sw_saved_place *place, enum sw_saved_wrong *wrong);

/** Whether there is a number in its file that stands for a missing one, which is read as NaN. */
bool sw_saved_fills(const struct sw_saved *saved, const struct sw_saved_place *place);

/** The name of axis k of the sweep whose results they are, of those of numbers. @return NULL: there is none */
const char *sw_saved_parameter(const struct sw_saved *saved, int k);

/** "method, scheme": the axes of words of the sweep whose results they are; "": it has none. */
const char *sw_saved_words(const struct sw_saved *saved);

/** Whether the sweep whose results they are has axes, of numbers or of words. */
bool sw_saved_has_axes(const struct sw_saved *saved);

/** Find the run with these values of some axes, each to a part in 1e9. Keeps an index: one thread at a time.
 * @param axis   [count] rising  @param value  [count]  @param run  out: its number
 * @return SW_E_CONFIG there is none, or there are several; SW_E_MEMORY */
enum sw_status sw_saved_match(struct sw_saved *saved, int count, const int *axis, const double *value, double *run);

/** Go back to the time that was saved of the run before this one. @return false: there is none */
bool sw_saved_earlier(const struct sw_saved *saved, struct sw_saved_place *place);

/** Read points first[d] .. first[d] + count[d] - 1 along x, y, z.
 * @param out  [count[2]][count[1]][count[0]]  @return as sw_arrays_read() */
enum sw_status sw_saved_read(const struct sw_saved *saved, const struct sw_saved_place *place,
                             const int64_t first[SW_SAVED_DIMS], const int64_t count[SW_SAVED_DIMS], double *out);

/** Where the points of a field are along dimension d < SW_SAVED_DIMS: the first one's coordinate, and the distance of
 * neighbours, which are evenly spaced.
 * @param known  out: false: the file does not say it  @return as sw_arrays_read() */
enum sw_status sw_saved_axis(const struct sw_saved *saved, const struct sw_saved_place *place, int d, double *first,
                             double *spacing, bool *known);

/** SHA-256 of all that decides what a place is and holds. @return as sw_arrays_digest() */
enum sw_status sw_saved_digest(const struct sw_saved *saved, unsigned char digest[32]);
#endif
