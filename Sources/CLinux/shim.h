#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Swift cannot call prctl(2), which is variadic.
static inline int linux_forbid_dumping(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// A file that is in memory only and has no name; closed by exec (MFD_CLOEXEC). The declaration of memfd_create(2) is
// hidden unless _GNU_SOURCE is defined.
static inline int linux_memory_file(void) {
    return (int)syscall(SYS_memfd_create, "keyfob", 1U);
}
