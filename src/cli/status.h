#ifndef STATUS_H
#define STATUS_H
/* `sweep status`: cmd_status.c decides what is asked for, status_one.c tells of one file, status_print.c of the shards
 * of a sweep. */
#include "cli/cli_impl.h"
#include "jobs/sw_monitor.h"

/* ---- status_one.c */
/** @param sign  from {0}, the same one each time  @param finished  out: all its runs are in, and nobody is at it */
enum sw_status status_one(struct sw_cli *cli, const char *file, struct sw_last_update *sign, bool *finished);

/* ---- status_print.c */
struct status_page { int columns, rows; };  /* 0: without end */
struct status_page status_page(void);       /* of stdout */
void status_print(const struct sw_cli *cli, const struct sw_monitor *sweep, struct status_page page);
void status_print_line(const struct sw_cli *cli, const struct sw_monitor *sweep);
void status_print_json(const struct sw_monitor *sweep);
#endif
