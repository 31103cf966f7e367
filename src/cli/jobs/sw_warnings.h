#ifndef SW_WARNINGS_H
#define SW_WARNINGS_H
/* Where warnings about files and configs go: each is printed when it comes up, not at the end. */
#include "base/sw_report.h"

struct sw_warnings {
    struct sw_report *report;
    void (*print)(void *user);       /* print what is in the report, and empty it */
    void  *user;
};
#endif
