/* Blocks stay on their multiprocessor and work on one tile after another, out of a ring of STAGES tiles in shared
 * memory: copies of the next ones are on their way meanwhile, so that memory never waits for arithmetic.
 *
 * Shape (of the text): STAGES; real_t of a field. */
#define FD_INLINE __device__ static __forceinline__

/* What a block works on at a time (fd_tile_rtc.cuh). */
struct tile {
    unsigned  line;          /* the first                                                                   */
    int       lines;         /* that there are                                                              */
    int       offset;        /* the first line's number among those side by side                            */
    long long base;          /* its first point, in the field                                               */
    int       first;         /* segment; below 0 it is beyond the first point                               */
    int       begin, end;    /* own segments                                                                */
    int       from, count;   /* points of each line that are here; the first may lie before 0               */
    bool      second;        /* of a kernel along two axes: which                                           */
    bool      there;         /* there are no more tiles if not                                              */
};

/* Copy bytes to shared memory without a register in between; both addresses are aligned to so many bytes. KEEP 1: they
 * are read again soon; 2: they are not, so that the cache may evict them first. Copies of words also ask for the rest
 * of 128 bytes (1 % faster, n = 333); those of 16 bytes come by whole lines of the cache, and to ask for more costs 1
 * to 2 %. */
template <int BYTES, int KEEP> FD_INLINE void copy_async(void *to, const void *from)
{
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    unsigned long long policy;
    if (KEEP == 1) asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if (KEEP == 2) asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    if (BYTES == 16 && KEEP)
        asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;\n"
                     ::"r"(shared), "l"(from), "l"(policy) : "memory");
    else if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(shared), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;\n"
                     ::"r"(shared), "l"(from), "n"(BYTES) : "memory");
}
FD_INLINE void commit_copies() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
template <int OPEN> FD_INLINE void wait_copies() { asm volatile("cp.async.wait_group %0;\n" ::"n"(OPEN) : "memory"); }

enum { REAL_BYTES = sizeof(real_t), PACK = 16 / REAL_BYTES };

FD_INLINE bool aligned(const void *p) { return (size_t)p % 16 == 0; }

/* A block takes the next tile when it is free, in the order of memory: some multiprocessors are nearer to the memory
 * than others, and with a fixed share for each all would wait for the slowest. Block k begins with tile k; the counter
 * `next` gives out the others. Each block asks once in vain, so that the counter has wrapped around to 0 at the end.
 * @param tiles at least the number of blocks
 * @param find (index, tile): by one thread
 * @param start (tile, stage): starts to copy it into the ring, if it exists, and commits the group of copies
 * @param work (tile, stage, next): solves it, and calls start(next, stage) when no thread needs the stage any more, at
 *         least a barrier later */
template <typename Find, typename Start, typename Work>
FD_INLINE void for_each_tile(unsigned tiles, unsigned *next, Find find, Start start, Work work)
{
    __shared__ struct tile queue[STAGES + 1];  /* the tiles in the ring, and the next one */
    const bool first = threadIdx.x == 0;
    unsigned drawn = blockIdx.x;
    const auto draw = [&] { if (drawn < tiles) drawn = gridDim.x + atomicInc(next, tiles - 1); };
    const auto publish = [&](int k) {  /* by the first thread */
        queue[k].there = drawn < tiles;
        if (drawn < tiles) find(drawn, &queue[k]);
    };
    if (first)
        for (int k = 0; k < STAGES; k++) {
            publish(k);
            draw();
        }
    __syncthreads();
    for (int k = 0; k < STAGES; k++) start(queue[k], k);
    for (int stage = 0, k = 0; queue[k].there;) {
        const int spare = k ? k - 1 : STAGES;  /* the place of the tile before this one */
        wait_copies<STAGES - 1>();
        __syncthreads();
        if (first) publish(spare);  /* drawn a tile ago: the atomic has returned */
        work(queue[k], stage, queue[spare]);
        if (first) draw();
        stage = stage + 1 < STAGES ? stage + 1 : 0;
        k = k < STAGES ? k + 1 : 0;
    }
}
