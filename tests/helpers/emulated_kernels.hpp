/* What the text of kernels needs to be compiled as C++ for the host, and to run there: the threads of a block are
 * fibers that take turns at barriers, blocks come one after another. Threads that race give other numbers, as they run
 * in one order between two barriers and in the other one between the next, and so do warps; parts of a block go on
 * alone as far as they can; what was not written in shared memory is NaN. Blocks of a cluster take turns at its
 * barriers, likewise: what is in shared memory is copied to where it is used and away from there. Not for kernels with
 * more of warps than their barrier. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <utility>

#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define uint32_t emulated_uint32_t
#define uint64_t emulated_uint64_t
#define __device__
#define __host__
#define __global__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ static __attribute__((section("emulated_shared")))
#define __launch_bounds__(...)
#define SW_FETCH(p) (void)(p)
#define SW_COPY_BEGIN(to, from) (void)(*(to) = *(from))
#define SW_COPY_WAIT() (void)0
#define SW_LARGEST_OF_WARP(x) (x)  /* each thread counts as a warp, of what becomes the largest of all */
#define SW_FIRST_OF_WARP true
#define SW_PART_BARRIER(number, threads) emulated_wait_in_part((int)(threads))

static struct { unsigned x, y, z; } threadIdx, blockIdx, blockDim, gridDim;

struct double2 { double x, y; };
struct float4 { float x, y, z, w; };

static inline float __int_as_float(int bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline long long __double_as_longlong(double x)
{
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double __longlong_as_double(long long bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

template <class T> static inline T atomicMax(T *to, T x)
{
    const T before = *to;
    if (x > before) *to = x;
    return before;
}

template <class T> static inline T atomicAdd(T *to, T x)
{
    const T before = *to;
    *to += x;
    return before;
}

/* ------------------------------------------------------------------ fibers */

enum { EMULATED_SHARED = 29000, EMULATED_THREADS = 1024, EMULATED_STACK = 1 << 16, EMULATED_BLOCKS = 16 };
enum { EMULATED_FIBERS = EMULATED_BLOCKS * EMULATED_THREADS, EMULATED_WARP = 32 };
enum { EMULATED_READY, EMULATED_WAITS, EMULATED_WAITS_IN_WARP, EMULATED_WAITS_IN_PART, EMULATED_WAITS_IN_CLUSTER,
       EMULATED_ENDED };
__shared__ double shared[EMULATED_SHARED];
extern char __start_emulated_shared[], __stop_emulated_shared[];

/* They begin as contexts, once, and go on by jumps from block to block: a change of contexts is a call of the system.
 * The jumps are the compiler's own, which keep a place in the stack and no registers; a function that jumps is not the
 * one that is jumped to. */
typedef void *emulated_jump[5];
static ucontext_t emulated_beginning, emulated_context;
static emulated_jump emulated_scheduler, emulated_thread[EMULATED_FIBERS];
static int emulated_state[EMULATED_FIBERS], emulated_turn[EMULATED_BLOCKS];
static int emulated_part[EMULATED_FIBERS];          /* threads of the part that one waits for */
static bool emulated_begun[EMULATED_FIBERS];
static int emulated_rank, emulated_cluster;         /* the block that has its turn, of so many */
static char *emulated_stack[EMULATED_BLOCKS], *emulated_away[EMULATED_BLOCKS];  /* shared memory of the others */
static void (*emulated_kernel)(void **);
static void **emulated_args;

[[noreturn]] static __attribute__((noinline)) void emulated_to(emulated_jump place) { __builtin_longjmp(place, 1); }

static inline int emulated_fiber(int t) { return emulated_rank * EMULATED_THREADS + t; }

/* The other threads have their turns. */
static __attribute__((noinline)) void emulated_leave(int state)
{
    const int fiber = emulated_fiber((int)threadIdx.x);
    emulated_state[fiber] = state;
    if (!__builtin_setjmp(emulated_thread[fiber])) emulated_to(emulated_scheduler);
}

static inline void __syncthreads() { emulated_leave(EMULATED_WAITS); }
static inline void __syncwarp() { emulated_leave(EMULATED_WAITS_IN_WARP); }
static inline void emulated_wait_in_part(int threads)
{
    emulated_part[emulated_fiber((int)threadIdx.x)] = threads;
    emulated_leave(EMULATED_WAITS_IN_PART);
}

/* What the lanes of a warp tell each other: all of them call together. */
static char emulated_said[EMULATED_THREADS][sizeof(double)];

/* What lane `source` of this one's warp says. */
template <class T> static T emulated_lane(T mine, int source)
{
    T other;
    memcpy(emulated_said[threadIdx.x], &mine, sizeof mine);
    __syncwarp();
    memcpy(&other, emulated_said[threadIdx.x / EMULATED_WARP * EMULATED_WARP + (unsigned)source], sizeof other);
    __syncwarp();
    return other;
}

template <class T> static inline T __shfl_sync(unsigned, T value, int source, int width = EMULATED_WARP)
{
    const int lane = (int)threadIdx.x % EMULATED_WARP;
    return emulated_lane(value, lane / width * width + source % width);
}

template <class T> static inline T __shfl_xor_sync(unsigned, T value, int mask)
{
    return emulated_lane(value, (int)threadIdx.x % EMULATED_WARP ^ mask);
}

static inline int __reduce_max_sync(unsigned, int value)
{
    for (int w = 1; w < EMULATED_WARP; w *= 2) {
        const int other = __shfl_xor_sync(~0u, value, w);
        value = other > value ? other : value;
    }
    return value;
}

static inline unsigned __ballot_sync(unsigned, bool mine)
{
    unsigned votes = mine ? 1u << threadIdx.x % EMULATED_WARP : 0;
    for (int w = 1; w < EMULATED_WARP; w *= 2) votes |= __shfl_xor_sync(~0u, votes, w);
    return votes;
}

static inline bool __any_sync(unsigned, bool mine) { return __ballot_sync(~0u, mine); }
static inline bool __all_sync(unsigned, bool mine) { return __ballot_sync(~0u, mine) == ~0u; }

static inline int atomicOr(int *to, int bits)
{
    const int before = *to;
    *to |= bits;
    return before;
}

/* What cuda/cluster.cuh has for a GPU. */
#define CUDA_CLUSTER_CUH
static inline unsigned rank_in_cluster() { return (unsigned)emulated_rank; }
static inline void cluster_arrive_shared() {}
static inline void cluster_wait() { emulated_leave(EMULATED_WAITS_IN_CLUSTER); }
static inline void cluster_barrier() { cluster_wait(); }
template <typename T> static inline T *in_block(T *here, unsigned rank)
{
    const size_t at = (size_t)((char *)here - __start_emulated_shared);
    if (rank >= (unsigned)emulated_cluster || at >= (size_t)(__stop_emulated_shared - __start_emulated_shared)) {
        fprintf(stderr, "block %u of %d, byte %zu: not in shared memory\n", rank, emulated_cluster, at);
        abort();
    }
    return (int)rank == emulated_rank ? here : (T *)(emulated_away[rank] + at);
}

static void emulated_run()
{
    for (;;) {
        emulated_kernel(emulated_args);
        emulated_leave(EMULATED_ENDED);
    }
}

/* A thread until its next barrier, or its end. */
static __attribute__((noinline)) void emulated_go(int t)
{
    threadIdx.x = (unsigned)t;
    if (__builtin_setjmp(emulated_scheduler)) return;
    if (emulated_begun[emulated_fiber(t)]) emulated_to(emulated_thread[emulated_fiber(t)]);
    emulated_begun[emulated_fiber(t)] = true;
    getcontext(&emulated_context);
    emulated_context.uc_stack.ss_sp = emulated_stack[emulated_rank] + (size_t)t * EMULATED_STACK;
    emulated_context.uc_stack.ss_size = EMULATED_STACK;
    emulated_context.uc_link = 0;
    makecontext(&emulated_context, emulated_run, 0);
    swapcontext(&emulated_beginning, &emulated_context);
}

/* A warp until its threads wait for others of the block, or end. */
static void emulated_warp(int first, int size, int turn)
{
    int in_warp, others;
    do {
        in_warp = others = 0;
        for (int k = 0; k < size; k++) {
            const int t = first + (turn % 2 ? size - 1 - k : k);
            emulated_go(t);
            const bool waits = emulated_state[emulated_fiber(t)] == EMULATED_WAITS_IN_WARP;
            in_warp += waits;
            others += !waits;
        }
        if (in_warp && others) {
            fprintf(stderr, "%d threads of a warp wait for %d that do not come\n", in_warp, others);
            abort();
        }
        turn++;
    } while (in_warp);
}

/* Whether all threads of a part wait for each other. */
static bool emulated_met(int first, int size)
{
    for (int t = first; t < first + size; t++)
        if (emulated_state[emulated_fiber(t)] != EMULATED_WAITS_IN_PART || emulated_part[emulated_fiber(t)] != size)
            return false;
    return true;
}

/* A warp, and then the parts that it completes, until their threads wait for others of the block, or end. */
static void emulated_warp_and_parts(int first, int threads, int turn)
{
    emulated_warp(first, threads - first < EMULATED_WARP ? threads - first : (int)EMULATED_WARP, turn);
    const int fiber = emulated_fiber(first), size = emulated_part[fiber], part = size ? first / size * size : 0;
    if (emulated_state[fiber] != EMULATED_WAITS_IN_PART || part + size > threads || !emulated_met(part, size)) return;
    turn++;
    for (int t = part; t < part + size; t++) emulated_state[emulated_fiber(t)] = EMULATED_READY;
    for (int k = 0; k < size; k += EMULATED_WARP)
        emulated_warp_and_parts(turn % 2 ? part + size - EMULATED_WARP - k : part + k, threads, turn);
}

/* A block until its threads wait for others of the cluster, or end. @return whether they ended */
static bool emulated_block(int threads)
{
    const int warps = (threads + EMULATED_WARP - 1) / EMULATED_WARP;
    for (int *turn = &emulated_turn[emulated_rank];; ++*turn) {
        int ended = 0, in_cluster = 0, in_part = 0;
        for (int k = 0; k < warps; k++)
            emulated_warp_and_parts((*turn % 2 ? warps - 1 - k : k) * EMULATED_WARP, threads, *turn);
        for (int t = 0; t < threads; t++) {
            ended += emulated_state[emulated_fiber(t)] == EMULATED_ENDED;
            in_cluster += emulated_state[emulated_fiber(t)] == EMULATED_WAITS_IN_CLUSTER;
            in_part += emulated_state[emulated_fiber(t)] == EMULATED_WAITS_IN_PART;
        }
        if (in_part) {
            fprintf(stderr, "%d threads of a block wait for others of their part that do not come\n", in_part);
            abort();
        }
        if (ended == threads || in_cluster == threads) return ended;
        if (ended || in_cluster) {
            fprintf(stderr, "of %d threads of a block %d ended and %d wait for its cluster: others wait for them\n",
                    threads, ended, in_cluster);
            abort();
        }
    }
}

/* A block's shared memory comes to where it is used, or goes away. */
static void emulated_move(char *to, const char *from)
{
    if (emulated_cluster > 1) memcpy(to, from, (size_t)(__stop_emulated_shared - __start_emulated_shared));
}

static void emulated_begin(int rank, int asked)
{
    const size_t bytes = (size_t)(__stop_emulated_shared - __start_emulated_shared);
    if (!emulated_stack[rank]) emulated_stack[rank] = (char *)malloc((size_t)EMULATED_THREADS * EMULATED_STACK);
    if (!emulated_away[rank]) emulated_away[rank] = (char *)malloc(bytes);
    if (!emulated_stack[rank] || !emulated_away[rank]) abort();
    emulated_turn[rank] = 0;
    for (int c = 0; c < asked; c++) shared[c] = NAN;
    emulated_move(emulated_away[rank], __start_emulated_shared);
}

/* Blocks first .. of a cluster, until they end. */
static void emulated_blocks(int first, int threads, int asked)
{
    for (int rank = 0; rank < emulated_cluster; rank++) emulated_begin(rank, asked);
    for (int round = 0, ended = 0; !ended; round++) {
        for (int k = 0; k < emulated_cluster; k++) {
            emulated_rank = round % 2 ? emulated_cluster - 1 - k : k;
            blockIdx.x = (unsigned)(first + emulated_rank);
            emulated_move(__start_emulated_shared, emulated_away[emulated_rank]);
            ended += emulated_block(threads);
            emulated_move(emulated_away[emulated_rank], __start_emulated_shared);
        }
        if (ended && ended < emulated_cluster) {
            fprintf(stderr, "%d blocks of a cluster of %d ended where others wait\n", ended, emulated_cluster);
            abort();
        }
    }
    emulated_rank = 0;
}

/* @param cluster  blocks of a cluster, beside each other along x; 1: none
 * @param shared_bytes  what the launch asks for: of each block it begins as NaN, what is beyond it at each launch */
extern "C" void emulated_launch(void (*kernel)(void **), int blocks_x, int blocks_y, int cluster, int threads,
                                size_t shared_bytes, void **args)
{
    const int asked = (int)((shared_bytes + 7) / 8);
    if (threads > EMULATED_THREADS || asked > EMULATED_SHARED || cluster > EMULATED_BLOCKS) abort();
    emulated_kernel = kernel;
    emulated_args = args;
    emulated_cluster = cluster;
    gridDim = {(unsigned)blocks_x, (unsigned)blocks_y, 1};
    blockDim = {(unsigned)threads, 1, 1};
    for (int c = asked; c < EMULATED_SHARED; c++) shared[c] = NAN;
    for (int y = 0; y < blocks_y; y++)
        for (int x = 0; x < blocks_x; x += cluster) {
            blockIdx.y = (unsigned)y;
            emulated_blocks(x, threads, asked);
        }
}

template <class... A, size_t... K>
static void emulated_call(void (*kernel)(A...), void **args, std::index_sequence<K...>)
{
    kernel(*(A *)args[K]...);
}

template <class... A> static void emulated_call(void (*kernel)(A...), void **args)
{
    emulated_call(kernel, args, std::index_sequence_for<A...>());
}
