#ifndef INPUT_IMPL_H
#define INPUT_IMPL_H
/* A format of files with arrays. One file a format; its row goes into input_table.c. */
#include <stdio.h>

#include "base/sw_text.h"
#include "input/sw_arrays.h"

struct input_format {
    const char *name;
    bool whole;                                             /* open() reads all of a file: read() does not need it */
    bool (*recognizes)(FILE *file);                         /* from its beginning */
    enum sw_status (*open)(const char *path, int side, void **own);  /* as sw_arrays_open_matrix() */
    enum sw_arrays_kind (*kind)(const void *own);           /* NULL: always datasets */
    enum sw_status (*find)(void *own, const char *name, struct sw_array *array);
    void           (*list)(void *own, struct sw_text *names); /* with has() and each() NULL: nothing has a name */
    bool           (*has)(void *own, const char *name);
    void           (*each)(void *own, void (*visit)(void *user, const char *name), void *user);
    enum sw_status (*read)(void *own, const struct sw_array *array, const int64_t *first, const int64_t *count,
                           double *out);    /* sw_arrays_read_box(), with the dimensions in the file's order */
    void           (*close)(void *own);                     /* NULL is fine */
};

extern const struct input_format *const input_formats[];  /* ends with NULL */
#endif
