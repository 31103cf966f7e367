#ifndef CLI_BENCH_H
#define CLI_BENCH_H
/* What cmd_bench.c measured, as a table, CSV or JSON (bench_print.c). */
#include "bench/sw_bench.h"
#include "cli/cli_impl.h"

/* Shares of what the row's device can do, NaN where the row does not count; rate over that of the baseline. */
double bench_of_copy(const struct sw_bench *b, const struct sw_bench_row *r);
double bench_of_fma(const struct sw_bench *b, const struct sw_bench_row *r);
double bench_ratio(const struct sw_bench *b, const struct sw_bench_row *r, int baseline);
const struct sw_rates *bench_rates_of(const struct sw_bench *b, const struct sw_bench_row *r);

/** @param text  the spec, as typed */
void bench_print_table(const struct sw_cli *cli, const struct sw_bench *b, int baseline);
void bench_print_csv(FILE *to, bool header, const char *text, const struct sw_bench *b, int baseline);
void bench_print_json(FILE *to, const char *text, const struct sw_bench *b, int baseline);
/** Rows are added at the end of the file; a file that is new or empty gets the header first. */
enum sw_status bench_append_csv(const char *path, const char *text, const struct sw_bench *b, int baseline);
#endif
