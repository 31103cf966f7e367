#ifndef ASK_H
#define ASK_H
/* What `sweep ask` reads, and the points that it has been asked for. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sw_text.h"
#include "sweep/sw_sweep.h"

/* ---- ask_request.c: a line, an object, {"F": 0.03, "k": 0.06}, one row of parameters, or an array of objects, a
 * generation */

/* A parameter that rows must have: a number, or a word. */
struct ask_parameter { const char *name; bool is_word; };

struct ask_row {
    char   *error;                      /* why it is no row; NULL: it is one                                     */
    char   *text;                       /* as a line of a table has it, "0.03,0.06"; equal rows have equal texts */
    int64_t run;                        /* for the caller                                                        */
    bool    again;
};
struct ask_request {                    /* start from {0}, free with ask_request_free()                          */
    bool   is_list;
    int    count;
    struct ask_row *row;                /* [count]                                                               */
    char  *error;                       /* why the line is no request, count is 0 then; NULL: it is one          */
};

/** Read a line. What is wrong with it, or with a row of it, is its `error`.
 * @param line  ends with a zero; without its newline  @param parameter  [count]  @return SW_E_MEMORY */
enum sw_status ask_request_read(const char *line, const struct ask_parameter *parameter, int count,
                                struct ask_request *request);
void ask_request_free(struct ask_request *request);

/* Lines of standard input. Start from {0}, and free the text.                                                    */
struct ask_input { struct sw_text text; size_t used; bool end; };
/** Wait for the next line. The last one may lack its end.
 * @param line  out: without its newline, valid until the next call; NULL: there is none any more
 * @return SW_E_STOPPED a signal has come; SW_E_USAGE the line is too long; SW_E_IO; SW_E_MEMORY */
enum sw_status ask_input_line(struct ask_input *input, char **line);

/* ---- ask_points.c: the points that a session has been asked for, each once: point k is run k of its sweep */

struct ask_points {                     /* start from {0}, free with ask_points_free()                           */
    int64_t  count, room;
    char   **text;                      /* [count] as struct ask_row has it                                      */
    char   **answer;                    /* [count] members of a JSON object; NULL: not known yet                 */
    int64_t *slot;                      /* [slots] a hash table of point + 1, 0: free                            */
    size_t   slots;
};
/** The point of a text; -1: it is a new one. */
int64_t ask_points_find(const struct ask_points *points, const char *text);
/** Add a new point, which has no answer. @param text  copied  @return SW_E_MEMORY */
enum sw_status ask_points_add(struct ask_points *points, const char *text);
/** Add the first runs of a sweep, whose axes must have the names of the parameters.
 * @param parameter  [count]  @param file  as a refusal names it  @return SW_E_REFUSED, SW_E_MEMORY */
enum sw_status ask_points_add_runs(struct ask_points *points, const struct ask_parameter *parameter, int count,
                                   const struct sw_sweep *sweep, int64_t runs, const char *file);
/** Forget all points from `count` on. */
void ask_points_cut(struct ask_points *points, int64_t count);
void ask_points_free(struct ask_points *points);
#endif
