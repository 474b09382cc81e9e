// What Keyfob calls of libsystemd's sd-bus, found with dlsym(3) and never linked: only what asks the desktop's keyring, and an
// agent with a door on the session bus, need it, and all else must run where it is not installed.
//
// The signatures are written down here, so that building needs no headers of theirs. A test compiles this file with
// CLIBSYSTEMD_COMPARE, which compares each with the real one.
#ifndef KEYFOB_CLIBSYSTEMD_H
#define KEYFOB_CLIBSYSTEMD_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CLIBSYSTEMD_COMPARE
#include <systemd/sd-bus.h>
typedef sd_bus_error libsystemd_error;
#else
struct sd_bus;
struct sd_bus_message;
struct sd_bus_slot;
typedef struct sd_bus_error {
    const char *_Nullable name;
    const char *_Nullable message;
    int need_free;
} libsystemd_error;
#endif

#pragma clang assume_nonnull begin

typedef int (*libsystemd_handler)(struct sd_bus_message *message, void *_Nullable data, libsystemd_error *_Nullable error);

// F(result, name, (parameters))
#define LIBSYSTEMD_FUNCTIONS(F)                                                                                        \
    F(int, sd_bus_new, (struct sd_bus *_Nullable *_Nonnull))                                                           \
    F(int, sd_bus_set_fd, (struct sd_bus *, int, int))                                                                 \
    F(int, sd_bus_set_bus_client, (struct sd_bus *, int))                                                              \
    F(int, sd_bus_negotiate_fds, (struct sd_bus *, int))                                                               \
    F(int, sd_bus_set_method_call_timeout, (struct sd_bus *, uint64_t))                                                \
    F(int, sd_bus_start, (struct sd_bus *))                                                                            \
    F(int, sd_bus_is_ready, (struct sd_bus *))                                                                         \
    F(void, sd_bus_close, (struct sd_bus *))                                                                           \
    F(struct sd_bus *_Nullable, sd_bus_unref, (struct sd_bus *_Nullable))                                              \
    F(int, sd_bus_flush, (struct sd_bus *))                                                                            \
    F(int, sd_bus_get_fd, (struct sd_bus *))                                                                           \
    F(int, sd_bus_get_events, (struct sd_bus *))                                                                       \
    F(int, sd_bus_get_timeout, (struct sd_bus *, uint64_t *))                                                          \
    F(int, sd_bus_process, (struct sd_bus *, struct sd_bus_message *_Nullable *_Nullable))                             \
    F(int, sd_bus_request_name, (struct sd_bus *, const char *, uint64_t))                                             \
    F(int, sd_bus_release_name, (struct sd_bus *, const char *))                                                       \
    F(int, sd_bus_add_object,                                                                                          \
      (struct sd_bus *, struct sd_bus_slot *_Nullable *_Nullable, const char *, libsystemd_handler, void *_Nullable))  \
    F(int, sd_bus_add_match,                                                                                           \
      (struct sd_bus *, struct sd_bus_slot *_Nullable *_Nullable, const char *, libsystemd_handler, void *_Nullable))  \
    F(struct sd_bus_slot *_Nullable, sd_bus_slot_unref, (struct sd_bus_slot *_Nullable))                               \
    F(int, sd_bus_is_open, (struct sd_bus *))                                                                          \
    F(int, sd_bus_call,                                                                                                \
      (struct sd_bus *_Nullable, struct sd_bus_message *, uint64_t, libsystemd_error *_Nullable,                       \
       struct sd_bus_message *_Nullable *_Nullable))                                                                   \
    F(void, sd_bus_error_free, (libsystemd_error *))                                                                   \
    F(int, sd_bus_message_set_auto_start, (struct sd_bus_message *, int))                                              \
    F(int, sd_bus_message_open_container, (struct sd_bus_message *, char, const char *_Nullable))                      \
    F(int, sd_bus_message_close_container, (struct sd_bus_message *))                                                  \
    F(int, sd_bus_message_append_array, (struct sd_bus_message *, char, const void *_Nullable, size_t))                \
    F(int, sd_bus_message_read_array,                                                                                  \
      (struct sd_bus_message *, char, const void *_Nullable *_Nonnull, size_t *))                                      \
    F(int, sd_bus_send, (struct sd_bus *_Nullable, struct sd_bus_message *, uint64_t *_Nullable))                      \
    F(int, sd_bus_call_async,                                                                                          \
      (struct sd_bus *_Nullable, struct sd_bus_slot *_Nullable *_Nullable, struct sd_bus_message *,                    \
       libsystemd_handler, void *_Nullable, uint64_t))                                                                 \
    F(int, sd_bus_message_new_method_call,                                                                             \
      (struct sd_bus *, struct sd_bus_message *_Nullable *_Nonnull, const char *_Nullable, const char *,               \
       const char *_Nullable, const char *))                                                                           \
    F(int, sd_bus_message_new_method_return, (struct sd_bus_message *, struct sd_bus_message *_Nullable *_Nonnull))    \
    F(int, sd_bus_message_new_method_error,                                                                            \
      (struct sd_bus_message *, struct sd_bus_message *_Nullable *_Nonnull, const libsystemd_error *))                 \
    F(struct sd_bus_message *_Nullable, sd_bus_message_ref, (struct sd_bus_message *_Nullable))                        \
    F(struct sd_bus_message *_Nullable, sd_bus_message_unref, (struct sd_bus_message *_Nullable))                      \
    F(int, sd_bus_message_sensitive, (struct sd_bus_message *))                                                        \
    F(int, sd_bus_message_get_expect_reply, (struct sd_bus_message *))                                                 \
    F(const char *_Nullable, sd_bus_message_get_sender, (struct sd_bus_message *))                                     \
    F(const char *_Nullable, sd_bus_message_get_interface, (struct sd_bus_message *))                                  \
    F(const char *_Nullable, sd_bus_message_get_member, (struct sd_bus_message *))                                     \
    F(const char *_Nullable, sd_bus_message_get_path, (struct sd_bus_message *))                                       \
    F(const char *_Nullable, sd_bus_message_get_signature, (struct sd_bus_message *, int))                             \
    F(int, sd_bus_message_is_method_error, (struct sd_bus_message *, const char *_Nullable))                           \
    F(int, sd_bus_message_append_basic, (struct sd_bus_message *, char, const void *))                                 \
    F(int, sd_bus_message_append_string_space, (struct sd_bus_message *, size_t, char *_Nullable *_Nonnull))           \
    F(int, sd_bus_message_read_basic, (struct sd_bus_message *, char, void *_Nullable))                                \
    F(int, sd_bus_message_peek_type, (struct sd_bus_message *, char *_Nullable, const char *_Nullable *_Nullable))     \
    F(int, sd_bus_message_enter_container, (struct sd_bus_message *, char, const char *_Nullable))                     \
    F(int, sd_bus_message_exit_container, (struct sd_bus_message *))                                                   \
    F(int, sd_bus_message_skip, (struct sd_bus_message *, const char *_Nullable))

#define LIBSYSTEMD_DECLARE(result, name, parameters) result(*name) parameters;
/// The functions, once loaded.
struct libsystemd_functions {
    LIBSYSTEMD_FUNCTIONS(LIBSYSTEMD_DECLARE)
};

#define LIBSYSTEMD_FIND(result, name, parameters)                                                                      \
    *(void **)(&functions->name) = dlsym(library, #name);                                                              \
    if (*(void **)(&functions->name) == NULL) return 0;

// Fills `functions` from a library; 0 when one is missing.
static inline int libsystemd_load(void *library, struct libsystemd_functions *functions) {
    LIBSYSTEMD_FUNCTIONS(LIBSYSTEMD_FIND)
    return 1;
}

#pragma clang assume_nonnull end

#ifdef CLIBSYSTEMD_COMPARE
#define LIBSYSTEMD_COMPARE(result, name, parameters)                                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((struct libsystemd_functions *)0)->name),                  \
                                                __typeof__(&name)), #name " has another signature");
LIBSYSTEMD_FUNCTIONS(LIBSYSTEMD_COMPARE)
_Static_assert(offsetof(sd_bus_error, name) == 0 && offsetof(sd_bus_error, message) == 8, "layout");
_Static_assert(sizeof(sd_bus_error) == 24, "layout");
#endif

#endif
