internal import CLibsecret
internal import Glibc
internal import Synchronization

/// libsecret and the libraries it brings along, loaded on first use.
@safe
package enum Libsecret {
    /// The library's name, as the dynamic linker knows it.
    package static let fileName = "libsecret-1.so.0"

    /// Whether the library, or another in its place, is there and has all that is needed.
    package static func isInstalled(as name: String = fileName) -> Bool {
        unsafe name == fileName ? installed != nil : load(name) != nil
    }

    /// The functions; may be asked for only once the library is known to be there.
    static var functions: UnsafePointer<libsecret_functions> {
        guard let functions = unsafe installed else { preconditionFailure("libsecret was not loaded") }
        return unsafe functions
    }

    /// Has GLib print nothing at all, where libsecret has not been loaded yet.
    ///
    /// For a program of our own: one that uses GLib for itself would lose its own messages.
    package static func silenceGLib() { isGLibSilent.store(true, ordering: .relaxed) }

    private static let isGLibSilent = Atomic(false)

    private nonisolated(unsafe) static let installed = unsafe load(fileName)

    private static func load(_ name: String) -> UnsafePointer<libsecret_functions>? {
        guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        let functions = UnsafeMutablePointer<libsecret_functions>.allocate(capacity: 1)
        guard unsafe libsecret_load(library, functions) != 0 else {
            unsafe functions.deallocate()
            return nil
        }
        // What libsecret and GLib find odd in an answer, they print.
        let everyLevel: CInt = -1
        _ = unsafe functions.pointee.g_log_set_handler("libsecret", everyLevel, silence, nil)
        if isGLibSilent.load(ordering: .relaxed) {
            _ = unsafe functions.pointee.g_log_set_default_handler(silence, nil)
        }
        unsafe keepSignals(functions)
        return unsafe UnsafePointer(functions)
    }

    /// Has GLib's class for sockets set up, without what that changes for the whole process: it ignores SIGPIPE.
    ///
    /// GLib's own writing to a socket does not raise it.
    private static func keepSignals(_ functions: UnsafePointer<libsecret_functions>) {
        var action = sigaction()
        let isKnown = unsafe sigaction(SIGPIPE, nil, &action) == 0
        _ = unsafe functions.pointee.g_type_class_ref(functions.pointee.g_socket_get_type())
        if isKnown { _ = unsafe sigaction(SIGPIPE, &action, nil) }
    }

    private static let silence: libsecret_log = { _, _, _, _ in }
}

/// A counted reference to an object of GLib's.
@safe
final class GLibObject {
    let pointer: OpaquePointer

    /// Takes over a reference that the caller holds.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe Libsecret.functions.pointee.g_object_unref(UnsafeMutableRawPointer(pointer))
    }
}
