internal import CLibsystemd
internal import Glibc
internal import KeyfobSodium

// Reading whatever a message says.

extension BusMessage {
    /// All arguments; nil for what cannot be read.
    func values() -> [BusValue]? {
        var values: [BusValue] = []
        while let (kind, contents) = nextType() {
            guard let value = value(kind, contents) else { return nil }
            values.append(value)
        }
        return values
    }

    /// The next argument, a descriptor, as one of the caller's own; nil where it is none.
    func descriptor() -> CInt? {
        guard let descriptor = basic("h", of: CInt(-1)) else { return nil }
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        return own < 0 ? nil : own
    }

    /// What comes next, as D-Bus writes it, and what is in it; nil where nothing does.
    private func nextType() -> (kind: Unicode.Scalar, contents: String)? {
        var kind: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard unsafe library.functions.pointee.sd_bus_message_peek_type(pointer, &kind, &contents) > 0 else {
            return nil
        }
        return (Unicode.Scalar(UInt8(bitPattern: kind)), unsafe contents.map { unsafe String(cString: $0) } ?? "")
    }

    private func value(_ kind: Unicode.Scalar, _ contents: String) -> BusValue? {
        switch kind {
        case "s", "o", "g":
            guard let text = unsafe basic(kind, of: UnsafePointer<CChar>?.none), let text = unsafe text else {
                return nil
            }
            return unsafe .string(String(cString: text))
        case "b": return basic(kind, of: CInt(0)).map { .boolean($0 != 0) }
        case "y": return basic(kind, of: UInt8(0)).map { .number(UInt64($0)) }
        case "n", "q": return basic(kind, of: UInt16(0)).map { .number(UInt64($0)) }
        case "i", "u": return basic(kind, of: UInt32(0)).map { .number(UInt64($0)) }
        case "x", "t", "d": return basic(kind, of: UInt64(0)).map { .number($0) }
        case "v": return within(kind, contents) { values()?.first.map { .boxed(type: contents, $0) } }
        case "r": return within(kind, contents) { values().map { .tuple($0) } }
        case "a" where contents == "y": return bytes()
        case "a" where contents.hasPrefix("{"): return within(kind, contents) { entries() }
        case "a": return within(kind, contents) { values().map { .list($0) } }
        // Descriptors have no business here.
        default: return nil
        }
    }

    private func entries() -> BusValue? {
        var entries: [String: BusValue] = [:]
        while let (kind, contents) = nextType() {
            let pair = within(kind, contents) { values().map { .tuple($0) } }
            guard let pair = pair?.elements, pair.count == 2, let name = pair[0].text else { return nil }
            entries[name] = pair[1]
        }
        return .entryList(entries)
    }

    private func within(_ kind: Unicode.Scalar, _ contents: String, _ body: () -> BusValue?) -> BusValue? {
        guard enter(kind, contents), let value = body() else { return nil }
        return unsafe library.functions.pointee.sd_bus_message_exit_container(pointer) >= 0 ? value : nil
    }

    private func basic<Value>(_ kind: Unicode.Scalar, of initial: Value) -> Value? {
        var value = initial
        let result = unsafe withUnsafeMutableBytes(of: &value) { bytes in
            unsafe library.functions.pointee.sd_bus_message_read_basic(
                pointer, CChar(truncatingIfNeeded: kind.value), bytes.baseAddress)
        }
        return result > 0 ? value : nil
    }

    private func bytes() -> BusValue? {
        var start: UnsafeRawPointer?
        var count = 0
        let result = unsafe library.functions.pointee.sd_bus_message_read_array(
            pointer, CChar(UInt8(ascii: "y")), &start, &count)
        guard result >= 0 else { return nil }
        guard count > 0, let start = unsafe start else { return .bytes(BusText(SecretBytes(count: 0) { _ in })) }
        return unsafe .bytes(
            BusText(SecretBytes(copying: RawSpan(_unsafeStart: start, byteCount: count), placement: .recycled)))
    }
}
