#ifndef SW_ARENA_H
#define SW_ARENA_H
/* Many small objects with one lifetime: allocated one by one, freed together. */
#include <stdarg.h>
#include <stddef.h>

#include "base/sw_status.h"

struct sw_arena;

enum sw_status sw_arena_create(struct sw_arena **arena);
void sw_arena_destroy(struct sw_arena **arena);  /* NULL and *NULL are fine */

/** count * size bytes of zeros, aligned for any object.
 * @param out  where the pointer goes: the address of a pointer of any object type
 * @return SW_E_MEMORY, *out is then NULL */
enum sw_status sw_arena_take_bytes(struct sw_arena *arena, size_t count, size_t size, void *out);
#define sw_arena_take(arena, count, out) sw_arena_take_bytes((arena), (count), sizeof **(out), (out))

/** A formatted text. */
enum sw_status sw_arena_printf(struct sw_arena *arena, char **out, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#endif
