#ifndef APPEND_FILE_H
#define APPEND_FILE_H
/* Files that are added to: the log of --log-json, the table of `sweep bench -o`. */
#include <stdio.h>

#include "base/sw_err.h"

/** Open one to add to it.
 * @param beginning  of at most 16 characters: how such a file begins
 * @return SW_E_IO; SW_E_REFUSED a file is there that does not begin so */
enum sw_status append_open(const char *path, const char *beginning, FILE **file);
#endif
