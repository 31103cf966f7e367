/* The signs beyond ASCII that the program uses, and what replaces them where the terminal has none. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_async_stream.h"
#include "base/sw_mem.h"
#include "cli/console.h"
#include "cli/signals.h"
#include "store/files/sw_files.h"

static const struct { const char *sign, *ascii; } ascii_signs[] = {
    {"·", "-"}, {"×", "x"}, {"≈", "~"}, {"…", "..."}, {"▕", "["}, {"▏", "]"}, {"█", "#"}, {"²", "^2"}, {"–", "-"},
    {"▉", "#"}, {"▊", "#"}, {"▋", "#"}, {"▌", "#"}, {"▍", " "}, {"▎", " "},
};

static const char *find_ascii(const char *text, size_t *length)
{
    for (size_t k = 0; k < sizeof ascii_signs / sizeof *ascii_signs; k++) {
        *length = strlen(ascii_signs[k].sign);
        if (!strncmp(text, ascii_signs[k].sign, *length)) return ascii_signs[k].ascii;
    }
    return NULL;
}

static void write_ascii(FILE *to, const char *text)
{
    while (*text) {
        size_t length = 1;
        const char *ascii = (unsigned char)*text >= 0x80 ? find_ascii(text, &length) : NULL;
        if (ascii) fputs(ascii, to);
        else { length = 1; fputc(*text, to); }  /* the user's own text stays as it is */
        text += length;
    }
}

/* Tabs are kept: a line of a config is shown with them, above a mark that counts on them. */
void console_write(const struct sw_cli *cli, FILE *to, const char *text)
{
    struct sw_text shown = {0};
    sw_text_add_shown(&shown, text, "\n\t");
    if (!cli || cli->utf8) fputs(sw_text_get(&shown), to);
    else write_ascii(to, sw_text_get(&shown));
    sw_text_free(&shown);
}

static void write_formatted(const struct sw_cli *cli, FILE *to, const char *fmt, va_list ap)
{
    va_list again;
    char *text = NULL;
    va_copy(again, ap);
    int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (length < 0 || sw_alloc((size_t)length + 1, &text)) return;
    vsnprintf(text, (size_t)length + 1, fmt, ap);
    console_write(cli, to, text);
    sw_free(text);
}

void console_message(const struct sw_cli *cli, const char *fmt, ...)
{
    va_list ap;
    if (cli->quiet) return;
    va_start(ap, fmt);
    write_formatted(cli, stderr, fmt, ap);
    va_end(ap);
}

void console_print(const struct sw_cli *cli, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    write_formatted(cli, stdout, fmt, ap);
    va_end(ap);
}

/* A table program computes a cell that begins like this, unless it is a number. */
static bool is_formula(const char *text)
{
    char *end;
    strtod(text, &end);
    return *end && strchr("=+-@", *text);
}

double console_patience(const struct sw_cli *cli, int fd)
{
    if (cli->deadline > 0 && sw_clock() > cli->deadline) return 1;
    return isatty(fd) ? INFINITY : 10;
}

bool console_wait(const struct sw_cli *cli)
{
    return sw_async_stderr_wait(console_patience(cli, STDERR_FILENO), &stop_signal);
}

void console_write_csv(FILE *to, const char *text)
{
    struct sw_text cell = {0};
    if (is_formula(text)) sw_text_add(&cell, "'");
    sw_text_add_shown(&cell, text, "");
    text = sw_text_get(&cell);
    const char *quote = strpbrk(text, ",\"") ? "\"" : "";
    fputs(quote, to);
    for (; *text; text++) fputs(*text == '"' ? "\"\"" : (const char[]){*text, 0}, to);
    fputs(quote, to);
    sw_text_free(&cell);
}

/* --solver is kept as an override. Report an error in it under the name that the user has typed. */
static void name_solver_option(struct sw_cli *cli)
{
    for (int k = 0; cli->solver_option && k < cli->report.count; k++) {
        struct sw_report_entry *e = &cli->report.entry[k];
        if (e->option != cli->stored_overrides + cli->solver_option) continue;
        char *name = sw_strdup("--solver");
        if (!name) continue;
        sw_free(e->file);
        e->file = name;
    }
}

/* With check --json, warnings are collected among the notes, each in a line. */
static void collect_warnings(const struct sw_cli *cli)
{
    for (int k = 0; cli->notes && k < cli->report.count; k++) {
        const struct sw_report_entry *e = &cli->report.entry[k];
        if (e->severity != SW_WARNING) continue;
        if (e->file) sw_text_printf(cli->notes, "%s:%d: ", e->file, e->line);
        for (const char *p = e->text; p && *p; p++) sw_text_add_bytes(cli->notes, *p == '\n' ? " " : p, 1);
        sw_text_add(cli->notes, "\n");
    }
}

void console_report(struct sw_cli *cli)
{
    collect_warnings(cli);
    name_solver_option(cli);
    char *text = cli->report.count && !cli->muted ? sw_report_print(&cli->report) : NULL;
    if (text && (!cli->quiet || cli->report.errors)) console_write(cli, stderr, text);
    sw_free(text);
    sw_report_free(&cli->report);
}

/* ---- terminals */

struct console_size console_size_of(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col) return (struct console_size){0, 0};
    return (struct console_size){size.ws_col, size.ws_row};
}

static bool begins_character(char byte) { return (byte & 0xc0) != 0x80; }  /* UTF-8 */

int console_width(const char *text)
{
    int columns = 0;
    for (; *text; text++) columns += begins_character(*text);
    return columns;
}

void console_cut(struct sw_text *text, int columns)
{
    for (char *p = text->data; p && *p; p++)
        if (begins_character(*p) && columns-- <= 0) *p-- = 0;
}

/* ---- numbers as people read them */

static const char *scaled(double bytes, double base, const char *const *unit, char text[24])
{
    int k = 0;
    while (bytes >= 0.9995 * base && k < 5) { bytes /= base; k++; }
    snprintf(text, 24, bytes < 9.95 && k ? "%.1f %s" : "%.0f %s", bytes, unit[k]);
    return text;
}

const char *format_bytes(double bytes, char text[24])
{
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    return scaled(bytes, 1000, unit, text);
}

const char *format_memory(double bytes, char text[24])
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    return scaled(bytes, 1024, unit, text);
}

const char *format_clock(double seconds, char text[24])
{
    if (!(seconds < 360000)) { snprintf(text, 24, "--:--"); return text; }
    long s = lround(seconds < 0 ? 0 : seconds);
    if (s < 3600) snprintf(text, 24, "%02ld:%02ld", s / 60, s % 60);
    else snprintf(text, 24, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return text;
}

const char *format_seconds(double seconds, char text[24])
{
    if (!(seconds >= 0)) snprintf(text, 24, "unknown");
    else if (seconds < 0.1) snprintf(text, 24, "less than 0.1 s");
    else if (seconds < 100) snprintf(text, 24, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    else if (seconds < 6000) snprintf(text, 24, "%.0f min", seconds / 60);
    else if (seconds < 360000) snprintf(text, 24, "%.1f h", seconds / 3600);
    else snprintf(text, 24, "%.0f days", seconds / 86400);
    return text;
}

const char *format_rate_unit(bool timed) { return timed ? "points·steps/s" : "points/s"; }

/* ---- files that are added to */

/* A file that begins in another way was not written by this program: nothing is added to it. */
static enum sw_status check_beginning(const char *path, FILE *file, const char *beginning)
{
    char head[16] = "";
    struct sw_file_version mark;
    SW_TRY(sw_files_version(path, &mark));
    if (!mark.bytes) return SW_OK;
    rewind(file);
    const size_t length = fread(head, 1, strlen(beginning), file);
    if (ferror(file)) return sw_files_fail(path);
    if (length == strlen(beginning) && !memcmp(head, beginning, length)) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s is there and was not written by sweep, so nothing is added to it; use another "
                   "name", path);
}

enum sw_status console_append_open(const char *path, const char *beginning, FILE **file)
{
    const bool is_file = !sw_files_regular(path);  /* a pipe is opened for writing alone: its reader is another */
    *file = fopen(path, is_file ? "a+" : "a");
    if (!*file) return sw_files_fail(path);
    enum sw_status st = is_file ? check_beginning(path, *file, beginning) : SW_OK;
    if (!st) return SW_OK;
    fclose(*file);
    *file = NULL;
    return st;
}

/* ---- failures */

void sw_cli_print_error(struct sw_cli *cli, enum sw_status st)
{
    const char *red = cli && cli->colored ? "\033[1;31m" : "", *plain = cli && cli->colored ? "\033[0m" : "";
    if (cli && cli->muted && cli->reported) return;
    /* Rank 0 prints the error and ends the job. If another rank exited first, mpirun would kill rank 0 before it has
     * printed. Open MPI's mpirun, too, gives the others 1 s once one has ended with an error. */
    if (cli && cli->muted && st == SW_E_USAGE) {
        sleep(1);
        return;
    }
    bool listed = cli && (st == SW_E_CONFIG || st == SW_E_USAGE) && cli->report.errors;
    if (cli) console_report(cli);
    if (listed || st == SW_E_STOPPED) return;  /* printed already: the list of errors, or how to continue */
    console_write(cli, stderr, sw_err_place());
    if (*sw_err_place()) fputs(": ", stderr);
    fprintf(stderr, "%serror:%s ", red, plain);
    console_write(cli, stderr, sw_err_message());
    if (sw_err_cause() == SW_CAUSE_NO_ROOM) fputs("; make room, then run the same command again", stderr);
    fputc('\n', stderr);
    if (cli && cli->verbose) fprintf(stderr, "  raised at %s\n", sw_err_where());
}

int cli_exit_code(enum sw_status st)
{
    return st == SW_E_STOPPED && stop_signal == SIGINT ? 130 : sw_status_exit_code(st);
}
