#include "sweep/ladder.h"

#include <string.h>

#include "base/sw_nearest_name.h"
#include "sweep/axis.h"
#include "sweep/keys.h"
#include "sweep/sweep_own.h"

static const char direction_name[] = "direction";

static bool knows_word(const struct sw_setting *setting)
{
    static const char *const word[] = {"up", "down", "both"};
    return setting->kind == SW_SETTING_STRING && sw_name_index(setting->text, word, 3) >= 0;
}

/* @return whether the members are values and ladder, and no others */
static bool check_members(const struct sw_sweep *s, const struct sw_setting *group)
{
    const struct sw_setting *way = sw_setting_member(group, "ladder");
    const int errors = s->own->report->errors;
    for (int k = 0; k < group->count; k++)
        if (strcmp(group->child[k]->name, "values") && group->child[k] != way)
            report_error(s, group->child[k], "unknown key '%s'; known of an axis: values, ladder",
                         group->child[k]->path);
    if (!sw_setting_member(group, "values"))
        report_error(s, group, "'%s' has no values: add values = \"linspace(0, 1, 41)\", or a list", group->path);
    if (!way)
        report_error(s, group, "'%s' is a group without ladder = \"up\", \"down\" or \"both\": add it, or write the "
                     "values alone, %s = ...", group->path, group->name);
    else if (!knows_word(way))
        report_error(s, way, "'%s' must be one of up, down, both, in quotes", way->path);
    return s->own->report->errors == errors;
}

/* The end of a run, and the field with which another begins: what the key initial.file is for has both. */
static bool check_problem(const struct sw_sweep *s, const struct sw_setting *way)
{
    if (s->problem->time && key_find(s, "initial.file")) return true;
    if (!s->problem->time)
        report_error(s, way, "'%s': %s has no time, so that no run has an end from which another could start",
                     way->path, s->problem->name);
    else report_error(s, way, "'%s': runs of %s do not begin with a field", way->path, s->problem->name);
    return false;
}

void ladder_open(struct sw_sweep *s, const struct sw_setting *child, int axis, const struct sw_setting **values)
{
    struct ladder *ladder = s->own->ladder;
    *values = child;
    if (child->kind != SW_SETTING_GROUP) return;
    *values = NULL;
    if (!check_members(s, child) || !check_problem(s, sw_setting_member(child, "ladder"))) return;
    if (ladder->setting) {
        report_error(s, sw_setting_member(child, "ladder"), "'%s' is a second ladder, beside '%s': a run starts from "
                     "the end of one other; give %s its values alone, and each of them has a ladder of its own",
                     child->path, ladder->setting->path, child->path);
        return;
    }
    *values = sw_setting_member(child, "values");
    ladder->axis = axis;
    ladder->setting = sw_setting_member(child, "ladder");
}

enum sw_status ladder_add_direction(struct sw_sweep *s, struct axis *axis, bool *added)
{
    struct ladder *ladder = s->own->ladder;
    *added = ladder->setting && !strcmp(ladder->setting->text, "both");
    if (!*added) return SW_OK;
    *axis = (struct axis){.name = direction_name, .setting = ladder->setting, .kind = AXIS_LIST, .count = 2,
                          .nword = 2, .stride = 1};
    SW_TRY(sw_arena_take(s->own->arena, 2, &axis->value));
    SW_TRY(sw_arena_take(s->own->arena, 2, &axis->word));
    axis->word[0] = "up";
    axis->word[1] = "down";
    axis->value[1] = 1;
    ladder->direction = s->naxis;
    for (int k = 0; k < s->naxis; k++)
        if (!strcmp(s->own->axis[k].name, direction_name))
            report_error(s, s->own->axis[k].setting, "'%s' has the name of the axis that '%s' = \"both\" makes; choose "
                         "another name", s->own->axis[k].setting->path, ladder->setting->path);
    return SW_OK;
}
