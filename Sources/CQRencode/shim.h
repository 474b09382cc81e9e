// What Keyfob calls of libqrencode 4, found with dlsym(3) and never linked: where it is missing no QR code is shown, and
// nothing else changes.
#ifndef KEYFOB_CQRENCODE_H
#define KEYFOB_CQRENCODE_H

#include <dlfcn.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

// QRcode and QRecLevel of qrencode.h. The lowest bit of a byte tells whether the module is dark.
struct qrencode_code {
    int version;
    int width;
    unsigned char *data;
};
enum qrencode_level { qrencode_low = 0, qrencode_medium = 1 };

// The smallest code for a text, in bytes where nothing shorter will do; NULL where it is too long, or the library has no
// such function.
static inline struct qrencode_code *_Nullable qrencode_encode(void *library, const char *text, enum qrencode_level level) {
    struct qrencode_code *_Nullable (*encode)(const char *text, int version, enum qrencode_level level, int mode,
                                              int is_case_sensitive);
    *(void **)(&encode) = dlsym(library, "QRcode_encodeString");
    return encode != NULL ? encode(text, 0, level, 2, 1) : NULL;
}

static inline void qrencode_free(void *library, struct qrencode_code *code) {
    void (*release)(struct qrencode_code *code);
    *(void **)(&release) = dlsym(library, "QRcode_free");
    if (release != NULL) release(code);
}

#pragma clang assume_nonnull end

#endif
