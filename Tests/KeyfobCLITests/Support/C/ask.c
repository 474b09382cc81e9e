/* Asks the library what comes in lines, `token` or `accounts` and OPTION=VALUE, parted by tabs, and prints each answer as a line
 * of JSON. Of `shell` and line=COMMAND the command is run in between. FIELDS names the values of a token besides `token`, parted by spaces. */
#include <keyfob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_text(const char *text) {
    putchar('"');
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\') printf("\\%c", byte);
        else if (byte < 0x20) printf("\\u%04x", byte);
        else putchar(byte);
    }
    putchar('"');
}

static void print_member(const char *name, const char *value, int *count) {
    if (value == NULL) return;
    printf("%s\"%s\": ", (*count)++ ? ", " : "", name);
    print_text(value);
}

static void print_error(keyfob_error *error) {
    static const char *const names[] = {"code",     "message", "hint",  "advice", "candidates", "action", "continuation", "provider", "account",
                                        "name",     "group",   "tenant", "clientID", "scopes",    "claims",   "command"};
    int count = 0, status = keyfob_error_status(error);
    printf("{\"status\": %d, \"error\": {", status);
    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
        print_member(names[index], keyfob_error_get(error, names[index]), &count);
    printf("}}\n");
    keyfob_error_free(error);
}

/* The values of a row that `names` has, each up to a colon. */
static void print_row(const keyfob_answer *answer, size_t row, const char *names) {
    char *copy = strdup(names), *rest = copy;
    int count = 0;
    printf("{");
    for (char *name; (name = strsep(&rest, " ")) != NULL;) {
        name[strcspn(name, ":")] = 0;
        print_member(name, keyfob_answer_get(answer, row, name), &count);
    }
    printf("}");
    free(copy);
}

static void answer_line(char *line) {
    static keyfob_keyring *keyring;
    keyfob_answer *answer = NULL;
    keyfob_error *error = NULL;
    keyfob_options *options = keyfob_options_new();
    char *kind = strsep(&line, "\t");
    if (strcmp(kind, "shell") == 0) {
        fflush(stdout);
        if (system(strchr(line, '=') + 1) != 0) exit(1);
        printf("{\"rows\": []}\n");
        keyfob_options_free(options);
        return;
    }
    int status = keyring ? 0 : keyfob_open(NULL, &keyring, &error);
    for (char *name; status == 0 && (name = strsep(&line, "\t")) != NULL;) {
        char *value = strchr(name, '=');
        if (value == NULL) exit(64);
        *value++ = 0;
        status = keyfob_options_set(options, name, value, &error);
    }
    int is_token = strcmp(kind, "token") == 0;
    if (status == 0)
        status = is_token ? keyfob_token(keyring, options, &answer, &error)
                          : keyfob_accounts(keyring, options, &answer, &error);
    if (status == 0) {
        printf("{\"rows\": [");
        for (size_t row = 0; row < keyfob_answer_count(answer); row++) {
            if (row) printf(", ");
            print_row(answer, row, is_token ? getenv("FIELDS") : keyfob_answer_get(answer, row, "*"));
        }
        printf("]}\n");
    } else
        print_error(error);
    keyfob_answer_free(answer);
    keyfob_options_free(options);
}


int main(void) {
    static char line[1 << 16];
    setenv("FIELDS", "token", 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        answer_line(line);
    }
    return 0;
}
