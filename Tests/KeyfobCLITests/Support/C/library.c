/* Calls each function of keyfob.h, rightly and wrongly; ends with the number of the line that did not hold.
 *
 * usage: library ACCOUNT TOKEN   with one account in the vault, whose token is TOKEN */
#include <keyfob.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOLDS(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

static const char *account, *token;

/* Expects an error of a call, and gives its hint, or "". */
static char *refused(int status, keyfob_error **place, int expected, const char *code) {
    keyfob_error *error = *place;
    static char hint[200];
    if (status != expected || strcmp(keyfob_error_get(error, "code"), code) != 0)
        fprintf(stderr, "%d %s: %s\n", status, keyfob_error_get(error, "code"), keyfob_error_get(error, "message"));
    HOLDS(status == expected && keyfob_error_status(error) == expected);
    HOLDS(strcmp(keyfob_error_get(error, "code"), code) == 0 && keyfob_error_get(error, "message")[0] != 0);
    HOLDS(keyfob_error_get(error, "other") == NULL && keyfob_error_get(error, NULL) == NULL);
    snprintf(hint, sizeof hint, "%s", keyfob_error_get(error, "hint") ? keyfob_error_get(error, "hint") : "");
    keyfob_error_free(error);
    return hint;
}

static void check_options(void) {
    keyfob_error *error;
    keyfob_options *options = keyfob_options_new();
    char *long_text = malloc(10 << 20);
    memset(long_text, 'x', (10 << 20) - 1);
    long_text[(10 << 20) - 1] = 0;
    refused(keyfob_options_set(options, "scope", long_text, &error), &error, KEYFOB_MALFORMED, "limitExceeded");
    refused(keyfob_options_set(options, long_text, "x", &error), &error, KEYFOB_MALFORMED, "limitExceeded");
    free(long_text);
    refused(keyfob_options_set(options, "scope", "\xff\xfe", &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_options_set(options, "--scope", "x", &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_options_set(options, "offline", "yes", &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_options_set(options, "min-validity", "86401", &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_options_set(options, "claims", "[]", &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_options_set(options, NULL, "x", &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_options_set(NULL, "scope", "x", &error), &error, KEYFOB_USAGE, "usage");
    HOLDS(keyfob_options_set(NULL, "scope", "x", NULL) == KEYFOB_USAGE);
    for (int count = 0; count < 1000; count++) HOLDS(keyfob_options_set(options, "scope", "x", &error) == KEYFOB_OK);
    HOLDS(error == NULL);
    refused(keyfob_options_set(options, "scope", "x", &error), &error, KEYFOB_MALFORMED, "limitExceeded");
    HOLDS(keyfob_options_set(options, "scope", NULL, NULL) == KEYFOB_OK);
    keyfob_options_free(options);
    keyfob_options_free(NULL);
}

static keyfob_keyring *opened(void) {
    keyfob_keyring *keyring;
    keyfob_error *error;
    int status = keyfob_open(NULL, &keyring, &error);
    if (status != KEYFOB_OK) fprintf(stderr, "%s\n", keyfob_error_get(error, "message"));
    HOLDS(status == KEYFOB_OK && error == NULL && keyring != NULL);
    return keyring;
}

static void check_token(keyfob_keyring *keyring, const char *name) {
    keyfob_error *error;
    keyfob_answer *answer;
    keyfob_options *options = keyfob_options_new();
    HOLDS(keyfob_options_set(options, "account", name, &error) == KEYFOB_OK);
    HOLDS(keyfob_token(keyring, name ? options : NULL, &answer, &error) == KEYFOB_OK && error == NULL);
    HOLDS(keyfob_answer_count(answer) == 1 && strcmp(keyfob_answer_get(answer, 0, "token"), token) == 0);
    HOLDS(strncmp(keyfob_answer_get(answer, 0, "account"), account, strlen(account)) == 0);
    HOLDS(strcmp(keyfob_answer_get(answer, 0, "tokenType"), "Bearer") == 0);
    HOLDS(strcmp(keyfob_answer_get(answer, 0, "source"), "stored") == 0);
    HOLDS(keyfob_answer_get(answer, 1, "token") == NULL && keyfob_answer_get(answer, (size_t)-1, "token") == NULL);
    HOLDS(keyfob_answer_get(answer, 0, "secret") == NULL && keyfob_answer_get(answer, 0, "\xff") == NULL);
    keyfob_answer_free(answer);
    keyfob_options_free(options);
}

static void check_errors(keyfob_keyring *keyring) {
    keyfob_error *error;
    keyfob_answer *answer = (keyfob_answer *)keyring;
    keyfob_options *options = keyfob_options_new();
    keyfob_options_set(options, "account", "nobody", NULL);
    const char *hint = refused(keyfob_token(keyring, options, &answer, &error), &error, KEYFOB_NOT_FOUND, "noSuchAccount");
    HOLDS(strstr(hint, "keyfob account list") && answer == NULL);
    refused(keyfob_accounts(keyring, options, &answer, &error), &error, KEYFOB_USAGE, "usage");
    keyfob_options_set(options, "account", account, NULL);
    keyfob_options_set(options, "scope", "another", NULL);
    refused(keyfob_token(keyring, options, &answer, &error), &error, KEYFOB_SIGN_IN_NEEDED, "signInNeeded");
    keyfob_options_set(options, "scope", NULL, NULL);
    keyfob_options_set(options, "url", "https://other.example/", NULL);
    hint = refused(keyfob_token(keyring, options, &answer, &error), &error, KEYFOB_NO_PERMISSION, "hostNotAllowed");
    HOLDS(strstr(hint, "--allow-host"));
    keyfob_options_set(options, "url", NULL, NULL);
    keyfob_options_set(options, "group", "none", NULL);
    refused(keyfob_token(keyring, options, &answer, &error), &error, KEYFOB_NOT_FOUND, "noSuchGroup");

    /* Objects of another kind, and none. */
    refused(keyfob_token((keyfob_keyring *)options, NULL, &answer, &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_token(keyring, (keyfob_options *)keyring, &answer, &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_token(NULL, NULL, &answer, &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_token(keyring, NULL, NULL, &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_open(NULL, NULL, &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_refuse(keyring, NULL, NULL, &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_write_cache(keyring, NULL, NULL, 0, &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_write_cache(keyring, NULL, "{}", (size_t)-1, &error), &error, KEYFOB_MALFORMED, "limitExceeded");
    refused(keyfob_write_cache(keyring, NULL, "{", 1, &error), &error, KEYFOB_MALFORMED, "damaged");
    refused(keyfob_remove_account(keyring, NULL, &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_find_entries(keyring, NULL, &answer, &error), &error, KEYFOB_USAGE, "usage");
    refused(keyfob_change_entries(keyring, NULL, "[]", 2, &error), &error, KEYFOB_MALFORMED, "damaged");
    HOLDS(keyfob_token(NULL, NULL, NULL, NULL) == KEYFOB_USAGE);
    HOLDS(keyfob_answer_count((keyfob_answer *)options) == 0 && keyfob_answer_count(NULL) == 0);
    HOLDS(keyfob_answer_get(NULL, 0, "token") == NULL && keyfob_error_status(NULL) == 0);
    HOLDS(keyfob_error_get((keyfob_error *)options, "code") == NULL);
    keyfob_close((keyfob_keyring *)options);
    keyfob_answer_free((keyfob_answer *)options);
    keyfob_close(NULL);
    keyfob_answer_free(NULL);
    keyfob_error_free(NULL);
    keyfob_options_free(options);
}

static void check_rest(keyfob_keyring *keyring) {
    keyfob_error *error;
    keyfob_answer *answer;
    HOLDS(keyfob_accounts(keyring, NULL, &answer, &error) == KEYFOB_OK && keyfob_answer_count(answer) == 1);
    HOLDS(strcmp(keyfob_answer_get(answer, 0, "username"), account) == 0);
    HOLDS(strcmp(keyfob_answer_get(answer, 0, "state"), "tokensOnly") == 0);
    HOLDS(keyfob_answer_get(answer, 0, "label") == NULL);
    keyfob_answer_free(answer);
    HOLDS(keyfob_warnings(keyring, &answer, &error) == KEYFOB_OK && keyfob_answer_count(answer) == 0);
    keyfob_answer_free(answer);
    HOLDS(keyfob_read_cache(keyring, NULL, &answer, &error) == KEYFOB_OK);
    const char *cache = keyfob_answer_get(answer, 0, "cache");
    HOLDS(cache[0] == '{' && strstr(cache, token));
    HOLDS(keyfob_write_cache(keyring, NULL, cache, strlen(cache), &error) == KEYFOB_OK);
    keyfob_answer_free(answer);
    keyfob_options *options = keyfob_options_new();
    keyfob_options_set(options, "section", "AccessToken", NULL);
    HOLDS(keyfob_find_entries(keyring, options, &answer, &error) == KEYFOB_OK);
    HOLDS(strstr(keyfob_answer_get(answer, 0, "cache"), token));
    keyfob_answer_free(answer);
    keyfob_options_set(options, "home-account-id", "another", NULL);
    HOLDS(keyfob_find_entries(keyring, options, &answer, &error) == KEYFOB_OK);
    HOLDS(!strstr(keyfob_answer_get(answer, 0, "cache"), token));
    keyfob_answer_free(answer);
    keyfob_options_free(options);
    /* Nothing renews it, so that it stays; another one is none of the keyring's. */
    HOLDS(keyfob_refuse(keyring, NULL, "another", &error) == KEYFOB_OK);
    HOLDS(keyfob_refuse(keyring, NULL, token, &error) == KEYFOB_OK);
    check_token(keyring, NULL);
}

/* What was freed is refused, as often as it is tried. */
static void check_freed(void) {
    keyfob_error *error;
    keyfob_answer *answer;
    keyfob_keyring *keyring = opened();
    keyfob_options *options = keyfob_options_new();
    HOLDS(keyfob_token(keyring, NULL, &answer, NULL) == KEYFOB_OK);
    keyfob_close(keyring);
    keyfob_options_free(options);
    for (int count = 0; count < 2; count++) {
        keyfob_answer *none;
        refused(keyfob_token(keyring, NULL, &none, &error), &error, KEYFOB_USAGE, "usage");
        refused(keyfob_options_set(options, "scope", "x", &error), &error, KEYFOB_USAGE, "usage");
        keyfob_close(keyring);
        keyfob_options_free(options);
    }
    /* An answer outlives its keyring. */
    HOLDS(strcmp(keyfob_answer_get(answer, 0, "token"), token) == 0);
    keyfob_answer_free(answer);
    keyfob_answer_free(answer);
    HOLDS(keyfob_answer_get(answer, 0, "token") == NULL && keyfob_answer_count(answer) == 0);
}

/* A keyring that others close meanwhile: each call does all it should, or is refused. */
static void *ask_closing(void *keyring) {
    for (;;) {
        keyfob_answer *answer;
        int status = keyfob_token(keyring, NULL, &answer, NULL);
        HOLDS(status == KEYFOB_OK || status == KEYFOB_USAGE);
        if (status == KEYFOB_OK) HOLDS(strcmp(keyfob_answer_get(answer, 0, "token"), token) == 0);
        keyfob_answer_free(answer);
        if (status == KEYFOB_USAGE) return NULL;
    }
}

static void check_closing(void) {
    for (int round = 0; round < 20; round++) {
        pthread_t threads[8];
        keyfob_keyring *keyring = opened();
        for (int number = 0; number < 8; number++)
            HOLDS(pthread_create(&threads[number], NULL, ask_closing, keyring) == 0);
        usleep(1000 * (round % 5));
        keyfob_close(keyring);
        for (int number = 0; number < 8; number++) HOLDS(pthread_join(threads[number], NULL) == 0);
    }
}

static volatile int is_over;

static void *ask_until_over(void *keyring) {
    while (!is_over) check_token(keyring, account);
    return NULL;
}

/* A fork happens between the calls of other threads. */
static void check_forks_between_threads(keyfob_keyring *keyring) {
    pthread_t threads[4];
    for (int number = 0; number < 4; number++)
        HOLDS(pthread_create(&threads[number], NULL, ask_until_over, keyring) == 0);
    for (int round = 0; round < 20; round++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            keyfob_keyring *own = opened();
            check_token(own, account);
            keyfob_close(own);
            _exit(0);
        }
        HOLDS(waitpid(child, &status, 0) == child && status == 0);
    }
    is_over = 1;
    for (int number = 0; number < 4; number++) HOLDS(pthread_join(threads[number], NULL) == 0);
}

static void *ask_often(void *keyring) {
    for (int count = 0; count < 50; count++) check_token(keyring, account);
    return NULL;
}

static void *ask_alone(void *nothing) {
    keyfob_keyring *keyring = opened();
    ask_often(keyring);
    keyfob_close(keyring);
    return nothing;
}

static void check_threads(keyfob_keyring *keyring) {
    pthread_t threads[8];
    for (int number = 0; number < 8; number++)
        HOLDS(pthread_create(&threads[number], NULL, number % 2 ? ask_often : ask_alone, keyring) == 0);
    for (int number = 0; number < 8; number++) HOLDS(pthread_join(threads[number], NULL) == 0);
}

static void check_fork(keyfob_keyring *keyring) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        keyfob_error *error;
        keyfob_answer *answer;
        const char *hint = refused(keyfob_token(keyring, NULL, &answer, &error), &error, KEYFOB_USAGE, "usage");
        HOLDS(strstr(hint, "open it again"));
        keyfob_close(keyring);
        ask_alone(NULL);
        exit(0);
    }
    HOLDS(waitpid(child, &status, 0) == child && status == 0);
    check_token(keyring, account);
}

/* What the process was before. */
static struct sigaction actions[32];
static sigset_t mask;
static char folder[4096];

static void note_process(int is_after) {
    for (int number = 1; number < 32; number++) {
        struct sigaction now;
        sigaction(number, NULL, &now);
        if (!is_after) actions[number] = now;
        HOLDS(now.sa_handler == actions[number].sa_handler);
    }
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    if (!is_after) mask = now;
    for (int number = 1; number < 32; number++) HOLDS(sigismember(&now, number) == sigismember(&mask, number));
    char here[4096];
    HOLDS(getcwd(here, sizeof here));
    if (!is_after) strcpy(folder, here);
    HOLDS(strcmp(here, folder) == 0);
}

int main(int count, char **words) {
    if (count != 3) return 64;
    account = words[1];
    token = words[2];
    note_process(0);
    HOLDS(keyfob_version()[0] != 0);
    check_options();
    keyfob_keyring *keyring = opened();
    check_token(keyring, account);
    check_errors(keyring);
    check_rest(keyring);
    check_threads(keyring);
    check_fork(keyring);
    check_freed();
    check_closing();
    check_forks_between_threads(keyring);
    keyfob_close(keyring);
    note_process(1);
    return 0;
}
