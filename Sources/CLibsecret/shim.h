// What Keyfob calls of libsecret, GIO, GObject and GLib, found with dlsym(3) and never linked: a process that does not
// use the Secret Service must not pay for loading them, and must run where they are not installed.
//
// The signatures are written down here, so that building needs no headers of theirs. A test compiles this file with
// CLIBSECRET_COMPARE, which compares each with the real one.
#ifndef KEYFOB_CLIBSECRET_H
#define KEYFOB_CLIBSECRET_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CLIBSECRET_COMPARE
#define SECRET_API_SUBJECT_TO_CHANGE
#include <gio/gio.h>
#include <libsecret/secret.h>
#else
struct _GError {
    uint32_t domain;
    int code;
    char *_Nullable message;
};
struct _GTypeQuery {
    size_t type;
    const char *_Nullable type_name;
    unsigned int class_size;
    unsigned int instance_size;
};
struct _GObjectConstructParam {
    struct _GParamSpec *_Nonnull pspec;
    struct _GValue *_Nonnull value;
};
struct _GCancellable;
struct _GDBusAuthObserver;
struct _GDBusConnection;
struct _GIOStream;
struct _GMainContext;
struct _GObject;
struct _GParamSpec;
struct _GSocket;
struct _GSocketConnection;
struct _GSource;
struct _GTypeInstance;
struct _GValue;
struct _GVariant;
struct _GVariantType;
struct _SecretService;
struct _SecretValue;
#endif

#pragma clang assume_nonnull begin

typedef void (*libsecret_log)(const char *_Nullable domain, int level, const char *_Nullable message,
                              void *_Nullable data);
typedef void (*libsecret_notify)(void *_Nullable data);
typedef int (*libsecret_tick)(void *_Nullable data);
typedef void (*libsecret_initialize)(void *_Nonnull of_class, void *_Nullable data);
typedef void (*libsecret_begin)(struct _GTypeInstance *instance, void *of_class);
typedef struct _GObject *_Nonnull (*libsecret_construct)(size_t type, unsigned int count, struct _GObjectConstructParam *properties);
typedef void (*libsecret_signal)(struct _GDBusConnection *connection, const char *_Nullable sender, const char *path,
                                 const char *interface, const char *name, struct _GVariant *parameters,
                                 void *_Nullable data);

// F(result, name, (parameters))
#define LIBSECRET_FUNCTIONS(F)                                                                                         \
    F(void, g_free, (void *_Nullable))                                                                                 \
    F(void, g_error_free, (struct _GError *))                                                                          \
    F(libsecret_log, g_log_set_default_handler, (libsecret_log, void *_Nullable))                                      \
    F(unsigned int, g_log_set_handler, (const char *, int, libsecret_log, void *_Nullable))                            \
    F(struct _GMainContext *_Nonnull, g_main_context_new, (void))                                                      \
    F(void, g_main_context_unref, (struct _GMainContext *))                                                            \
    F(void, g_main_context_push_thread_default, (struct _GMainContext *))                                              \
    F(void, g_main_context_pop_thread_default, (struct _GMainContext *))                                               \
    F(int, g_main_context_iteration, (struct _GMainContext *, int))                                                    \
    F(struct _GSource *_Nonnull, g_timeout_source_new, (unsigned int))                                                 \
    F(void, g_source_set_callback, (struct _GSource *, libsecret_tick, void *_Nullable, libsecret_notify _Nullable))   \
    F(unsigned int, g_source_attach, (struct _GSource *, struct _GMainContext *))                                      \
    F(void, g_source_destroy, (struct _GSource *))                                                                     \
    F(void, g_source_unref, (struct _GSource *))                                                                       \
    F(struct _GVariant *_Nonnull, g_variant_ref_sink, (struct _GVariant *))                                            \
    F(struct _GVariant *_Nonnull, g_variant_ref, (struct _GVariant *))                                                 \
    F(void, g_variant_unref, (struct _GVariant *))                                                                     \
    F(struct _GVariant *_Nonnull, g_variant_new_boolean, (int))                                                        \
    F(struct _GVariant *_Nonnull, g_variant_new_uint32, (uint32_t))                                                    \
    F(struct _GVariant *_Nonnull, g_variant_new_string, (const char *))                                                \
    F(struct _GVariant *_Nonnull, g_variant_new_object_path, (const char *))                                           \
    F(struct _GVariant *_Nonnull, g_variant_new_variant, (struct _GVariant *))                                         \
    F(struct _GVariant *_Nonnull, g_variant_new_dict_entry, (struct _GVariant *, struct _GVariant *))                  \
    F(struct _GVariant *_Nonnull, g_variant_new_array,                                                                 \
      (const struct _GVariantType *, struct _GVariant *_Nonnull const *_Nullable, size_t))                             \
    F(struct _GVariant *_Nonnull, g_variant_new_tuple, (struct _GVariant *_Nonnull const *_Nullable, size_t))          \
    F(int, g_variant_is_object_path, (const char *))                                                                   \
    F(const char *_Nonnull, g_variant_get_type_string, (struct _GVariant *))                                           \
    F(int, g_variant_get_boolean, (struct _GVariant *))                                                                \
    F(uint32_t, g_variant_get_uint32, (struct _GVariant *))                                                            \
    F(uint64_t, g_variant_get_uint64, (struct _GVariant *))                                                            \
    F(const char *_Nonnull, g_variant_get_string, (struct _GVariant *, size_t *_Nullable))                             \
    F(struct _GVariant *_Nonnull, g_variant_get_variant, (struct _GVariant *))                                         \
    F(size_t, g_variant_n_children, (struct _GVariant *))                                                              \
    F(struct _GVariant *_Nonnull, g_variant_get_child_value, (struct _GVariant *, size_t))                             \
    F(size_t, g_type_from_name, (const char *))                                                                        \
    F(void, g_type_query, (size_t, struct _GTypeQuery *))                                                              \
    F(size_t, g_type_register_static_simple,                                                                           \
      (size_t, const char *, unsigned int, libsecret_initialize, unsigned int, libsecret_begin _Nullable,              \
       unsigned int))                                                                                                  \
    F(void *_Nonnull, g_type_class_peek, (size_t))                                                                     \
    F(void *_Nonnull, g_type_class_ref, (size_t))                                                                      \
    F(size_t, g_socket_get_type, (void))                                                                               \
    F(const char *_Nonnull, g_param_spec_get_name, (struct _GParamSpec *))                                             \
    F(void, g_object_set_property, (struct _GObject *, const char *, const struct _GValue *))                          \
    F(void *_Nonnull, g_object_ref, (void *))                                                                          \
    F(void, g_object_unref, (void *))                                                                                  \
    F(void *_Nullable, g_initable_new,                                                                                 \
      (size_t, struct _GCancellable *_Nullable, struct _GError *_Nullable *_Nonnull, const char *, ...))               \
    F(struct _GCancellable *_Nonnull, g_cancellable_new, (void))                                                       \
    F(void, g_cancellable_cancel, (struct _GCancellable *))                                                            \
    F(uint32_t, g_io_error_quark, (void))                                                                              \
    F(char *_Nullable, g_dbus_error_get_remote_error, (const struct _GError *))                                        \
    F(struct _GSocket *_Nullable, g_socket_new_from_fd, (int, struct _GError *_Nullable *_Nonnull))                    \
    F(struct _GSocketConnection *_Nonnull, g_socket_connection_factory_create_connection, (struct _GSocket *))         \
    F(int, g_socket_shutdown, (struct _GSocket *, int, int, struct _GError *_Nullable *_Nullable))                     \
    F(struct _GDBusConnection *_Nullable, g_dbus_connection_new_sync,                                                  \
      (struct _GIOStream *, const char *_Nullable, unsigned int, struct _GDBusAuthObserver *_Nullable,                 \
       struct _GCancellable *_Nullable, struct _GError *_Nullable *_Nonnull))                                          \
    F(void, g_dbus_connection_set_exit_on_close, (struct _GDBusConnection *, int))                                     \
    F(int, g_dbus_connection_is_closed, (struct _GDBusConnection *))                                                   \
    F(struct _GVariant *_Nullable, g_dbus_connection_call_sync,                                                        \
      (struct _GDBusConnection *, const char *, const char *, const char *, const char *,                              \
       struct _GVariant *_Nullable, const struct _GVariantType *_Nullable, unsigned int, int,                          \
       struct _GCancellable *_Nullable, struct _GError *_Nullable *_Nonnull))                                          \
    F(unsigned int, g_dbus_connection_signal_subscribe,                                                                \
      (struct _GDBusConnection *, const char *_Nullable, const char *_Nullable, const char *_Nullable,                 \
       const char *_Nullable, const char *_Nullable, unsigned int, libsecret_signal, void *_Nullable,                  \
       libsecret_notify _Nullable))                                                                                    \
    F(void, g_dbus_connection_signal_unsubscribe, (struct _GDBusConnection *, unsigned int))                           \
    F(size_t, secret_service_get_type, (void))                                                                         \
    F(int, secret_service_ensure_session_sync,                                                                         \
      (struct _SecretService *, struct _GCancellable *_Nullable, struct _GError *_Nullable *_Nonnull))                 \
    F(const char *_Nullable, secret_service_get_session_dbus_path, (struct _SecretService *))                          \
    F(struct _GVariant *_Nullable, secret_service_encode_dbus_secret, (struct _SecretService *, struct _SecretValue *))\
    F(struct _SecretValue *_Nullable, secret_service_decode_dbus_secret, (struct _SecretService *, struct _GVariant *))\
    F(struct _SecretValue *_Nullable, secret_value_new, (const char *, ptrdiff_t, const char *))                       \
    F(const char *_Nullable, secret_value_get, (struct _SecretValue *, size_t *))                                      \
    F(void, secret_value_unref, (void *))

#define LIBSECRET_DECLARE(result, name, parameters) result(*name) parameters;
/// The functions, once loaded.
struct libsecret_functions {
    LIBSECRET_FUNCTIONS(LIBSECRET_DECLARE)
};

/// The beginning of GObjectClass.
struct libsecret_object_class {
    size_t type;
    void *_Nullable properties;
    libsecret_construct constructor;
};

// GDBusConnectionFlags, GDBusCallFlags, GDBusProxyFlags, GIOErrorEnum
enum {
    libsecret_connect_as_client = 1,
    libsecret_connect_to_bus = 8,
    libsecret_call_without_starting = 1,
    libsecret_proxy_alone = 1 | 2 | 4,
    libsecret_error_cancelled = 19,
    libsecret_error_timed_out = 24,
    libsecret_error_invalid_argument = 13,
    libsecret_error_dbus_error = 36,
};

#define LIBSECRET_FIND(result, name, parameters)                                                                       \
    *(void **)(&functions->name) = dlsym(library, #name);                                                              \
    if (*(void **)(&functions->name) == NULL) return 0;

// Fills `functions` from a library; 0 when one is missing. The library stays loaded: GLib cannot be unloaded.
static inline int libsecret_load(void *library, struct libsecret_functions *functions) {
    LIBSECRET_FUNCTIONS(LIBSECRET_FIND)
    return 1;
}

// Swift cannot call g_initable_new, which is variadic.
static inline struct _SecretService *_Nullable libsecret_service_new(
    const struct libsecret_functions *functions, size_t type, struct _GDBusConnection *connection, const char *owner,
    int milliseconds, struct _GCancellable *cancellable, struct _GError *_Nullable *_Nonnull error) {
    return (struct _SecretService *)functions->g_initable_new(
        type, cancellable, error, "g-bus-type", 0, "g-flags", libsecret_proxy_alone, "g-connection", connection, "g-name",
        owner, "g-default-timeout", milliseconds, (char *)NULL);
}

#pragma clang assume_nonnull end

#ifdef CLIBSECRET_COMPARE
#define LIBSECRET_COMPARE(result, name, parameters)                                                                    \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((struct libsecret_functions *)0)->name),                   \
                                                __typeof__(&name)), #name " has another signature");
LIBSECRET_FUNCTIONS(LIBSECRET_COMPARE)
_Static_assert(libsecret_connect_as_client == G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, "flag");
_Static_assert(libsecret_connect_to_bus == G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION, "flag");
_Static_assert(libsecret_call_without_starting == G_DBUS_CALL_FLAGS_NO_AUTO_START, "flag");
_Static_assert(libsecret_proxy_alone == (G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES
                                         | G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS
                                         | G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START), "flags");
_Static_assert(libsecret_error_cancelled == G_IO_ERROR_CANCELLED, "code");
_Static_assert(libsecret_error_timed_out == G_IO_ERROR_TIMED_OUT, "code");
_Static_assert(libsecret_error_dbus_error == G_IO_ERROR_DBUS_ERROR, "code");
_Static_assert(libsecret_error_invalid_argument == G_IO_ERROR_INVALID_ARGUMENT, "code");
_Static_assert(offsetof(struct _GError, domain) == 0 && sizeof(GQuark) == 4, "layout");
_Static_assert(offsetof(struct _GError, code) == 4 && sizeof(struct _GError) == 16, "layout");
_Static_assert(offsetof(struct _GError, message) == 8, "layout");
_Static_assert(offsetof(GObjectClass, constructor) == offsetof(struct libsecret_object_class, constructor), "layout");
_Static_assert(offsetof(GTypeQuery, class_size) == 16 && offsetof(GTypeQuery, instance_size) == 20, "layout");
_Static_assert(offsetof(GObjectConstructParam, value) == 8, "layout");
#endif

#endif
