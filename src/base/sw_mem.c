#include "base/sw_mem.h"

#include "base/sw_err.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>    /* no header of C or POSIX: M_MMAP_THRESHOLD */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>  /* madvise() is no function of POSIX */
#include <sys/resource.h>
#include <unistd.h>

enum { ALIGN = 64, HUGE_PAGE = 2 << 20, HUGE_FROM = 2 * HUGE_PAGE };
enum { SMALL = 32 << 10 };  /* blocks below it come from what the C library holds already, mostly */

/* ---- a limit of this process */

static rlim_t limit = RLIM_INFINITY;  /* bytes */
/* Which: its resource, option, and the number of /proc/self/statm that counts against it (proc(5)). */
static const struct kind { int resource; char option; int number; } *limited,
    kinds[] = {{RLIMIT_AS, 'v', 0}, {RLIMIT_DATA, 'd', 5}};

static void note_limit(void)
{
    struct rlimit r;
    for (int k = 0; k < 2; k++) {
        if (getrlimit(kinds[k].resource, &r) || r.rlim_cur >= limit) continue;
        limit = r.rlim_cur;
        limited = &kinds[k];
    }
}

/* Each thread would reserve 64 MiB of addresses for its small blocks, 128 for a moment, in which others get none; and
 * the C library loads libgcc_s, or aborts, when a thread of libgomp ends. */
static void live_within_limit(void)
{
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
    (void)dlopen("libgcc_s.so.1", RTLD_NOW);
}

static unsigned long long used_mib(void)
{
    char text[128] = "", *at = text;
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof text - 1) < 0) *text = 0;
    if (fd >= 0) close(fd);
    for (int k = 0; k < limited->number; k++) strtoull(at, &at, 10);
    return strtoull(at, NULL, 10) * (unsigned long long)sysconf(_SC_PAGESIZE) >> 20;
}

enum sw_status sw_mem_check_margin(void)
{
    if (limit == RLIM_INFINITY) return SW_OK;
    void *room = mmap(NULL, SW_MEM_MARGIN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room != MAP_FAILED) return munmap(room, SW_MEM_MARGIN), SW_OK;
    return SW_FAIL(SW_E_MEMORY, "out of memory: the limit is %llu MiB (ulimit -%c), %llu MiB of it are in use, and "
                   "libraries may need %d MiB: raise it", (unsigned long long)limit >> 20, limited->option, used_mib(),
                   SW_MEM_MARGIN >> 20);
}

/* ---- */

/* All of a block is cleared here, so that large pages cost no memory, and a fault for each 2 MiB takes the place of
 * 512: of a million runs of one step a sixth of the time went into faults. Whole large pages alone: those at the ends
 * of a block have neighbours. A system that has none, or grants none, leaves the block as it is. */
static void ask_for_huge_pages(char *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t before = (HUGE_PAGE - (uintptr_t)block % HUGE_PAGE) % HUGE_PAGE;
    if (bytes >= HUGE_FROM) madvise(block + before, (bytes - before) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

enum sw_status sw_alloc_bytes(size_t count, size_t size, void *out)
{
    void *p = NULL;
    memcpy(out, &p, sizeof p);
    if (size && count > (SIZE_MAX - ALIGN) / size)
        return SW_FAIL(SW_E_MEMORY, "%zu items of %zu bytes are more than this machine can address", count, size);
    size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes == 0) bytes = ALIGN;
    p = aligned_alloc(ALIGN, bytes);
    if (!p) return SW_FAIL(SW_E_MEMORY, "out of memory: %zu bytes asked for", bytes);
    if (bytes > SMALL && sw_mem_check_margin()) {
        free(p);
        return SW_E_MEMORY;
    }
    ask_for_huge_pages(p, bytes);
    memset(p, 0, bytes);
    memcpy(out, &p, sizeof p);
    return SW_OK;
}

enum sw_status sw_resize_bytes(size_t old_count, size_t count, size_t size, void *array)
{
    void *old, *new;
    memcpy(&old, array, sizeof old);
    SW_TRY(sw_alloc_bytes(count, size, &new));
    if (old) memcpy(new, old, (old_count < count ? old_count : count) * size);
    sw_free(old);
    memcpy(array, &new, sizeof new);
    return SW_OK;
}

enum sw_status sw_have_room(size_t bytes, char **block, size_t *room)
{
    if (*room >= bytes) return SW_OK;
    sw_free(*block);
    *block = NULL;
    *room = 0;
    SW_TRY(sw_alloc(bytes, block));
    *room = bytes;
    return SW_OK;
}

/* The C library moves this bound up to 32 MiB as blocks are freed, and keeps what lies below it: after a merge of a
 * million runs a quarter of the memory was such blocks, free, with holes too small for the next. */
void sw_mem_begin(void)
{
    note_limit();
    if (limit != RLIM_INFINITY) live_within_limit();
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

void sw_mem_trim(void)
{
#ifdef M_MMAP_THRESHOLD
    malloc_trim(0);
#endif
}

void sw_free(void *memory) { free(memory); }

/* 64 KiB at a time: some 10 us of work for a thread. */
void sw_copy(void *to, const void *from, size_t bytes, int threads)
{
    enum { PIECE = 1 << 16 };
#pragma omp parallel for num_threads(threads) if (threads > 1 && bytes > 4 * PIECE)
    for (size_t at = 0; at < bytes; at += PIECE)
        memcpy((char *)to + at, (const char *)from + at, bytes - at < PIECE ? bytes - at : PIECE);
}

char *sw_strndup(const char *text, size_t length)
{
    char *copy = NULL;
    if (sw_alloc(length + 1, &copy)) return NULL;
    memcpy(copy, text, length);
    return copy;
}

char *sw_strdup(const char *text) { return sw_strndup(text, strlen(text)); }
