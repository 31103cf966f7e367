#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sw_mem.h"
#include "results/gather.h"

enum { MOST = 100000 };  /* as --shards takes: a name of more is not one of ours */

/* Shards by the names of their files: "night.shard-3-of-16.h5". */
static const char *find(const char *path, int *shard, int *shards)
{
    const char *at = strstr(path, ".shard-");
    const bool named = at && sscanf(at, ".shard-%d-of-%d", shard, shards) == 2;
    return named && *shard >= 1 && *shard <= *shards && *shards <= MOST ? at : NULL;
}

/* Is what there is of a shard, FILE.h5.d/, beside the others? */
static bool is_begun(const char *like, int shard, int shards)
{
    struct sw_text t = {0};
    const char *at = strstr(like, ".shard-"), *dot = strrchr(like, '.');
    sw_text_add_bytes(&t, like, (size_t)(at - like));
    sw_text_printf(&t, ".shard-%d-of-%d%s.d", shard, shards, dot > at ? dot : "");
    const bool there = !sw_text_status(&t) && !access(sw_text_get(&t), F_OK);
    sw_text_free(&t);
    return there;
}

static void add(struct sw_text *list, int shard)
{
    if (list->length < 100) sw_text_printf(list, "%s%d", list->length ? " " : "", shard);
    else if (list->length < 104) sw_text_add(list, " ...");
}

static void tell(const struct sw_text *absent, const struct sw_text *begun, int shards, struct sw_text *text)
{
    if (absent->length)
        sw_text_printf(text, "; of %d shards these are not among the files: %s", shards, sw_text_get(absent));
    if (begun->length)
        sw_text_printf(text, "; of %d shards these are under way or were stopped: %s (the same `sweep run` goes on "
                             "with them)", shards, sw_text_get(begun));
}

void sw_shards_missing(const struct sw_gather *g, struct sw_text *text)
{
    struct sw_text absent = {0}, begun = {0};
    int shard, shards, other;
    bool *seen;
    const char *like = g->input[0].path;
    if (!find(like, &shard, &shards) || sw_alloc((size_t)shards + 1, &seen)) return;
    for (int k = 0; k < g->ninput; k++)
        if (find(g->input[k].path, &shard, &other) && other == shards) seen[shard] = true;
    for (int k = 1; k <= shards; k++)
        if (!seen[k]) add(is_begun(like, k, shards) ? &begun : &absent, k);
    tell(&absent, &begun, shards, text);
    sw_text_free(&absent);
    sw_text_free(&begun);
    sw_free(seen);
}
