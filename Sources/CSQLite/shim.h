#include <sqlite3.h>
#include <stddef.h>

// Swift cannot call sqlite3_db_config, which is variadic. A text in double quotes that is the name of nothing is then an error,
// and not the text itself.
static inline int sqlite_forbid_double_quoted_texts(sqlite3 *connection) {
    int result = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    return result == SQLITE_OK ? sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, NULL) : result;
}
