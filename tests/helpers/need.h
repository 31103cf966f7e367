#ifndef NEED_H
#define NEED_H
/* For programs that measure: nothing is measured where something fails. */
#include <stdio.h>
#include <stdlib.h>

#include "base/sw_err.h"

static inline void need(enum sw_status st)
{
    if (st) exit(fprintf(stderr, "%s\n", sw_err_message()));
}
#endif
