/* A program that asks libkeyfob for tokens again and again, as program.py does it.
 *
 *     client LOG PAUSE SEED ACCOUNT...
 *
 * LOG gets a line of JSON before each call and one after it. The keyring stays open; now and then it is opened anew. */
#define _DEFAULT_SOURCE
#include <keyfob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static double now(void) {
    struct timeval time;
    gettimeofday(&time, NULL);
    return time.tv_sec + time.tv_usec / 1e6;
}

static double chance(void) { return random() / 2147483648.0; }

/* A member of an object; nothing where there is no value. */
static void member(FILE *line, const char *name, const char *value) {
    if (!value) return;
    fprintf(line, ", \"%s\": \"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') fputc('\\', line);
        if ((unsigned char)*value >= ' ') fputc(*value, line);
    }
    fputc('"', line);
}

int main(int count, char **words) {
    if (count < 5) return 64;
    FILE *log = fopen(words[1], "a");
    if (!log) return 74;
    double pause = atof(words[2]);
    srandom((unsigned)atoi(words[3]));
    keyfob_keyring *keyring = NULL;
    for (;;) {
        int number = (int)(chance() * (count - 4));
        fprintf(log, "\n{\"begin\": %.6f, \"request\": %d}", now(), number);
        fflush(log);
        if (keyring && chance() < 0.05) {
            keyfob_close(keyring);
            keyring = NULL;
        }
        keyfob_error *error = NULL;
        keyfob_answer *token = NULL, *warnings = NULL;
        keyfob_options *options = keyfob_options_new();
        keyfob_options_set(options, "account", words[4 + number], NULL);
        int status = keyring ? KEYFOB_OK : keyfob_open(NULL, &keyring, &error);
        if (status == KEYFOB_OK) status = keyfob_token(keyring, options, &token, &error);
        fprintf(log, "\n{\"end\": %.6f, \"answer\": {\"status\": \"%d\"", now(), status);
        if (status == KEYFOB_OK) {
            member(log, "token", keyfob_answer_get(token, 0, "token"));
            member(log, "expiresAt", keyfob_answer_get(token, 0, "expiresAt"));
        } else {
            member(log, "code", keyfob_error_get(error, "code"));
            member(log, "message", keyfob_error_get(error, "message"));
            member(log, "hint", keyfob_error_get(error, "hint"));
        }
        if (keyring && keyfob_warnings(keyring, &warnings, NULL) == KEYFOB_OK && keyfob_answer_count(warnings))
            member(log, "warnings", keyfob_answer_get(warnings, 0, "message"));
        fprintf(log, "}}");
        fflush(log);
        keyfob_answer_free(warnings);
        keyfob_answer_free(token);
        keyfob_error_free(error);
        keyfob_options_free(options);
        usleep((useconds_t)(chance() * pause * 1e6));
    }
}
