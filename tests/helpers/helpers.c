#include "helpers.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"

void assert_contains(const char *text, const char *part)
{
    if (!text || !strstr(text, part)) fail_msg("\"%s\" does not contain \"%s\"", text ? text : "(null)", part);
}

void assert_all_near(const char *what, const double *a, const double *b, size_t count, double tolerance)
{
    for (size_t k = 0; k < count; k++)
        if (!(fabs(a[k] - b[k]) <= tolerance))
            fail_msg("%s: entry %zu is %.17g, expected %.17g +- %.3g", what, k, a[k], b[k], tolerance);
}

void skip_because(const char *reason)
{
    printf("[  SKIPPED ] %s\n", reason);
    skip();
    abort();  /* skip() does not return, though it does not say so */
}

void skip_unless_needed(const char *what, const char *reason)
{
    const char *need = getenv("SW_NEED");
    if (need && strstr(need, what)) fail_msg("%s is needed (SW_NEED=%s) but: %s", what, need, reason);
    skip_because(reason);
}

/* ---- what was asked for, and whether there is such a thing */

static int tests_run;
static bool asked_for_rows;
static unsigned long long rows_met;  /* bit k: the name k of SW_ROWS is that of a row */

/* The name k of "NAME,NAME", and its length; NULL: there are not so many. */
static const char *name_in(const char *list, int k, size_t *length)
{
    for (; list && k > 0; k--)
        if ((list = strchr(list, ',')) != NULL) list++;
    *length = list ? strcspn(list, ",") : 0;
    return list;
}

bool row_asked_for(const char *name)
{
    const char *rows = getenv("SW_ROWS"), *at;
    size_t length;
    asked_for_rows = true;
    for (int k = 0; k < 64 && (at = name_in(rows, k, &length)) != NULL; k++)
        if (length == strlen(name) && !strncmp(at, name, length)) {
            rows_met |= 1ull << k;
            return true;
        }
    return !rows;
}

/* Where a test has the library's part that compiles kernels: as the program does before it exits. */
extern __attribute__((weak)) void sw_kernels_end(void);

int run_group(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown)
{
    const char *pattern = getenv("SW_TESTS"), *list = getenv("SW_LIST");
    for (size_t k = 0; k < count; k++) {
        tests_run += !pattern || !fnmatch(pattern, tests[k].name, 0);
        if (list) printf("%s\n", tests[k].name);
    }
    const int failed = list ? 0 : _cmocka_run_group_tests(name, tests, count, setup, teardown);
    if (sw_kernels_end) sw_kernels_end();
    return failed;
}

/* After everything else: a name that has changed must not look like a test that has passed. */
static void fail_if_nothing_was_run(void)
{
    const char *rows = getenv("SW_ROWS"), *at;
    bool wrong = false;
    size_t length;
    for (int k = 0; asked_for_rows && (at = name_in(rows, k, &length)) != NULL; k++)
        if (k >= 64 || !(rows_met >> k & 1)) {
            fprintf(stderr, "SW_ROWS: there is no row '%.*s' here, or it is left out\n", (int)length, at);
            wrong = true;
        }
    if (!tests_run && (rows || getenv("SW_TESTS") || getenv("SW_SMALL") || getenv("SW_DEVICE_ROWS"))) {
        fprintf(stderr, "nothing was run: SW_TESTS, SW_ROWS, SW_SMALL or SW_DEVICE_ROWS leaves out all there is\n");
        wrong = true;
    }
    fflush(NULL);
    if (wrong) _exit(1);
}

__attribute__((constructor)) static void leave_only_what_is_asked_for(void)
{
    const char *pattern = getenv("SW_TESTS");
    if (pattern) cmocka_set_test_filter(pattern);
    atexit(fail_if_nothing_was_run);
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] && strcmp(value, "0");
}

bool small_suite(void) { return is_set("SW_SMALL"); }

bool long_suite(void) { return is_set("SW_LONG"); }

bool device_rows_only(void) { return is_set("SW_DEVICE_ROWS"); }

static char folder[256];

static void remove_folder(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command)) fprintf(stderr, "could not remove %s\n", folder);
}

const char *test_folder(void)
{
    if (folder[0]) return folder;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/sweep-test-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) fail_msg("cannot make %s", folder);
    atexit(remove_folder);
    return folder;
}

double *zeros(size_t count)
{
    double *p = NULL;
    assert_ok(sw_alloc(count, &p));
    return p;
}

double test_random(uint64_t *state)
{
    /* splitmix64 (Steele, Lea, Flood 2014) */
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

/* The response to a unit, 1/n sum_k Re e^{2 pi i k j/n}/(the symbol at theta = 2 pi k/n), then its convolution with
 * f. */
void test_fourier_solve_orders(int n, const double s[5], const double *f, int stride, long double *x)
{
    static long double wave[2048], cosine[2048], sine[2048];  /* of lines of `known` points */
    static long double response[2048], real[2048], imaginary[2048];
    static int known;
    const long double pi = 3.14159265358979323846264338327950288L;
    for (int k = 0; k < n && n != known; k++) {
        wave[k] = 4 * sinl(pi * k / n) * sinl(pi * k / n);
        cosine[k] = cosl(2 * pi * k / n);
        sine[k] = 2 * k == n ? 0 : sinl(2 * pi * k / n);
    }
    known = n;
    for (int k = 0; k < n; k++) {
        const long double w = wave[k];
        const long double even = 1 + (long double)s[0] + s[2] * w + s[4] * w * w, odd = sine[k] * (s[1] - s[3] * w),
                          weight = (k == 0 || 2 * k == n ? 1 : 2) / (even * even + odd * odd);
        real[k] = weight * even;
        imaginary[k] = -weight * odd;
    }
    for (int i = 0; 2 * i <= n; i++) {  /* the modes k and n - k are conjugate, and so are the points i and n - i */
        long double even = 0, odd = 0;
        for (int k = 0, at = 0; 2 * k <= n; k++) {
            even += cosine[at] * real[k];
            odd += sine[at] * imaginary[k];
            at += i;
            if (at >= n) at -= n;
        }
        response[i] = (even - odd) / n;
        if (i > 0) response[n - i] = (even + odd) / n;
    }
    for (int i = 0; i < n; i++) {
        long double sum = 0;
        for (int k = 0; k <= i; k++) sum += response[i - k] * f[k * stride];
        for (int k = i + 1; k < n; k++) sum += response[i - k + n] * f[k * stride];
        x[i] = sum;
    }
}

void test_fourier_solve(int n, double s4, double s2, const double *f, int stride, long double *x)
{
    test_fourier_solve_orders(n, (const double[5]){[2] = s2, [4] = s4}, f, stride, x);
}

void test_fourier_modes(int n, double s4, double s2, double *f, long double *x)
{
    static const int mode[] = {0, 1, 2, 7, 50, 400, 600, 1000};
    const long double pi = 3.14159265358979323846264338327950288L;
    long double *cosine = malloc((size_t)n * sizeof *cosine);
    assert_non_null(cosine);
    for (int i = 0; i < n; i++) cosine[i] = cosl(2 * pi * i / n);
    for (int i = 0; i < n; i++) {
        long double sum = x[i] = 0;
        for (int k = 0; k < 8; k++) {
            long double c = cosine[((long long)mode[k] * i + 17 * k) % n], s = 2 - 2 * cosine[mode[k] % n];
            sum += c;
            x[i] += c / (1 + s2 * s + s4 * s * s);
        }
        f[i] = (double)sum;
    }
    free(cosine);
}

bool is_case_asked_for(int k)
{
    const char *asked = getenv("SW_CASE"), *apart = asked ? strchr(asked, '/') : NULL;
    if (!asked) return true;
    return apart ? k % atoi(apart + 1) == atoi(asked) : k == atoi(asked);
}
