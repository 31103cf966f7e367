/* Files that are added to: the log of --log-json, the table of `sweep bench -o`. */
#include <stdio.h>
#include <string.h>

#include "cli/append_file.h"
#include "store/files/sw_files.h"

/* A file that begins in another way was not written by this program: nothing is added to it. */
static enum sw_status check_beginning(const char *path, FILE *file, const char *beginning)
{
    char head[16] = "";
    struct sw_file_version mark;
    SW_TRY(sw_files_version(path, &mark));
    if (!mark.bytes) return SW_OK;
    rewind(file);
    const size_t length = fread(head, 1, strlen(beginning), file);
    if (ferror(file)) return sw_files_fail(path);
    if (length == strlen(beginning) && !memcmp(head, beginning, length)) return SW_OK;
    return SW_FAIL(SW_E_REFUSED, "%s is there and was not written by sweep, so nothing is added to it; use another "
                   "name", path);
}

enum sw_status append_open(const char *path, const char *beginning, FILE **file)
{
    const bool is_file = !sw_files_regular(path);  /* a pipe is opened for writing alone: its reader is another */
    *file = fopen(path, is_file ? "a+" : "a");
    if (!*file) return sw_files_fail(path);
    enum sw_status st = is_file ? check_beginning(path, *file, beginning) : SW_OK;
    if (!st) return SW_OK;
    fclose(*file);
    *file = NULL;
    return st;
}

