// Uses libcrypto as Keyfob does, and prints what the rest of the process then finds of OpenSSL: its queue of errors, its
// configuration (OPENSSL_CONF names one by which no digest is found), and whether it is cleaned up at exit.
#include <openssl/err.h>
#include <stdio.h>

#include "shim.h"

static struct libcrypto_functions functions;
static struct ossl_lib_ctx_st *context;

static void at_cleanup(void) { puts("cleaned up at exit"); }

// The verdict on a signature of nothing by a point of P-256: the curve's generator, or one that is not on the curve.
static void verify(const char *title, int is_on_curve) {
    unsigned char point[65] = {
        0x04, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2,
        0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
        0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b,
        0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
    };
    if (!is_on_curve) point[64] ^= 1;
    const unsigned char signature[] = {0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01}, message[1] = {0};
    const char *verdicts[] = {"good", "bad", "no key"};
    printf("%s: %s\n", title,
           verdicts[libcrypto_verify_ecdsa(&functions, context, "P-256", 5, point, sizeof point, "SHA256", signature,
                                           sizeof signature, message, 0)]);
}

static void say_errors(const char *title) {
    int count = 0;
    const unsigned long first = ERR_peek_error();
    while (ERR_get_error() != 0) count++;
    printf("%s: %d, %s\n", title, count, first == 0 ? "none" : ERR_GET_LIB(first) == ERR_LIB_USER ? "its own" : "another");
}

int main(void) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    context = library == NULL ? NULL : libcrypto_load(library, &functions);
    if (context == NULL) return 1;
    say_errors("errors after loading");
    verify("on the curve", 1);
    verify("off the curve", 0);
    say_errors("errors after checks");

    ERR_raise(ERR_LIB_USER, 1);
    verify("on the curve", 1);
    verify("off the curve", 0);
    say_errors("errors where there was one");

    printf("configuration: %s\n",
           OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL) == 1 && EVP_MD_fetch(NULL, "SHA256", NULL) == NULL
               ? "is that of the system" : "is ignored");
    ERR_clear_error();
    verify("on the curve", 1);
    OPENSSL_atexit(at_cleanup);
    return 0;
}
