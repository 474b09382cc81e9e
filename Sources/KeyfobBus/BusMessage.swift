internal import CLibsystemd
internal import Glibc
internal import KeyfobSodium

/// A counted reference to a message; only for the thread of its bus.
@safe
final class BusMessage {
    let pointer: OpaquePointer
    let library: BusLibrary

    init(_ pointer: OpaquePointer, _ library: BusLibrary) {
        unsafe self.pointer = pointer
        self.library = library
        _ = unsafe library.functions.pointee.sd_bus_message_ref(pointer)
    }

    deinit { _ = unsafe library.functions.pointee.sd_bus_message_unref(pointer) }

    /// Has the library wipe it when it goes.
    func isSensitive() { _ = unsafe library.functions.pointee.sd_bus_message_sensitive(pointer) }

    // MARK: What it says

    var sender: String? { unsafe Self.copy(library.functions.pointee.sd_bus_message_get_sender(pointer)) }
    var interface: String? { unsafe Self.copy(library.functions.pointee.sd_bus_message_get_interface(pointer)) }
    var method: String? { unsafe Self.copy(library.functions.pointee.sd_bus_message_get_member(pointer)) }
    var path: String? { unsafe Self.copy(library.functions.pointee.sd_bus_message_get_path(pointer)) }
    var signature: String? { unsafe Self.copy(library.functions.pointee.sd_bus_message_get_signature(pointer, 1)) }
    var expectsReply: Bool { unsafe library.functions.pointee.sd_bus_message_get_expect_reply(pointer) > 0 }

    private static func copy(_ text: UnsafePointer<CChar>?) -> String? {
        guard let text = unsafe text else { return nil }
        return unsafe String(cString: text)
    }

    /// The next argument, a text; nil where it is none, or longer.
    func text(atMost limit: Int) -> String? {
        guard let text = unsafe next(), unsafe strnlen(text, limit + 1) <= limit else { return nil }
        return unsafe String(cString: text)
    }

    /// The same, as a secret.
    func secret(atMost limit: Int) -> SecretBytes? {
        guard let text = unsafe next() else { return nil }
        let count = unsafe strnlen(text, limit + 1)
        guard count <= limit else { return nil }
        return unsafe SecretBytes(copying: RawSpan(_unsafeStart: UnsafeRawPointer(text), byteCount: count))
    }

    private func next() -> UnsafePointer<CChar>? {
        var text: UnsafePointer<CChar>?
        guard
            unsafe library.functions.pointee.sd_bus_message_read_basic(pointer, CChar(UInt8(ascii: "s")), &text) > 0
        else { return nil }
        return unsafe text
    }

    /// Whom an answer to `GetConnectionCredentials` tells of, `a{sv}`; nil where it lacks the user or the process.
    func caller(_ connection: String) -> BusCaller? {
        let functions = library.functions
        guard unsafe functions.pointee.sd_bus_message_is_method_error(pointer, nil) == 0, enter("a", "{sv}") else {
            return nil
        }
        var (user, process) = (nil as UInt32?, nil as UInt32?)
        var descriptor: CInt = -1
        while enter("e", "sv") {
            let name = text(atMost: 256)
            var contents: UnsafePointer<CChar>?
            guard unsafe functions.pointee.sd_bus_message_peek_type(pointer, nil, &contents) > 0 else { break }
            let kind = unsafe Self.copy(contents)
            switch (name, kind) {
            case ("UnixUserID", "u"): user = number()
            case ("ProcessID", "u"): process = number()
            case ("ProcessFD", "h"):
                if descriptor >= 0 { Glibc.close(descriptor) }
                descriptor = handle()
            default: _ = unsafe functions.pointee.sd_bus_message_skip(pointer, "v")
            }
            _ = unsafe functions.pointee.sd_bus_message_exit_container(pointer)
        }
        guard let user, let process, let process = Int32(exactly: process), process > 0 else {
            if descriptor >= 0 { Glibc.close(descriptor) }
            return nil
        }
        return BusCaller(connection: connection, user: user, process: process, descriptor: descriptor)
    }

    func enter(_ kind: Unicode.Scalar, _ contents: String) -> Bool {
        unsafe library.functions.pointee.sd_bus_message_enter_container(
            pointer, CChar(truncatingIfNeeded: kind.value), contents) > 0
    }

    private func number() -> UInt32? {
        guard enter("v", "u") else { return nil }
        defer { _ = unsafe library.functions.pointee.sd_bus_message_exit_container(pointer) }
        var value: UInt32 = 0
        let result = unsafe library.functions.pointee.sd_bus_message_read_basic(
            pointer, CChar(UInt8(ascii: "u")), &value)
        return result > 0 ? value : nil
    }

    /// A descriptor of our own.
    private func handle() -> CInt {
        guard enter("v", "h") else { return -1 }
        defer { _ = unsafe library.functions.pointee.sd_bus_message_exit_container(pointer) }
        var value: CInt = -1
        guard unsafe library.functions.pointee.sd_bus_message_read_basic(pointer, CChar(UInt8(ascii: "h")), &value) > 0
        else { return -1 }
        return fcntl(value, F_DUPFD_CLOEXEC, 3)
    }

    // MARK: Answering it

    /// Answers it with a text, which is written where it goes out and wiped there.
    func reply(_ text: BusText) {
        let functions = library.functions
        var made: OpaquePointer?
        guard unsafe functions.pointee.sd_bus_message_new_method_return(pointer, &made) >= 0, let answer = unsafe made
        else { return }
        defer { _ = unsafe functions.pointee.sd_bus_message_unref(answer) }
        _ = unsafe functions.pointee.sd_bus_message_sensitive(answer)
        let isWritten = text.secret.withBytes { bytes in
            var space: UnsafeMutablePointer<CChar>?
            guard
                unsafe functions.pointee.sd_bus_message_append_string_space(answer, bytes.byteCount, &space) >= 0,
                let space = unsafe space
            else { return false }
            unsafe bytes.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { unsafe memcpy(space, start, bytes.count) }
            }
            return true
        }
        guard isWritten else { return error("org.freedesktop.DBus.Error.NoMemory", "the answer cannot be written") }
        _ = unsafe functions.pointee.sd_bus_send(nil, answer, nil)
    }

    /// Answers it with an error.
    func error(_ name: String, _ words: String) {
        let functions = library.functions
        var made: OpaquePointer?
        let result = unsafe name.withCString { name in
            unsafe words.withCString { words in
                var error = unsafe libsystemd_error(name: name, message: words, need_free: 0)
                return unsafe functions.pointee.sd_bus_message_new_method_error(pointer, &made, &error)
            }
        }
        guard result >= 0, let answer = unsafe made else { return }
        _ = unsafe functions.pointee.sd_bus_send(nil, answer, nil)
        _ = unsafe functions.pointee.sd_bus_message_unref(answer)
    }
}
