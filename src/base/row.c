#include "base/row.h"

#include <string.h>

#include "base/sw_err.h"
#include "base/sw_text.h"

bool sw_row_named(const struct sw_rows *rows, const struct sw_row *row, const char *name)
{
    const char *dot = strchr(row->name, '.');
    return !name || !strcmp(row->name, name) || (rows->places_optional && dot && !strcmp(dot + 1, name));
}

const struct sw_row *sw_row_find(const struct sw_rows *rows, const char *name)
{
    const struct sw_row *row = NULL;
    for (int k = 0; (row = rows->row(k)); k++)
        if (sw_row_named(rows, row, name)) break;
    return row;
}

bool sw_row_usable(const struct sw_rows *rows, const struct sw_row *row, enum sw_space space, const void *request)
{
    enum sw_status kind = SW_E_ABSENT;
    return !row->absent && row->space == space && !rows->refuse(row, request, &kind);
}

/* Of several rows of one name, the reason of one that works here counts most: it is about the request. What is wrong
 * with the request on any device comes before the wrong device. */
static const char *why_not(const struct sw_rows *rows, const char *name, enum sw_space space, const void *request,
                           enum sw_status *kind)
{
    const char *why = NULL, *wrong = NULL;
    const struct sw_row *row;
    *kind = SW_E_ABSENT;
    if (!name) return rows->refuse(NULL, request, kind);
    for (int k = 0; (row = rows->row(k)); k++) {
        if (!sw_row_named(rows, row, name)) continue;
        *kind = SW_E_ABSENT;
        const char *refused = row->absent ? row->absent : rows->refuse(row, request, kind);
        if (!row->absent && row->space == space) return refused;
        if (refused && *kind == SW_E_CONFIG) wrong = refused;
        if (!why) why = row->absent ? row->absent : "it does not work on this device";
    }
    *kind = wrong ? SW_E_CONFIG : SW_E_ABSENT;
    if (wrong) return wrong;
    if (!why) *kind = SW_E_CONFIG;
    return why ? why : "there is no such row";
}

/* A line for each row of a space in which none does a request. */
static void list_reasons(const struct sw_rows *rows, enum sw_space space, const void *request, struct sw_text *text)
{
    const struct sw_row *row;
    for (int k = 0; (row = rows->row(k)); k++) {
        enum sw_status kind = SW_E_ABSENT;
        const char *why = row->space != space ? "" : row->absent ? row->absent : rows->refuse(row, request, &kind);
        if (*why) sw_text_printf(text, "\n    %-12s %s", row->name, why);
        else if (row->space == SW_HOST && sw_row_usable(rows, row, SW_HOST, request))
            sw_text_printf(text, "\n    %-12s does it with --device cpu", row->name);
    }
}

static enum sw_status refuse(const struct sw_rows *rows, const char *name, enum sw_space space, const void *request)
{
    struct sw_text fit = {0}, reasons = {0};
    enum sw_status kind;
    const struct sw_row *row;
    const char *why = why_not(rows, name, space, request, &kind);
    for (int k = 0; (row = rows->row(k)); k++)
        if (sw_row_usable(rows, row, space, request)) sw_text_printf(&fit, " %s", row->name);
    if (!fit.length) list_reasons(rows, space, request, &reasons);
    enum sw_status st = SW_FAIL(kind, "%s%s%s: %s; fit here:%s%s", rows->noun, name ? " " : "", name ? name : "", why,
                                fit.length ? sw_text_get(&fit) : " none", sw_text_get(&reasons));
    sw_err_set_cause(SW_CAUSE_ROWS);
    sw_text_free(&fit);
    sw_text_free(&reasons);
    return st;
}

enum sw_status sw_row_pick(const struct sw_rows *rows, const char *name, enum sw_space space, const void *request,
                           const struct sw_row **row)
{
    const struct sw_row *slower = NULL;
    for (int k = 0; (*row = rows->row(k)); k++) {
        if (!sw_row_named(rows, *row, name) || !sw_row_usable(rows, *row, space, request)) continue;
        if (name || !rows->slower || !rows->slower(*row, request)) return SW_OK;
        if (!slower) slower = *row;
    }
    if ((*row = slower)) return SW_OK;
    return refuse(rows, name, space, request);
}
