#ifndef STATUS_H
#define STATUS_H
/* `sweep status`: cmd_status.c decides what is shown, status_one_file.c prints one file, status_shards.c the shards of
 * a sweep. */
#include "cli/console.h"
#include "cli/jobs/sw_monitor.h"

/* ---- status_one_file.c */
/** @param update  from {0}, the same one each time  @param finished  out: all its runs have ended, and no process
 * writes it */
enum sw_status status_one_file(struct sw_cli *cli, const char *file, struct sw_last_update *update, bool *finished);

/* ---- status_shards.c */
/* @param page  of the terminal on stdout; 0: without end */
void status_shards(const struct sw_cli *cli, const struct sw_monitor *sweep, struct console_size page);
void status_shards_line(const struct sw_cli *cli, const struct sw_monitor *sweep);
void status_shards_json(const struct sw_monitor *sweep);
#endif
