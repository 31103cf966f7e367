#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sw_mem.h"
#include "store/catalog/catalog.h"
#include "store/files/sw_files.h"
#include "store/files/sw_shards.h"

/* The last of them, where sw_shard_file() puts it; that of a folder is not the file's. */
const char *sw_shard_find(const char *file, int *shard, int *nshards)
{
    const char *slash = strrchr(file, '/'), *found = NULL;
    int one, all;
    *shard = *nshards = 0;
    for (const char *at = slash ? slash : file; (at = strstr(at, ".shard-")); at++) {
        if (sscanf(at, ".shard-%d-of-%d", &one, &all) != 2 || one < 1 || one > all || all > SW_SHARDS_MOST) continue;
        found = at;
        *shard = one;
        *nshards = all;
    }
    return found;
}

/* @param end  of the name before its shard; after it comes `tail`, ".h5" */
static char *shard_name(const char *file, const char *end, int shard, int nshards, const char *tail)
{
    struct sw_text text = {0};
    sw_text_printf(&text, "%.*s.shard-%d-of-%d%s", (int)(end - file), file, shard, nshards, tail);
    return sw_text_take(&text);
}

static const char *extension_of(const char *file)
{
    const char *end = strrchr(file, '.');
    return end && !strchr(end, '/') ? end : file + strlen(file);
}

char *sw_shard_file(const char *file, int shard, int nshards)
{
    const char *end = extension_of(file);
    return shard_name(file, end, shard, nshards, end);
}

void sw_shard_add_word(struct sw_text *text, const char *file, const char *shard, int nshards)
{
    struct sw_text stem = {0};
    const char *end = extension_of(file);
    sw_text_add_bytes(&stem, file, (size_t)(end - file));
    if (stem.length) sw_text_add_word(text, sw_text_get(&stem));
    sw_text_printf(text, ".shard-%s-of-%d", shard, nshards);
    if (*end) sw_text_add_word(text, end);
    sw_text_free(&stem);
}

/* Is what there is of a shard, FILE.h5.d/, beside the others? at: where the shard begins in the name of one. */
static bool is_shard_begun(const char *like, const char *at, int shard, int shards)
{
    const char *dot = extension_of(like);
    char *file = shard_name(like, at, shard, shards, strchr(at + 1, '.') ? dot : "");
    const bool there = file && sw_files_has_folder(file);
    sw_free(file);
    return there;
}

static void add_shard(struct sw_text *list, int shard)
{
    if (list->length < 100) sw_text_printf(list, "%s%d", list->length ? " " : "", shard);
    else if (list->length < 104) sw_text_add(list, " ...");
}

static void describe_shards(const struct sw_text *absent, const struct sw_text *begun, int shards, struct sw_text *text)
{
    if (absent->length)
        sw_text_printf(text, "; of %d shards these are not among the files: %s", shards, sw_text_get(absent));
    if (begun->length)
        sw_text_printf(text,
                       "; of %d shards these are under way or were stopped: %s (the same `sweep run` continues "
                       "them)",
                       shards, sw_text_get(begun));
}

void sw_shards_describe_missing(const struct sw_catalog *c, struct sw_text *text)
{
    struct sw_text absent = {0}, begun = {0};
    int shard, shards, other;
    bool *seen;
    const char *like = c->input[0].path, *at = sw_shard_find(like, &shard, &shards);
    if (!at || sw_alloc((size_t)shards + 1, &seen)) return;
    for (int k = 0; k < c->ninput; k++)
        if (sw_shard_find(c->input[k].path, &shard, &other) && other == shards) seen[shard] = true;
    for (int k = 1; k <= shards; k++)
        if (!seen[k]) add_shard(is_shard_begun(like, at, k, shards) ? &begun : &absent, k);
    describe_shards(&absent, &begun, shards, text);
    sw_text_free(&absent);
    sw_text_free(&begun);
    sw_free(seen);
}
