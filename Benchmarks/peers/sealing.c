// What sealing costs: 100,000 records, each in two boxes of its own as VaultFormat.md has them, beside the same bytes in boxes of
// a page each. Prints seconds of processor time for sealing and for opening.
//
//   cc -O2 sealing.c -lsodium -o sealing && ./sealing
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RECORDS = 100000, CONTEXT = 144, NONCE = 24 };

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return at.tv_sec + at.tv_nsec / 1e9;
}

// nonce, commitment, ciphertext with its tag.
static void seal(unsigned char *box, const unsigned char *message, size_t count, const unsigned char *context, const unsigned char key[32]) {
    unsigned char input[CONTEXT + NONCE], both[64];
    randombytes_buf(box, NONCE);
    memcpy(input, context, CONTEXT);
    memcpy(input + CONTEXT, box, NONCE);
    crypto_generichash(both, 64, input, sizeof input, key, 32);
    memcpy(box + NONCE, both + 32, 32);
    crypto_aead_xchacha20poly1305_ietf_encrypt(box + 56, NULL, message, count, context, CONTEXT, NULL, box, both);
}

static int open_box(unsigned char *message, const unsigned char *box, size_t count, const unsigned char *context, const unsigned char key[32]) {
    unsigned char input[CONTEXT + NONCE], both[64];
    memcpy(input, context, CONTEXT);
    memcpy(input + CONTEXT, box, NONCE);
    crypto_generichash(both, 64, input, sizeof input, key, 32);
    return sodium_memcmp(both + 32, box + NONCE, 32) ||
        crypto_aead_xchacha20poly1305_ietf_decrypt(message, NULL, NULL, box + 56, count + 16, context, CONTEXT, box, both);
}

static void measure(const char *name, size_t boxes, size_t count) {
    unsigned char key[32], context[CONTEXT] = {0};
    unsigned char *message = calloc(1, count), *box = malloc(count + 72);
    randombytes_buf(key, sizeof key);
    double sealing = now();
    for (size_t i = 0; i < boxes; i++) {
        memcpy(context, &i, sizeof i);
        seal(box, message, count, context, key);
    }
    sealing = now() - sealing;
    double opening = now();
    int wrong = 0;
    for (size_t i = 0; i < boxes; i++) wrong |= open_box(message, box, count, context, key);
    opening = now() - opening;
    if (wrong) exit(1);
    printf("%-28s %9zu boxes of %6zu bytes: sealed in %.3f s, opened in %.3f s\n", name, boxes, count, sealing, opening);
    free(message);
    free(box);
}

int main(void) {
    if (sodium_init() < 0) return 1;
    // A refresh token's attributes, and a token of 1.5 KB.
    measure("a record's attributes", RECORDS, 512);
    measure("its secret", RECORDS, 2048);
    measure("both in pages of 8 KiB", (size_t)RECORDS * (512 + 1500) / 8192, 8192);
    measure("both in pages of 64 KiB", (size_t)RECORDS * (512 + 1500) / 65536, 65536);
    return 0;
}
