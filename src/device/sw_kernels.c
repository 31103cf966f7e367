#include "device/sw_kernels.h"

#include "base/sw_embed.h"
#include "base/sw_mem.h"

static enum sw_status compile(const struct sw_kernel_source *source, struct sw_text *definitions, int sm, void **cubin)
{
    struct sw_text text = {0};
    size_t bytes;
    bool from_cache;
    *cubin = NULL;
    sw_embedded_add_all(source->before, &text);
    sw_text_add_bytes(&text, sw_text_get(definitions), definitions->length);
    sw_embedded_add_all(source->after, &text);
    enum sw_status st = sw_text_status(definitions);
    if (!st) st = sw_text_status(&text);
    if (!st) st = sw_kernel_compile(sw_text_get(&text), source->label, sm, cubin, &bytes, &from_cache);
    sw_text_free(&text);
    sw_text_free(definitions);
    return st;
}

enum sw_status sw_kernels_try_compile(const struct sw_kernel_source *source, struct sw_text *definitions, int sm)
{
    void *cubin;
    const enum sw_status st = compile(source, definitions, sm, &cubin);
    sw_free(cubin);
    return st;
}

enum sw_status sw_kernels_create(struct sw_device *device, const struct sw_kernel_source *source,
                                 struct sw_text *definitions, struct sw_kernels *k)
{
    void *cubin;
    int count = 0;
    while (count < SW_KERNELS && source->kernel[count]) count++;
    enum sw_status st = compile(source, definitions, device->sm, &cubin);
    if (!st) st = sw_module_load(device, cubin, source->kernel, count, k->kernel, &k->module);
    sw_free(cubin);
    return st;
}

void sw_kernels_destroy(struct sw_device *device, struct sw_kernels *k)
{
    sw_module_unload(device, &k->module);
    *k = (struct sw_kernels){.module = NULL};
}
