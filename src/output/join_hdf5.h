#ifndef JOIN_HDF5_H
#define JOIN_HDF5_H
/* Reading the arrays of many files, a stretch of rows at a time, for those of one (results/join_hdf5.c). */
#include "output/target_hdf5.h"

struct sw_task {                   /* one stretch of one run: all outputs that an input has of it */
    int     input, section;
    int64_t from, to;              /* row in the input's section, and in the output's             */
};

struct sw_window {                 /* the part of a variable of the output that is in memory      */
    const struct sw_section *s;    /* of the output                                               */
    const struct sw_var *var;
    int64_t row, rows;             /* of the section                                              */
    int64_t output, outputs;
    size_t  cell;                  /* bytes an output                                             */
    bool    packed;                /* the rows of tasks lie one after another, wherever they go   */
    char   *block;                 /* [rows][outputs][cell]                                       */
};

struct sw_readers {                /* inputs while their arrays are read: some of them are open   */
    const struct sw_gather *g;
    struct reader *reader;         /* [g->ninput]                                                 */
    long    clock;
    char   *piece;                 /* as read                                                     */
    size_t  room;
};
enum sw_status sw_readers_make(struct sw_readers *readers, const struct sw_gather *g);
void sw_readers_free(struct sw_readers *readers);
/** The input whose content could not be read, though the system reads the file; -1: none. */
int sw_readers_damaged(const struct sw_readers *readers);
/** Close the datasets that are open, not the files. */
void sw_readers_forget(struct sw_readers *readers);

/** Fill the rows of a window that tasks are about: task[0 .. count-1] are neighbours in their input. What it does
 * not have stays as it is. @return SW_E_IO with its name */
enum sw_status sw_readers_copy(struct sw_readers *readers, const struct sw_window *w, const struct sw_task *task,
                               int64_t count);

/** Outputs of an input's section that fall into a window, the first of them in its own count, and where in the
 * window it lies. */
int64_t sw_window_overlap(const struct sw_window *w, const struct sw_section *s, int64_t *first, int64_t *at);
/** Whether tasks fill all of a window's rows. */
bool sw_window_covered(const struct sw_window *w, const struct sw_gather *g, const struct sw_task *task, int64_t count);
/** Whether b comes right after a in an input. */
bool sw_task_neighbours(const struct sw_task *a, const struct sw_task *b);
/** List the stretches of rows row .. row+rows-1 of a target, by input, section and row there. Free with sw_free(). */
enum sw_status sw_tasks_list(const struct sw_gather *g, const struct sw_target *t, int64_t row, int64_t rows,
                             struct sw_task **task, int64_t *count);
#endif
