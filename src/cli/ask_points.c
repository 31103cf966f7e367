#include "cli/ask.h"

#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"

/* FNV-1a. Points are the caller's own: nobody gains from two that fall into one slot. */
static uint64_t hash_text(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h ^ h >> 32;
}

/* The slot of a text, or the free one where it belongs. */
static int64_t *find_slot(const struct ask_points *p, const char *text)
{
    size_t at = (size_t)hash_text(text) & (p->slots - 1);
    while (p->slot[at] && strcmp(p->text[p->slot[at] - 1], text)) at = (at + 1) & (p->slots - 1);
    return &p->slot[at];
}

static void fill_slots(struct ask_points *p)
{
    memset(p->slot, 0, p->slots * sizeof *p->slot);
    for (int64_t k = 0; k < p->count; k++) *find_slot(p, p->text[k]) = k + 1;
}

int64_t ask_points_find(const struct ask_points *p, const char *text)
{
    return p->slots ? *find_slot(p, text) - 1 : -1;
}

static enum sw_status make_room(struct ask_points *p)
{
    enum { LEAST = 64 };
    const int64_t room = p->room ? 2 * p->room : LEAST;
    if (p->count < p->room) return SW_OK;
    SW_TRY(sw_resize((size_t)p->room, (size_t)room, &p->text));
    SW_TRY(sw_resize((size_t)p->room, (size_t)room, &p->answer));
    sw_free(p->slot);
    p->slots = 0;
    SW_TRY(sw_alloc(2 * (size_t)room, &p->slot));
    p->room = room;
    p->slots = 2 * (size_t)room;
    fill_slots(p);
    return SW_OK;
}

enum sw_status ask_points_add(struct ask_points *p, const char *text)
{
    SW_TRY(make_room(p));
    char *copy = sw_strdup(text);
    if (!copy) return SW_FAIL(SW_E_MEMORY, "out of memory");
    *find_slot(p, text) = p->count + 1;
    p->text[p->count++] = copy;
    return SW_OK;
}

void ask_points_cut(struct ask_points *p, int64_t count)
{
    if (p->count == count) return;
    for (int64_t k = count; k < p->count; k++) {
        sw_free(p->text[k]);
        sw_free(p->answer[k]);
        p->answer[k] = NULL;
    }
    p->count = count;
    fill_slots(p);
}

void ask_points_free(struct ask_points *p)
{
    ask_points_cut(p, 0);
    sw_free(p->text);
    sw_free(p->answer);
    sw_free(p->slot);
    *p = (struct ask_points){0};
}

/* ---- points of a sweep */

struct of_sweep {
    const struct sw_sweep *sweep;
    const struct ask_parameter *parameter;
    int     count;                      /* parameters                                                            */
    int    *column;                     /* [count] of the sweep                                                  */
    double *value;                      /* [sweep->ncolumn] of a run                                             */
};

static enum sw_status find_columns(const struct of_sweep *of, const char *file)
{
    const struct sw_sweep *w = of->sweep;
    struct sw_text there = {0};
    bool same = w->naxis == of->count;
    for (int k = 0; k < of->count; k++) {
        of->column[k] = -1;
        for (int j = 0; j < w->naxis; j++)
            if (!strcmp(w->column[w->axis[j].column].name, of->parameter[k].name)) of->column[k] = w->axis[j].column;
        same &= of->column[k] >= 0;
    }
    if (same) return SW_OK;
    for (int j = 0; j < w->naxis; j++)
        sw_text_printf(&there, "%s%s", j ? ", " : "", w->column[w->axis[j].column].name);
    enum sw_status st = SW_FAIL(SW_E_REFUSED, "%s has other parameters (%s) than the config; use -o FILE", file,
                                sw_text_get(&there));
    sw_text_free(&there);
    return st;
}

static enum sw_status add_run(struct ask_points *p, const struct of_sweep *of, int64_t run)
{
    struct sw_text text = {0};
    char number[32];
    SW_TRY(sw_sweep_columns(of->sweep, NULL, run, 1, of->value));
    for (int k = 0; k < of->count; k++) {
        const struct sw_column *c = &of->sweep->column[of->column[k]];
        const double value = of->value[of->column[k]] + 0.0;  /* -0 is 0 */
        sw_text_printf(&text, "%s%s", k ? "," : "", c->nword ? c->word[(int)value] : sw_number(value, number));
    }
    enum sw_status st = sw_text_status(&text);
    if (!st) st = ask_points_add(p, sw_text_get(&text));
    sw_text_free(&text);
    return st;
}

enum sw_status ask_points_add_runs(struct ask_points *p, const struct ask_parameter *parameter, int count,
                                   const struct sw_sweep *sweep, int64_t runs, const char *file)
{
    struct of_sweep of = {.sweep = sweep, .parameter = parameter, .count = count};
    enum sw_status st = sw_alloc((size_t)count, &of.column);
    if (!st) st = sw_alloc((size_t)sweep->ncolumn, &of.value);
    if (!st) st = find_columns(&of, file);
    for (int64_t run = 0; run < runs && !st; run++) st = add_run(p, &of, run);
    sw_free(of.column);
    sw_free(of.value);
    return st;
}
