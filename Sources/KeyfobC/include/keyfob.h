/*
 * Keyfob: one encrypted keyring of OAuth accounts and tokens for the tools of one person.
 *
 *     cc program.c $(pkg-config --cflags --libs keyfob)
 *
 *     #include <keyfob.h>
 *     #include <stdio.h>
 *     #include <string.h>
 *
 *     // Gets ada's token for Microsoft Graph and prints its length.
 *     int main(void) {
 *         keyfob_keyring *keyring = NULL;
 *         keyfob_answer *token = NULL;
 *         keyfob_error *error = NULL;
 *         keyfob_options *options = keyfob_options_new();
 *         keyfob_options_set(options, "account", "ada@contoso.example", NULL);
 *         keyfob_options_set(options, "scope", "https://graph.microsoft.com/.default", NULL);
 *         int status = keyfob_open(NULL, &keyring, &error);
 *         if (status == KEYFOB_OK) status = keyfob_token(keyring, options, &token, &error);
 *         if (status == KEYFOB_OK) {
 *             printf("a token of %zu bytes\n", strlen(keyfob_answer_get(token, 0, "token")));
 *         } else {
 *             const char *hint = keyfob_error_get(error, "hint");  // NULL where there is none
 *             fprintf(stderr, "%s%s%s\n", keyfob_error_get(error, "message"), hint ? "; " : "", hint ? hint : "");
 *         }
 *         keyfob_error_free(error);
 *         keyfob_answer_free(token);
 *         keyfob_options_free(options);
 *         keyfob_close(keyring);
 *         return status;
 *     }
 *
 * STRINGS are UTF-8 and end with a zero byte. What the library gives belongs to the object that it was asked of, and is
 * there until that is freed. What it is given it has copied when the call returns. One value of an option is at most
 * 64 KiB; an option has at most 1000 values.
 *
 * ERRORS. Each call that can fail returns 0 or the status with which the command `keyfob` would end, as below. Where
 * `error` is not NULL, `*error` is then an object to be freed with keyfob_error_free, and NULL after a success. No
 * error holds a token or a passphrase. Messages name options as the command does, with two dashes.
 *
 * MEMORY. NULL may be freed. An object that was freed, an object of another kind than a call takes, and a pointer that
 * is none of this library's are KEYFOB_USAGE; freeing it again does nothing. Tokens and keys lie in locked memory that no core dump has, and are wiped when their
 * object is freed; what a program copies of them is its own.
 *
 * THREADS. A keyring may be used by several threads at once, which take turns, though none waits for the network of
 * another; several keyrings, also of one vault, are independent. It may be closed while other threads use it: calls in
 * progress end as if it were open, and the keys are wiped after the last of them. Options are to be used by one thread at
 * a time. Answers and errors do not change, and may be read by all; who frees one is the last to use its strings.
 * The first keyfob_open of a process is to have returned before another thread calls setenv.
 *
 * FORKS. In the child of a fork, a keyring that was opened before it is refused with KEYFOB_USAGE: open it there again,
 * and close the old one in the parent alone. A fork waits, at most three seconds, for the calls of other threads to end.
 * Where one has not ended then, the library refuses all calls in the child with KEYFOB_USAGE and no error object: run
 * another program there. Run one too where the desktop's keyring (the Secret Service) unlocked a keyring in the parent.
 *
 * THE PROCESS stays as it is. The library prints nothing, asks nothing on a terminal, starts no program but Keyfob's own
 * (see keyfob_token), installs no handler of signals, and changes no limits, directory or masks; it is not confined as the
 * command is. It opens files with O_CLOEXEC. SIGPIPE: sockets are written to by threads of its own that block all signals,
 * or without that signal.
 * A call that has to renew a token waits for it: some seconds, and at most about a minute. Where the library renews it by
 * itself, a program that ends at that moment may lose the sign-in, as by a power cut; so let calls return before you call exit.
 * Other programs, the command among them, renew the same token under the same locks: once for all.
 */
#ifndef KEYFOB_H
#define KEYFOB_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The statuses that calls return; those of the command. keyfob_error_get(error, "code") tells more exactly. */
enum {
    KEYFOB_OK = 0,
    KEYFOB_FAILURE = 1,
    KEYFOB_SIGN_IN_NEEDED = 10, /* a person must sign in */
    KEYFOB_AMBIGUOUS = 11,      /* several accounts, or tokens, fit */
    KEYFOB_LOCKED = 12,         /* nothing that can be used without asking opens the vault */
    KEYFOB_NOT_FOUND = 13,      /* no such account, group, provider or client */
    KEYFOB_SCOPES_DECLINED = 14,
    KEYFOB_CANCELLED = 15,
    KEYFOB_USAGE = 64,          /* the request contradicts itself, or an argument is none */
    KEYFOB_MALFORMED = 65,      /* damaged, too large, taken back to an earlier state, or another vault than before */
    KEYFOB_NO_INPUT = 66,       /* no vault, or no such file */
    KEYFOB_UNAVAILABLE = 69,    /* the provider refuses, or the system lacks something */
    KEYFOB_CANNOT_CREATE = 73,
    KEYFOB_INPUT_OUTPUT = 74,
    KEYFOB_TRY_AGAIN = 75,      /* the provider cannot be reached or asks to wait, or another process holds the vault */
    KEYFOB_NO_PERMISSION = 77,  /* a wrong key, a group that it does not open, or a host the token does not go to */
    KEYFOB_CONFIGURATION = 78
};

typedef struct keyfob_options keyfob_options;
typedef struct keyfob_keyring keyfob_keyring;
typedef struct keyfob_answer keyfob_answer;
typedef struct keyfob_error keyfob_error;

/* The library's version, such as "1.0.0". */
const char *keyfob_version(void);

/* Options: names and values, the names being those of the command's options without their dashes.
 *
 * Each call takes the options that are named beside it, and refuses others with KEYFOB_USAGE. Where `options` is NULL,
 * none is given. What is not given, the environment gives as it does for the command: KEYFOB_VAULT, KEYFOB_KEY_FILE,
 * KEYFOB_CA_FILE, KEYFOB_ACCOUNT, KEYFOB_GROUP and the variables for proxies, as they were at keyfob_open. */
keyfob_options *keyfob_options_new(void);

/* Sets an option: a text, a number in decimal, or "true" and "false". "scope" and "group" collect one value for each
 * call, the others keep the last. NULL takes all values away. */
int keyfob_options_set(keyfob_options *options, const char *name, const char *value, keyfob_error **error);

void keyfob_options_free(keyfob_options *options);

/* Finds the vault and unlocks it: with the key file, where one is given; else with the key that `keyfob unlock` keeps for
 * the session or the user; else with what the desktop's keyring holds. Nobody is asked for a passphrase.
 *
 * Options: vault, key-file, ca-file, and may-ask ("true": the desktop's keyring may ask a person in its own window).
 * KEYFOB_LOCKED says that a person has to run `keyfob unlock`.
 *
 * Where none of these opens the vault and `keyfob agent` runs and has it open, the agent stands in its place: keyfob_token,
 * keyfob_refuse and keyfob_accounts ask it, which sees this program and gives what it was allowed (`keyfob program allow`;
 * KEYFOB_NO_PERMISSION says that nobody has allowed it); the calls for caches, undos and keyfob_remove_account are KEYFOB_LOCKED. A
 * call then may wait until a person on the desktop has answered, three minutes at most. */
int keyfob_open(const keyfob_options *options, keyfob_keyring **keyring, keyfob_error **error);

/* Forgets the keys. Answers that it gave stay. */
void keyfob_close(keyfob_keyring *keyring);

/* A token, from what is stored while that is fresh, or renewed at the provider. Without an account, it is chosen as the
 * command chooses it: by what can serve the request, by bindings of the directory, URL and tool, and by what was chosen
 * before; "tool" is the calling program's name unless given.
 *
 * Where Keyfob's full program is installed with the library, of the same release, a process of it renews the token, so that
 * no sign-in is lost when this program is killed meanwhile. That process is no child of this program, which gets no signal
 * at its end, and goes on without it. Then it waits 20 seconds, without a key, for the next call for that keyring; it ends
 * with the keyring. Elsewhere, and where it cannot be started, the library renews the token by itself.
 *
 * Options: account, scope, resource, authority, tenant, client, url, allow-host, tool, group, min-validity (seconds),
 * force-refresh, claims, extended-lifetime, offline; see `keyfob token --help`.
 * The answer has one row: token, tokenType, expiresOn (RFC 3339), expiresAt (seconds since 1970), scopes (with spaces
 * between), account (its id), username, group, clientID, tenant, source ("stored", "extended", "provider"). */
int keyfob_token(keyfob_keyring *keyring, const keyfob_options *options, keyfob_answer **answer, keyfob_error **error);

/* Tells that a service has refused a token with a 401, so that the next request gets another where one can be had. It
 * is the token that counts: whoever names another than the stored one changes nothing. Options: as for keyfob_token. */
int keyfob_refuse(keyfob_keyring *keyring, const keyfob_options *options, const char *token, keyfob_error **error);

/* The accounts, a row each, with the values that an account has in `keyfob account list --json`, by the same names, which
 * Schemas/account-list.schema.json explains: "id", "username", "group", "state" and so on. What there are several of has a
 * line each (of tenants their ids), flags are "true" and "false", times are as RFC 3339 has them. "*" names all values of a
 * row and what they are: `id:text isDefault:flag tenants:lines …`. Options: group. */
int keyfob_accounts(keyfob_keyring *keyring, const keyfob_options *options, keyfob_answer **answer,
                    keyfob_error **error);

/* What the owner should know since the last call, a row each: code, message, hint, advice. For example that the vault was
 * taken back to an earlier state, that an old token was used, or that a sign-in ends soon. */
int keyfob_warnings(keyfob_keyring *keyring, keyfob_answer **answer, keyfob_error **error);

/* All accounts and tokens, refresh tokens among them, in the form of MSAL's caches. Options: account, group. The answer
 * has one row: cache. */
int keyfob_read_cache(keyfob_keyring *keyring, const keyfob_options *options, keyfob_answer **answer,
                      keyfob_error **error);

/* Takes in accounts and tokens in the form of MSAL's caches, in one step; what it does not have stays. An account that
 * was removed comes back with its new tokens. Options: group, of which the first counts. */
int keyfob_write_cache(keyfob_keyring *keyring, const keyfob_options *options, const char *json, size_t length,
                       keyfob_error **error);

/* The entries of one section of MSAL's cache that may be those which are looked for, in the form of such a cache; it
 * costs the same however many accounts there are, where an account is named. The answer has one row: cache. Options:
 * section ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata"), home-account-id (empty: tokens of
 * applications), environment, client, group. The caller compares the fields. */
int keyfob_find_entries(keyfob_keyring *keyring, const keyfob_options *options, keyfob_answer **answer,
                        keyfob_error **error);

/* Puts and removes entries as MSAL changes its cache: by their keys, and no other entry. `json` is
 * {"put": {SECTION: {KEY: ENTRY}}, "remove": {SECTION: {KEY: ENTRY}}}. All of it is done, or nothing. `keyfob undo` brings
 * back what was removed and is not got again without a person: accounts, refresh tokens, and access tokens of clients that
 * have no refresh token. Options: group, of which the first gets what is new. */
int keyfob_change_entries(keyfob_keyring *keyring, const keyfob_options *options, const char *json, size_t length,
                          keyfob_error **error);

/* Removes an account with its tokens from a group, or with "client" what that client has of it. An account that several
 * clients are signed in to is KEYFOB_AMBIGUOUS unless "forget" is "true". The provider is not told; `keyfob undo` brings
 * back what went. Options: account, which the environment does not stand in for, client, forget, and group. */
int keyfob_remove_account(keyfob_keyring *keyring, const keyfob_options *options, keyfob_error **error);

/* What commands and programs have changed and can be undone, a row each, the newest first: id, command, time and until
 * (RFC 3339), groups and accounts (a line each), changes ("true" where undoing it changes something as things stand), isUndo,
 * lasting (what it did that no undo takes back, a line each; NULL where there is nothing).
 * Options: group. */
int keyfob_undoable(keyfob_keyring *keyring, const keyfob_options *options, keyfob_answer **answer,
                    keyfob_error **error);

/* Undoes an entry: what it removed or replaced comes back, what it added goes. Nobody is asked. What is there and newer stays,
 * unless "force" is "true". Without "id" it takes the newest entry that is no undo itself, and no older one. The answer has
 * a row for each item: id, command, undo (the entry of this undo, which can be undone too; NULL where there is none), group,
 * kind, account (its id), clientID, text and outcome, as Schemas/undo-list.schema.json explains them. Options: id, force,
 * group. KEYFOB_NOT_FOUND says that there is nothing to undo. KEYFOB_FAILURE with the code "notUndoable" says that what was done
 * last cannot be undone, what to do instead, and by which id an older change is undone. */
int keyfob_undo(keyfob_keyring *keyring, const keyfob_options *options, keyfob_answer **answer, keyfob_error **error);

/* How many rows an answer has; 0 for NULL. */
size_t keyfob_answer_count(const keyfob_answer *answer);

/* A value of a row, the first row being 0; NULL where there is no such row or name, or the value is not known. */
const char *keyfob_answer_get(const keyfob_answer *answer, size_t row, const char *name);

void keyfob_answer_free(keyfob_answer *answer);

/* The status, as the call returned it; 0 for NULL. */
int keyfob_error_status(const keyfob_error *error);

/* "code": the error's name, which is stable (Schemas/error.schema.json). "message": what, where; one line. "hint": what
 * to do, such as a command to type; NULL where there is nothing. "advice": the hint's name, which is stable; NULL where it
 * has none. "candidates": the accounts, groups or clients that the error is about, a line each; NULL where there are none.
 *
 * Where a person can continue a request for a token: "action", what to do (signIn, consent, secondFactor, newPassword,
 * meetPolicy, invitation, administrator, otherScopes, otherClient), and what a sign-in has to repeat: "provider", "account"
 * (its id), "name" (as it can be typed), "group", "tenant", "clientID", "scopes" (with spaces between) and "claims".
 * "command" is the sign-in as one command to type, and "continuation" the name that `keyfob login --continue` takes for an
 * hour. Each is NULL where there is none. */
const char *keyfob_error_get(const keyfob_error *error, const char *name);

void keyfob_error_free(keyfob_error *error);

#ifdef __cplusplus
}
#endif

#endif
