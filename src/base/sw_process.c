#include "base/sw_process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double sw_process_started(int64_t pid)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *from = fopen(path, "r");
    if (!from) return NAN;
    size_t length = fread(text, 1, sizeof text - 1, from);
    fclose(from);
    text[length] = 0;
    /* the second word, a name, may hold anything; the third is the state, the 22nd the time */
    char *p = strrchr(text, ')');
    if (p && p[1] == ' ' && (p[2] == 'Z' || p[2] == 'X')) return -1;
    for (int k = 0; p && k < 20; k++) p = strchr(p + 1, ' ');
    return p ? strtod(p, NULL) : NAN;
}
