/* Compilations in threads. A text waits in the list of all until a thread takes it up, of which there are as many as
 * processors, or until its first user needs it and compiles it itself. The cubin then is in the cache of files; where
 * there is none it stays in the list, up to some size. A thread ends when nothing waits any more. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "device/kernels/compilation_cuda.h"
#include "device/sw_kernels.h"

struct sw_compilation {
    struct sw_compilation *next;
    enum { WAITING, RUNNING, ENDED } state;
    int         users;             /* beside the list; the thread that compiles is one */
    char       *text;
    struct sw_compile_request of;  /* its text is `text` */
    struct sw_err_kept failed;
    struct sw_compiled out;
};

enum { THREADS_MOST = 16, KEPT_MOST = 64 << 20 };  /* a compilation takes some 100 MB; bytes of cubins */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct sw_compilation *list;  /* the oldest first */
static size_t kept;                  /* bytes of cubins that only the list has */
static struct sw_kernel_counts counts;
static int threads;
static bool ending;

/* ------------------------------------------------------------------ with the lock */

static void remove_from_list(struct sw_compilation *c)
{
    struct sw_compilation **at = &list;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    sw_free(c->text);
    sw_free(c->out.cubin);
    sw_free(c);
}

static void leave(struct sw_compilation *c)
{
    if (--c->users || c->state != ENDED) return;
    if (c->out.stored || c->failed.status || kept + c->out.bytes > KEPT_MOST) remove_from_list(c);
    else kept += c->out.bytes;
}

static void join(struct sw_compilation *c)
{
    if (!c->users++ && c->state == ENDED) kept -= c->out.bytes;
}

/* One that failed is tried again: there may be more memory. */
static struct sw_compilation *find(const struct sw_compile_request *r)
{
    for (struct sw_compilation *c = list; c; c = c->next)
        if (c->of.sm == r->sm && c->of.anew == r->anew && !c->failed.status && !strcmp(c->text, r->text)) return c;
    return NULL;
}

static enum sw_status append(const struct sw_compile_request *r, struct sw_compilation **compilation)
{
    struct sw_compilation *c, **at = &list;
    SW_TRY(sw_alloc(1, &c));
    c->text = sw_strdup(r->text);
    if (!c->text) {
        sw_free(c);
        return SW_FAIL(SW_E_MEMORY, "out of memory");
    }
    c->of = *r;
    c->of.text = c->text;
    while (*at) at = &(*at)->next;
    *at = *compilation = c;
    return SW_OK;
}

/* Compile it, without the lock. */
static void run(struct sw_compilation *c)
{
    static bool registered;
    c->state = RUNNING;
    join(c);
    pthread_mutex_unlock(&lock);
    const enum sw_status st = sw_compile_or_read(&c->of, &c->out);
    pthread_mutex_lock(&lock);
    if (!c->out.from_cache && !registered) atexit(sw_kernels_end);
    registered |= !c->out.from_cache;
    counts.compiled += !c->out.from_cache && !st;
    counts.kept += !c->out.from_cache && c->out.stored;
    sw_err_keep(&c->failed, st);
    c->state = ENDED;
    leave(c);
    pthread_cond_broadcast(&changed);
}

static struct sw_compilation *first_waiting(void)
{
    struct sw_compilation *c = list;
    while (c && c->state != WAITING) c = c->next;
    return c;
}

static struct sw_compilation *first_not_ended(void)
{
    struct sw_compilation *c = list;
    while (c && c->state == ENDED) c = c->next;
    return c;
}

/* ------------------------------------------------------------------ threads */

static void *compile_waiting(void *unused)
{
    struct sw_compilation *c;
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!ending && (c = first_waiting())) run(c);
    threads--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

void sw_kernels_end(void)
{
    pthread_mutex_lock(&lock);
    ending = true;
    while (threads) pthread_cond_wait(&changed, &lock);
    ending = false;
    pthread_mutex_unlock(&lock);
}

/* For an exit() that nobody has announced: registered before the first compilation, and behind it, since the compiler
 * registers what it clears away then, which would come first. */
static void call_at_exit(void) { atexit(sw_kernels_end); }

int sw_compilation_threads(void)
{
    const int processors = omp_get_num_procs();
    return processors < THREADS_MOST ? processors : THREADS_MOST;
}

/* Without one more, those that run, or the users, compile. */
static void start_thread(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_t thread;
    pthread_once(&once, call_at_exit);
    if (threads >= sw_compilation_threads() || pthread_create(&thread, NULL, compile_waiting, NULL)) return;
    pthread_detach(thread);
    threads++;
}

/* ------------------------------------------------------------------ users */

static enum sw_status begin(const struct sw_compile_request *r, struct sw_compilation **compilation)
{
    enum sw_status st = SW_OK;
    pthread_mutex_lock(&lock);
    struct sw_compilation *c = find(r);
    if (!c) {
        st = append(r, &c);
        if (!st) start_thread();
    }
    if (!st) join(c);
    pthread_mutex_unlock(&lock);
    *compilation = c;
    return st;
}

enum sw_status sw_compilation_begin(const char *text, const char *label, int sm, struct sw_compilation **compilation)
{
    *compilation = NULL;
    const enum sw_status st = sw_compiler_find(text, sm);
    if (!st) return begin(&(struct sw_compile_request){text, label, sm, false}, compilation);
    pthread_mutex_lock(&lock);
    counts.missing++;
    pthread_mutex_unlock(&lock);
    return st;
}

enum sw_status sw_compilation_again(const struct sw_compilation *of, struct sw_compilation **compilation)
{
    struct sw_compile_request r = of->of;  /* it has ended: nobody changes it */
    *compilation = NULL;
    if (!of->out.shipped) return SW_FAIL(SW_E_CUDA, "%s was compiled here", r.label);
    r.anew = true;
    return begin(&r, compilation);
}

enum sw_status sw_compilation_end(struct sw_compilation *c, const void **cubin, size_t *bytes, bool *from_cache)
{
    pthread_mutex_lock(&lock);
    if (c->state == WAITING) run(c);
    while (c->state != ENDED) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    *cubin = c->out.cubin;
    *bytes = c->out.bytes;
    *from_cache = c->out.from_cache;
    return sw_err_raise(&c->failed);
}

void sw_compilation_leave(struct sw_compilation **compilation)
{
    if (!*compilation) return;
    pthread_mutex_lock(&lock);
    leave(*compilation);
    pthread_mutex_unlock(&lock);
    *compilation = NULL;
}

struct sw_kernel_counts sw_kernels_count(void)
{
    pthread_mutex_lock(&lock);
    const struct sw_kernel_counts now = counts;
    pthread_mutex_unlock(&lock);
    return now;
}

void sw_kernels_wait(void)
{
    struct sw_compilation *c;
    pthread_mutex_lock(&lock);
    while ((c = first_not_ended()))
        if (c->state == WAITING) run(c);
        else pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

enum sw_status sw_kernel_compile(const char *text, const char *label, int sm, void **cubin, size_t *bytes,
                                 bool *from_cache)
{
    struct sw_compilation *c;
    const void *code;
    char *copy;
    *cubin = NULL;
    *bytes = 0;
    SW_TRY(sw_compilation_begin(text, label, sm, &c));
    enum sw_status st = sw_compilation_end(c, &code, bytes, from_cache);
    if (!st) st = sw_alloc(*bytes, &copy);
    if (!st) *cubin = memcpy(copy, code, *bytes);
    sw_compilation_leave(&c);
    return st;
}
