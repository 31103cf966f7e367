/* Are files what sweep wrote? */
#include <stdio.h>

#include "base/sw_clock.h"
#include "base/sw_err.h"
#include "base/sw_json.h"
#include "base/sw_mem.h"
#include "base/sw_text.h"
#include "cli/console.h"
#include "cli/open_sweep.h"
#include "store/sw_verify.h"

struct verification {
    struct sw_cli *cli;
    struct sw_json *json;  /* NULL: for people        */
    long    damaged, unknown;
    struct sw_text why;    /* of the first that is not what was written */
};

static const char *const verdicts[] = {
    [SW_VERDICT_WHOLE] = "whole",     [SW_VERDICT_UNKNOWN] = "no checksums", [SW_VERDICT_DAMAGED] = "damaged",
    [SW_VERDICT_CHANGED] = "changed", [SW_VERDICT_OTHER] = "other",
};

static void add_hint(struct sw_text *why, const struct sw_verified *v)
{
    if (v->verdict == SW_VERDICT_DAMAGED)
        sw_text_add(why, "; copy it once more from where it came, or compute its runs again");
    if (v->verdict == SW_VERDICT_CHANGED) {
        sw_text_add(why, "; if its numbers are what they should be, `sweep merge ");
        sw_text_add_word(why, v->path);
        sw_text_add(why, " -o NEW.h5` gives them new ones");
    }
}

static void print_for_people(const struct sw_cli *cli, const struct sw_verified *v)
{
    char when[21], size[24];
    struct sw_text path = {0};
    sw_text_add_shown(&path, v->path, "");
    sw_clock_utc((double)v->sum.written, when);
    if (cli->quiet) return;
    if (v->verdict == SW_VERDICT_WHOLE)
        console_print(cli, "whole         %s: %s as they were written at %s\n", sw_text_get(&path),
                      format_bytes((double)v->sum.bytes, size), when);
    else if (v->verdict == SW_VERDICT_UNKNOWN)
        console_print(cli, "no checksums  %s: an earlier build of sweep wrote it\n", sw_text_get(&path));
    else {
        console_print(cli, "%-13s %s", verdicts[v->verdict], sw_text_get(&path));
        if (v->sum.damaged)
            console_print(cli, ": %llu of %llu blocks of 64 KiB", (unsigned long long)v->sum.damaged,
                          (unsigned long long)v->sum.blocks);
        console_print(cli, "%s%s\n", *v->where ? ", with " : "", v->where);
    }
    sw_text_free(&path);
}

static void print_json(struct sw_json *j, const struct sw_verified *v)
{
    sw_json_begin(j, NULL, '{');
    sw_json_text(j, "file", v->path);
    sw_json_text(j, "verdict", verdicts[v->verdict]);
    sw_json_count(j, "bytes", (int64_t)v->sum.bytes);
    sw_json_count(j, "blocks", (int64_t)v->sum.blocks);
    sw_json_count(j, "blocks_damaged", (int64_t)v->sum.damaged);
    sw_json_time(j, "written", v->sum.written);
    sw_json_text(j, "why", *v->why ? v->why : NULL);
    sw_json_text(j, "where", *v->where ? v->where : NULL);
    sw_json_end(j, '}');
}

static void print_verdict(void *user, const struct sw_verified *v)
{
    struct verification *all = user;
    if (*v->why && !all->damaged++) {
        sw_text_add(&all->why, v->why);
        add_hint(&all->why, v);
    }
    all->unknown += v->verdict == SW_VERDICT_UNKNOWN;
    if (all->json) print_json(all->json, v);
    else print_for_people(all->cli, v);
}

static enum sw_status verify_all(struct verification *all)
{
    enum sw_status st = SW_OK;
    for (int k = 0; k < all->cli->narguments && !st; k++) {
        char *file;
        st = cli_output_path(all->cli->argument[k], &file);
        if (!st) st = sw_output_verify(file, print_verdict, all);
        sw_free(file);
    }
    return st;
}

enum sw_status cmd_verify(struct sw_cli *cli)
{
    struct sw_json json = {.to = stdout, .first = true};
    struct verification all = {.cli = cli, .json = cli->json ? &json : NULL};
    if (cli->json) {
        sw_json_begin(&json, NULL, '{');
        sw_json_begin(&json, "files", '[');
    }
    enum sw_status st = verify_all(&all);
    if (cli->json) {
        sw_json_end(&json, ']');
        sw_json_end(&json, '}');
    }
    cli->exit_code = all.unknown > 0;
    if (!st && all.damaged)
        st = SW_FAIL(SW_E_IO, "%s", sw_text_get(&all.why));
    sw_text_free(&all.why);
    return st;
}
