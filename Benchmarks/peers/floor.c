/* What a cached token costs at least: SQLite, one row, libsodium, standard output. No checks of files, no memory that is
 * locked and wiped, no choice of account: nothing that a keyring must do besides.
 *
 *   gcc -O2 -static -o floor floor.c -lsqlite3 -lsodium -lm -lpthread
 *
 *   floor make FILE < LINES      a new file (and FILE.key) from lines of a name, a tab and a token, in one durable transaction
 *   floor get FILE NAME          the token
 *   floor set FILE NAME < TOKEN  stores it, durably
 *   floor list FILE              all names
 *   floor export FILE            all names and tokens, as `make` takes them
 */
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

enum {
    NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG = crypto_aead_xchacha20poly1305_ietf_ABYTES,
    KEY = crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
    MOST = 65536, /* bytes of a token */
};

static unsigned char key[KEY], sealed[NONCE + MOST + TAG], opened[MOST + 1];
static sqlite3 *database;

static void stop(const char *what) {
    fprintf(stderr, "floor: %s%s%s\n", what, database ? ": " : "", database ? sqlite3_errmsg(database) : "");
    exit(1);
}

static void check(int status) {
    if (status != SQLITE_OK) stop("SQLite");
}

static void run(const char *sql) {
    check(sqlite3_exec(database, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v2(database, sql, -1, &statement, NULL));
    return statement;
}

/* Reads the key, or makes one. */
static void take_key(const char *file, int is_new) {
    char path[4096];
    snprintf(path, sizeof path, "%s.key", file);
    int descriptor = open(path, is_new ? O_CREAT | O_EXCL | O_WRONLY : O_RDONLY, 0600);
    if (descriptor < 0) stop("cannot open the key");
    if (is_new) randombytes_buf(key, KEY);
    if ((is_new ? write(descriptor, key, KEY) : read(descriptor, key, KEY)) != KEY) stop("no whole key");
    close(descriptor);
}

static void put(sqlite3_stmt *insert, const char *name, const unsigned char *token, size_t length) {
    unsigned long long size;
    randombytes_buf(sealed, NONCE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        sealed + NONCE, &size, token, length, (const unsigned char *)name, strlen(name), NULL, sealed, key);
    check(sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC));
    check(sqlite3_bind_blob(insert, 2, sealed, (int)(NONCE + size), SQLITE_STATIC));
    if (sqlite3_step(insert) != SQLITE_DONE) stop("cannot insert");
    check(sqlite3_reset(insert));
}

/* Opens what a row holds; how many bytes there are now in `opened`. */
static size_t take(sqlite3_stmt *row, int column, const char *name) {
    const unsigned char *content = sqlite3_column_blob(row, column);
    int size = sqlite3_column_bytes(row, column);
    unsigned long long length;
    if (size < NONCE + TAG || size > (int)sizeof sealed) stop("a row of a wrong size");
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            opened, &length, NULL, content + NONCE, size - NONCE, (const unsigned char *)name, strlen(name), content, key))
        stop("a row does not open");
    return length;
}

static void make(void) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    run("PRAGMA page_size = 8192; PRAGMA synchronous = EXTRA; BEGIN IMMEDIATE;"
        "CREATE TABLE tokens (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, sealed BLOB NOT NULL)");
    sqlite3_stmt *insert = prepare("INSERT INTO tokens (name, sealed) VALUES (?, ?)");
    while ((length = getline(&line, &room, stdin)) > 0) {
        char *token = strchr(line, '\t');
        if (token == NULL || length > MOST) stop("a line without a tab, or too long");
        *token++ = 0;
        put(insert, line, (unsigned char *)token, strcspn(token, "\n"));
    }
    run("COMMIT");
}

static void get(const char *name) {
    sqlite3_stmt *row = prepare("SELECT sealed FROM tokens WHERE name = ?");
    check(sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC));
    if (sqlite3_step(row) != SQLITE_ROW) stop("no such name");
    size_t length = take(row, 0, name);
    opened[length++] = '\n';
    if (write(STDOUT_FILENO, opened, length) != (ssize_t)length) stop("cannot write");
}

static void set(const char *name) {
    size_t length = fread(opened, 1, MOST, stdin);
    run("PRAGMA synchronous = EXTRA; BEGIN IMMEDIATE");
    put(prepare("INSERT INTO tokens (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed"),
        name, opened, length);
    run("COMMIT");
}

static void list(int has_tokens) {
    sqlite3_stmt *row = prepare(has_tokens ? "SELECT name, sealed FROM tokens" : "SELECT name FROM tokens");
    while (sqlite3_step(row) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        fputs(name, stdout);
        if (has_tokens) {
            putchar('\t');
            fwrite(opened, 1, take(row, 1, name), stdout);
        }
        putchar('\n');
    }
    if (fflush(stdout)) stop("cannot write");
}

int main(int count, char **words) {
    const char *mode = count > 2 ? words[1] : "", *file = words[2];
    int makes = !strcmp(mode, "make"), sets = !strcmp(mode, "set");
    if (sodium_init() < 0) stop("libsodium");
    if (count == 3 || count == 4) {
        if (strcmp(mode, "list")) take_key(file, makes);
        int flags = makes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : sets ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
        check(sqlite3_open_v2(file, &database, flags, NULL));
        check(sqlite3_busy_timeout(database, 30000));
    }
    if (count == 3 && makes) make();
    else if (count == 4 && !strcmp(mode, "get")) get(words[3]);
    else if (count == 4 && sets) set(words[3]);
    else if (count == 3 && (!strcmp(mode, "list") || !strcmp(mode, "export"))) list(mode[0] == 'e');
    else {
        fputs("usage: floor make|get|set|list|export FILE [NAME]\n", stderr);
        return 64;
    }
    return 0;
}
