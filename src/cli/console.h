#ifndef CONSOLE_H
#define CONSOLE_H
/* Output to people: messages on stderr, results on stdout. Text is UTF-8; on a terminal with another encoding the few
 * signs beyond ASCII that the program uses are replaced by ASCII. Titles, names and messages come from files that
 * others may have written: console_write() prints escaped what a terminal would act on (sw_text_add_shown()), but for
 * ends of lines and tabs. Where such a text is a line or a cell, its caller escapes those, too. */
#include <stdio.h>

#include "cli/command_line.h"

/** A message on stderr, unless -q. */
void console_message(const struct sw_cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** A result on stdout. */
void console_print(const struct sw_cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One of these two: a caller chooses where messages go. */
typedef void console_printer(const struct sw_cli *cli, const char *fmt, ...);

/** At the end: wait until stderr has taken all of it, or takes nothing for ten seconds. A person may have held up a
 * terminal: that is waited for. With a signal, or once --max-time is over, one second is enough.
 * @return whether it has */
bool console_wait(const struct sw_cli *cli);
/** How long. */
double console_patience(const struct sw_cli *cli, int fd);

void console_write(const struct sw_cli *cli, FILE *to, const char *text);
/** A cell of a CSV table, in quotes where it needs them. Control characters are escaped, and a text that table programs
 * take for a formula, which begins with = + - @, has an apostrophe before it. */
void console_write_csv(FILE *to, const char *text);
/** Print what cli->report holds, and empty it. */
void console_report(struct sw_cli *cli);
/** The exit code of the program after a command that returned st. */
int cli_exit_code(enum sw_status st);

/** Open a file to add to it: the log of --log-json, the table of `sweep bench -o`.
 * @param beginning  of at most 16 characters: how such a file begins
 * @return SW_E_IO; SW_E_REFUSED a file is there that does not begin so */
enum sw_status console_append_open(const char *path, const char *beginning, FILE **file);

/* ---- numbers as people read them; each function returns its text */

const char *format_bytes(double bytes, char text[24]);      /* "27 MB"                  */
const char *format_memory(double bytes, char text[24]);     /* "0.6 GiB"                */
const char *format_clock(double seconds, char text[24]);    /* "00:01", "1:02:03"       */
const char *format_seconds(double seconds, char text[24]);  /* "0.4 s", "12 min"        */
/* Of struct sw_run_sweep_summary.rate and the like, in problems with time or without: "points·steps/s", "points/s". */
const char *format_rate_unit(bool timed);

/* ---- terminals */

struct console_size { int columns, rows; };           /* 0: no terminal, or it does not know */
struct console_size console_size_of(int fd);
int  console_width(const char *text);                 /* columns that a UTF-8 text takes: one a character */
void console_cut(struct sw_text *text, int columns);  /* to its first `columns` characters */
#endif
