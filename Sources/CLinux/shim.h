#include <sys/prctl.h>

// Swift cannot call prctl(2), which is variadic.
static inline int linux_forbid_dumping(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
