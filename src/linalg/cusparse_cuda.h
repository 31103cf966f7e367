#ifndef CUSPARSE_CUDA_H
#define CUSPARSE_CUDA_H
/* cuSPARSE, 160 MB, which is loaded when a row that needs it is asked for. */
#include "base/sw_err.h"

/** @param row      who asks; @param instead  the row to take without the library: for the message
 *  @param name     functions, ends with NULL; symbol  out: as many
 *  @return SW_E_ABSENT no such library on this machine (the message says what to install), or it lacks a function */
enum sw_status sw_cusparse_load(const char *row, const char *instead, const char *const *name, void **symbol);
#endif
