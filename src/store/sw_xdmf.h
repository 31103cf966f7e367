#ifndef SW_XDMF_H
#define SW_XDMF_H
/* FILE.xdmf beside FILE.h5 tells programs that draw fields (ParaView) where the fields of FILE.h5 are. It holds no
 * values of fields. */
#include <stdbool.h>
#include <stdint.h>

#include "base/sw_status.h"

struct sw_xdmf_summary { int64_t runs, grids, bytes; };  /* grids: outputs of all runs */
/** "results/ch.xdmf" of "results/ch.h5", to be freed with sw_free(); NULL if memory is out. */
char *sw_xdmf_name(const char *file);
/** Whether there is a FILE.xdmf that sw_xdmf_write() has written. @return SW_E_IO it cannot be read; SW_E_MEMORY */
enum sw_status sw_xdmf_find(const char *file, bool *ours);
/** Write it, by rename. It names FILE without its folder: the two are moved together. Parts are not in it.
 * @return SW_E_IO there is no FILE, it is not a sweep's output, or has no fields; SW_E_REFUSED a file that is not ours
 *         has the name, or that of FILE has a colon or is not UTF-8; SW_E_MEMORY */
enum sw_status sw_xdmf_write(const char *file, struct sw_xdmf_summary *summary);
/** Remove it, if it is ours. @return SW_E_IO, SW_E_MEMORY */
enum sw_status sw_xdmf_remove(const char *file);
#endif
