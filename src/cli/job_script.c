/* The jobs of a submission as scripts: the templates shards.sh.tmpl and merge.sh.tmpl, or job.sh.tmpl, filled in.
 *
 * ${name} in a template is a field. A line whose field has no value is left out; one whose field has several values is
 * repeated. A line that ends with a backslash and those after it are one line of the script, its pieces put together
 * with single spaces, each left out or repeated by itself. */
#include <assert.h>
#include <string.h>

#include "base/sw_embed.h"
#include "base/sw_mem.h"
#include "cli/jobs.h"

/* ---- fields */

enum { FIELDS = 32 };  /* beside the overrides of the config */

/* Those that have a value; the name of one that has several comes again. */
struct fields {
    struct field { const char *name; struct sw_text value; } *field;
    int count, room;
};

/* A new value, to be added to. */
static struct sw_text *add_field(struct fields *f, const char *name)
{
    assert(f->count < f->room);
    f->field[f->count].name = name;
    return &f->field[f->count++].value;
}

/* As the shell reads it: in quotes where that takes some. */
static void add_word(struct fields *f, const char *name, const char *word)
{
    if (word) sw_text_add_word(add_field(f, name), word);
}

static void add_number(struct fields *f, const char *name, long number)
{
    sw_text_printf(add_field(f, name), "%ld", number);
}

static void free_fields(struct fields *f)
{
    for (int k = 0; k < f->count; k++) sw_text_free(&f->field[k].value);
    sw_free(f->field);
}

static void add_options(struct fields *f, const struct sw_cli *cli)
{
    const struct cli_job *job = &cli->job;
    const bool gpus = job->gpus > 1 || job->node_gpus;
    add_word(f, "device", cli->device ? cli->device : gpus ? "cuda" : job->node_ranks ? "cpu" : NULL);
    if (cli->threads) add_number(f, "threads", cli->threads), add_number(f, "given_threads", cli->threads);
    else sw_text_add(add_field(f, "threads"), "\"${SLURM_CPUS_ON_NODE:-1}\"");
    if (job->gpus > 1) add_number(f, "gpus", job->gpus - 1);
    add_number(f, "cpus", job->cpus ? job->cpus : 1);
    if (job->node_gpus) add_number(f, "node_gpus", job->node_gpus);
    add_number(f, "nodes", job->nodes);
    add_number(f, "ranks", ranks_per_node(job));
    add_number(f, "tasks", (long)job->nodes * ranks_per_node(job));
    add_number(f, "rank_cpus", job->rank_cpus ? job->rank_cpus : 1);
    add_word(f, "time", cli->time);
    add_word(f, "partition", job->partition);
    add_word(f, "account", job->account);
    add_word(f, "trust", job->trust);
}

/* sbatch fills in %a and the like: a % of the folder's own is doubled. */
static void add_log(struct fields *f, const char *name, const char *folder, const char *log)
{
    struct sw_text path = {0};
    for (const char *p = folder; *p; p++) sw_text_add_bytes(&path, *p == '%' ? "%%" : p, *p == '%' ? 2 : 1);
    sw_text_printf(&path, "/%s", log);
    add_word(f, name, sw_text_get(&path));
    sw_text_free(&path);
}

/* "night" of ".../night.h5". */
static void add_job_name(struct fields *f, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    struct sw_text name = {0};
    sw_text_add_bytes(&name, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
    add_word(f, "job_name", sw_text_get(&name));
    sw_text_free(&name);
}

static void add_array(struct fields *f, const struct submission *u)
{
    struct sw_text *array = add_field(f, "array");
    sw_text_add(array, sw_text_get(&u->list));
    if (u->options->job.max_parallel) sw_text_printf(array, "%%%d", u->options->job.max_parallel);
}

static void add_all(struct fields *f, const struct submission *u)
{
    const struct sw_cli *cli = u->options;
    add_options(f, cli);
    add_job_name(f, u->file);
    add_array(f, u);
    add_log(f, "shard_log", u->folder, "shard-%a.log");
    add_log(f, "merge_log", u->folder, "merge.log");
    add_log(f, "job_log", u->folder, "job.log");
    add_number(f, "warning", u->warning);
    add_number(f, "shards", cli->shards);
    add_word(f, "program", u->program);
    add_word(f, "config", u->config);
    for (int k = 0; k < cli->noverrides; k++) add_word(f, "override", cli->override[k]);
    add_word(f, "only", cli->only);
    add_word(f, "file", u->file);
    add_word(f, "folder", u->folder);
    add_word(f, "again", u->go_on);
    sw_shard_add_word(add_field(f, "part"), u->file, "\"$k\"", cli->shards);
}

/* ---- filling in */

struct piece { const char *begin, *end; };

/* The length of the name in "${name}" at p, lower-case letters and '_'; 0: p begins no field. */
static size_t field_name_length(const char *p, const char *end)
{
    if (end - p < 4 || p[0] != '$' || p[1] != '{') return 0;
    const size_t length = strspn(p + 2, "abcdefghijklmnopqrstuvwxyz_");
    return p[2 + length] == '}' ? length : 0;
}

/* Value number k of a name; NULL: it has fewer. */
static const char *value_of(const struct fields *f, const char *name, size_t length, int k)
{
    for (int i = 0; i < f->count; i++)
        if (strlen(f->field[i].name) == length && !strncmp(f->field[i].name, name, length) && k-- == 0)
            return sw_text_get(&f->field[i].value);
    return NULL;
}

/* Fill in a piece with value number k of its fields, those that have but one with that.
 * @return false: one has no such value; nothing of use is in text */
static bool fill_piece(const struct fields *f, struct piece piece, int k, struct sw_text *text)
{
    bool more = k == 0;
    for (const char *p = piece.begin; p < piece.end; p++) {
        const size_t length = field_name_length(p, piece.end);
        if (!length) { sw_text_add_bytes(text, p, 1); continue; }
        const char *value = value_of(f, p + 2, length, k);
        more |= value != NULL;
        if (!value) value = value_of(f, p + 2, length, 0);
        if (!value) return false;
        sw_text_add(text, value);
        p += length + 2;
    }
    return more;
}

static void add_piece(const struct fields *f, struct piece piece, const char *before, bool *any, struct sw_text *out)
{
    for (int k = 0;; k++) {
        struct sw_text text = {0};
        const bool filled = fill_piece(f, piece, k, &text);
        if (filled) {
            sw_text_add(out, *any ? before : "");
            sw_text_add(out, sw_text_get(&text));
            *any = true;
        }
        sw_text_free(&text);
        if (!filled) return;
        if (!memchr(piece.begin, '$', (size_t)(piece.end - piece.begin))) return;
    }
}

static void fill_template(const struct fields *f, const char *text, struct sw_text *out)
{
    while (*text) {
        bool any = false, joined;
        do {
            const char *end = text + strcspn(text, "\n"), *begin = text;
            joined = end > begin && end[-1] == '\\';
            if (any) begin += strspn(begin, " ");
            add_piece(f, (struct piece){begin, joined ? end - 2 : end}, " ", &any, out);
            text = *end ? end + 1 : end;
        } while (joined);
        if (any) sw_text_add(out, "\n");
    }
}

static enum sw_status fill(const struct fields *f, const char *name, struct sw_text *out)
{
    struct sw_text text = {0};
    sw_embedded_add(name, &text);
    fill_template(f, sw_text_get(&text), out);
    sw_text_free(&text);
    return sw_text_status(out);
}

enum sw_status job_scripts(const struct submission *u, struct sw_text *shards, struct sw_text *merge)
{
    struct fields f = {.room = FIELDS + u->options->noverrides};
    SW_TRY(sw_alloc((size_t)f.room, &f.field));
    add_all(&f, u);
    enum sw_status st = fill(&f, is_one_job(u) ? "cli/job.sh.tmpl" : "cli/shards.sh.tmpl", shards);
    if (!st && !is_one_job(u)) st = fill(&f, "cli/merge.sh.tmpl", merge);
    free_fields(&f);
    return st;
}
