/* What this program and this machine have: problems, rows of the tables, devices. */
#include <stdio.h>
#include <string.h>

#include "base/sw_err.h"
#include "base/sw_json.h"
#include "cli/command_line.h"
#include "cli/tables.h"
#include "device/sw_device.h"

/* ---- for people */

enum { WIDTH = 24 };  /* of names, unless a table has longer ones */

static void print_row(const struct table_row *row, int width)
{
    if (row->absent) printf("  %-*s absent: %s\n", width, row->name, row->absent);
    else printf("  %-*s %s\n", width, row->name, row->about);
    if (row->more) printf("  %-*s %s\n", width, "", row->more);
}

static int width_of(const struct cli_table *table)
{
    struct table_row row;
    int width = WIDTH;
    for (int k = 0; table->row(k, &row); k++)
        if ((int)strlen(row.name) > width) width = (int)strlen(row.name);
    return width;
}

/* ---- for programs: the same, row by row */

static void json_row(struct sw_json *j, const struct table_row *row)
{
    sw_json_begin(j, NULL, '{');
    sw_json_text(j, "name", row->name);
    sw_json_text(j, "about", row->about);
    if (row->more) sw_json_text(j, "equation", row->more);
    sw_json_text(j, "absent", row->absent);
    sw_json_end(j, '}');
}

/* ---- devices, which are looked for when the list is made */

static void list_device(struct sw_json *j, const char *spec)
{
    struct sw_device *found = NULL;
    const bool absent = sw_device_open(spec, 0, &found) != SW_OK;
    const struct table_row row = {absent ? spec : found->label, absent ? "" : found->name, NULL,
                                    absent ? sw_err_message() : NULL};
    if (!j) print_row(&row, WIDTH);
    else json_row(j, &row);
    sw_device_close(&found);
}

static void list_devices(struct sw_json *j)
{
    char spec[32];
    for (int k = 0; sw_device_table[k]; k++) {
        const struct sw_device_ops *ops = sw_device_table[k];
        const struct table_row absent = {ops->kind, "", NULL, ops->absent};
        const int count = ops->count ? ops->count() : 0;
        if (ops->absent && j) json_row(j, &absent);
        else if (ops->absent) print_row(&absent, WIDTH);
        else if (!count) list_device(j, ops->kind);
        for (int d = 0; d < count; d++) {
            snprintf(spec, sizeof spec, "%s:%d", ops->kind, d);
            list_device(j, spec);
        }
    }
}

/* @param key  of one table; NULL: all, and the devices */
static void print_tables(const char *key)
{
    struct table_row row;
    for (const struct cli_table *l = cli_tables; l->heading; l++) {
        if (key && strcmp(key, l->key)) continue;
        const int width = width_of(l);
        printf("%s\n", l->heading);
        for (int k = 0; l->row(k, &row); k++) print_row(&row, width);
    }
    if (key) return;
    printf("devices\n");
    list_devices(NULL);
}

static void json_tables(const char *key)
{
    struct sw_json j = {.to = stdout, .first = true};
    struct table_row row;
    sw_json_begin(&j, NULL, '{');
    for (const struct cli_table *l = cli_tables; l->heading; l++) {
        if (key && strcmp(key, l->key)) continue;
        sw_json_begin(&j, l->key, '[');
        for (int k = 0; l->row(k, &row); k++) json_row(&j, &row);
        sw_json_end(&j, ']');
    }
    if (!key) {
        sw_json_begin(&j, "devices", '[');
        list_devices(&j);
        sw_json_end(&j, ']');
    }
    sw_json_end(&j, '}');
}

enum sw_status cmd_list(struct sw_cli *cli)
{
    const char *key = cli->equations ? "equations" : NULL;
    if (cli->json) json_tables(key);
    else print_tables(key);
    return SW_OK;
}
