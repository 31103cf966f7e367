/* To preload: what each parallel region of a program takes, so that the kernels of a solve are timed where they run.
 * At the end a line a region goes to the file that $REGIONS names: the address of its function from the start of the
 * program, in hexadecimal, how often it ran, and the median of its seconds. scripts/papers/reproduce_elliptic.sh finds
 * the names of the functions with nm. Regions that begin others, or run side by side, are not kept apart. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_REGIONS = 1024, SAMPLES = 4096 };

struct region { void (*function)(void *); long count; double *seconds; };

typedef void parallel_function(void (*function)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);

static struct region regions[MOST_REGIONS];
static __thread int inside;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct region *region_of(void (*function)(void *))
{
    for (int k = 0; k < MOST_REGIONS; k++) {
        if (regions[k].function == function) return &regions[k];
        if (!regions[k].function) {
            regions[k].function = function;
            regions[k].seconds = calloc(SAMPLES, sizeof *regions[k].seconds);
            return regions[k].seconds ? &regions[k] : NULL;
        }
    }
    return NULL;
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
    static parallel_function *original;
    if (!original) *(void **)&original = dlsym(RTLD_NEXT, "GOMP_parallel");
    const double start = now();
    inside++;
    original(function, data, threads, flags);
    inside--;
    struct region *r = inside ? NULL : region_of(function);
    if (r) r->seconds[r->count++ % SAMPLES] = now() - start;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("REGIONS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    for (int k = 0; k < MOST_REGIONS && regions[k].function; k++) {
        const struct region *r = &regions[k];
        const size_t kept = r->count < SAMPLES ? (size_t)r->count : SAMPLES;
        Dl_info where;
        if (!kept || !dladdr(*(void *const *)&r->function, &where)) continue;
        qsort(r->seconds, kept, sizeof *r->seconds, ascending);
        fprintf(file, "%016lx %ld %.6g\n",
                (unsigned long)((uintptr_t)r->function - (uintptr_t)where.dli_fbase), r->count, r->seconds[kept / 2]);
    }
    fclose(file);
}
