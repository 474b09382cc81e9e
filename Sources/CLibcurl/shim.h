// What Keyfob calls of libcurl, found with dlsym(3) and never linked: a process that sends nothing must not pay for
// loading it, and must run where it is not installed.
//
// The signatures and numbers are written down here, so that building needs no headers of its. A test compiles this file
// with CLIBCURL_COMPARE, which compares each with the real one.
#ifndef KEYFOB_CLIBCURL_H
#define KEYFOB_CLIBCURL_H

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#ifdef CLIBCURL_COMPARE
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#else
struct curl_slist {
    char *_Nullable data;
    struct curl_slist *_Nullable next;
};
struct curl_version_info_data {
    unsigned int age;
    const char *_Nullable version;
    unsigned int version_num;
    const char *_Nullable host;
    int features;
    const char *_Nullable ssl_version;
};
struct CURLMsg {
    unsigned int msg;
    void *_Nullable easy_handle;
    union {
        void *_Nullable whatever;
        unsigned int result;
    } data;
};
struct curl_blob {
    const void *_Nullable data;
    size_t len;
    unsigned int flags;
};
struct curl_waitfd {
    int fd;
    short events;
    short revents;
};
#endif

#pragma clang assume_nonnull begin

typedef void *_Nullable (*libcurl_malloc)(size_t size);
typedef void (*libcurl_free)(void *_Nullable block);
typedef void *_Nullable (*libcurl_realloc)(void *_Nullable block, size_t size);
typedef char *_Nullable (*libcurl_strdup)(const char *text);
typedef void *_Nullable (*libcurl_calloc)(size_t count, size_t size);

// F(result, name, (parameters))
#define LIBCURL_FUNCTIONS(F)                                                                                           \
    F(unsigned int, curl_global_init_mem,                                                                              \
      (long, libcurl_malloc, libcurl_free, libcurl_realloc, libcurl_strdup, libcurl_calloc))                           \
    F(struct curl_version_info_data *_Nullable, curl_version_info, (unsigned int))                                     \
    F(void *_Nullable, curl_easy_init, (void))                                                                         \
    F(unsigned int, curl_easy_setopt, (void *, unsigned int, ...))                                                     \
    F(unsigned int, curl_easy_getinfo, (void *, unsigned int, ...))                                                    \
    F(unsigned int, curl_easy_pause, (void *, int))                                                                    \
    F(void, curl_easy_cleanup, (void *))                                                                               \
    F(struct curl_slist *_Nullable, curl_slist_append, (struct curl_slist *_Nullable, const char *))                   \
    F(void, curl_slist_free_all, (struct curl_slist *_Nullable))                                                       \
    F(void *_Nullable, curl_multi_init, (void))                                                                        \
    F(int, curl_multi_add_handle, (void *, void *))                                                                    \
    F(int, curl_multi_remove_handle, (void *, void *))                                                                 \
    F(int, curl_multi_perform, (void *, int *))                                                                        \
    F(int, curl_multi_poll, (void *, struct curl_waitfd *_Nullable, unsigned int, int, int *_Nullable))                \
    F(int, curl_multi_wakeup, (void *))                                                                                \
    F(struct CURLMsg *_Nullable, curl_multi_info_read, (void *, int *))                                                \
    F(int, curl_multi_cleanup, (void *))

#define LIBCURL_DECLARE(result, name, parameters) result(*name) parameters;
/// The functions, once loaded.
struct libcurl_functions {
    LIBCURL_FUNCTIONS(LIBCURL_DECLARE)
};

// N(what it is called, in libcurl with this prefix, its number)
#define LIBCURL_NUMBERS(N)                                                                                             \
    N(WRITEDATA, CURLOPT_, 10001)                                                                                      \
    N(URL, CURLOPT_, 10002)                                                                                            \
    N(PROXY, CURLOPT_, 10004)                                                                                          \
    N(WRITEFUNCTION, CURLOPT_, 20011)                                                                                  \
    N(READDATA, CURLOPT_, 10009)                                                                                       \
    N(READFUNCTION, CURLOPT_, 20012)                                                                                   \
    N(POSTFIELDS, CURLOPT_, 10015)                                                                                     \
    N(HTTPHEADER, CURLOPT_, 10023)                                                                                     \
    N(HEADERDATA, CURLOPT_, 10029)                                                                                     \
    N(SSLVERSION, CURLOPT_, 32)                                                                                        \
    N(CUSTOMREQUEST, CURLOPT_, 10036)                                                                                  \
    N(NOBODY, CURLOPT_, 44)                                                                                            \
    N(UPLOAD, CURLOPT_, 46)                                                                                            \
    N(POST, CURLOPT_, 47)                                                                                              \
    N(NETRC, CURLOPT_, 51)                                                                                             \
    N(FOLLOWLOCATION, CURLOPT_, 52)                                                                                    \
    N(POSTFIELDSIZE, CURLOPT_, 60)                                                                                     \
    N(HTTPPROXYTUNNEL, CURLOPT_, 61)                                                                                   \
    N(SSL_VERIFYPEER, CURLOPT_, 64)                                                                                    \
    N(CAINFO, CURLOPT_, 10065)                                                                                         \
    N(CAPATH, CURLOPT_, 10097)                                                                                         \
    N(FRESH_CONNECT, CURLOPT_, 74)                                                                                     \
    N(FORBID_REUSE, CURLOPT_, 75)                                                                                      \
    N(HEADERFUNCTION, CURLOPT_, 20079)                                                                                 \
    N(SSL_VERIFYHOST, CURLOPT_, 81)                                                                                    \
    N(HTTP_VERSION, CURLOPT_, 84)                                                                                      \
    N(NOSIGNAL, CURLOPT_, 99)                                                                                          \
    N(PROXYAUTH, CURLOPT_, 111)                                                                                        \
    N(TCP_KEEPALIVE, CURLOPT_, 213)                                                                                    \
    N(SSL_SESSIONID_CACHE, CURLOPT_, 150)                                                                              \
    N(CONNECTTIMEOUT_MS, CURLOPT_, 156)                                                                                \
    N(COPYPOSTFIELDS, CURLOPT_, 10165)                                                                                 \
    N(PROXYUSERNAME, CURLOPT_, 10175)                                                                                  \
    N(PROXYPASSWORD, CURLOPT_, 10176)                                                                                  \
    N(NOPROXY, CURLOPT_, 10177)                                                                                        \
    N(HEADEROPT, CURLOPT_, 229)                                                                                        \
    N(PATH_AS_IS, CURLOPT_, 234)                                                                                       \
    N(SUPPRESS_CONNECT_HEADERS, CURLOPT_, 265)                                                                         \
    N(SOCKS5_AUTH, CURLOPT_, 267)                                                                                      \
    N(MAXAGE_CONN, CURLOPT_, 288)                                                                                      \
    N(HTTP09_ALLOWED, CURLOPT_, 285)                                                                                   \
    N(SSLCERT_BLOB, CURLOPT_, 40291)                                                                                   \
    N(SSLKEY_BLOB, CURLOPT_, 40292)                                                                                    \
    N(BLOB_COPY, CURL_, 1)                                                                                             \
    N(PREREQFUNCTION, CURLOPT_, 20312)                                                                                 \
    N(PREREQDATA, CURLOPT_, 10313)                                                                                     \
    N(INFILESIZE_LARGE, CURLOPT_, 30115)                                                                               \
    N(PROTOCOLS_STR, CURLOPT_, 10318)                                                                                  \
    N(QUICK_EXIT, CURLOPT_, 322)                                                                                       \
    N(SSL_VERIFYRESULT, CURLINFO_, 0x20000D)                                                                           \
    N(HTTP_CONNECTCODE, CURLINFO_, 0x200016)                                                                           \
    N(OS_ERRNO, CURLINFO_, 0x200019)                                                                                   \
    N(UNSUPPORTED_PROTOCOL, CURLE_, 1)                                                                                 \
    N(COULDNT_RESOLVE_PROXY, CURLE_, 5)                                                                                \
    N(COULDNT_RESOLVE_HOST, CURLE_, 6)                                                                                 \
    N(COULDNT_CONNECT, CURLE_, 7)                                                                                      \
    N(WEIRD_SERVER_REPLY, CURLE_, 8)                                                                                   \
    N(PARTIAL_FILE, CURLE_, 18)                                                                                        \
    N(OPERATION_TIMEDOUT, CURLE_, 28)                                                                                  \
    N(SSL_CONNECT_ERROR, CURLE_, 35)                                                                                   \
    N(GOT_NOTHING, CURLE_, 52)                                                                                         \
    N(SSL_CERTPROBLEM, CURLE_, 58)                                                                                     \
    N(SEND_ERROR, CURLE_, 55)                                                                                          \
    N(RECV_ERROR, CURLE_, 56)                                                                                          \
    N(PEER_FAILED_VERIFICATION, CURLE_, 60)                                                                            \
    N(SSL_CACERT_BADFILE, CURLE_, 77)                                                                                  \
    N(PROXY_HANDSHAKE, CURLE_, 97)                                                                                     \
    N(WAIT_POLLIN, CURL_, 1)                                                                                           \
    N(WAIT_POLLOUT, CURL_, 4)                                                                                          \
    N(PAUSE_RECV, CURL, 1 << 0)                                                                                        \
    N(PAUSE_SEND, CURL, 1 << 2)                                                                                        \
    N(WRITEFUNC_PAUSE, CURL_, 0x10000001)                                                                              \
    N(READFUNC_PAUSE, CURL_, 0x10000001)                                                                               \
    N(HTTP_VERSION_1_1, CURL_, 2)                                                                                      \
    N(SSLVERSION_TLSv1_2, CURL_, 6)                                                                                    \
    N(AUTH_BASIC, CURL, 1)                                                                                            \
    N(HEADER_SEPARATE, CURL, 1)                                                                                        \
    N(GLOBAL_ALL, CURL_, 3)                                                                                            \
    N(VERSION_SSL, CURL_, 1 << 2)                                                                                      \
    N(VERSION_ASYNCHDNS, CURL_, 1 << 7)                                                                                \
    N(VERSION_THREADSAFE, CURL_, 1 << 30)

#define LIBCURL_NUMBER(name, prefix, number) libcurl_##name = number,
enum { LIBCURL_NUMBERS(LIBCURL_NUMBER) };

typedef size_t (*libcurl_receive)(char *bytes, size_t size, size_t count, void *receiver);
typedef int (*libcurl_prepare)(void *receiver, char *peer, char *own, int peer_port, int own_port);
// What that says where the request is not to be written.
enum { libcurl_prepare_abort = 1 };

// Swift cannot call functions that are variadic.

static inline int libcurl_set_number(const struct libcurl_functions *functions, void *easy, long option, long number) {
    return functions->curl_easy_setopt(easy, (unsigned int)option, number) == 0;
}

static inline int libcurl_set_pointer(const struct libcurl_functions *functions, void *easy, long option,
                                      const void *pointer) {
    return functions->curl_easy_setopt(easy, (unsigned int)option, pointer) == 0;
}

// Not even the library's default is left.
static inline int libcurl_clear(const struct libcurl_functions *functions, void *easy, long option) {
    return functions->curl_easy_setopt(easy, (unsigned int)option, (const void *)0) == 0;
}

static inline int libcurl_set_callbacks(const struct libcurl_functions *functions, void *easy, libcurl_prepare prepare,
                                        libcurl_receive head, libcurl_receive body, void *receiver) {
    return functions->curl_easy_setopt(easy, libcurl_PREREQFUNCTION, prepare) == 0
        && functions->curl_easy_setopt(easy, libcurl_PREREQDATA, receiver) == 0
        && functions->curl_easy_setopt(easy, libcurl_HEADERFUNCTION, head) == 0
        && functions->curl_easy_setopt(easy, libcurl_HEADERDATA, receiver) == 0
        && functions->curl_easy_setopt(easy, libcurl_WRITEFUNCTION, body) == 0
        && functions->curl_easy_setopt(easy, libcurl_WRITEDATA, receiver) == 0;
}

static inline int libcurl_set_source(const struct libcurl_functions *functions, void *easy, libcurl_receive give,
                                     void *giver) {
    return functions->curl_easy_setopt(easy, libcurl_READFUNCTION, give) == 0
        && functions->curl_easy_setopt(easy, libcurl_READDATA, giver) == 0;
}

// A certificate and its key, which stand in the same text in PEM; libcurl copies it. Of the libraries for TLS that it may have, those
// with the interface of OpenSSL take them so; others would leave them out in silence.
static inline int libcurl_set_identity(const struct libcurl_functions *functions, void *easy, const void *pem,
                                       size_t count) {
    const struct curl_version_info_data *version = functions->curl_version_info(0);
    if (version == NULL || version->ssl_version == NULL) return 0;
    const char *libraries[] = {"OpenSSL/", "LibreSSL/", "BoringSSL", "quictls/", "AWS-LC"};
    int is_known = 0;
    for (size_t index = 0; index < sizeof libraries / sizeof *libraries; index += 1)
        is_known |= strncmp(version->ssl_version, libraries[index], strlen(libraries[index])) == 0;
    if (!is_known) return 0;
    struct curl_blob blob = {(void *)pem, count, libcurl_BLOB_COPY};
    return functions->curl_easy_setopt(easy, libcurl_SSLCERT_BLOB, &blob) == 0
        && functions->curl_easy_setopt(easy, libcurl_SSLKEY_BLOB, &blob) == 0;
}

static inline long libcurl_number(const struct libcurl_functions *functions, void *easy, long info) {
    long number = 0;
    functions->curl_easy_getinfo(easy, (unsigned int)info, &number);
    return number;
}

// libcurl's memory, overwritten before it is freed: it copies headers and bodies, and with them tokens.

static inline void libcurl_wipe_and_free(void *_Nullable block) {
    if (block != NULL) explicit_bzero(block, malloc_usable_size(block));
    free(block);
}

static inline void *_Nullable libcurl_move(void *_Nullable block, size_t size) {
    size_t before = malloc_usable_size(block);
    if (block != NULL && size != 0 && size <= before) return block;
    void *moved = malloc(size);
    if (moved == NULL) return NULL;
    if (block != NULL) memcpy(moved, block, before < size ? before : size);
    libcurl_wipe_and_free(block);
    return moved;
}

#define LIBCURL_FIND(result, name, parameters)                                                                         \
    *(void **)(&functions->name) = dlsym(library, #name);                                                              \
    if (*(void **)(&functions->name) == NULL) return 0;

// Fills `functions` from a library and sets it up; 0 when one is missing, or it cannot do what is needed. The library stays
// loaded.
static inline int libcurl_load(void *library, struct libcurl_functions *functions) {
    LIBCURL_FUNCTIONS(LIBCURL_FIND)
    const int features = libcurl_VERSION_SSL | libcurl_VERSION_ASYNCHDNS | libcurl_VERSION_THREADSAFE;
    const struct curl_version_info_data *version = functions->curl_version_info(0);
    // 7.87 is the first with all options that are set.
    return version != NULL && version->version_num >= 0x075700 && (version->features & features) == features
        && functions->curl_global_init_mem(libcurl_GLOBAL_ALL, malloc, libcurl_wipe_and_free, libcurl_move, strdup,
                                           calloc) == 0;
}

#pragma clang assume_nonnull end

#ifdef CLIBCURL_COMPARE
#define LIBCURL_COMPARE(result, name, parameters)                                                                      \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((struct libcurl_functions *)0)->name),                     \
                                                __typeof__(&name)), #name " has another signature");
LIBCURL_FUNCTIONS(LIBCURL_COMPARE)
#define CURLE_PROXY_HANDSHAKE CURLE_PROXY
#define LIBCURL_COMPARE_NUMBER(name, prefix, number)                                                                   \
    _Static_assert((long)libcurl_##name == (long)prefix##name, #name " is another number");
LIBCURL_NUMBERS(LIBCURL_COMPARE_NUMBER)
_Static_assert(__builtin_types_compatible_p(libcurl_receive, curl_write_callback), "callback");
_Static_assert(__builtin_types_compatible_p(libcurl_prepare, curl_prereq_callback), "callback");
_Static_assert(CURL_PREREQFUNC_ABORT == libcurl_prepare_abort, "abort");
_Static_assert(offsetof(struct curl_slist, data) == 0 && offsetof(struct curl_slist, next) == sizeof(char *), "layout");
_Static_assert(offsetof(struct curl_version_info_data, version_num) == 16, "layout");
_Static_assert(offsetof(struct curl_version_info_data, features) == 32, "layout");
_Static_assert(offsetof(struct curl_version_info_data, ssl_version) == 40, "layout");
_Static_assert(offsetof(struct curl_blob, len) == 8 && offsetof(struct curl_blob, flags) == 16, "layout");
_Static_assert(__builtin_types_compatible_p(libcurl_receive, curl_read_callback), "callback");
_Static_assert(offsetof(struct curl_waitfd, events) == 4 && offsetof(struct curl_waitfd, revents) == 6, "layout");
_Static_assert(offsetof(struct CURLMsg, data) == 16 && sizeof(CURLcode) == sizeof(unsigned int), "layout");
#endif

#endif
