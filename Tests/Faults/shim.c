/* Preloaded into a command: counts the calls that change files below a folder, or lock them, and does at one of them what
 * disks, systems and people do. It opens nothing once the command runs, so that it works in one that has given up most of
 * its rights.
 *
 *   FAULT_FOLDER  the folder, an absolute path without links
 *   FAULT_AT      at which call, from 1 on; 0 for none
 *   FAULT_HOW     kill: the process ends there, before the call
 *                 fail: the call fails with FAULT_ERRNO, a number
 *                 short: a write takes half of what it is given, and the next one fails with FAULT_ERRNO
 *                 stay: this call and all that make or lengthen something from then on fail with FAULT_ERRNO
 *   FAULT_LOG     a file to write each call to that was let through, as a line of text after which the bytes that were written follow:
 *                 NUMBER IS-NEW NAME DESCRIPTOR OFFSET COUNT PATH[NUL]PATH[NUL]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 1024

enum how { NOTHING, KILL, FAIL, SHORT, STAY };

static char folder[PATH_MAX];
static size_t folder_length;
static long fault_at, counted;
static enum how how;
static int fault_errno, log_file = -1, has_begun, is_short;
/* The path that each descriptor was opened by, where that is below the folder. */
static char *opened[FILES];

static long raw(long number, long a, long b, long c, long d) { return syscall(number, a, b, c, d); }

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULT_FOLDER");
    if (!text || strlen(text) >= sizeof folder) return;
    strcpy(folder, text);
    folder_length = strlen(folder);
    if ((text = getenv("FAULT_AT"))) fault_at = atol(text);
    if ((text = getenv("FAULT_ERRNO"))) fault_errno = atoi(text);
    if ((text = getenv("FAULT_HOW")))
        how = !strcmp(text, "kill") ? KILL : !strcmp(text, "fail") ? FAIL : !strcmp(text, "short") ? SHORT
            : !strcmp(text, "stay") ? STAY : NOTHING;
    if ((text = getenv("FAULT_LOG"))) {
        int low = (int)raw(SYS_openat, AT_FDCWD, (long)text, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
        /* Out of the way of the numbers that the command gets. */
        log_file = (int)raw(SYS_fcntl, low, F_DUPFD_CLOEXEC, FILES, 0);
        raw(SYS_close, low, 0, 0, 0);
    }
    unsetenv("LD_PRELOAD");
    has_begun = 1;
}

/* The absolute path, where it is below the folder; else NULL. */
static const char *below(int at, const char *path, char *buffer) {
    if (!has_begun || !path) return NULL;
    if (*path != '/') {
        size_t length;
        if (at == AT_FDCWD) {
            /* What the kernel counts has a NUL at the end. */
            long count = raw(SYS_getcwd, (long)buffer, PATH_MAX, 0, 0);
            if (count <= 0) return NULL;
            length = (size_t)count - 1;
        } else {
            if (at < 0 || at >= FILES || !opened[at]) return NULL;
            length = strlen(opened[at]);
            memcpy(buffer, opened[at], length);
        }
        while (path[0] == '.' && path[1] == '/') path += 2;
        if (length + 2 + strlen(path) > PATH_MAX) return NULL;
        buffer[length] = '/';
        strcpy(buffer + length + 1, path);
        path = buffer;
    }
    return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || !path[folder_length]) ? path : NULL;
}

/* Whether a call makes or lengthens something, which a full disk refuses. */
static int needs_space(const char *name) {
    return strcmp(name, "unlink") && strcmp(name, "rmdir") && strcmp(name, "lock") && strcmp(name, "ftruncate")
        && strcmp(name, "close");
}

/* Counts a call; whether it is to fail, with errno set. */
static int strikes(const char *name) {
    long number = ++counted;
    if (how == STAY && fault_at && number >= fault_at && needs_space(name)) { errno = fault_errno; return 1; }
    if (is_short && !strcmp(name, "write")) { is_short = 0; errno = fault_errno; return 1; }
    if (number != fault_at) return 0;
    switch (how) {
    case KILL:
        raw(SYS_kill, raw(SYS_getpid, 0, 0, 0, 0), 9, 0, 0);
        /* A command that has given up its rights may send no signal. */
        for (;;) raw(SYS_exit_group, 137, 0, 0, 0);
    case FAIL: errno = fault_errno; return 1;
    case SHORT:
        if (strcmp(name, "write")) { errno = fault_errno; return 1; }
        is_short = 1;
        return 0;
    default: return 0;
    }
}

static void put(const void *bytes, size_t count) {
    for (size_t start = 0; start < count;) {
        long written = raw(SYS_write, log_file, (long)((const char *)bytes + start), (long)(count - start), 0);
        if (written <= 0) return;
        start += (size_t)written;
    }
}

/* Notes a call that was let through. */
static void note(long number, long result, const char *name, int file, long offset, const char *path, const char *other,
                 const void *bytes, size_t count) {
    if (log_file < 0) return;
    int kept = errno;
    char line[128];
    int length = snprintf(line, sizeof line, "%ld %ld %s %d %ld %zu ", number, result, name, file, offset, bytes ? count : 0);
    put(line, (size_t)length);
    put(path ? path : "", (path ? strlen(path) : 0) + 1);
    put(other ? other : "", (other ? strlen(other) : 0) + 1);
    if (bytes) put(bytes, count);
    errno = kept;
}

static void forget(int file) {
    if (file >= 0 && file < FILES && opened[file]) {
        free(opened[file]);
        opened[file] = NULL;
    }
}

static const char *of(int file) { return file >= 0 && file < FILES ? opened[file] : NULL; }

static int open_any(int at, const char *path, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *full = below(at, path, buffer);
    int changes = full && (flags & O_ACCMODE || flags & (O_CREAT | O_TRUNC));
    if (changes && strikes("open")) return -1;
    int is_new = changes && flags & O_CREAT && raw(SYS_faccessat, at, (long)path, F_OK, 0) != 0;
    int file = (int)raw(SYS_openat, at, (long)path, flags, mode);
    if (file >= 0) forget(file);
    if (file >= 0 && full && file < FILES) opened[file] = strdup(full);
    if (changes) note(counted, is_new, file < 0 ? "failed" : flags & O_TRUNC ? "truncating" : "open", file, 0, full, NULL, NULL, 0);
    return file;
}

#define MODE_OF(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) { MODE_OF(flags) return open_any(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return open_any(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE_OF(flags) return open_any(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE_OF(flags) return open_any(at, path, flags, mode); }
int __open_2(const char *path, int flags) { return open_any(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_any(AT_FDCWD, path, flags, 0); }
int __openat_2(int at, const char *path, int flags) { return open_any(at, path, flags, 0); }
int __openat64_2(int at, const char *path, int flags) { return open_any(at, path, flags, 0); }
int creat(const char *path, mode_t mode) { return open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int file) {
    forget(file);
    return (int)raw(SYS_close, file, 0, 0, 0);
}

static ssize_t write_any(int file, const void *bytes, size_t count, off_t offset) {
    const char *path = of(file);
    if (path && strikes("write")) return -1;
    size_t taken = is_short && path && count > 1 ? count / 2 : count;
    off_t place = offset;
    if (path && offset < 0) {
        int flags = (int)raw(SYS_fcntl, file, F_GETFL, 0, 0);
        place = raw(SYS_lseek, file, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR, 0);
    }
    ssize_t written = offset < 0 ? raw(SYS_write, file, (long)bytes, (long)taken, 0)
                                 : raw(SYS_pwrite64, file, (long)bytes, (long)taken, offset);
    if (path && written > 0) note(counted, written, "write", file, place, path, NULL, bytes, (size_t)written);
    return written;
}

ssize_t write(int file, const void *bytes, size_t count) { return write_any(file, bytes, count, -1); }
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return write_any(file, bytes, count, offset); }
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) { return write_any(file, bytes, count, offset); }
ssize_t writev(int file, const struct iovec *pieces, int count) {
    ssize_t all = 0;
    for (int index = 0; index < count; index++) {
        ssize_t written = write_any(file, pieces[index].iov_base, pieces[index].iov_len, -1);
        if (written < 0) return all ? all : -1;
        all += written;
        if ((size_t)written < pieces[index].iov_len) break;
    }
    return all;
}

static int sync_any(long call, int file) {
    const char *path = of(file);
    if (path && strikes("sync")) return -1;
    int result = (int)raw(call, file, 0, 0, 0);
    if (path && result == 0) note(counted, 0, "sync", file, 0, path, NULL, NULL, 0);
    return result;
}

int fsync(int file) { return sync_any(SYS_fsync, file); }
int fdatasync(int file) { return sync_any(SYS_fdatasync, file); }

static int truncate_any(int file, off_t length) {
    const char *path = of(file);
    if (path && strikes("ftruncate")) return -1;
    int result = (int)raw(SYS_ftruncate, file, length, 0, 0);
    if (path && result == 0) note(counted, 0, "ftruncate", file, length, path, NULL, NULL, 0);
    return result;
}

int ftruncate(int file, off_t length) { return truncate_any(file, length); }
int ftruncate64(int file, off64_t length) { return truncate_any(file, length); }

static int two_names(const char *name, long call, int at, const char *path, int to, const char *new, int flags) {
    char first[PATH_MAX], second[PATH_MAX];
    const char *from = below(at, path, first), *full = below(to, new, second);
    int is_ours = from || full;
    if (is_ours && strikes(name)) return -1;
    int result = (int)syscall(call, at, path, to, new, flags);
    if (is_ours) note(counted, 0, result ? "failed" : name, -1, 0, from, full, NULL, 0);
    return result;
}

int rename(const char *path, const char *new) { return two_names("rename", SYS_renameat2, AT_FDCWD, path, AT_FDCWD, new, 0); }
int renameat(int at, const char *path, int to, const char *new) { return two_names("rename", SYS_renameat2, at, path, to, new, 0); }
int renameat2(int at, const char *path, int to, const char *new, unsigned flags) {
    return two_names("rename", SYS_renameat2, at, path, to, new, (int)flags);
}
int link(const char *path, const char *new) { return two_names("link", SYS_linkat, AT_FDCWD, path, AT_FDCWD, new, 0); }
int linkat(int at, const char *path, int to, const char *new, int flags) {
    return two_names("link", SYS_linkat, at, path, to, new, flags);
}

static int one_name(const char *name, long call, int at, const char *path, long rest) {
    char buffer[PATH_MAX];
    const char *full = below(at, path, buffer);
    if (full && strikes(name)) return -1;
    int result = (int)raw(call, at, (long)path, rest, 0);
    if (full) note(counted, 0, result ? "failed" : name, -1, 0, full, NULL, NULL, 0);
    return result;
}

int unlink(const char *path) { return one_name("unlink", SYS_unlinkat, AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) {
    return one_name(flags & AT_REMOVEDIR ? "rmdir" : "unlink", SYS_unlinkat, at, path, flags);
}
int rmdir(const char *path) { return one_name("rmdir", SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR); }
int mkdir(const char *path, mode_t mode) { return one_name("mkdir", SYS_mkdirat, AT_FDCWD, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { return one_name("mkdir", SYS_mkdirat, at, path, mode); }

int flock(int file, int operation) {
    int counts = of(file) && operation != LOCK_UN;
    if (counts && strikes("lock")) return -1;
    if (counts) note(counted, 0, "lock", file, 0, of(file), NULL, NULL, 0);
    return (int)raw(SYS_flock, file, operation, 0, 0);
}

static int control(int file, int command, void *argument) {
    int locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    if (locks && of(file) && ((struct flock *)argument)->l_type != F_UNLCK) {
        if (strikes("lock")) return -1;
        note(counted, 0, "lock", file, 0, of(file), NULL, NULL, 0);
    }
    int result = (int)raw(SYS_fcntl, file, command, (long)argument, 0);
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0 && result < FILES) {
        forget(result);
        if (of(file)) opened[result] = strdup(of(file));
    }
    return result;
}

int fcntl(int file, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return control(file, command, argument);
}

int fcntl64(int file, int command, ...) __attribute__((alias("fcntl")));
