/* Settings by path. */
#include <string.h>

#include "sweep/sw_config.h"

const struct sw_setting *sw_setting_member(const struct sw_setting *group, const char *name)
{
    for (int k = 0; k < group->count; k++)
        if (!strcmp(group->child[k]->name, name)) return group->child[k];
    return NULL;
}

static const struct sw_setting *find_element(const struct sw_setting *list, const char *number, size_t length)
{
    long k = 0;
    if (length < 1 || length > 6 || strspn(number, "0123456789") < length) return NULL;
    for (size_t i = 0; i < length; i++) k = 10 * k + (number[i] - '0');
    return k < list->count ? list->child[k] : NULL;
}

static const struct sw_setting *find_member(const struct sw_setting *group, const char *name, size_t length)
{
    if (group->kind == SW_SETTING_LIST) return find_element(group, name, length);
    if (group->kind != SW_SETTING_GROUP) return NULL;
    for (int k = 0; k < group->count; k++)
        if (!strncmp(group->child[k]->name, name, length) && !group->child[k]->name[length]) return group->child[k];
    return NULL;
}

const struct sw_setting *sw_config_find(const struct sw_config *config, const char *path)
{
    const struct sw_setting *setting = config->root;
    while (setting && *path) {
        size_t length = strcspn(path, ".");
        setting = find_member(setting, path, length);
        path += length + (path[length] == '.');
    }
    return setting;
}
