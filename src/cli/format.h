#ifndef FORMAT_H
#define FORMAT_H
/* Numbers as people read them; each function returns its text. */
const char *format_bytes(double bytes, char text[24]);      /* "27 MB"                  */
const char *format_memory(double bytes, char text[24]);     /* "0.6 GiB"                */
const char *format_clock(double seconds, char text[24]);    /* "00:01", "1:02:03"       */
const char *format_seconds(double seconds, char text[24]);  /* "0.4 s", "12 min"        */
#endif
