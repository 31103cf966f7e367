#ifndef XDMF_FILE_H
#define XDMF_FILE_H
/* FILE.xdmf beside FILE.h5, for ParaView. */
#include "cli/command_line.h"
#include "sweep/sw_sweep.h"

enum sw_status xdmf_write(const struct sw_cli *cli, const char *file);
/** Of a finished sweep: write it if the config asks for it or one is there; remove one whose output has no fields any
 * more. */
enum sw_status xdmf_update(const struct sw_cli *cli, const struct sw_sweep *sweep, const char *file);
#endif
