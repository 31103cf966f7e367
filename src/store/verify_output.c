#include "store/sw_verify.h"

#include <stdio.h>
#include <string.h>

#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "store/catalog/damaged_runs_hdf5.h"
#include "store/files/sw_files.h"
#include "store/files/sw_output.h"

typedef void tell_function(void *user, const struct sw_verified *of);

/* A file whose bytes are what was written, or that has no checksums, is opened to see which it is.
 * @param why  out: the message, of a damaged one */
static enum sw_status look_inside(const char *path, struct sw_input_file *in, struct sw_verified *v, char why[600])
{
    bool damaged;
    enum sw_status st = sw_input_file_open(path, in, &damaged);
    if (st && !damaged) return st;
    if (st) {
        snprintf(why, 600, "%s", sw_err_message());
        v->verdict = strstr(why, SW_OF_OTHERS) || strstr(why, SW_OF_NEWER) ? SW_VERDICT_OTHER : SW_VERDICT_DAMAGED;
    } else if (in->lost_checksums) {
        if (sw_open_elsewhere(path)) return SW_FAIL(SW_E_IO, "%s " SW_OPEN_ELSEWHERE, path);
        snprintf(why, 600, "%s was changed after sweep had written it, by a program that opened it to write, as h5py "
                 "does with 'r+': it has lost its checksums", path);
        v->verdict = SW_VERDICT_CHANGED;
    } else v->verdict = v->sum.sealed ? SW_VERDICT_WHOLE : SW_VERDICT_UNKNOWN;
    return SW_OK;
}

/* Whose numbers are damaged can be said if what describes them is not. */
static void find_runs(const char *path, const struct sw_file_checksum *sum, struct sw_text *where)
{
    struct sw_input_file in;
    bool damaged;
    if (!sum->bad || sw_input_file_open(path, &in, &damaged)) return;
    sw_damaged_runs_add(&in, sum->bad, sum->blocks, where);
    sw_input_file_free(&in);
}

/* @param in  out: to be freed; {0} where it cannot be opened */
static enum sw_status verify_one(const char *path, tell_function *tell, void *user, struct sw_input_file *in)
{
    struct sw_verified v = {.path = path, .verdict = SW_VERDICT_DAMAGED};
    struct sw_text where = {0};
    char why[600] = "";
    bool damaged;
    *in = (struct sw_input_file){0};
    enum sw_status st = sw_file_checksum_verify(path, &v.sum, &damaged);
    if (st && damaged) snprintf(why, sizeof why, "%s", sw_err_message());
    if (!st) st = look_inside(path, in, &v, why);
    else if (damaged) st = SW_OK;
    if (*why) find_runs(path, &v.sum, &where);
    v.why = why;
    v.where = sw_text_get(&where);
    if (!st) tell(user, &v);
    sw_text_free(&where);
    sw_file_checksum_free(&v.sum);
    return st;
}

static enum sw_status verify_with_sources(const char *path, int depth, tell_function *tell, void *user)
{
    enum { DEEPEST = 4 };
    struct sw_input_file in;
    if (depth > DEEPEST)
        return SW_FAIL(SW_E_IO, "%s is virtual, and so are its parts, and theirs, without an end", path);
    enum sw_status st = verify_one(path, tell, user, &in);
    for (int k = 0; !st && k < in.nsource; k++) st = verify_with_sources(in.source[k], depth + 1, tell, user);
    sw_input_file_free(&in);
    return st;
}

/* A part may have been joined meanwhile by the process that computes the sweep. */
static enum sw_status verify_part(const char *path, tell_function *tell, void *user)
{
    struct sw_input_file in;
    enum sw_status st = verify_one(path, tell, user, &in);
    sw_input_file_free(&in);
    return st && sw_files_absent(path) ? SW_OK : st;
}

enum sw_status sw_output_verify(const char *file, tell_function *tell, void *user)
{
    char **part;
    int count;
    const bool absent = sw_files_absent(file);
    SW_TRY(sw_files_parts(file, &part, &count));
    enum sw_status st = absent ? SW_OK : verify_with_sources(file, 0, tell, user);
    if (absent && !count) st = sw_output_fail_absent(file);
    for (int k = 0; k < count && !st; k++) st = verify_part(part[k], tell, user);
    sw_files_free_list(&part, count);
    return st;
}

/* @param bytes  in, out: of all files so far */
static enum sw_status check_bytes(const char *path, uint64_t *bytes)
{
    struct sw_file_checksum sum;
    bool damaged;
    SW_TRY(sw_file_checksum_look(path, &sum));
    *bytes += sum.bytes;
    if (*bytes > SW_VERIFY_AGAIN && sum.verified) return SW_OK;
    enum sw_status st = sw_file_checksum_verify(path, &sum, &damaged);
    sw_file_checksum_free(&sum);
    return st;
}

enum sw_status sw_output_check(const char *file, bool *lost)
{
    struct sw_input_file in;
    uint64_t bytes = 0;
    bool damaged;
    *lost = false;
    SW_TRY(check_bytes(file, &bytes));
    enum sw_status st = sw_input_file_open_sources(file, &in, &damaged);
    *lost = in.lost_checksums;
    const bool readers = st && damaged && !in.lost_checksums;  /* whoever reads it will say what it is */
    for (int k = 0; !st && k < in.nsource; k++) st = check_bytes(in.source[k], &bytes);
    sw_input_file_free(&in);
    return readers ? SW_OK : st;
}
