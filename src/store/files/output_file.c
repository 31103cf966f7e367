/* An output file as a whole: it is removed with its parts, and refused where it is absent or virtual. */
#include "base/sw_err.h"
#include "base/sw_mem.h"
#include "base/sw_private.h"
#include "base/sw_text.h"
#include "store/files/sw_files.h"
#include "store/files/sw_status_file.h"
#include "store/files/sw_output.h"

enum sw_status sw_output_check_parts(const char *file)
{
    char *folder = sw_files_name(file, ".d");
    enum sw_status st = folder ? sw_private_folder_check(folder) : SW_E_MEMORY;
    sw_free(folder);
    return st;
}

enum sw_status sw_output_set_damaged_aside(const struct sw_completed *completed)
{
    enum sw_status st = SW_OK;
    for (int k = 0; k < completed->ndamaged && !st; k++) {
        char *aside;
        st = sw_files_set_aside(completed->damaged[k], &aside);
        sw_free(aside);
    }
    return st;
}

enum sw_status sw_output_remove_parts(const char *file)
{
    char **part;
    int count;
    enum sw_status st = SW_OK;
    SW_TRY(sw_files_parts(file, &part, &count));
    for (int k = 0; k < count && !st; k++) st = sw_files_remove(part[k]);
    sw_files_free_list(&part, count);
    return st ? st : sw_files_remove_damaged(file);
}

enum sw_status sw_output_remove(const char *file)
{
    enum sw_status st = sw_files_remove(file);
    return st ? st : sw_output_remove_parts(file);
}

enum sw_status sw_output_fail_absent(const char *file)
{
    bool by_files;
    struct sw_status_file now;
    struct sw_last_update update = {0};
    const enum sw_liveness life = sw_liveness_of(file, sw_filesystem_time(file, &by_files), &now, &update);
    const char *host = *now.host ? now.host : "this machine";
    if (life == SW_LIVENESS_ALIVE || life == SW_LIVENESS_SILENT)
        return SW_FAIL(SW_E_IO, "%s: nothing of it is on disk yet; process %lld on %s computes it, and `sweep status` "
                       "tells how far it is", file, (long long)now.pid, host);
    struct sw_text word = {0};
    sw_text_add_word(&word, file);
    if (life == SW_LIVENESS_DEAD)
        SW_FAIL(SW_E_IO, "%s: nothing of it is on disk; process %lld on %s is gone, which ended before its first "
                "checkpoint: `sweep run CONFIG -o %s` begins again", file, (long long)now.pid, host,
                sw_text_get(&word));
    else
        SW_FAIL(SW_E_IO, "%s: there is no such file, and no parts of it in %s.d; a sweep that was stopped before its "
                "first step begins with `sweep run CONFIG -o %s`", file, file, sw_text_get(&word));
    sw_text_free(&word);
    return SW_E_IO;
}

enum sw_status sw_output_refuse_dropped(const char *file)
{
    return SW_FAIL(SW_E_REFUSED, "%s has the statistics of its runs, and not what they are formed of (keep = false): "
                   "nothing can be added to it; use -o FILE or --force", file);
}

enum sw_status sw_output_refuse_virtual(const char *file)
{
    struct sw_text word = {0};
    sw_text_add_word(&word, file);
    SW_FAIL(SW_E_REFUSED,
            "%s is virtual, and nothing can be added to it; make it a file of its own first: sweep merge "
            "%s -o %s",
            file, sw_text_get(&word), sw_text_get(&word));
    sw_text_free(&word);
    return SW_E_REFUSED;
}
