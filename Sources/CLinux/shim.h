#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/sock_diag.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
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

// What lists of processes call this one: at most 15 bytes.
static inline int linux_name_process(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
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

// A program that is started has no open file from `first` on. <spawn.h> declares the function to GNU's programs alone.
int posix_spawn_file_actions_addclosefrom_np(void *actions, int first);
static inline int linux_close_from(void *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// Does `work` in a process in between, while the calling thread waits, which has to hold back all signals. That process shares
// this one's memory, and nobody learns of it: its end sends no signal, and wait(2) finds it only where it looks for such ones.
// So what `work` starts is not this process's child. `top` is the end of a stack. <sched.h> declares the function to GNU's
// programs alone.
int clone(int (*work)(void *), void *top, int flags, void *context, ...);
static inline int linux_do_in_between(int (*work)(void *), void *top, void *context) {
    enum { SHARING_MEMORY = 0x100, WAITING = 0x4000, WITHOUT_SIGNAL = (int)0x80000000 };
    int process = clone(work, top, SHARING_MEMORY | WAITING, context);
    if (process > 0) syscall(SYS_wait4, (long)process, NULL, (long)WITHOUT_SIGNAL, NULL);
    return process;
}

// Whether this process is given those whose parents have ended, as the first one of all or of a container is.
static inline int linux_is_given_orphans(void) {
    int is_given = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &is_given, 0, 0, 0) == 0 && is_given);
}

// The path of the file from which the code or data at an address was loaded. <dlfcn.h> declares the function to GNU's programs
// alone: it fills four words, of which this is the first.
int dladdr(const void *address, void *found);
static inline const char *linux_loaded_file(const void *address) {
    const void *found[4];
    return dladdr(address, found) != 0 ? (const char *)found[0] : NULL;
}

// A file without a name, in memory: memfd_create(2).
static inline int linux_memory_file(const char *name) {
    enum { CLOSE_ON_EXEC = 1 };
    return (int)syscall(SYS_memfd_create, name, CLOSE_ON_EXEC);
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

// What is at a path, where the kernel finds it by what it has in memory: no file system is asked, so that none is waited for.
// In `folder`, which may be CURRENT_FOLDER, or with `is_root` as if that were the root. EAGAIN where one would have to be asked.
static inline int linux_open_known(int folder, const char *path, int is_root) {
    enum { PATH_ALONE = 010000000, CLOSE_ON_EXEC = 02000000, IN_ROOT = 0x10, CACHED = 0x20, OPENAT2 = 437 };
    struct {
        unsigned long long flags, mode, resolve;
    } how = {PATH_ALONE | CLOSE_ON_EXEC, 0, CACHED | (is_root ? IN_ROOT : 0)};
    return (int)syscall(OPENAT2, folder, path, &how, sizeof how);
}

// Where a link of the kernel's leads (proc(5), `exe`), of which no file system is asked.
static inline int linux_open_path(const char *path) {
    enum { CURRENT_FOLDER = -100, PATH_ALONE = 010000000, CLOSE_ON_EXEC = 02000000 };
    return (int)syscall(SYS_openat, CURRENT_FOLDER, path, PATH_ALONE | CLOSE_ON_EXEC, 0);
}

// What the kernel has in memory of a file that is open, or at a path where that is not empty: statx(2), of which <sys/stat.h> would
// bring types of other modules into this one. No file system is asked.
struct linux_known_status {
    unsigned int mode, owner, device[2];
    unsigned long long number, size, mount;
    long long changed[2], modified[2];
};

static inline int linux_know_status(int descriptor, const char *path, struct linux_known_status *known) {
    enum { EMPTY_PATH = 0x1000, WITHOUT_ASKING = 0x4000, NO_AUTOMOUNT = 0x800, BASIC = 0x7ff, MOUNT = 0x1000 };
    struct moment {
        long long seconds;
        unsigned int fraction, spare;
    };
    struct {
        unsigned int mask, head[6];
        unsigned short mode, spare;
        unsigned long long number, size, counts[2];
        struct moment read, born, changed, modified;
        unsigned int special[2], device[2];
        unsigned long long mount, rest[13];
    } found;
    if (syscall(SYS_statx, descriptor, path, EMPTY_PATH | WITHOUT_ASKING | NO_AUTOMOUNT, BASIC | MOUNT, &found) != 0) return -1;
    *known = (struct linux_known_status){
        found.mode,
        found.head[4],
        {found.device[0], found.device[1]},
        found.number,
        found.size,
        found.mask & MOUNT ? found.mount : 0,
        {found.changed.seconds, found.changed.fraction},
        {found.modified.seconds, found.modified.fraction}};
    return 0;
}

// Whether a file has an access control list besides its mode.
static inline int linux_has_access_list(const char *path) {
    return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

// A descriptor of a process: pidfd_open(2), which older headers lack.
static inline int linux_open_process(int process) {
    return (int)syscall(434, process, 0U);
}

// A line to the kernel that tells of sockets (sock_diag(7)). <sys/socket.h> would bring types of other modules into this one.
static inline int linux_open_socket_diagnosis(void) {
    enum { NETLINK = 16, RAW_WITHOUT_WAITING = 3 | 04000 | 02000000 };
    return (int)syscall(SYS_socket, NETLINK, RAW_WITHOUT_WAITING, NETLINK_SOCK_DIAG);
}

// The user of the TCP socket on this machine that has these addresses of IPv4, in the order of the network: of a connected
// socket, or where the other address and port are 0, of one that listens. -1 where there is none, and -2 where the kernel
// does not say. A socket of IPv6 that is connected to such addresses is found too. Each question over a line has another
// number, by which its answer is known.
static inline long long linux_socket_owner(
    int diagnosis, unsigned int number, unsigned int address, unsigned short port, unsigned int other,
    unsigned short other_port) {
    enum { IPV4 = 2, IPV6 = 10, TCP = 6 };
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 question;
    } request;
    union {
        struct nlmsghdr head;
        char bytes[8192];
    } answer;
    memset(&request, 0, sizeof request);
    request.head.nlmsg_seq = number;
    request.head.nlmsg_len = sizeof request;
    request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.head.nlmsg_flags = NLM_F_REQUEST;
    request.question.sdiag_family = IPV4;
    request.question.sdiag_protocol = TCP;
    request.question.idiag_states = ~0U;
    request.question.id.idiag_sport = port;
    request.question.id.idiag_dport = other_port;
    request.question.id.idiag_src[0] = address;
    request.question.id.idiag_dst[0] = other;
    request.question.id.idiag_cookie[0] = request.question.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    if (write(diagnosis, &request, sizeof request) != (long)sizeof request) return -2;
    // The kernel has answered before it returns.
    long count;
    do {
        count = read(diagnosis, &answer, sizeof answer);
        if (count < (long)sizeof(struct nlmsghdr)) return -2;
    } while (answer.head.nlmsg_seq != number);
    const char *content = answer.bytes + NLMSG_HDRLEN;
    if (answer.head.nlmsg_type == NLMSG_ERROR) {
        enum { NO_ENTRY = -2 };
        int error;
        if (count < NLMSG_HDRLEN + (long)sizeof error) return -2;
        memcpy(&error, content, sizeof error);
        return error == NO_ENTRY ? -1 : -2;
    }
    struct inet_diag_msg found;
    if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY || count < NLMSG_HDRLEN + (long)sizeof found) return -2;
    memcpy(&found, content, sizeof found);
    // Where nobody is connected the kernel names one that listens there.
    int word = found.idiag_family == IPV6 ? 3 : 0;
    if (found.id.idiag_sport != port || found.id.idiag_dport != other_port || found.id.idiag_dst[word] != other) return -1;
    if (other_port != 0 && found.id.idiag_src[word] != address) return -1;
    // A socket that was closed is nobody's.
    return found.idiag_inode == 0 ? -1 : (long long)found.idiag_uid;
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

// Namespaces of this process's own: of users, mounts, System V objects, and of the processes that it starts from here on. It
// must have one thread.
static inline int linux_enter_namespaces(void) {
    enum { MOUNTS = 0x20000, OBJECTS = 0x8000000, USERS = 0x10000000, PROCESSES = 0x20000000 };
    return (int)syscall(SYS_unshare, (long)(MOUNTS | OBJECTS | USERS | PROCESSES));
}

// Mounts, by mount(2) and the calls of Linux 5.2 and 5.12, for which libc has no functions. <sys/mount.h> would bring types of
// other modules into this one.
enum linux_mount_flags {
    linux_mount_read_only = 1,
    linux_mount_without_set_user = 2,
    linux_mount_without_devices = 4,
    linux_mount_without_programs = 8,
};

static inline int linux_mount_new(const char *kind, const char *place, unsigned long flags, const char *options) {
    return (int)syscall(SYS_mount, kind, place, kind, flags, options);
}

// What is mounted from here on is seen nowhere else, and the other way round.
static inline int linux_keep_mounts_private(void) {
    enum { RECURSIVE = 0x4000, PRIVATE = 0x40000 };
    return (int)syscall(SYS_mount, NULL, "/", NULL, (unsigned long)(RECURSIVE | PRIVATE), NULL);
}

// A copy of what is at a path, with all that is mounted below it, which is nowhere yet.
static inline int linux_copy_mounts(const char *path) {
    enum { CURRENT_FOLDER = -100, CLONE = 1, CLOSE_ON_EXEC = 02000000, RECURSIVE = 0x8000 };
    return (int)syscall(428, (long)CURRENT_FOLDER, path, (unsigned long)(CLONE | CLOSE_ON_EXEC | RECURSIVE));
}

static inline int linux_attach_mounts(int copy, const char *path) {
    enum { CURRENT_FOLDER = -100, FROM_EMPTY_PATH = 4 };
    return (int)syscall(429, (long)copy, "", (long)CURRENT_FOLDER, path, (unsigned long)FROM_EMPTY_PATH);
}

// What is below gives no rights of others' and opens no device, and with `is_read_only` cannot be changed: of a copy, or of what is
// at a path where that is not empty.
static inline int linux_lock_mounts(int copy, const char *path, int is_read_only) {
    enum { CURRENT_FOLDER = -100, EMPTY_PATH = 0x1000, RECURSIVE = 0x8000, READ_ONLY = 1, WITHOUT_SET_USER = 2, WITHOUT_DEVICES = 4 };
    struct {
        unsigned long long set, clear, propagation, users;
    } change = {WITHOUT_SET_USER | WITHOUT_DEVICES | (is_read_only ? READ_ONLY : 0), 0, 0, 0};
    unsigned long flags = RECURSIVE | (path[0] == 0 ? EMPTY_PATH : 0);
    return (int)syscall(442, path[0] == 0 ? (long)copy : (long)CURRENT_FOLDER, path, flags, &change, sizeof change);
}

// Gives up every capability, for good: also what a program of root's would get.
static inline int linux_drop_capabilities(void) {
    enum { VERSION = 0x20080522, LAST = 63, ALL_LOCKED = 0xEF, AMBIENT_CLEAR = 4 };
    struct {
        unsigned int version;
        int process;
    } head = {VERSION, 0};
    struct {
        unsigned int effective, permitted, inheritable;
    } none[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int number = 0; number <= LAST; number++) {
        int is_there = prctl(PR_CAPBSET_READ, number, 0, 0, 0);
        if (is_there < 0) break;
        if (is_there != 0 && prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0) return -1;
    }
    prctl(PR_CAP_AMBIENT, AMBIENT_CLEAR, 0, 0, 0);
    if (prctl(PR_SET_SECUREBITS, ALL_LOCKED, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_capset, &head, none);
}

// This process is killed when the thread ends that has made it.
static inline int linux_end_with_parent(void) {
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static inline int linux_close_all(unsigned int first, unsigned int last) {
    return (int)syscall(436, first, last, 0U);
}

#ifdef __GLIBC__
// Threads have one place in memory for what they allocate, and not 64 MB each. <malloc.h> would bring other declarations.
int mallopt(int name, int value);
static inline int linux_share_memory(void) {
    enum { MOST_PLACES = -8 };
    return mallopt(MOST_PLACES, 1);
}
#endif

#if defined(__x86_64__)
static const unsigned int linux_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const unsigned int linux_architecture = AUDIT_ARCH_AARCH64;
#else
static const unsigned int linux_architecture = 0;
#endif
