// What Keyfob calls of OpenSSL 3's libcrypto, found with dlsym(3) and never linked: it checks the signatures of ID tokens,
// and makes those of proofs and of clients.
// Everything but a sign-in must run where it is not installed.
//
// The signatures, numbers and names are written down here, so that building needs no headers of OpenSSL. A test compiles
// this file with CLIBCRYPTO_COMPARE, which compares each with the real one.
#ifndef KEYFOB_CLIBCRYPTO_H
#define KEYFOB_CLIBCRYPTO_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CLIBCRYPTO_COMPARE
#include <openssl/bn.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#else
struct bignum_st;
struct evp_md_ctx_st;
struct evp_pkey_ctx_st;
struct evp_pkey_st;
struct ossl_init_settings_st;
struct ossl_lib_ctx_st;
struct ossl_provider_st;
struct ossl_param_st {
    const char *_Nullable key;
    unsigned int data_type;
    void *_Nullable data;
    size_t data_size;
    size_t return_size;
};
#endif

#pragma clang assume_nonnull begin

// F(result, name, (parameters))
#define LIBCRYPTO_FUNCTIONS(F)                                                                                         \
    F(int, OPENSSL_init_crypto, (uint64_t, const struct ossl_init_settings_st *_Nullable))                             \
    F(int, ERR_set_mark, (void))                                                                                       \
    F(int, ERR_pop_to_mark, (void))                                                                                    \
    F(struct ossl_lib_ctx_st *_Nullable, OSSL_LIB_CTX_new, (void))                                                     \
    F(void, OSSL_LIB_CTX_free, (struct ossl_lib_ctx_st *_Nullable))                                                    \
    F(struct ossl_provider_st *_Nullable, OSSL_PROVIDER_load, (struct ossl_lib_ctx_st *, const char *))                \
    F(struct evp_pkey_ctx_st *_Nullable, EVP_PKEY_CTX_new_from_name,                                                   \
      (struct ossl_lib_ctx_st *, const char *, const char *_Nullable))                                                 \
    F(struct evp_pkey_ctx_st *_Nullable, EVP_PKEY_CTX_new_from_pkey,                                                   \
      (struct ossl_lib_ctx_st *, struct evp_pkey_st *, const char *_Nullable))                                         \
    F(void, EVP_PKEY_CTX_free, (struct evp_pkey_ctx_st *_Nullable))                                                    \
    F(int, EVP_PKEY_fromdata_init, (struct evp_pkey_ctx_st *))                                                         \
    F(int, EVP_PKEY_fromdata,                                                                                          \
      (struct evp_pkey_ctx_st *, struct evp_pkey_st *_Nullable *_Nonnull, int, struct ossl_param_st *))                \
    F(int, EVP_PKEY_public_check, (struct evp_pkey_ctx_st *))                                                          \
    F(void, EVP_PKEY_free, (struct evp_pkey_st *_Nullable))                                                            \
    F(struct evp_md_ctx_st *_Nullable, EVP_MD_CTX_new, (void))                                                         \
    F(void, EVP_MD_CTX_free, (struct evp_md_ctx_st *_Nullable))                                                        \
    F(int, EVP_DigestVerifyInit_ex,                                                                                    \
      (struct evp_md_ctx_st *, struct evp_pkey_ctx_st *_Nullable *_Nullable, const char *, struct ossl_lib_ctx_st *,   \
       const char *_Nullable, struct evp_pkey_st *, const struct ossl_param_st *_Nullable))                            \
    F(int, EVP_DigestVerify, (struct evp_md_ctx_st *, const unsigned char *, size_t, const unsigned char *, size_t))   \
    F(int, EVP_DigestSignInit_ex,                                                                                      \
      (struct evp_md_ctx_st *, struct evp_pkey_ctx_st *_Nullable *_Nullable, const char *_Nullable,                    \
       struct ossl_lib_ctx_st *, const char *_Nullable, struct evp_pkey_st *, const struct ossl_param_st *_Nullable))                            \
    F(int, EVP_DigestSign, (struct evp_md_ctx_st *, unsigned char *, size_t *, const unsigned char *, size_t))         \
    F(int, EVP_PKEY_keygen_init, (struct evp_pkey_ctx_st *))                                                           \
    F(int, EVP_PKEY_CTX_set_params, (struct evp_pkey_ctx_st *, const struct ossl_param_st *))                          \
    F(int, EVP_PKEY_generate, (struct evp_pkey_ctx_st *, struct evp_pkey_st *_Nullable *_Nonnull))                     \
    F(int, EVP_PKEY_get_octet_string_param,                                                                            \
      (const struct evp_pkey_st *, const char *, unsigned char *, size_t, size_t *))                                   \
    F(int, EVP_PKEY_get_bn_param, (const struct evp_pkey_st *, const char *, struct bignum_st *_Nullable *_Nonnull))   \
    F(struct evp_pkey_st *_Nullable, d2i_AutoPrivateKey_ex,                                                            \
      (struct evp_pkey_st *_Nullable *_Nullable, const unsigned char *_Nonnull *_Nonnull, long,                        \
       struct ossl_lib_ctx_st *, const char *_Nullable))                                                               \
    F(int, EVP_PKEY_is_a, (const struct evp_pkey_st *, const char *))                                                  \
    F(unsigned char *_Nullable, EVP_Q_mac,                                                                             \
      (struct ossl_lib_ctx_st *, const char *, const char *_Nullable, const char *_Nullable,                           \
       const struct ossl_param_st *_Nullable, const void *, size_t, const unsigned char *, size_t, unsigned char *,    \
       size_t, size_t *))                                                                                              \
    F(int, BN_bn2binpad, (const struct bignum_st *, unsigned char *, int))                                             \
    F(void, BN_clear_free, (struct bignum_st *_Nullable))

#define LIBCRYPTO_DECLARE(result, name, parameters) result(*name) parameters;
/// The functions, once loaded.
struct libcrypto_functions {
    LIBCRYPTO_FUNCTIONS(LIBCRYPTO_DECLARE)
};

// N(what it is called, in OpenSSL with this prefix, its number)
#define LIBCRYPTO_NUMBERS(N)                                                                                           \
    N(INIT_NO_ATEXIT, OPENSSL_, 0x00080000)                                                                            \
    N(PUBLIC_KEY, EVP_PKEY_, 0x86)                                                                                     \
    N(PRIVATE_KEY, OSSL_KEYMGMT_SELECT_, 0x01)                                                                         \
    N(UNSIGNED_INTEGER, OSSL_PARAM_, 2)                                                                                \
    N(UTF8_STRING, OSSL_PARAM_, 4)                                                                                     \
    N(OCTET_STRING, OSSL_PARAM_, 5)

#define LIBCRYPTO_NUMBER(name, prefix, number) libcrypto_##name = number,
enum { LIBCRYPTO_NUMBERS(LIBCRYPTO_NUMBER) };

// S(what it is called, in OpenSSL with this prefix, its text)
#define LIBCRYPTO_NAMES(S)                                                                                             \
    S(RSA_N, OSSL_PKEY_PARAM_, "n")                                                                                    \
    S(RSA_E, OSSL_PKEY_PARAM_, "e")                                                                                    \
    S(GROUP_NAME, OSSL_PKEY_PARAM_, "group")                                                                           \
    S(PUB_KEY, OSSL_PKEY_PARAM_, "pub")                                                                                \
    S(PRIV_KEY, OSSL_PKEY_PARAM_, "priv")                                                                              \
    S(PAD_MODE, OSSL_PKEY_PARAM_, "pad-mode")                                                                          \
    S(RSA_PSS_SALTLEN, OSSL_PKEY_PARAM_, "saltlen")                                                                    \
    S(RSA_PAD_MODE_PKCSV15, OSSL_PKEY_, "pkcs1")                                                                       \
    S(RSA_PAD_MODE_PSS, OSSL_PKEY_, "pss")                                                                             \
    S(RSA_PSS_SALT_LEN_DIGEST, OSSL_PKEY_, "digest")

#define LIBCRYPTO_NAME(name, prefix, text) static const char libcrypto_##name[] = text;
LIBCRYPTO_NAMES(LIBCRYPTO_NAME)

static inline struct ossl_param_st libcrypto_parameter(const char *_Nullable name, unsigned int type,
                                                       const void *_Nullable data, size_t size) {
    // OpenSSL reads these; the members are not const because it writes others.
    return (struct ossl_param_st){name, type, (void *)data, size, (size_t)-1};
}

/// What a check of a signature gives.
enum libcrypto_verdict { libcrypto_good, libcrypto_bad, libcrypto_no_key };

// The key of these parameters, public or a pair; NULL where they make none, as with a point that is not on the curve.
static inline struct evp_pkey_st *_Nullable libcrypto_key(const struct libcrypto_functions *functions,
                                                          struct ossl_lib_ctx_st *context, const char *type, int parts,
                                                          struct ossl_param_st *parameters) {
    struct evp_pkey_st *key = NULL;
    struct evp_pkey_ctx_st *making = functions->EVP_PKEY_CTX_new_from_name(context, type, NULL);
    const int is_made = making != NULL && functions->EVP_PKEY_fromdata_init(making) == 1
        && functions->EVP_PKEY_fromdata(making, &key, parts, parameters) == 1;
    functions->EVP_PKEY_CTX_free(making);
    return is_made ? key : NULL;
}

// Whether OpenSSL finds a key valid: of a curve, a point of its order; of RSA, a modulus that is neither prime nor the power of
// a prime, and has no factor below 752.
static inline int libcrypto_is_valid(const struct libcrypto_functions *functions, struct ossl_lib_ctx_st *context,
                                     struct evp_pkey_st *key) {
    struct evp_pkey_ctx_st *checking = functions->EVP_PKEY_CTX_new_from_pkey(context, key, NULL);
    const int is_valid = checking != NULL && functions->EVP_PKEY_public_check(checking) == 1;
    functions->EVP_PKEY_CTX_free(checking);
    return is_valid;
}

static inline enum libcrypto_verdict libcrypto_verify(const struct libcrypto_functions *functions,
                                                      struct ossl_lib_ctx_st *context, const char *type,
                                                      struct ossl_param_st *key_parameters, const char *digest,
                                                      const struct ossl_param_st *_Nullable parameters,
                                                      const unsigned char *signature, size_t signature_size,
                                                      const void *message, size_t message_size) {
    enum libcrypto_verdict verdict = libcrypto_no_key;
    // The thread's queue of errors belongs to whoever else uses OpenSSL, and stays as it is.
    functions->ERR_set_mark();
    struct evp_pkey_st *key = libcrypto_key(functions, context, type, libcrypto_PUBLIC_KEY, key_parameters);
    if (key != NULL) {
        struct evp_md_ctx_st *verifying = functions->EVP_MD_CTX_new();
        const int is_good = verifying != NULL
            && functions->EVP_DigestVerifyInit_ex(verifying, NULL, digest, context, NULL, key, parameters) == 1
            && functions->EVP_DigestVerify(verifying, signature, signature_size, message, message_size) == 1;
        functions->EVP_MD_CTX_free(verifying);
        // A key is judged by itself only where that decides: with RSA it takes many times as long as the signature.
        if (!is_good) verdict = libcrypto_bad;
        else if (libcrypto_is_valid(functions, context, key)) verdict = libcrypto_good;
        functions->EVP_PKEY_free(key);
    }
    functions->ERR_pop_to_mark();
    return verdict;
}

// Checks a signature by RSA: PSS with a salt as long as the digest, or PKCS #1 v1.5. The numbers have the machine's order of
// bytes.
static inline enum libcrypto_verdict libcrypto_verify_rsa(const struct libcrypto_functions *functions,
                                                          struct ossl_lib_ctx_st *context,
                                                          const unsigned char *modulus, size_t modulus_size,
                                                          const unsigned char *exponent, size_t exponent_size,
                                                          const char *digest, int is_pss,
                                                          const unsigned char *signature, size_t signature_size,
                                                          const void *message, size_t message_size) {
    struct ossl_param_st key[] = {
        libcrypto_parameter(libcrypto_RSA_N, libcrypto_UNSIGNED_INTEGER, modulus, modulus_size),
        libcrypto_parameter(libcrypto_RSA_E, libcrypto_UNSIGNED_INTEGER, exponent, exponent_size),
        libcrypto_parameter(NULL, 0, NULL, 0),
    };
    const struct ossl_param_st pkcs1[] = {
        libcrypto_parameter(libcrypto_PAD_MODE, libcrypto_UTF8_STRING, libcrypto_RSA_PAD_MODE_PKCSV15,
                            sizeof libcrypto_RSA_PAD_MODE_PKCSV15 - 1),
        libcrypto_parameter(NULL, 0, NULL, 0),
    };
    const struct ossl_param_st pss[] = {
        libcrypto_parameter(libcrypto_PAD_MODE, libcrypto_UTF8_STRING, libcrypto_RSA_PAD_MODE_PSS,
                            sizeof libcrypto_RSA_PAD_MODE_PSS - 1),
        libcrypto_parameter(libcrypto_RSA_PSS_SALTLEN, libcrypto_UTF8_STRING, libcrypto_RSA_PSS_SALT_LEN_DIGEST,
                            sizeof libcrypto_RSA_PSS_SALT_LEN_DIGEST - 1),
        libcrypto_parameter(NULL, 0, NULL, 0),
    };
    return libcrypto_verify(functions, context, "RSA", key, digest, is_pss ? pss : pkcs1, signature, signature_size,
                            message, message_size);
}

// Checks a signature by ECDSA, in DER; the point is uncompressed, with the 4 before it.
static inline enum libcrypto_verdict libcrypto_verify_ecdsa(const struct libcrypto_functions *functions,
                                                            struct ossl_lib_ctx_st *context, const char *curve,
                                                            size_t curve_size, const unsigned char *point,
                                                            size_t point_size, const char *digest,
                                                            const unsigned char *signature, size_t signature_size,
                                                            const void *message, size_t message_size) {
    struct ossl_param_st key[] = {
        libcrypto_parameter(libcrypto_GROUP_NAME, libcrypto_UTF8_STRING, curve, curve_size),
        libcrypto_parameter(libcrypto_PUB_KEY, libcrypto_OCTET_STRING, point, point_size),
        libcrypto_parameter(NULL, 0, NULL, 0),
    };
    return libcrypto_verify(functions, context, "EC", key, digest, NULL, signature, signature_size, message,
                            message_size);
}

static const char libcrypto_P256[] = "P-256";

// Makes a key of P-256: the point, uncompressed, with the 4 before it, and the number that is secret, the highest byte first.
// Gives whether there is one.
static inline int libcrypto_make_p256(const struct libcrypto_functions *functions, struct ossl_lib_ctx_st *context,
                                      unsigned char point[_Nonnull 65], unsigned char secret[_Nonnull 32]) {
    const struct ossl_param_st parameters[] = {
        libcrypto_parameter(libcrypto_GROUP_NAME, libcrypto_UTF8_STRING, libcrypto_P256, sizeof libcrypto_P256 - 1),
        libcrypto_parameter(NULL, 0, NULL, 0),
    };
    struct evp_pkey_st *key = NULL;
    struct bignum_st *number = NULL;
    size_t size = 0;
    functions->ERR_set_mark();
    struct evp_pkey_ctx_st *making = functions->EVP_PKEY_CTX_new_from_name(context, "EC", NULL);
    const int is_made = making != NULL && functions->EVP_PKEY_keygen_init(making) == 1
        && functions->EVP_PKEY_CTX_set_params(making, parameters) == 1
        && functions->EVP_PKEY_generate(making, &key) == 1
        && functions->EVP_PKEY_get_octet_string_param(key, libcrypto_PUB_KEY, point, 65, &size) == 1 && size == 65
        && point[0] == 4 && functions->EVP_PKEY_get_bn_param(key, libcrypto_PRIV_KEY, &number) == 1
        && functions->BN_bn2binpad(number, secret, 32) == 32;
    functions->BN_clear_free(number);
    functions->EVP_PKEY_free(key);
    functions->EVP_PKEY_CTX_free(making);
    functions->ERR_pop_to_mark();
    return is_made;
}

// Signs by a key. Gives the size of the signature, or 0.
static inline size_t libcrypto_signed(const struct libcrypto_functions *functions, struct ossl_lib_ctx_st *context,
                                      struct evp_pkey_st *key, const char *_Nullable digest,
                                      const struct ossl_param_st *_Nullable parameters, const void *message,
                                      size_t message_size, unsigned char *signature, size_t room) {
    struct evp_md_ctx_st *signing = functions->EVP_MD_CTX_new();
    const int is_signed = signing != NULL
        && functions->EVP_DigestSignInit_ex(signing, NULL, digest, context, NULL, key, parameters) == 1
        && functions->EVP_DigestSign(signing, signature, &room, message, message_size) == 1;
    functions->EVP_MD_CTX_free(signing);
    return is_signed ? room : 0;
}

// Signs by ECDSA with P-256 and SHA-256, in DER; the secret number has the machine's order of bytes. Gives the size of the
// signature, of at most 72 bytes, or 0.
static inline size_t libcrypto_sign_p256(const struct libcrypto_functions *functions, struct ossl_lib_ctx_st *context,
                                         const unsigned char point[_Nonnull 65],
                                         const unsigned char secret[_Nonnull 32], const void *message,
                                         size_t message_size, unsigned char signature[_Nonnull 72]) {
    struct ossl_param_st parameters[] = {
        libcrypto_parameter(libcrypto_GROUP_NAME, libcrypto_UTF8_STRING, libcrypto_P256, sizeof libcrypto_P256 - 1),
        libcrypto_parameter(libcrypto_PUB_KEY, libcrypto_OCTET_STRING, point, 65),
        libcrypto_parameter(libcrypto_PRIV_KEY, libcrypto_UNSIGNED_INTEGER, secret, 32),
        libcrypto_parameter(NULL, 0, NULL, 0),
    };
    size_t size = 0;
    functions->ERR_set_mark();
    struct evp_pkey_st *key = libcrypto_key(functions, context, "EC", libcrypto_PUBLIC_KEY | libcrypto_PRIVATE_KEY, parameters);
    if (key != NULL) {
        size = libcrypto_signed(functions, context, key, "SHA256", NULL, message, message_size, signature, 72);
        functions->EVP_PKEY_free(key);
    }
    functions->ERR_pop_to_mark();
    return size;
}

// Signs by a private key in DER: with ECDSA in DER, and by PSS with a salt as long as the digest. `digest` is NULL for Ed25519. Gives the
// size of the signature, or 0, also where the key is of another type.
static inline size_t libcrypto_sign(const struct libcrypto_functions *functions, struct ossl_lib_ctx_st *context,
                                    const unsigned char *der, size_t der_size, const char *type,
                                    const char *_Nullable digest, int is_pss, const void *message, size_t message_size,
                                    unsigned char *signature, size_t room) {
    const struct ossl_param_st pss[] = {
        libcrypto_parameter(libcrypto_PAD_MODE, libcrypto_UTF8_STRING, libcrypto_RSA_PAD_MODE_PSS,
                            sizeof libcrypto_RSA_PAD_MODE_PSS - 1),
        libcrypto_parameter(libcrypto_RSA_PSS_SALTLEN, libcrypto_UTF8_STRING, libcrypto_RSA_PSS_SALT_LEN_DIGEST,
                            sizeof libcrypto_RSA_PSS_SALT_LEN_DIGEST - 1),
        libcrypto_parameter(NULL, 0, NULL, 0),
    };
    size_t size = 0;
    const unsigned char *start = der;
    functions->ERR_set_mark();
    struct evp_pkey_st *key = functions->d2i_AutoPrivateKey_ex(NULL, &start, (long)der_size, context, NULL);
    if (key != NULL && functions->EVP_PKEY_is_a(key, type) == 1)
        size = libcrypto_signed(functions, context, key, digest, is_pss ? pss : NULL, message, message_size, signature, room);
    functions->EVP_PKEY_free(key);
    functions->ERR_pop_to_mark();
    return size;
}

// The code of a message by HMAC with this digest. Gives its size, of at most 64 bytes, or 0.
static inline size_t libcrypto_mac(const struct libcrypto_functions *functions, struct ossl_lib_ctx_st *context,
                                   const char *digest, const void *secret, size_t secret_size, const void *message,
                                   size_t message_size, unsigned char code[_Nonnull 64]) {
    size_t size = 0;
    functions->ERR_set_mark();
    const unsigned char *made = functions->EVP_Q_mac(context, "HMAC", NULL, digest, NULL, secret, secret_size, message,
                                                     message_size, code, 64, &size);
    functions->ERR_pop_to_mark();
    return made == NULL ? 0 : size;
}

#define LIBCRYPTO_FIND(result, name, parameters)                                                                       \
    *(void **)(&functions->name) = dlsym(library, #name);                                                              \
    if (*(void **)(&functions->name) == NULL) return NULL;

// Fills `functions` from a library and gives a context of OpenSSL's for Keyfob alone; NULL where either is not to be had. The
// library stays loaded.
//
// Such a context reads no configuration, and leaves the one for TLS to libcurl: whoever initializes OpenSSL with
// OPENSSL_INIT_NO_LOAD_CONFIG switches it off for the whole process. Nothing is cleaned up at exit, when other threads may still
// be at work.
static inline struct ossl_lib_ctx_st *_Nullable libcrypto_load(void *library, struct libcrypto_functions *functions) {
    LIBCRYPTO_FUNCTIONS(LIBCRYPTO_FIND)
    if (functions->OPENSSL_init_crypto(libcrypto_INIT_NO_ATEXIT, NULL) != 1) return NULL;
    functions->ERR_set_mark();
    struct ossl_lib_ctx_st *context = functions->OSSL_LIB_CTX_new();
    if (context != NULL && functions->OSSL_PROVIDER_load(context, "default") == NULL) {
        functions->OSSL_LIB_CTX_free(context);
        context = NULL;
    }
    functions->ERR_pop_to_mark();
    return context;
}

#pragma clang assume_nonnull end

#ifdef CLIBCRYPTO_COMPARE
#define LIBCRYPTO_COMPARE(result, name, parameters)                                                                    \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((struct libcrypto_functions *)0)->name),                   \
                                                __typeof__(&name)), #name " has another signature");
LIBCRYPTO_FUNCTIONS(LIBCRYPTO_COMPARE)
#define LIBCRYPTO_COMPARE_NUMBER(name, prefix, number)                                                                 \
    _Static_assert((uint64_t)libcrypto_##name == (uint64_t)prefix##name, #name " is another number");
LIBCRYPTO_NUMBERS(LIBCRYPTO_COMPARE_NUMBER)
#define LIBCRYPTO_COMPARE_NAME(name, prefix, text)                                                                     \
    _Static_assert(__builtin_strcmp(text, prefix##name) == 0, #name " is another text");
LIBCRYPTO_NAMES(LIBCRYPTO_COMPARE_NAME)
_Static_assert((size_t)-1 == OSSL_PARAM_UNMODIFIED, "return_size");
_Static_assert(offsetof(struct ossl_param_st, key) == 0 && offsetof(struct ossl_param_st, data_type) == 8, "layout");
_Static_assert(offsetof(struct ossl_param_st, data) == 16 && offsetof(struct ossl_param_st, data_size) == 24, "layout");
_Static_assert(offsetof(struct ossl_param_st, return_size) == 32 && sizeof(struct ossl_param_st) == 40, "layout");
#endif

#endif
