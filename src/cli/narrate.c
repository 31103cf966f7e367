#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "cli/cli_impl.h"

/* The signs we use beyond ASCII, and how to spell them where the terminal has none. */
static const struct { const char *sign, *ascii; } spelling[] = {
    {"·", "-"}, {"×", "x"}, {"≈", "~"}, {"…", "..."}, {"▕", "["}, {"▏", "]"}, {"█", "#"}, {"²", "^2"}, {"–", "-"},
    {"▉", "#"}, {"▊", "#"}, {"▋", "#"}, {"▌", "#"}, {"▍", " "}, {"▎", " "},
};

static const char *spell(const char *text, size_t *length)
{
    for (size_t k = 0; k < sizeof spelling / sizeof *spelling; k++) {
        *length = strlen(spelling[k].sign);
        if (!strncmp(text, spelling[k].sign, *length)) return spelling[k].ascii;
    }
    return NULL;
}

void cli_put(const struct sw_cli *cli, FILE *to, const char *text)
{
    if (!cli || cli->utf8) { fputs(text, to); return; }
    while (*text) {
        size_t length = 1;
        const char *ascii = (unsigned char)*text >= 0x80 ? spell(text, &length) : NULL;
        if (ascii) fputs(ascii, to);
        else { length = 1; fputc(*text, to); }  /* the user's own text stays as it is */
        text += length;
    }
}

static void put_formatted(const struct sw_cli *cli, FILE *to, const char *fmt, va_list ap)
{
    va_list again;
    char *text = NULL;
    va_copy(again, ap);
    int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (length < 0 || sw_alloc((size_t)length + 1, &text)) return;
    vsnprintf(text, (size_t)length + 1, fmt, ap);
    cli_put(cli, to, text);
    sw_free(text);
}

void cli_say(const struct sw_cli *cli, const char *fmt, ...)
{
    va_list ap;
    if (cli->quiet) return;
    va_start(ap, fmt);
    put_formatted(cli, stderr, fmt, ap);
    va_end(ap);
}

void cli_print(const struct sw_cli *cli, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_formatted(cli, stdout, fmt, ap);
    va_end(ap);
}

void cli_csv(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"\n")) { fputs(text, to); return; }
    fputc('"', to);
    for (; *text; text++) fputs(*text == '"' ? "\"\"" : (const char[]){*text, 0}, to);
    fputc('"', to);
}

/* The value of --solver is an override like any other; what is wrong with it is told by the name that was typed. */
static void name_solver_option(struct sw_cli *cli)
{
    for (int k = 0; cli->solver_override && k < cli->report.count; k++) {
        struct sw_report_entry *e = &cli->report.entry[k];
        if (!e->file || !e->text || strcmp(e->file, "-s") || strncmp(e->text, "'solver' ", 9)) continue;
        char *name = sw_strdup("--solver");
        if (!name) continue;
        sw_free(e->file);
        e->file = name;
    }
}

/* Warnings are among the notes, each in a line. */
static void keep_warnings(const struct sw_cli *cli)
{
    for (int k = 0; cli->notes && k < cli->report.count; k++) {
        const struct sw_report_entry *e = &cli->report.entry[k];
        if (e->severity != SW_WARNING) continue;
        if (e->file) sw_text_printf(cli->notes, "%s:%d: ", e->file, e->line);
        for (const char *p = e->text; p && *p; p++) sw_text_add_bytes(cli->notes, *p == '\n' ? " " : p, 1);
        sw_text_add(cli->notes, "\n");
    }
}

void cli_report(struct sw_cli *cli)
{
    keep_warnings(cli);
    name_solver_option(cli);
    char *text = cli->report.count && !cli->silent ? sw_report_print(&cli->report) : NULL;
    if (text && (!cli->quiet || cli->report.errors)) cli_put(cli, stderr, text);
    sw_free(text);
    sw_report_free(&cli->report);
}

/* As setlocale would decide it, without calling it: the program's numbers must not depend on the locale. */
bool cli_locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;
    for (int k = 0; k < 3 && !(value && *value); k++) value = getenv(names[k]);
    return value && (strcasestr(value, "utf-8") || strcasestr(value, "utf8"));
}
