/* Asks the library for a new token, and says with one byte that it begins. */
#include <keyfob.h>
#include <unistd.h>

int main(void) {
    keyfob_keyring *keyring;
    keyfob_answer *answer;
    keyfob_options *options = keyfob_options_new();
    int status = keyfob_open(NULL, &keyring, NULL);
    if (status == KEYFOB_OK) status = keyfob_options_set(options, "force-refresh", "true", NULL);
    if (status == KEYFOB_OK && write(STDOUT_FILENO, ".", 1) == 1) status = keyfob_token(keyring, options, &answer, NULL);
    return status;
}
