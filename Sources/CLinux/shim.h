#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// Swift cannot call prctl(2), which is variadic.
static inline int linux_forbid_dumping(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static inline int linux_allow_dumping(void) {
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

// What is in a pipe, into another, without taking it out: tee(2), which Swift does not see.
static inline long linux_copy_pipe(int from, int to, size_t count) {
    return syscall(SYS_tee, from, to, count, 0U);
}

// Renames a file where nothing has the new name yet. <stdio.h>, which declares it, would bring types of other modules into
// this one.
int renameat2(int from, const char *path, int to, const char *new_path, unsigned int flags);
static inline int linux_rename_to_new(const char *path, const char *new_path) {
    enum { CURRENT_FOLDER = -100, WITHOUT_REPLACING = 1 };
    return renameat2(CURRENT_FOLDER, path, CURRENT_FOLDER, new_path, WITHOUT_REPLACING);
}

// Signals to be polled. What is read of one is 128 bytes and begins with numbers of 32 bits: the signal, the system's
// error, the code and the process that sent it.
static inline int linux_signal_descriptor(const sigset_t *signals) {
    return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

// What is at a path in which no part is a symbolic link: openat2(2), for which libc has no function. <fcntl.h> would bring
// types of other modules into this one.
static inline int linux_open_without_links(const char *path) {
    enum { CURRENT_FOLDER = -100, PATH_ALONE = 010000000, CLOSE_ON_EXEC = 02000000, NO_SYMBOLIC_LINKS = 4, OPENAT2 = 437 };
    struct {
        unsigned long long flags, mode, resolve;
    } how = {PATH_ALONE | CLOSE_ON_EXEC, 0, NO_SYMBOLIC_LINKS};
    return (int)syscall(OPENAT2, CURRENT_FOLDER, path, &how, sizeof how);
}

// Whether a file has an access control list besides its mode.
static inline int linux_has_access_list(const char *path) {
    return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

// A descriptor of a process: pidfd_open(2), which older headers lack.
static inline int linux_open_process(int process) {
    return (int)syscall(434, process, 0U);
}

// Landlock, for which libc has no functions, and of which older headers lack the newer parts. The numbers are those of
// every architecture.
struct linux_landlock_rights {
    unsigned long long files, network, scopes;
};

static inline int linux_landlock_version(void) {
    return (int)syscall(444, NULL, 0UL, 1UL);
}

static inline int linux_landlock_ruleset(struct linux_landlock_rights handled) {
    return (int)syscall(444, &handled, sizeof handled, 0UL);
}

static inline int linux_landlock_allow(int ruleset, int path, unsigned long long rights) {
    struct __attribute__((packed)) {
        unsigned long long rights;
        int path;
    } rule = {rights, path};
    return (int)syscall(445, (long)ruleset, 1L, &rule, 0UL);
}

static inline int linux_landlock_restrict(int ruleset) {
    return (int)syscall(446, (long)ruleset, 0UL);
}

static inline int linux_renounce_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// For all threads, or for none.
static inline int linux_filter_calls(const struct sock_filter *filter, unsigned short count) {
    struct sock_fprog program = {count, (struct sock_filter *)filter};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static inline int linux_can_filter_calls(void) {
    unsigned int action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0UL, &action) == 0;
}

#if defined(__x86_64__)
static const unsigned int linux_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const unsigned int linux_architecture = AUDIT_ARCH_AARCH64;
#else
static const unsigned int linux_architecture = 0;
#endif
