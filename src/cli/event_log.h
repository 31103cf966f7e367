#ifndef EVENT_LOG_H
#define EVENT_LOG_H
/* --log-json: one JSON object a line, one line an event. */
#include "base/sw_json.h"
#include "cli/command_line.h"

enum sw_status event_log_open(struct sw_cli *cli);
/** @return SW_E_IO events are missing in it, or may be; the message says how many */
enum sw_status event_log_close(struct sw_cli *cli);
/** Begin an event; the caller adds to the object, then ends it. NULL: there is no log. */
struct sw_json *event_log_begin(struct sw_cli *cli, const char *event);
void event_log_end(struct sw_cli *cli);
#endif
