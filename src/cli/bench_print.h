#ifndef BENCH_PRINT_H
#define BENCH_PRINT_H
/* What `sweep bench` measured, as a table, CSV or JSON. */
#include <stdio.h>

#include "bench/sw_bench.h"
#include "cli/command_line.h"

/** @param text  the spec, as typed */
void bench_print_table(const struct sw_cli *cli, const struct sw_bench *b, int baseline);
void bench_print_csv(FILE *to, bool header, const char *text, const struct sw_bench *b, int baseline);
void bench_print_json(FILE *to, const char *text, const struct sw_bench *b, int baseline);
/** Rows are added at the end of the file; a file that is new or empty gets the header first. */
enum sw_status bench_append_csv(const char *path, const char *text, const struct sw_bench *b, int baseline);
#endif
