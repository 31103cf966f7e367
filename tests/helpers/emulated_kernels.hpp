/* What the text of kernels needs to be compiled as C++ for the host, and to run there: the threads of a block are
 * fibers that take turns at barriers, blocks come one after another. Threads that race give other numbers, as they run
 * in one order between two barriers and in the other one between the next, and so do warps; what was not written in
 * shared memory is NaN. Not for kernels with more of warps than their barrier, nor with clusters. */
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
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ static
#define __launch_bounds__(...)
#define SW_FETCH(p) (void)(p)
#define SW_COPY_BEGIN(to, from) (void)(*(to) = *(from))
#define SW_COPY_WAIT() (void)0
#define SW_PART_BARRIER(number, threads) __syncthreads()  /* all parts of a block come there */

static struct { unsigned x, y, z; } threadIdx, blockIdx, blockDim, gridDim;

struct double2 { double x, y; };

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

enum { EMULATED_SHARED = 29000, EMULATED_THREADS = 1024, EMULATED_STACK = 1 << 16 };
enum { EMULATED_READY, EMULATED_WAITS, EMULATED_WAITS_IN_WARP, EMULATED_ENDED, EMULATED_WARP = 32 };
static double shared[EMULATED_SHARED];

/* They begin as contexts, once, and go on by jumps from block to block: a change of contexts is a call of the system.
 * The jumps are the compiler's own, which keep a place in the stack and no registers; a function that jumps is not the
 * one that is jumped to. */
typedef void *emulated_jump[5];
static ucontext_t emulated_beginning, emulated_context;
static emulated_jump emulated_scheduler, emulated_thread[EMULATED_THREADS];
static int emulated_state[EMULATED_THREADS], emulated_begun;
static char *emulated_stack;
static void (*emulated_kernel)(void **);
static void **emulated_args;

[[noreturn]] static __attribute__((noinline)) void emulated_to(emulated_jump place) { __builtin_longjmp(place, 1); }

/* The other threads have their turns. */
static __attribute__((noinline)) void emulated_leave()
{
    if (!__builtin_setjmp(emulated_thread[threadIdx.x])) emulated_to(emulated_scheduler);
}

static inline void __syncthreads()
{
    emulated_state[threadIdx.x] = EMULATED_WAITS;
    emulated_leave();
}

static inline void __syncwarp()
{
    emulated_state[threadIdx.x] = EMULATED_WAITS_IN_WARP;
    emulated_leave();
}

static void emulated_run()
{
    for (;;) {
        emulated_kernel(emulated_args);
        emulated_state[threadIdx.x] = EMULATED_ENDED;
        emulated_leave();
    }
}

/* A thread until its next barrier, or its end. */
static __attribute__((noinline)) void emulated_go(int t)
{
    threadIdx.x = (unsigned)t;
    if (__builtin_setjmp(emulated_scheduler)) return;
    if (t < emulated_begun) emulated_to(emulated_thread[t]);
    emulated_begun++;  /* a block's first turn is in their order */
    getcontext(&emulated_context);
    emulated_context.uc_stack.ss_sp = emulated_stack + (size_t)t * EMULATED_STACK;
    emulated_context.uc_stack.ss_size = EMULATED_STACK;
    emulated_context.uc_link = 0;
    makecontext(&emulated_context, emulated_run, 0);
    swapcontext(&emulated_beginning, &emulated_context);
}

/* A warp until its threads wait for others of the block, or end; how many ended. */
static int emulated_warp(int first, int size, int turn)
{
    int ended = 0, in_warp, others;
    do {
        in_warp = others = 0;
        for (int k = 0; k < size; k++) {
            const int t = first + (turn % 2 ? size - 1 - k : k);
            if (emulated_state[t] == EMULATED_ENDED) continue;
            emulated_go(t);
            ended += emulated_state[t] == EMULATED_ENDED;
            in_warp += emulated_state[t] == EMULATED_WAITS_IN_WARP;
            others += emulated_state[t] != EMULATED_WAITS_IN_WARP;
        }
        if (in_warp && others) {
            fprintf(stderr, "%d threads of a warp wait for %d that do not come\n", in_warp, others);
            abort();
        }
        turn++;
    } while (in_warp);
    return ended;
}

static void emulated_block(int threads)
{
    const int warps = (threads + EMULATED_WARP - 1) / EMULATED_WARP;
    for (int t = 0; t < threads; t++) emulated_state[t] = EMULATED_READY;
    for (int turn = 0, left = threads; left; turn++) {
        int ended = 0;
        for (int k = 0; k < warps; k++) {
            const int first = (turn % 2 ? warps - 1 - k : k) * EMULATED_WARP;
            ended += emulated_warp(first, threads - first < EMULATED_WARP ? threads - first : (int)EMULATED_WARP, turn);
        }
        left -= ended;
        if (ended && left) {
            fprintf(stderr, "%d threads of a block ended where %d wait for them\n", ended, left);
            abort();
        }
    }
}

/* @param shared_bytes  what the launch asks for: of each block it begins as NaN, what is beyond it at each launch */
extern "C" void emulated_launch(void (*kernel)(void **), int blocks_x, int blocks_y, int threads, size_t shared_bytes,
                                void **args)
{
    const int asked = (int)((shared_bytes + 7) / 8);
    if (!emulated_stack) emulated_stack = (char *)malloc((size_t)EMULATED_THREADS * EMULATED_STACK);
    if (threads > EMULATED_THREADS || asked > EMULATED_SHARED || !emulated_stack) abort();
    emulated_kernel = kernel;
    emulated_args = args;
    gridDim = {(unsigned)blocks_x, (unsigned)blocks_y, 1};
    blockDim = {(unsigned)threads, 1, 1};
    for (int c = asked; c < EMULATED_SHARED; c++) shared[c] = NAN;
    for (int y = 0; y < blocks_y; y++)
        for (int x = 0; x < blocks_x; x++) {
            blockIdx = {(unsigned)x, (unsigned)y, 0};
            for (int c = 0; c < asked; c++) shared[c] = NAN;
            emulated_block(threads);
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
