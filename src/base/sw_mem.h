#ifndef SW_MEM_H
#define SW_MEM_H
/* Host memory. Sizes are counted in elements and checked for overflow; arrays start on a 64-byte boundary (one cache
 * line, one AVX-512 register). */
#include <stddef.h>

#include "base/sw_status.h"

/** Allocate count * size bytes of zeros, 64-byte aligned, to be freed with sw_free(). count = 0 gives a valid pointer.
 * @param out  where the pointer goes: pass the address of a pointer of any object type
 * @return SW_E_MEMORY with the number of bytes in the message; *out is then NULL */
enum sw_status sw_alloc_bytes(size_t count, size_t size, void *out);

/* sw_alloc(n, &array): n elements of what array points to. */
#define sw_alloc(count, out) sw_alloc_bytes((count), sizeof **(out), (out))

/** Grow (or shrink) an array that came from sw_alloc to count elements; new bytes are zero.
 * @param array  address of the pointer; unchanged on failure */
enum sw_status sw_resize_bytes(size_t old_count, size_t count, size_t size, void *array);
#define sw_resize(old_count, count, array) sw_resize_bytes((old_count), (count), sizeof **(array), (array))

/** Room for so many bytes, allocated again where there are fewer; what was in it is lost then.
 * @param block  in, out: the room; NULL with *room 0 at first. Free with sw_free()
 * @param room   in, out: bytes it has; 0 on failure */
enum sw_status sw_have_room(size_t bytes, char **block, size_t *room);

/** Have the system get back each large block that is freed, and make the best of a limit of this process (`ulimit -v`,
 * `ulimit -d`). Once, at the beginning of the program. */
void sw_mem_begin(void);

/** Ask, where this process has such a limit, whether it leaves the SW_MEM_MARGIN that libraries may need: HDF5 crashes
 * where it gets no memory, libconfig aborts. Ask before a library is called; sw_alloc() leaves that much.
 * @return SW_E_MEMORY: it does not, and the message says what is needed */
enum { SW_MEM_MARGIN = 16 << 20 };
enum sw_status sw_mem_check_margin(void);

/** Give the system back what is free between blocks that are in use, after many of them were freed. */
void sw_mem_trim(void);

/** Free what sw_alloc gave. NULL is fine. */
void sw_free(void *memory);

/** memcpy() by so many threads, for arrays large enough. */
void sw_copy(void *to, const void *from, size_t bytes, int threads);

/** A copy of text (or of its first length bytes), NULL if memory is out; free with sw_free(). */
char *sw_strdup(const char *text);
char *sw_strndup(const char *text, size_t length);
#endif
