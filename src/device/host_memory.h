#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H
/* Memory of the host that this process may use: the machine's, or less where a control group (a container, a batch job)
 * sets a limit. */
#include <stddef.h>

struct sw_host_memory { size_t total, free; };  /* bytes */

struct sw_host_memory sw_host_memory(void);
#endif
