/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* syscall */
#include "bench/process/confine.h"

#include "bench/process/sanitized.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#if defined(__x86_64__)
#define CONFINE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CONFINE_ARCH AUDIT_ARCH_AARCH64
#endif
#endif

/* More descriptors than a process of ours has; those beyond are closed where the kernel can close a range of them. */
enum { DESCRIPTORS_MOST = 1024 };

static int is_kept(int fd, const int *kept, int count)
{
    for (int i = 0; i < count; i++)
        if (kept[i] == fd)
            return 1;
    return 0;
}

void confine_descriptors(const int *kept, int count)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd < (SANITIZED ? 2 : 3); fd++)
        if (!is_kept(fd, kept, count))
            dup2(null, fd);
    int last = DESCRIPTORS_MOST;
    for (int i = 0; i < count; i++)
        last = kept[i] > last ? kept[i] : last;
    for (int fd = 3; fd <= last; fd++)
        if (!is_kept(fd, kept, count))
            close(fd);
#ifdef SYS_close_range
    syscall(SYS_close_range, (unsigned)last + 1, ~0u, 0u);
#endif
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    setrlimit(RLIMIT_NPROC, &none);
}

#ifdef CONFINE_ARCH
/* What memory, clocks, locks between threads, and reading and writing of open descriptors need. */
static const int CALLS[] = {
    SYS_read,         SYS_pread64,         SYS_readv,        SYS_write,
    SYS_writev,       SYS_close,

    SYS_lseek,        SYS_munmap,          SYS_mremap,       SYS_brk,
    SYS_madvise,      SYS_futex,           SYS_exit,         SYS_exit_group,
    SYS_getpid,       SYS_gettid,          SYS_getrandom,    SYS_clock_gettime,
    SYS_gettimeofday, SYS_getrusage,       SYS_sched_yield,  SYS_sigaltstack,
    SYS_rt_sigaction, SYS_rt_sigprocmask,  SYS_rt_sigreturn, SYS_restart_syscall,
    SYS_nanosleep,    SYS_clock_nanosleep,
#ifdef SYS_time
    SYS_time,
#endif
};
enum { CALL_COUNT = sizeof CALLS / sizeof CALLS[0] };

#define FIELD(member) ((unsigned)offsetof(struct seccomp_data, member))
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(member))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (1 & SECCOMP_RET_DATA)) /* not permitted */
#define END BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define UNLESS(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(number), 0, skip)

/* Memory may be had, but not to run code from; fcntl only for locks; a signal only to itself, by abort(). */
static int filter_make(struct sock_filter *filter, int locks)
{
    const struct sock_filter head[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CONFINE_ARCH, 1, 0),
        END,
        LOAD(nr),
#if defined(__x86_64__)
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1),
        END, /* the calls of x32 */
#endif
    };
    const struct sock_filter checked[] = {
        UNLESS(SYS_mmap, 4),
        LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
        ALLOW,
        REFUSE,
        UNLESS(SYS_mprotect, 4),
        LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
        ALLOW,
        REFUSE,
        UNLESS(SYS_tgkill, 4),
        LOAD(args[0]),
        UNLESS(getpid(), 1),
        ALLOW,
        REFUSE,
        UNLESS(SYS_fcntl, 6),
        LOAD(args[1]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_GETLK, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_SETLK, 1, 0),
        REFUSE,
        locks ? (struct sock_filter)ALLOW : (struct sock_filter)REFUSE,
        REFUSE,
    };
    int count = 0;
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        filter[count++] = head[i];
    for (int i = 0; i < CALL_COUNT; i++) {
        filter[count++] = (struct sock_filter)UNLESS(CALLS[i], 1);
        filter[count++] = (struct sock_filter)ALLOW;
    }
    for (size_t i = 0; i < sizeof checked / sizeof checked[0]; i++)
        filter[count++] = checked[i];
    filter[count++] = (struct sock_filter)REFUSE;
    return count;
}

static void seccomp_confine(int locks)
{
    struct sock_filter filter[2 * CALL_COUNT + 64];
    struct sock_fprog program = {.len = (unsigned short)filter_make(filter, locks), .filter = filter};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int has_seccomp(void)
{
    return prctl(PR_GET_SECCOMP) >= 0;
}
#else
static void seccomp_confine(int locks)
{
    (void)locks;
}

static int has_seccomp(void)
{
    return 0;
}
#endif

#if defined(__linux__)
/* Of the kernel's interface for landlock, which older systems' headers lack. */
enum { LANDLOCK_CREATE = 444, LANDLOCK_RESTRICT = 446, LANDLOCK_ASK_VERSION = 1 };

static long landlock_version(void)
{
    return syscall(LANDLOCK_CREATE, NULL, (size_t)0, LANDLOCK_ASK_VERSION);
}

/* Every right that this version knows is handled, and none given: 13 rights of the first, one more in each of the
 * second, third and fifth. */
static void landlock_confine(void)
{
    long version = landlock_version();
    int rights = 13 + (version >= 2) + (version >= 3) + (version >= 5);
    unsigned long long handled = (1ull << rights) - 1;
    int rules = version > 0 ? (int)syscall(LANDLOCK_CREATE, &handled, sizeof handled, 0) : -1;
    if (rules >= 0) {
        syscall(LANDLOCK_RESTRICT, rules, 0);
        close(rules);
    }
}
#endif

void confine_calls(int locks)
{
#if defined(__linux__)
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    prctl(PR_SET_DUMPABLE, 0); /* nobody of the same user looks into it, nor it into others by /proc */
    landlock_confine();
#endif
    seccomp_confine(locks);
}

const char *confine_how(void)
{
    int landlock = 0;
#if defined(__linux__)
    landlock = landlock_version() > 0;
#endif
    if (has_seccomp())
        return landlock ? "seccomp and landlock" : "seccomp";
    return landlock ? "landlock" : "limits alone";
}
