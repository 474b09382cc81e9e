#include <sqlite3.h>

// No locks within the process, and no counts of memory that nobody asks for.
static inline void keyfob_use_one_thread(void) {
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
