internal import CLibsecret
internal import KeyfobBus
internal import KeyfobSodium

/// A value of GLib's, as it travels over the bus.
@safe
final class Variant {
    let pointer: OpaquePointer

    /// Takes over a reference that the caller holds.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Takes a value that GLib just made, and that nobody owns yet.
    init(new pointer: OpaquePointer) {
        unsafe self.pointer = Libsecret.functions.pointee.g_variant_ref_sink(pointer)
    }

    deinit {
        unsafe Libsecret.functions.pointee.g_variant_unref(pointer)
    }

    /// The type, as D-Bus writes it.
    var type: String { unsafe String(cString: Libsecret.functions.pointee.g_variant_get_type_string(pointer)) }
}

// What goes out.
extension Variant {
    /// - Parameter session: What a secret is encrypted for.
    /// - Throws: `decided(.refused)` for what D-Bus cannot carry.
    convenience init(_ argument: BusArgument, _ session: SecretSession?) throws(ServiceFailure) {
        let functions = unsafe Libsecret.functions
        switch argument {
        case .string(let text):
            guard !text.utf8.contains(0) else { throw .decided(.invalidArguments) }
            unsafe self.init(new: functions.pointee.g_variant_new_string(text))
        case .path(let path):
            guard BusArgument.isPath(path) else { throw .decided(.invalidArguments) }
            unsafe self.init(new: functions.pointee.g_variant_new_object_path(path))
        case .paths(let paths): try self.init(arrayOf: "o", paths.map { .path($0) }, session)
        case .texts(let texts):
            let entries = try Self.all(texts.sorted { $0.key < $1.key }) { (text) throws(ServiceFailure) in
                try Self(entry: .string(text.key), .string(text.value), session)
            }
            self.init(arrayOf: "{ss}", entries)
        case .number(let number): unsafe self.init(new: functions.pointee.g_variant_new_uint32(number))
        case .boolean(let value): unsafe self.init(new: functions.pointee.g_variant_new_boolean(value ? 1 : 0))
        case .boxed(let value):
            let inner = try Variant(value, session)
            unsafe self.init(new: functions.pointee.g_variant_new_variant(inner.pointer))
        case .properties(let properties):
            let entries = try Self.all(properties.sorted { $0.key < $1.key }) { (property) throws(ServiceFailure) in
                try Self(entry: .string(property.key), .boxed(property.value), session)
            }
            self.init(arrayOf: "{sv}", entries)
        case .secret(_, let text):
            guard let session else { throw .decided(.invalidArguments) }
            unsafe self.init(owning: try session.seal(text.secret))
        }
    }

    static func tuple(_ elements: [Variant]) -> Variant {
        let pointers = unsafe elements.map { unsafe $0.pointer }
        return withExtendedLifetime(elements) {
            unsafe Variant(new: Libsecret.functions.pointee.g_variant_new_tuple(pointers, pointers.count))
        }
    }

    static func all<Element>(
        _ elements: [Element], _ body: (Element) throws(ServiceFailure) -> Variant
    ) throws(ServiceFailure) -> [Variant] {
        var values: [Variant] = []
        for element in elements { values.append(try body(element)) }
        return values
    }

    private convenience init(
        arrayOf type: String, _ elements: [BusArgument], _ session: SecretSession?
    ) throws(ServiceFailure) {
        self.init(
            arrayOf: type,
            try Self.all(elements) { (element) throws(ServiceFailure) in try Variant(element, session) })
    }

    private convenience init(arrayOf type: String, _ elements: [Variant]) {
        let pointers = unsafe elements.map { unsafe $0.pointer }
        let made = unsafe withExtendedLifetime(elements) {
            unsafe type.withCString { type in
                unsafe Libsecret.functions.pointee.g_variant_new_array(OpaquePointer(type), pointers, pointers.count)
            }
        }
        unsafe self.init(new: made)
    }

    private convenience init(
        entry key: BusArgument, _ value: BusArgument, _ session: SecretSession?
    ) throws(ServiceFailure) {
        let (key, value) = (try Variant(key, session), try Variant(value, session))
        unsafe self.init(new: Libsecret.functions.pointee.g_variant_new_dict_entry(key.pointer, value.pointer))
    }
}

// What comes in.
extension Variant {
    /// The same without GLib, but for bytes: only a session opens those.
    var value: BusValue {
        let functions = unsafe Libsecret.functions
        switch type.first {
        case "s", "o", "g": return unsafe .string(String(cString: functions.pointee.g_variant_get_string(pointer, nil)))
        case "b": return unsafe .boolean(functions.pointee.g_variant_get_boolean(pointer) != 0)
        case "u": return unsafe .number(UInt64(functions.pointee.g_variant_get_uint32(pointer)))
        case "t": return unsafe .number(functions.pointee.g_variant_get_uint64(pointer))
        case "v":
            let inner = unsafe Variant(owning: functions.pointee.g_variant_get_variant(pointer))
            return .boxed(type: inner.type, inner.value)
        case "(": return .tuple(elements.map(\.value))
        case "a" where type.hasPrefix("a{s") || type.hasPrefix("a{o"):
            return .entryList(
                Dictionary(
                    elements.map(\.elements).compactMap { pair in pair[0].value.text.map { ($0, pair[1].value) } }
                ) {
                    $1
                })
        case "a" where type != "ay": return .list(elements.map(\.value))
        default: return .list([])
        }
    }

    /// The elements of an array, a tuple or an entry.
    var elements: [Variant] {
        guard let kind = type.utf8.first, [UInt8(ascii: "a"), UInt8(ascii: "("), UInt8(ascii: "{")].contains(kind)
        else { return [] }
        return (0..<(unsafe Libsecret.functions.pointee.g_variant_n_children(pointer))).map { index in
            unsafe Variant(owning: Libsecret.functions.pointee.g_variant_get_child_value(pointer, index))
        }
    }
}
