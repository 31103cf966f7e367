#include "base/sw_report.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"

static bool known(const struct sw_report *r, const struct sw_report_entry *e)
{
    for (int k = 0; k < r->count; k++)
        if (r->entry[k].line == e->line && sw_text_same(r->entry[k].file, e->file) &&
            sw_text_same(r->entry[k].text, e->text))
            return true;
    return false;
}

static void free_entry(struct sw_report_entry *e)
{
    sw_free(e->file);
    sw_free(e->text);
}

void sw_report_add_at(struct sw_report *r, enum sw_severity severity, struct sw_report_place place, const char *fmt,
                      ...)
{
    struct sw_report_entry e = {.file = place.file ? sw_strdup(place.file) : NULL, .line = place.line,
                                .option = place.option, .severity = severity};
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    e.text = sw_strdup(text);
    if (known(r, &e)) { free_entry(&e); return; }
    if (severity == SW_ERROR) r->errors++;
    if (!e.text || sw_resize((size_t)r->count, (size_t)r->count + 1, &r->entry)) { free_entry(&e); return; }
    r->entry[r->count++] = e;
}

enum sw_status sw_report_status(const struct sw_report *r)
{
    if (!r->errors) return SW_OK;
    return SW_FAIL(SW_E_CONFIG, "%d error%s in the configuration", r->errors, r->errors == 1 ? "" : "s");
}

/* What stands on a line is told before what does not: it often explains what is missing. */
static int by_place(const void *a, const void *b)
{
    const struct sw_report_entry *const *x = a, *const *y = b;
    int order = strcmp((*x)->file ? (*x)->file : "", (*y)->file ? (*y)->file : "");
    if (order) return order;
    const int line = (*x)->line ? (*x)->line : INT_MAX, other = (*y)->line ? (*y)->line : INT_MAX;
    if (line != other) return line < other ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

char *sw_report_print(const struct sw_report *r)
{
    struct sw_text t = {0};
    const struct sw_report_entry **order = NULL;
    if (sw_alloc((size_t)r->count, &order)) return NULL;
    for (int k = 0; k < r->count; k++) order[k] = &r->entry[k];
    qsort(order, (size_t)r->count, sizeof *order, by_place);
    for (int k = 0; k < r->count; k++) {
        const struct sw_report_entry *e = order[k];
        if (e->file) sw_text_add_shown(&t, e->file, "");
        if (e->file && e->line) sw_text_printf(&t, ":%d: ", e->line);
        else if (e->file) sw_text_add(&t, ": ");
        sw_text_printf(&t, "%s: %s\n", e->severity == SW_ERROR ? "error" : "warning", e->text);
    }
    sw_free(order);
    return sw_text_take(&t);
}

void sw_report_free(struct sw_report *r)
{
    for (int k = 0; k < r->count; k++) free_entry(&r->entry[k]);
    sw_free(r->entry);
    *r = (struct sw_report){0};
}
