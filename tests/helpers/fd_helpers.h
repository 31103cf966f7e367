#ifndef FD_HELPERS_H
#define FD_HELPERS_H
/* What tests of compact differences share: every scheme with every boundary it has. */
#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "fd/sw_fd_scheme.h"
#include "helpers.h"

/* Boundary number k of a scheme: "periodic", then the closures in the table that are its own; NULL after the last. */
static inline const char *fd_boundary(const struct sw_fd_scheme *scheme, int k)
{
    const struct sw_fd_closure *const *c = sw_fd_closures;
    if (k == 0) return "periodic";
    for (; *c; c++)
        if (sw_fd_closure_find(scheme, (*c)->name) == *c && --k == 0) return (*c)->name;
    return NULL;
}

/* "periodic, 3-4-6": all of a scheme, in order. @return text */
static inline const char *fd_boundaries(const char *scheme, char text[200])
{
    const struct sw_fd_scheme *s = sw_fd_scheme_find(scheme);
    text[0] = 0;
    for (int k = 0; fd_boundary(s, k); k++)
        snprintf(text + strlen(text), 200 - strlen(text), "%s%s", k ? ", " : "", fd_boundary(s, k));
    return text;
}

/* A statement for each scheme s and boundary b of it, both names. */
#define for_each_case(s, b)                                                                                 \
    for (const struct sw_fd_scheme *const *scheme_ = sw_fd_schemes; *scheme_; scheme_++)                     \
        for (int case_ = 0; fd_boundary(*scheme_, case_); case_++)                                           \
            for (const char *s = (*scheme_)->name, *b = fd_boundary(*scheme_, case_); b; b = NULL)
#endif
