#ifndef FORMAT_H
#define FORMAT_H
/* Numbers as people read them; each function returns its text. */
#include <stdbool.h>

const char *format_bytes(double bytes, char text[24]);      /* "27 MB"                  */
const char *format_memory(double bytes, char text[24]);     /* "0.6 GiB"                */
const char *format_clock(double seconds, char text[24]);    /* "00:01", "1:02:03"       */
const char *format_seconds(double seconds, char text[24]);  /* "0.4 s", "12 min"        */

/* Of struct sw_run_sweep_summary.rate and the like, in problems with time or without: "points·steps/s", "points/s". */
const char *format_rate_unit(bool timed);
#endif
