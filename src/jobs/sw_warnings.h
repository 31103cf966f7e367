#ifndef SW_WARNINGS_H
#define SW_WARNINGS_H
/* Where warnings about files and configs go: each is told when it comes up, not at the end of all. */
#include "base/sw_report.h"

struct sw_warnings {
    struct sw_report *report;
    void (*tell)(void *user);       /* print what is in the report, and empty it */
    void  *user;
};
#endif
