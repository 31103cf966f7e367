/* What checksums cost: the same dataset written to a file by HDF5 with and without them, in turn, and synced; and read.
 * What it costs to read a file back after that (sw_checksum_read_back()), likewise. A line for each way in which the
 * program writes: the least and the median of some repeats, and what the medians differ by.
 *   bench_checksum FOLDER [MIB] [REPEATS]      default 256 MiB, 15 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/sw_clock.h"
#include "base/sw_mem.h"
#include "store/hdf5/h5_hdf5.h"
#include "store/sw_verify.h"
#include "store/files/sw_files.h"
#include "need.h"

enum { MOST = 101, ROW = 1 << 17, BLOCK = 16 };  /* numbers in a row: 1 MiB; rows in a block of a merge */

struct way {
    const char *name;
    hsize_t rows_at_once;  /* in one call                                                   */
    hsize_t stride;        /* rows from one to the next: those between come later; 0: none between */
    hsize_t chunk;         /* rows; 0: contiguous                                           */
};

static const struct way ways[] = {
    {"part",   4,  0,  4},  /* blocks of 4 MiB, a chunk each        */
    {"join",   32, 0,  0},  /* blocks of 32 MiB                     */
    {"shards", 1,  8,  0},  /* every eighth run, input after input  */
};
enum { WAYS = sizeof ways / sizeof *ways };

static double processor(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec +
           1e-6 * ((double)r.ru_utime.tv_usec + (double)r.ru_stime.tv_usec);
}

/* As a merge does: what an input has of the rows is copied into a block, and each of them goes to its place. */
static void write_apart(struct sw_h5 *h, hid_t dataset, const struct way *w, hsize_t rows, const double *data,
                        double *block)
{
    for (hsize_t first = 0; first < w->stride; first++)
        for (hsize_t row = first, here; row < rows; row += here * w->stride) {
            for (here = 0; here < BLOCK && row + here * w->stride < rows; here++)
                memcpy(block + here * ROW, data + (row + here * w->stride) % 64 * ROW, ROW * sizeof *block);
            for (hsize_t k = 0; k < here; k++) {
                const hsize_t start[] = {row + k * w->stride, 0}, count[] = {1, ROW};
                sw_h5_write(h, dataset, SW_H5_DOUBLE, 2, start, count, block + k * ROW);
            }
        }
}

/* As the program does otherwise, from a block that the rows are copied into. */
static void write_rows(struct sw_h5 *h, hid_t dataset, const struct way *w, hsize_t rows, const double *data,
                       double *block)
{
    const hsize_t count[] = {w->rows_at_once, ROW};
    for (hsize_t row = 0; row + w->rows_at_once <= rows; row += w->rows_at_once) {
        const hsize_t start[] = {row, 0};
        memcpy(block, data + row % 64 * ROW, w->rows_at_once * ROW * sizeof *block);
        sw_h5_write(h, dataset, SW_H5_DOUBLE, 2, start, count, block);
    }
}

enum how { PLAIN, CHECKSUMS, READ_BACK };

/* Seconds until it is on disk. */
static void write_file(const char *path, const struct way *w, hsize_t rows, enum how how, const double *data,
                       double *seconds, double *cpu)
{
    static double block[32 * ROW];
    const struct sw_h5_shape shape = {.rank = 2, .dim = {rows, ROW}, .chunk = {w->chunk, w->chunk ? ROW : 0}};
    struct sw_h5 h;
    struct sw_sealed sealed;
    unlink(path);
    FILE *empty = fopen(path, "w");
    if (!empty) exit(fprintf(stderr, "%s cannot be made\n", path));
    fclose(empty);
    sync();
    *seconds = -sw_clock();
    *cpu = -processor();
    need(sw_h5_create(&h, path));
    if (how == PLAIN) sw_h5_driver_checksum(h.file, NULL);
    hid_t dataset = sw_h5_make(&h, "/u", SW_H5_DOUBLE, &shape);
    if (w->stride) write_apart(&h, dataset, w, rows, data, block);
    else write_rows(&h, dataset, w, rows, data, block);
    sw_h5_dataset_close(dataset);
    if (how != PLAIN) need(sw_h5_close_written(&h, &sealed));
    else {
        sealed.fd = sw_h5_driver_descriptor(h.file);
        need(sw_h5_close(&h));
    }
    need(sw_files_sync(&sealed, path, how == READ_BACK));
    *seconds += sw_clock();
    *cpu += processor();
}

static void read_file(const char *path, hsize_t rows, double *data, double *seconds, double *cpu)
{
    struct sw_h5_shape shape;
    enum sw_h5_type type;
    struct sw_h5 h;
    *seconds = -sw_clock();
    *cpu = -processor();
    need(sw_h5_open(&h, path));
    hid_t dataset = sw_h5_dataset(&h, "/u", &shape, &type);
    for (hsize_t row = 0; row + 16 <= rows; row += 16) {
        const hsize_t start[] = {row, 0}, count[] = {16, ROW};
        sw_h5_read(&h, dataset, SW_H5_DOUBLE, 2, start, count, data);
    }
    sw_h5_dataset_close(dataset);
    need(sw_h5_close(&h));
    *seconds += sw_clock();
    *cpu += processor();
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* t[0][]: without, t[1][]: with */
static void print_line(const char *name, hsize_t rows, int repeats, double t[2][MOST], double cpu[2][MOST])
{
    double percent[MOST];
    for (int k = 0; k < repeats; k++) percent[k] = 100 * (t[1][k] / t[0][k] - 1);
    qsort(percent, (size_t)repeats, sizeof *percent, ascending);
    for (int k = 0; k < 2; k++) {
        qsort(t[k], (size_t)repeats, sizeof **t, ascending);
        qsort(cpu[k], (size_t)repeats, sizeof **cpu, ascending);
    }
    printf("%s,%llu,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.1f,%.1f,%.1f\n", name, (unsigned long long)rows << 20, repeats,
           t[0][0], t[1][0], t[0][repeats / 2], t[1][repeats / 2], cpu[0][0], cpu[1][0],
           100 * (t[1][0] / t[0][0] - 1), percent[repeats / 2], 100 * (cpu[1][0] / cpu[0][0] - 1));
    fflush(stdout);
}

static void time_way(const struct way *w, enum how with_what, const char *path, hsize_t rows, int repeats,
                     const double *data)
{
    double t[2][MOST], cpu[2][MOST];
    char name[40];
    for (int k = -1; k < repeats; k++)  /* the first is to warm up */
        for (int with = 0; with < 2; with++) {
            const int which = (k & 1) ^ with, at = k < 0 ? 0 : k;  /* which comes first changes */
            write_file(path, w, rows, with_what - 1 + (enum how)which, data, &t[which][at], &cpu[which][at]);
        }
    snprintf(name, sizeof name, "%s%s", w->name, with_what == READ_BACK ? " back" : "");
    print_line(name, rows, repeats, t, cpu);
}

static void time_reading(const char *path, hsize_t rows, int repeats, double *data)
{
    double t[2][MOST], cpu[2][MOST];
    char *other = sw_files_name(path, ".plain");
    double unused, idle;
    write_file(path, &ways[1], rows, CHECKSUMS, data, &unused, &idle);
    write_file(other, &ways[1], rows, PLAIN, data, &unused, &idle);
    for (int k = -1; k < repeats; k++)
        for (int with = 0; with < 2; with++)
            read_file(with ? path : other, rows, data, &t[with][k < 0 ? 0 : k], &cpu[with][k < 0 ? 0 : k]);
    print_line("read", rows, repeats, t, cpu);
    unlink(other);
    sw_free(other);
}

int main(int count, char **argument)
{
    const hsize_t rows = count > 2 ? strtoull(argument[2], NULL, 10) / 64 * 64 : 256;
    int repeats = count > 3 ? atoi(argument[3]) : 15;
    double *data;
    if (count < 2 || rows < 64 || repeats < 1 || repeats >= MOST)
        return fprintf(stderr, "usage: bench_checksum FOLDER [MIB, at least 64] [REPEATS]\n"), 2;
    char *path = sw_files_name(argument[1], "/bench-checksum.h5");
    need(sw_alloc((size_t)ROW * 96, &data));
    for (size_t k = 0; k < (size_t)ROW * 96; k++) data[k] = 1 / (1.0 + (double)k);
    printf("way,bytes,repeats,without_least_s,with_least_s,without_median_s,with_median_s,without_cpu_s,with_cpu_s,"
           "least_percent,median_percent,cpu_percent\n");
    for (int k = 0; k < 2 * WAYS; k++)
        time_way(&ways[k / 2], k % 2 ? READ_BACK : CHECKSUMS, path, rows, repeats, data);
    time_reading(path, rows, repeats, data);
    unlink(path);
    sw_free(path);
    sw_free(data);
    return 0;
}
