#include "sweep/sw_arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"

enum { ALIGN = 16, CHUNK = 16 * 1024 };

struct chunk {
    struct chunk *next;
    size_t used, capacity;
    _Alignas(ALIGN) char bytes[];
};

struct sw_arena {
    struct chunk *chunk;  /* the newest is the one in use */
};

enum sw_status sw_arena_create(struct sw_arena **arena) { return sw_alloc(1, arena); }

void sw_arena_destroy(struct sw_arena **arena)
{
    if (!arena || !*arena) return;
    for (struct chunk *c = (*arena)->chunk, *next; c; c = next) {
        next = c->next;
        sw_free(c);
    }
    sw_free(*arena);
    *arena = NULL;
}

static enum sw_status grow(struct sw_arena *arena, size_t need)
{
    struct chunk *c;
    size_t capacity = need > CHUNK ? need : CHUNK;
    SW_TRY(sw_alloc_bytes(1, sizeof *c + capacity, &c));
    c->capacity = capacity;
    c->next = arena->chunk;
    arena->chunk = c;
    return SW_OK;
}

enum sw_status sw_arena_take_bytes(struct sw_arena *arena, size_t count, size_t size, void *out)
{
    void *p = NULL;
    memcpy(out, &p, sizeof p);
    if (size && count > (SIZE_MAX / 2) / size)
        return SW_FAIL(SW_E_MEMORY, "%zu items of %zu bytes are more than this machine can address", count, size);
    size_t need = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (!arena->chunk || arena->chunk->capacity - arena->chunk->used < need) SW_TRY(grow(arena, need));
    p = arena->chunk->bytes + arena->chunk->used;
    arena->chunk->used += need;
    memcpy(out, &p, sizeof p);
    return SW_OK;
}

enum sw_status sw_arena_printf(struct sw_arena *arena, char **out, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int length = vsnprintf(NULL, 0, fmt, ap);
    enum sw_status st = sw_arena_take(arena, (size_t)length + 1, out);
    if (!st) vsnprintf(*out, (size_t)length + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return st;
}
