/* The shipped configs, and what `sweep init` prints, with one to three random edits, through all that check does but
 * the trial of the device. SW_FUZZ_SECONDS=N in the environment says for how long (6 under sanitizers, else 3),
 * SW_FUZZ_SEED=N from which random number on (1). What is found is written to mutant-N.cfg in SW_FUZZ_FOLDER, where
 * that is set. Children do the work: one that crashes, or computes for over ten seconds at a mutant, is one finding. */
#include <glob.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "helpers.h"
#include "mutants.h"

/* libconfig 1.5 does not free the string it was reading when it meets a syntax error. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libconfig\n"; }

/* It hangs after so many seconds of computing; or of waiting, on a machine that has other things to do. */
enum { MAX_TEXTS = 200, MUTANTS_A_CHILD = 400, HANG_SECONDS = 10, WAIT_SECONDS = 300 };

static char *texts[MAX_TEXTS];
static int ntext;

static void add_file(const char *path)
{
    struct sw_text text = {0};
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("cannot read %s", path);
    for (int c; (c = fgetc(f)) != EOF;) sw_text_add_bytes(&text, &(char){(char)c}, 1);
    fclose(f);
    texts[ntext++] = sw_text_take(&text);
}

static void read_texts(void)
{
    glob_t found;
    assert_int_equal(glob("configs/*.cfg", 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc && ntext < MAX_TEXTS; k++) add_file(found.gl_pathv[k]);
    globfree(&found);
    for (int p = 0; sw_problem_table[p] && ntext < MAX_TEXTS; p++)
        texts[ntext++] = sw_strdup(sw_problem_table[p]->example);
}

/* Mutant number k, whichever child makes it. */
static char *mutant(uint64_t seed, int64_t k)
{
    uint64_t random = seed * 0x2545f4914f6cdd1du + (uint64_t)k;
    mutant_random(&random);
    return mutant_make(texts[mutant_below(&random, ntext)], &random);
}

struct shared { volatile int64_t at, taken; };  /* the mutant that the child is at */

static void limit(int computing, unsigned waiting)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = computing}, NULL);
    alarm(waiting);
}

static void work(struct shared *shared, uint64_t seed, int64_t first, double until)
{
    struct sw_devices devices;
    if (sw_devices_open("cpu", 1, 1, &devices)) _exit(70);
    for (shared->at = first; shared->at < first + MUTANTS_A_CHILD && sw_clock() < until; shared->at++) {
        char *text = mutant(seed, shared->at);
        limit(HANG_SECONDS, WAIT_SECONDS);
        if (text) shared->taken += mutant_check(text, &devices);
        sw_free(text);
    }
    limit(0, 0);
    sw_devices_close(&devices);
}

static void report_finding(const char *text, uint64_t seed, int64_t k, int status)
{
    const char *folder = getenv("SW_FUZZ_FOLDER");
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    char path[400];
    printf("seed %llu, mutant %lld: %s %d\n%s\n", (unsigned long long)seed, (long long)k,
           by == SIGALRM || by == SIGPROF ? "hangs, signal" : by ? "signal" : "exit code",
           by ? by : WEXITSTATUS(status), folder ? "" : text);
    if (!folder) return;
    snprintf(path, sizeof path, "%s/mutant-%llu-%lld.cfg", folder, (unsigned long long)seed, (long long)k);
    FILE *f = fopen(path, "wb");
    if (!f) fail_msg("cannot write %s", path);
    fputs(text, f);
    fclose(f);
}

static double number_of(const char *name, double otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atof(text) : otherwise;
}

/* Threads do not survive a fork: this process starts none, and each child its own. */
static void no_edit_of_a_config_crashes_check(void **state)
{
    const double until = sw_clock() + number_of("SW_FUZZ_SECONDS", getenv("SW_SANITIZED") ? 6 : 3);
    const uint64_t seed = (uint64_t)number_of("SW_FUZZ_SEED", 1);
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int64_t next = 0;
    int found = 0;
    (void)state;
    assert_ptr_not_equal(shared, MAP_FAILED);
    while (sw_clock() < until && found < 20) {
        int status;
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            work(shared, seed, next, until);
            exit(0);  /* not _exit(): leaks are looked for */
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
            char *text = mutant(seed, shared->at);
            report_finding(text, seed, shared->at, status);
            sw_free(text);
            shared->at++;
            found++;
        }
        next = shared->at;
    }
    printf("%lld mutants of %d configs, %lld of them taken, %d failed\n", (long long)next, ntext,
           (long long)shared->taken, found);
    assert_int_equal(found, 0);
    assert_true(next > 10);
    munmap(shared, sizeof *shared);
}

/* A dictionary without words of the tables would find little. */
static void the_dictionary_knows_the_tables(void **state)
{
    static const char *const some[] = {"d1_c6", "time", "dt", "rk4", "3-4-6", "linspace", "randn", "compact", "cfl"};
    const struct mutant_words *d = mutant_words();
    (void)state;
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        bool known = false;
        for (int j = 0; j < d->count; j++) known |= !strcmp(d->word[j], some[k]);
        if (!known) fail_msg("'%s' is not in it", some[k]);
    }
    assert_true(d->count < MUTANT_WORDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dictionary_knows_the_tables),
        cmocka_unit_test(no_edit_of_a_config_crashes_check),
    };
    read_texts();
    int failed = cmocka_run_group_tests_name("mutants", tests, NULL, NULL);
    for (int k = 0; k < ntext; k++) sw_free(texts[k]);
    return failed;
}
