#ifndef RANDOM_FIELDS_H
#define RANDOM_FIELDS_H
/* Random right-hand sides of fields: trees of u, v, x, y, z, t, numbers of a run, sums, products, and derivatives of
 * all of these, with the text of each. */
#include <string.h>

#include "base/sw_text.h"
#include "expr/sw_differences.h"
#include "helpers.h"

enum { AXES = SW_GRID_AXES, NUMBERS = 2 };
static const char *const numbers[NUMBERS] = {"a", "D"};  /* of a run */

enum { WAYS = 400 };
enum kind { K_NUMBER, K_RUN, K_U, K_V, K_WAVE, K_TIME, K_ADD, K_SUB, K_NEG, K_MUL, K_OVER, K_SQUARE, K_CUBE, K_SIN,
            K_D, K_LAP, K_GRAD2, K_DIV };
/* whole: what lap, grad2 and div are. */
struct way { enum kind kind; int of[AXES], order[AXES], whole; double value; };
struct ways { struct way way[WAYS]; int count, dimensions; uint64_t random; };

static inline int random_below(struct ways *w, int n)
{
    return (int)(0.5 * (1 + test_random(&w->random)) * 0.999999 * n);
}

static inline int add_way(struct ways *w, struct way way)
{
    assert_true(w->count < WAYS);
    w->way[w->count] = way;
    return w->count++;
}

static inline bool is_pair(enum kind kind) { return kind == K_ADD || kind == K_SUB || kind == K_MUL || kind == K_OVER; }

/* The sum over axes that lap, grad2 and div are. */
static inline int add_whole(struct ways *w, const struct way *way)
{
    int sum = -1;
    for (int axis = 0; axis < w->dimensions; axis++) {
        struct way d = {.kind = K_D, .of = {way->of[way->kind == K_DIV ? axis : 0]}};
        d.order[axis] = way->kind == K_LAP ? 2 : 1;
        int term = add_way(w, d);
        if (way->kind == K_GRAD2) term = add_way(w, (struct way){.kind = K_SQUARE, .of = {term}});
        sum = axis ? add_way(w, (struct way){.kind = K_ADD, .of = {sum, term}}) : term;
    }
    return sum;
}

/* @param order  highest order that derivatives in it may come to  @param nested  derivatives of what has some */
static inline int random_way(struct ways *w, int depth, int order, bool nested)
{
    static const enum kind node[] = {K_ADD, K_SUB, K_ADD, K_SUB, K_NEG, K_MUL, K_MUL, K_MUL, K_OVER, K_SQUARE, K_CUBE,
                                     K_SIN, K_D, K_D, K_D, K_D, K_D, K_DIV, K_GRAD2, K_LAP};
    struct way way = {.kind = (enum kind)random_below(w, K_ADD), .value = 0.25 * (1 + random_below(w, 7))};
    way.order[0] = way.kind == K_RUN ? random_below(w, NUMBERS) : random_below(w, w->dimensions);
    if (depth == 0 || w->count > WAYS - 100) return add_way(w, way);
    way.kind = node[random_below(w, order > 1 ? 20 : order > 0 ? 19 : 12)];
    int of = order;
    if (way.kind == K_D) {
        memset(way.order, 0, sizeof way.order);
        for (int j = 1 + random_below(w, order); j > 0; j--, of--) way.order[random_below(w, w->dimensions)]++;
    }
    if (way.kind == K_LAP) of -= 2;
    if (way.kind == K_GRAD2 || way.kind == K_DIV) of--;
    if (of < order && !nested) of = 0;
    way.of[0] = random_way(w, depth - 1, of, nested);
    if (is_pair(way.kind)) way.of[1] = random_way(w, way.kind == K_OVER ? 0 : depth - 1, of, nested);
    for (int axis = 1; way.kind == K_DIV && axis < w->dimensions; axis++)
        way.of[axis] = random_way(w, depth - 1, of, nested);
    if (way.kind >= K_LAP) way.whole = add_whole(w, &way);
    return add_way(w, way);
}

static inline void write_way(const struct ways *w, int k, struct sw_text *text)
{
    static const char *const around[][3] = {
        [K_ADD] = {"(", " + ", ")"}, [K_SUB] = {"(", " - ", ")"}, [K_NEG] = {"(-", ")", ""}, [K_MUL] = {"", "*(", ")"},
        [K_OVER] = {"", "/(3 + ", "^2)"}, [K_SQUARE] = {"(", ")^2", ""}, [K_CUBE] = {"(", ")^3", ""},
        [K_SIN] = {"sin(0.3*(", "))", ""}, [K_LAP] = {"lap(", ")", ""}, [K_GRAD2] = {"grad2(", ")", ""},
        [K_D] = {"(", ")", ""}, [K_DIV] = {"div(", ")", ""}};
    const struct way *way = &w->way[k];
    switch (way->kind) {
    case K_NUMBER: sw_text_printf(text, "%g", way->value); return;
    case K_RUN: sw_text_add(text, numbers[way->order[0]]); return;
    case K_U: sw_text_add(text, "u"); return;
    case K_V: sw_text_add(text, "v"); return;
    case K_WAVE: sw_text_printf(text, "cos(%c)", "xyz"[way->order[0]]); return;
    case K_TIME: sw_text_add(text, "t"); return;
    case K_D:  /* last axis first: the order of letters means nothing */
        sw_text_printf(text, "d%.*s%.*s%.*s", way->order[2], "zzzzzz", way->order[0], "xxxxxx", way->order[1],
                       "yyyyyy");
        break;
    default: break;
    }
    sw_text_add(text, around[way->kind][0]);
    write_way(w, way->of[0], text);
    for (int axis = 1; way->kind == K_DIV && axis < w->dimensions; axis++) {
        sw_text_add(text, ", ");
        write_way(w, way->of[axis], text);
    }
    sw_text_add(text, around[way->kind][1]);
    if (is_pair(way->kind)) write_way(w, way->of[1], text);
    sw_text_add(text, around[way->kind][2]);
}
#endif
