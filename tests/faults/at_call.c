/* at_call [-k K] [-c NAMES] [-p TEXT] [-f TEXT] [-a ACTION] [-l LOG] COMMAND ARGUMENT...: run a command, and do
 * something at the K-th of its system calls, those of its threads and children included, whichever library makes them.
 *     build/at_call -k 300 -c write,pwrite64,rename -a kill ./sweep run my.cfg
 * -k  which call; 0 (without it): none, they are counted; K,L,...: several, at most 16, in this order
 * -c  only calls of these names count (the table below), separated by commas; without it all of them do
 * -p  only calls of files whose path contains TEXT count, or whose path is a relative one
 * -f  calls count from the first one on that has a path containing TEXT
 * -a  (of several calls: an action for each, separated by commas, the last one for those beyond)
 *     kill         SIGKILL, before the call; without -a likewise
 *     NUMBER       it fails with this errno, and is not made (close() is: it gives the descriptor back whatever it
 *                  says; brk() says nothing)
 *     short        it reads or writes half of what it was asked to
 *     flip:BIT     it reads or writes one bit wrong: BIT, counted modulo those that there are
 *     lost, halved, holed  it writes nothing, the first half, or zeros in the middle third, and says that it wrote all
 *     run:COMMAND  a shell runs COMMAND while it waits
 *     list         none: LOG gets a line for each call that counts, "NAME PATH"
 * -l  gets, at the end, "CALLS calls", and ": NAME PATH" of each at which something was done
 * Exit code: the command's; 128 and the signal, if one ended it; 77: this machine does not let a program be traced. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
int main(void)
{
    fputs("at_call: knows the registers of x86-64 alone\n", stderr);
    return 77;
}
#else
/* Where a call has its file: the number of the argument that is a path, or a descriptor. */
enum file { NONE, PATH_0, PATH_1, FD_0, FD_4 };
#define CALLS(X) \
    X(read, FD_0) X(pread64, FD_0) X(lseek, FD_0) X(close, FD_0) X(mmap, FD_4) X(getdents64, FD_0) X(fcntl, FD_0) \
    X(open, PATH_0) X(openat, PATH_1) X(access, PATH_0) X(stat, PATH_0) X(lstat, PATH_0) X(newfstatat, PATH_1) \
    X(fstat, FD_0) X(readlink, PATH_0) X(statfs, PATH_0) X(brk, NONE) X(clone, NONE) X(clone3, NONE) \
    X(write, FD_0) X(pwrite64, FD_0) X(writev, FD_0) X(ftruncate, FD_0) X(fsync, FD_0) X(fdatasync, FD_0) \
    X(flock, FD_0) X(rename, PATH_0) X(renameat, PATH_1) X(renameat2, PATH_1) X(link, PATH_0) X(linkat, PATH_1) \
    X(symlink, PATH_1) X(unlink, PATH_0) X(unlinkat, PATH_1) X(mkdir, PATH_0) X(mkdirat, PATH_1) X(rmdir, PATH_0) \
    X(chmod, PATH_0) X(fchmod, FD_0) X(copy_file_range, FD_0)
static const struct call {
    const char *name;
    long        number;
    enum file   file;
} table[] = {
#define ROW(name, file) {#name, SYS_##name, file},
    CALLS(ROW)
};
enum { KNOWN = sizeof table / sizeof *table };

enum action { KILL, FAIL, SHORT, RUN, LIST, FLIP, LOST, HALVED, HOLED };
static enum action action = KILL;
static long        at[16], calls;
static char       *words[16];                              /* the action of each                    */
static int         planned, actions, next;
static int         error;
static bool        chosen[KNOWN], all = true, counting = true;
static const char *in_path, *from_path, *command;
static FILE       *log_file;
static char        which[16 * 4200];
static pid_t       failing, changed, lying;                /* threads that are in such a call */
static struct user_regs_struct before;                     /* of the changed one, which may count on its arguments */
static unsigned long long bit;
static bool        misreads;
static struct { off_t at; size_t size; char was[1 << 16]; } wrong;  /* bytes of the lying one */

static void choose(char *names)
{
    all = false;
    for (char *name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        int k = 0;
        while (k < KNOWN && strcmp(table[k].name, name)) k++;
        if (k == KNOWN) fprintf(stderr, "at_call: no call '%s'\n", name), exit(2);
        chosen[k] = true;
    }
}

static void choose_action(const char *word)
{
    char *end;
    error = (int)strtol(word, &end, 10);
    if (*word && !*end) action = FAIL;
    else if (!strcmp(word, "kill")) action = KILL;
    else if (!strcmp(word, "short")) action = SHORT;
    else if (!strcmp(word, "list")) action = LIST;
    else if (!strncmp(word, "flip:", 5)) action = FLIP, bit = strtoull(word + 5, NULL, 10);
    else if (!strcmp(word, "lost")) action = LOST;
    else if (!strcmp(word, "halved")) action = HALVED;
    else if (!strcmp(word, "holed")) action = HOLED;
    else if (!strncmp(word, "run:", 4)) action = RUN, command = word + 4;
    else fprintf(stderr, "at_call: no action '%s'\n", word), exit(2);
}

static void choose_places(char *list)
{
    for (char *word = strtok(list, ","); word && planned < 16; word = strtok(NULL, ","))
        if (atol(word) > 0) at[planned++] = atol(word);
}

/* Of one call it may be run:COMMAND, with commas in it. */
static void choose_actions(char *list)
{
    if (planned <= 1) { choose_action(list); return; }
    for (char *word = strtok(list, ","); word && actions < 16; word = strtok(NULL, ",")) words[actions++] = word;
    if (actions) choose_action(words[0]);
}

static unsigned long long argument(const struct user_regs_struct *r, int k)
{
    const unsigned long long all_of_them[] = {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9};
    return all_of_them[k];
}

/* "" where there is none. A page at a time: what comes after the text may not be mapped. */
static void path_of(pid_t pid, const struct user_regs_struct *r, enum file file, char path[4097])
{
    path[0] = 0;
    if (file == FD_0 || file == FD_4) {
        char link[64];
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, (int)argument(r, file == FD_0 ? 0 : 4));
        const ssize_t length = readlink(link, path, 4096);
        path[length > 0 ? length : 0] = 0;
    } else if (file != NONE) {
        unsigned long long from = argument(r, file == PATH_0 ? 0 : 1);
        for (size_t length = 0; length < 4096;) {
            size_t piece = 4096 - from % 4096;
            if (piece > 4096 - length) piece = 4096 - length;
            struct iovec here = {path + length, piece}, there = {(void *)(size_t)from, piece};
            const ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
            path[length + (got > 0 ? (size_t)got : 0)] = 0;
            if (got <= 0 || strlen(path) < length + (size_t)got) break;
            length += (size_t)got;
            from += (unsigned long long)got;
        }
    }
}

static bool is_file(const char *path, enum file file)
{
    const bool relative = (file == PATH_0 || file == PATH_1) && path[0] && path[0] != '/';
    return relative || strstr(path, in_path);
}

/* Memory that the program itself may not write to included. */
static void exchange(pid_t pid, char *was, const char *now)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    const bool done = fd >= 0 && (!was || pread(fd, was, wrong.size, wrong.at) == (ssize_t)wrong.size) &&
                      (!now || pwrite(fd, now, wrong.size, wrong.at) == (ssize_t)wrong.size);
    if (!done) perror(path);
    if (fd >= 0) close(fd);
}

static void flip_bit(pid_t pid, unsigned long long from, unsigned long long bytes)
{
    wrong.size = 1;
    wrong.at = (off_t)(from + bit / 8 % bytes);
    exchange(pid, wrong.was, NULL);
    const char now = (char)(wrong.was[0] ^ 1 << bit % 8);
    exchange(pid, NULL, &now);
}

/* A write is about to be made that is not what it says, or a read. */
static void lie(pid_t pid, struct user_regs_struct *r)
{
    static char now[sizeof wrong.was];
    const size_t size = (size_t)r->rdx, third = size / 3 + 1;
    if (!size) return;
    lying = pid;
    misreads = r->orig_rax == SYS_read || r->orig_rax == SYS_pread64;
    if (action == FLIP && !misreads) flip_bit(pid, r->rsi, size);
    if (action == FLIP) return;
    wrong.size = action != HOLED ? 0 : third < sizeof now ? third : sizeof now;
    wrong.at = (off_t)(r->rsi + size / 3);
    if (wrong.size) exchange(pid, wrong.was, now);
    if (action == HALVED) r->rdx = (r->rdx + 1) / 2;
    if (action == LOST) r->orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGS, pid, NULL, r);
}

/* The K-th call is about to be made by a thread. */
static void act(pid_t pid, struct user_regs_struct *r)
{
    const bool ends = action == FAIL && r->orig_rax == SYS_brk;
    before = *r;
    if (ends || action == SHORT) changed = pid;
    if (action == KILL) kill(pid, SIGKILL);
    if (ends) {
        r->rdi = 0;  /* it fails by saying where the end has been so far */
    } else if (action == FAIL) {
        failing = pid;
        if (r->orig_rax != SYS_close) r->orig_rax = (unsigned long long)-1;
    }
    if (action == SHORT) r->rdx = (r->rdx + 1) / 2;
    if (action >= FLIP) lie(pid, r);
    if (action == RUN && system(command)) fprintf(stderr, "at_call: %s failed\n", command);
    if (action == FAIL || action == SHORT) ptrace(PTRACE_SETREGS, pid, NULL, r);
}

static void enter(pid_t pid, struct user_regs_struct *r)
{
    int k = 0;
    char path[4097] = "";
    while (k < KNOWN && table[k].number != (long)r->orig_rax) k++;
    const enum file file = k < KNOWN ? table[k].file : NONE;
    const bool due = next < planned && calls + 1 == at[next];
    if (in_path || !counting || action == LIST || due) path_of(pid, r, file, path);
    if (!counting && strstr(path, from_path)) counting = true;
    if (!counting || !(all || (k < KNOWN && chosen[k])) || (in_path && !is_file(path, file))) return;
    if (action == LIST && log_file) fprintf(log_file, "%s %s\n", k < KNOWN ? table[k].name : "other", path);
    calls++;
    if (next == planned || calls < at[next] || failing || changed || lying) return;  /* one at a time: the next call */
    if (next && next < actions) choose_action(words[next]);
    next++;
    const size_t length = strlen(which);
    snprintf(which + length, sizeof which - length, ": %s %s", k < KNOWN ? table[k].name : "another", path);
    act(pid, r);
}

static void stop_at_call(pid_t pid)
{
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, pid, NULL, &r)) return;
    const bool acted = pid == failing || pid == changed || pid == lying;
    if ((long)r.rax == -ENOSYS && !acted) {  /* as x86-64 tells the entry from the exit */
        enter(pid, &r);
        return;
    }
    if (pid == failing) r.rax = (unsigned long long)-error;
    if (pid == changed) r.rdi = before.rdi, r.rdx = before.rdx;
    if (pid == lying && wrong.size) exchange(pid, NULL, wrong.was);
    if (pid == lying && misreads && (long)r.rax > 0) flip_bit(pid, r.rsi, r.rax);
    if (pid == lying) r.rdx = before.rdx;
    if (pid == lying && (action == LOST || action == HALVED)) r.rax = before.rdx;
    if (!acted) return;
    ptrace(PTRACE_SETREGS, pid, NULL, &r);
    failing = changed = lying = 0;
}

/* @return how the first process ended, as waitpid() has it */
static int trace(pid_t first)
{
    int status, ended = 0;
    bool begun = false;
    for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR;) {
        if (pid < 0) continue;
        if (!WIFSTOPPED(status)) {
            if (pid == first) ended = status;
            continue;
        }
        int deliver = 0;
        if (status >> 16 == PTRACE_EVENT_EXEC) begun = true;
        else if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            if (begun) stop_at_call(pid);
        } else if (!(status >> 16) && WSTOPSIG(status) != SIGSTOP) deliver = WSTOPSIG(status);
        ptrace(PTRACE_SYSCALL, pid, NULL, deliver);
    }
    return ended;
}

int main(int argc, char **argv)
{
    const char *log_path = NULL;
    for (int option; (option = getopt(argc, argv, "+k:c:p:f:a:l:")) != -1;) {
        if (option == 'k') choose_places(optarg);
        else if (option == 'c') choose(optarg);
        else if (option == 'p') in_path = optarg;
        else if (option == 'f') from_path = optarg, counting = false;
        else if (option == 'a') choose_actions(optarg);
        else if (option == 'l') log_path = optarg;
        else return 2;
    }
    if (optind == argc) return 2;
    if (log_path && !(log_file = fopen(log_path, "we"))) return perror(log_path), 2;
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) _exit(77);
        raise(SIGSTOP);
        execvp(argv[optind], argv + optind);
        perror(argv[optind]);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return 77;
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                         PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, child, NULL, options)) return kill(child, SIGKILL), 77;
    ptrace(PTRACE_SYSCALL, child, NULL, NULL);
    status = trace(child);
    if (log_file) fprintf(log_file, "%ld calls%s\n", calls, which), fclose(log_file);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
#endif
