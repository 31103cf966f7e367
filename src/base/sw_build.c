#include "base/sw_version.h"

#include "build_info.h"

const struct sw_build sw_build = {
    .commit = SW_BUILD_COMMIT, .dirty = SW_BUILD_DIRTY, .package = SW_BUILD_PACKAGE, .compiler = SW_BUILD_COMPILER,
    .flags = SW_BUILD_FLAGS, .sm = SW_BUILD_SM,
};
