#ifndef SW_ARRAYS_H
#define SW_ARRAYS_H
/* Arrays of numbers that a user gives in files: HDF5 (any dataset of integers or reals, n or systems x n of them, or
 * boxes of up to five dimensions; of a dataset of compounds each member is one, "/table/a"; the CF attributes
 * scale_factor, add_offset, _FillValue, missing_value and valid_* are obeyed, a missing number is NaN) and Matrix
 * Market (a banded matrix by coordinates, whose arrays are its diagonals, or an array, whose columns are systems).
 * The content says which it is.
 *
 * What is read of an HDF5 file is of the state in which it was opened, or fails. A text is read as a whole when it is
 * opened: what becomes of the file afterwards does not matter.
 *
 * Any thread may call at any time. Messages do not name the file: the caller knows how the user wrote it. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"
#include "base/sw_text.h"

struct sw_arrays;   /* an open file */

enum { SW_ARRAY_RANK = 5 };  /* dimensions, at most */

struct sw_array {
    int     index;          /* among those of the file that were looked for                                    */
    int64_t systems, n;     /* lengths; system s of n numbers follows system s - 1                             */
    int     rank;
    int64_t dim[SW_ARRAY_RANK];  /* [rank] the last one is n, the others make `systems`                        */
    long    corner_line;    /* of a diagonal by coordinates: the first line with an entry that only a circle has there,
                               as (1, n), 0: none                                                              */
    int64_t corner_row;     /* and its row, from 1                                                             */
    int64_t entries;        /* of a diagonal by coordinates: how many are not 0                                */
    int     stored;              /* dimensions in the file: those that are left out have length 1              */
    int     from[SW_ARRAY_RANK]; /* [rank] which of those each one is                                          */
    char    scale[SW_ARRAY_RANK][256]; /* [rank] what the file calls it: the path of its dimension scale, or its
                                    label; "": nothing                                                         */
    bool    parameter;      /* a result of a sweep, which says that it is an axis                              */
    bool    fills;          /* its file has a number that stands for a missing one, which is read as NaN       */
};

/* What a dimension is by its name: in the order in which fields have them. Columns of an array are runs. */
enum sw_array_role { SW_ARRAY_RUN, SW_ARRAY_TIME, SW_ARRAY_Z, SW_ARRAY_Y, SW_ARRAY_X, SW_ARRAY_NO_ROLE };
enum sw_array_role sw_array_role(const struct sw_array *array, int d);

/** Whether the names of all dimensions say what they are. */
bool sw_array_named(const struct sw_array *array);

/** The names of dimensions, "(time, x)"; "?" has none. @param text  it is appended */
void sw_array_add_names(const struct sw_array *array, struct sw_text *text);

/** Open a file. A text is read as a whole.
 * @param input  out: NULL on failure; close with sw_arrays_close()
 * @return SW_E_CONFIG there is no such file (a folder, a device or a pipe is none), it has no format that is known, or
 *         its text is wrong or too long for the memory (with the line); SW_E_IO it cannot be read, or changes
 *         meanwhile; SW_E_MEMORY */
enum sw_status sw_arrays_open(const char *path, struct sw_arrays **input);
/** The same, where a matrix by coordinates may have `side` diagonals on each side of the main one; else it is
 * tridiagonal. @param side  0 .. SW_ARRAYS_SIDE */
enum { SW_ARRAYS_SIDE = 4 };
enum sw_status sw_arrays_open_matrix(const char *path, int side, struct sw_arrays **input);
void sw_arrays_close(struct sw_arrays **input);

/* What the arrays of a file are, and the names they have. */
enum sw_arrays_kind {
    SW_ARRAYS_DATASETS,   /* datasets, by their paths                                                        */
    SW_ARRAYS_DIAGONALS,  /* of a matrix: "-1", "+0" and "+1", as places right of the main one, entry i of each in
                             row i                                                                           */
    SW_ARRAYS_COLUMNS     /* one array, whose columns are systems; it has no name                            */
};
enum sw_arrays_kind sw_arrays_kind(const struct sw_arrays *input);

/** Find an array. By the names of its dimensions, where it has them, they are put in the order of their roles; n x 1
 * numbers without names are n.
 * @param name  as its kind of file has it; of columns anything
 * @return SW_E_CONFIG there is none, with the nearest or the known ones, it is no array of numbers, it has more than
 *         two dimensions or such as are in no order, its attributes are not understood, or its numbers are not in the
 *         file: in another one (an external link, external storage, a virtual dataset), or nowhere; SW_E_IO;
 *         SW_E_MEMORY */
enum sw_status sw_arrays_find(struct sw_arrays *input, const char *name, struct sw_array *array);

/** The same of up to SW_ARRAY_RANK dimensions. */
enum sw_status sw_arrays_find_field(struct sw_arrays *input, const char *name, struct sw_array *array);

/** The same, with the dimensions as they are in the file. */
enum sw_status sw_arrays_find_box(struct sw_arrays *input, const char *name, struct sw_array *array);

/** Whether the file has a dataset of this name. */
bool sw_arrays_has(struct sw_arrays *input, const char *name);

/** Visit the names of all datasets, in the order of the alphabet; none where arrays have no names.
 * @param visit  must not call these functions */
void sw_arrays_each(struct sw_arrays *input, void (*visit)(void *user, const char *name), void *user);

/** The names of datasets, " /d /dl /du", no more than fit a message; nothing where arrays have none.
 * @param names  they are appended */
void sw_arrays_list(struct sw_arrays *input, struct sw_text *names);

/* Part of an array: numbers first .. first + count - 1 of systems system .. system + systems - 1, all from 0. */
struct sw_array_part { int64_t system, systems, first, count; };

/** @param out  [systems][count]  @return SW_E_IO it cannot be read, or the file is not as it was when it was opened */
enum sw_status sw_arrays_read(struct sw_arrays *input, const struct sw_array *array, const struct sw_array_part *part,
                              double *out);

/** Numbers first[d] .. first[d] + count[d] - 1 along each dimension d, all from 0.
 * @param first, count  [array->rank]  @param out  [count[0]] ... [count[rank - 1]]  @return as sw_arrays_read() */
enum sw_status sw_arrays_read_box(struct sw_arrays *input, const struct sw_array *array, const int64_t *first,
                                  const int64_t *count, double *out);

/** SHA-256 of all its numbers. It takes as long as they take to be read, or 1 s for 1 to 2 GB.
 * @return as sw_arrays_read(); SW_E_MEMORY */
enum sw_status sw_arrays_digest(struct sw_arrays *input, const struct sw_array *array, unsigned char digest[32]);
#endif
