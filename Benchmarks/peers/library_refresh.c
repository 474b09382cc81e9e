/* Asks libkeyfob for new tokens of an account, one after the other: library_refresh ACCOUNT COUNT */
#include <keyfob.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(keyfob_error *error) {
    fprintf(stderr, "%s\n", keyfob_error_get(error, "message"));
    return keyfob_error_status(error);
}

int main(int count, char **words) {
    keyfob_error *error = NULL;
    keyfob_keyring *keyring;
    keyfob_options *options = keyfob_options_new();
    if (count != 3) return 64;
    if (keyfob_options_set(options, "account", words[1], &error)) return failed(error);
    if (keyfob_options_set(options, "scope", "api.read", &error)) return failed(error);
    if (keyfob_options_set(options, "force-refresh", "true", &error)) return failed(error);
    if (keyfob_open(NULL, &keyring, &error)) return failed(error);
    for (int left = atoi(words[2]); left > 0; left--) {
        keyfob_answer *answer;
        if (keyfob_token(keyring, options, &answer, &error)) return failed(error);
        keyfob_answer_free(answer);
    }
    keyfob_close(keyring);
    return 0;
}
