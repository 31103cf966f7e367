#ifndef SWEEP_OPTIONS_H
#define SWEEP_OPTIONS_H
/* Keys with one value for the whole sweep: words, texts, switches, and numbers that are no columns. */
#include "sweep/sw_sweep.h"

/** Read them into the sweep, and the WORD and ROW keys (words.h). @return SW_E_MEMORY */
enum sw_status options_read(struct sw_sweep *s);
#endif
