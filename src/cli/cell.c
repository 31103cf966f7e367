#include <math.h>

#include "base/sw_text.h"
#include "cli/cell.h"
#include "cli/console.h"

/* The sign of a NaN means nothing. */
static void format_real(double v, int digits, char text[40])
{
    if (isnan(v)) snprintf(text, 40, "nan");
    else if (v == floor(v) && fabs(v) < 1e15) snprintf(text, 40, "%.0f", v);
    else if (digits > 15) sw_number(v, text);
    else snprintf(text, 40, "%.*g", digits, v);
}

const char *cell_format(const struct cell *c, int digits, char room[40])
{
    if (c->kind == CELL_TEXT) return c->text;
    room[0] = 0;
    if (c->kind == CELL_COUNT) snprintf(room, 40, "%lld", (long long)c->count);
    else if (c->kind == CELL_REAL) format_real(c->real, digits, room);
    else if (c->kind == CELL_FIGURE && isfinite(c->real)) snprintf(room, 40, "%.6g", c->real);
    return room;
}

void cell_print_csv(FILE *to, const struct cell *c)
{
    char room[40];
    const char *text = cell_format(c, 17, room);
    if (c->kind == CELL_TEXT) console_write_csv(to, text);
    else fputs(text, to);
}

void cell_print_json(struct sw_json *j, const struct cell *c)
{
    if (c->kind == CELL_TEXT) sw_json_text(j, c->name, c->text);
    else if (c->kind == CELL_COUNT) sw_json_count(j, c->name, c->count);
    else if (c->kind != CELL_EMPTY) sw_json_real(j, c->name, c->real);
}
