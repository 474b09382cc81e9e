// What Embedded Swift sees of the C library; Swift's own module for it needs Swift's runtime.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// Swift calls no function of C with "..." in it.
static inline int keyfob_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int keyfob_openat(int folder, const char *path, int flags, mode_t mode) {
    return openat(folder, path, flags, mode);
}
static inline int keyfob_fcntl(int descriptor, int command, int argument) {
    return fcntl(descriptor, command, argument);
}
static inline int keyfob_fcntl_at(int descriptor, int command, void *argument) {
    return fcntl(descriptor, command, argument);
}
static inline int keyfob_ioctl_at(int descriptor, unsigned long request, void *argument) {
    return ioctl(descriptor, request, argument);
}
static inline int keyfob_errno(void) { return errno; }
