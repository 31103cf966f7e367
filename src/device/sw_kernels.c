#include "device/sw_kernels.h"

#include <ctype.h>
#include <stdatomic.h>
#include <string.h>

#include "base/sw_embed.h"

static atomic_int begun;

int sw_kernels_begun(void) { return begun; }

static const char global[] = "extern \"C\" __global__";

/* Behind the parentheses that open at `text`. */
static const char *behind_parentheses(const char *text)
{
    for (int depth = 0; *text; text++) {
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        if (!depth) return text + 1;
    }
    return text;
}

static bool is_among(const char *word, size_t length, const char *const *names, int count)
{
    for (int k = 0; k < count; k++)
        if (strlen(names[k]) == length && !memcmp(word, names[k], length)) return true;
    return false;
}

/* Whether what is declared at `text`, behind its qualifiers, is a function of one of these names. */
static bool declares(const char *text, const char *const *names, int count)
{
    const char *open = strchr(text, '(');
    while (open) {
        const char *word = open;
        while (word > text && (isalnum((unsigned char)word[-1]) || word[-1] == '_')) word--;
        if (strncmp(word, "__", 2)) return is_among(word, (size_t)(open - word), names, count);
        text = behind_parentheses(open);  /* of __launch_bounds__ */
        open = strchr(text, '(');
    }
    return false;
}

void sw_kernel_text(const char *text, const char *const *names, int count, struct sw_text *some)
{
    const char *at;
    while ((at = strstr(text, global))) {
        const char *rest = at + sizeof global - 1;
        sw_text_add_bytes(some, text, (size_t)(at - text));
        sw_text_add(some, declares(rest, names, count) ? global : "template <int> static __global__");
        text = rest;
    }
    sw_text_add(some, text);
}

static int count_kernels(const struct sw_kernel_source *source)
{
    int count = 0;
    while (count < SW_KERNELS && source->kernel[count]) count++;
    return count;
}

/* @param definitions  freed here  @param text  out: sw_text_free() */
static enum sw_status assemble(const struct sw_kernel_source *source, struct sw_text *definitions, struct sw_text *text)
{
    sw_embedded_add_all(source->before, text);
    sw_text_add_bytes(text, sw_text_get(definitions), definitions->length);
    sw_embedded_add_all(source->after, text);
    const enum sw_status st = sw_text_status(definitions);
    sw_text_free(definitions);
    return st ? st : sw_text_status(text);
}

enum sw_status sw_kernels_create(struct sw_device *device, const struct sw_kernel_source *source,
                                 struct sw_text *definitions, struct sw_kernels *k)
{
    struct sw_text text = {0};
    begun++;
    enum sw_status st = assemble(source, definitions, &text);
    if (!st)
        st = sw_module_create(device, sw_text_get(&text), source->label, source->kernel, count_kernels(source),
                              k->kernel, &k->module);
    sw_text_free(&text);
    return st;
}

void sw_kernels_destroy(struct sw_device *device, struct sw_kernels *k)
{
    sw_module_unload(device, &k->module);
    *k = (struct sw_kernels){.module = NULL};
}
