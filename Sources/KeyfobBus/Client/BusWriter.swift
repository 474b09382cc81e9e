internal import CLibsystemd
internal import Glibc
internal import KeyfobSodium

/// Writes arguments into a message.
@safe
struct BusWriter {
    private let message: OpaquePointer
    private let library: BusLibrary

    init(_ message: OpaquePointer, _ library: BusLibrary) {
        unsafe self.message = message
        self.library = library
    }

    /// Has the library wipe it when it goes.
    func isSensitive() { _ = unsafe library.functions.pointee.sd_bus_message_sensitive(message) }

    /// Appends an argument; false for one that D-Bus cannot carry.
    func append(_ argument: BusArgument) -> Bool {
        switch argument {
        case .string(let text): append(text, as: "s")
        case .path(let text): append(text, as: "o")
        case .paths(let paths): within("a", "o") { paths.allSatisfy { append($0, as: "o") } }
        case .texts(let texts):
            within("a", "{ss}") {
                texts.allSatisfy { entry in
                    within("e", "ss") { append(entry.key, as: "s") && append(entry.value, as: "s") }
                }
            }
        case .number(var number): unsafe append(&number, as: "u")
        case .boolean(let value):
            {
                var number: CInt = value ? 1 : 0
                return unsafe append(&number, as: "b")
            }()
        case .boxed(let value): within("v", value.type) { append(value) }
        case .properties(let properties):
            within("a", "{sv}") {
                properties.allSatisfy { entry in
                    within("e", "sv") { append(entry.key, as: "s") && append(.boxed(entry.value)) }
                }
            }
        case .secret(let session, let text):
            within("r", "oayays") {
                let isBegun = unsafe append(session, as: "o") && appendBytes(nil, 0)
                let isWritten = text.secret.withBytes { bytes in
                    unsafe bytes.withUnsafeBytes { unsafe appendBytes($0.baseAddress, $0.count) }
                }
                return isBegun && isWritten && append("text/plain", as: "s")
            }
        }
    }

    private func append(_ text: String, as kind: Unicode.Scalar) -> Bool {
        guard !text.utf8.contains(0), kind != "o" || BusArgument.isPath(text) else { return false }
        return unsafe text.withCString { unsafe append($0, as: kind) }
    }

    private func append(_ value: UnsafeRawPointer, as kind: Unicode.Scalar) -> Bool {
        unsafe library.functions.pointee.sd_bus_message_append_basic(
            message, CChar(truncatingIfNeeded: kind.value), value) >= 0
    }

    private func appendBytes(_ bytes: UnsafeRawPointer?, _ count: Int) -> Bool {
        unsafe library.functions.pointee.sd_bus_message_append_array(
            message, CChar(UInt8(ascii: "y")), bytes, count) >= 0
    }

    private func within(_ kind: Unicode.Scalar, _ contents: String, _ body: () -> Bool) -> Bool {
        let functions = library.functions
        return unsafe functions.pointee.sd_bus_message_open_container(
            message, CChar(truncatingIfNeeded: kind.value), contents) >= 0 && body()
            && functions.pointee.sd_bus_message_close_container(message) >= 0
    }
}
