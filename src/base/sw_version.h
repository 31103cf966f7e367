#ifndef SW_VERSION_H
#define SW_VERSION_H
#define SW_VERSION "1.0.0"

/* What this program was built from (base/sw_build.c; git and the compiler were asked at build time). */
struct sw_build {
    const char *commit;    /* 12 hexadecimal digits, "" outside a git checkout */
    int         dirty;     /* 1: the sources had uncommitted changes           */
    const char *package;   /* "sweep 1.0.0-1 (Debian)", "" of no package       */
    const char *compiler;  /* "gcc (Debian 12.2.0-14) 12.2.0"                  */
    const char *flags;     /* "-O3 -g -march=native"                           */
    const char *sm;        /* "80 90": GPUs that it has code for; "": none     */
};
extern const struct sw_build sw_build;
#endif
