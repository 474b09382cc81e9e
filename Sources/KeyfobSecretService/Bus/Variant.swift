internal import CLibsecret

/// A value as it travels over the bus.
///
/// What comes in may have any type: a reader gives nil for another one.
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
    static func boolean(_ value: Bool) -> Variant {
        unsafe Variant(new: Libsecret.functions.pointee.g_variant_new_boolean(value ? 1 : 0))
    }

    static func number(_ value: UInt32) -> Variant {
        unsafe Variant(new: Libsecret.functions.pointee.g_variant_new_uint32(value))
    }

    /// - Throws: `decided(.refused)` for a text that D-Bus cannot carry.
    static func string(_ text: String) throws(BusFailure) -> Variant {
        guard !text.utf8.contains(0) else { throw .decided(.invalidArguments) }
        return unsafe Variant(new: Libsecret.functions.pointee.g_variant_new_string(text))
    }

    /// - Throws: `decided(gone)` for what is no path, where nothing can be.
    static func path(_ path: String, gone: SecretServiceError) throws(BusFailure) -> Variant {
        guard isPath(path) else { throw .decided(gone) }
        return unsafe Variant(new: Libsecret.functions.pointee.g_variant_new_object_path(path))
    }

    static func isPath(_ path: String) -> Bool {
        !path.utf8.contains(0) && (unsafe Libsecret.functions.pointee.g_variant_is_object_path(path)) != 0
    }

    static func paths(_ paths: [String], gone: SecretServiceError) throws(BusFailure) -> Variant {
        var elements: [Variant] = []
        for path in paths { elements.append(try .path(path, gone: gone)) }
        return array(of: "o", elements)
    }

    /// An `a{ss}`.
    static func texts(_ texts: [String: String]) throws(BusFailure) -> Variant {
        var entries: [Variant] = []
        for (name, value) in texts { entries.append(entry(try .string(name), try .string(value))) }
        return array(of: "{ss}", entries)
    }

    /// An `a{sv}`.
    static func properties(_ properties: [String: Variant]) throws(BusFailure) -> Variant {
        var entries: [Variant] = []
        for (name, value) in properties { entries.append(entry(try .string(name), .boxed(value))) }
        return array(of: "{sv}", entries)
    }

    static func boxed(_ value: Variant) -> Variant {
        unsafe Variant(new: Libsecret.functions.pointee.g_variant_new_variant(value.pointer))
    }

    static func tuple(_ elements: [Variant]) -> Variant {
        let pointers = unsafe elements.map { unsafe $0.pointer }
        return withExtendedLifetime(elements) {
            unsafe Variant(new: Libsecret.functions.pointee.g_variant_new_tuple(pointers, pointers.count))
        }
    }

    private static func array(of type: String, _ elements: [Variant]) -> Variant {
        let pointers = unsafe elements.map { unsafe $0.pointer }
        return withExtendedLifetime(elements) {
            unsafe type.withCString { type in
                unsafe Variant(
                    new: Libsecret.functions.pointee.g_variant_new_array(
                        OpaquePointer(type), pointers, pointers.count))
            }
        }
    }

    private static func entry(_ key: Variant, _ value: Variant) -> Variant {
        unsafe Variant(new: Libsecret.functions.pointee.g_variant_new_dict_entry(key.pointer, value.pointer))
    }
}

// What comes in.
extension Variant {
    var boolean: Bool? {
        type == "b" ? unsafe Libsecret.functions.pointee.g_variant_get_boolean(pointer) != 0 : nil
    }

    var number: UInt32? { type == "u" ? unsafe Libsecret.functions.pointee.g_variant_get_uint32(pointer) : nil }

    var longNumber: UInt64? { type == "t" ? unsafe Libsecret.functions.pointee.g_variant_get_uint64(pointer) : nil }

    /// The text of a string or a path.
    var text: String? {
        guard type == "s" || type == "o" else { return nil }
        return unsafe String(cString: Libsecret.functions.pointee.g_variant_get_string(pointer, nil))
    }

    /// What a variant holds.
    var unboxed: Variant? {
        type == "v" ? unsafe Variant(owning: Libsecret.functions.pointee.g_variant_get_variant(pointer)) : nil
    }

    /// The elements of an array, a tuple or an entry.
    var elements: [Variant] {
        guard let kind = type.utf8.first, [UInt8(ascii: "a"), UInt8(ascii: "("), UInt8(ascii: "{")].contains(kind)
        else { return [] }
        return (0..<(unsafe Libsecret.functions.pointee.g_variant_n_children(pointer))).map { index in
            unsafe Variant(owning: Libsecret.functions.pointee.g_variant_get_child_value(pointer, index))
        }
    }

    /// The texts of an array of strings or paths.
    var texts: [String]? {
        type == "as" || type == "ao" ? elements.compactMap(\.text) : nil
    }

    /// The entries of an `a{ss}`, an `a{sv}` or an `a{o…}`.
    var entries: [String: Variant]? {
        guard ["a{s", "a{o"].contains(type.prefix(3)) else { return nil }
        var entries: [String: Variant] = [:]
        for entry in elements {
            let pair = entry.elements
            guard pair.count == 2, let name = pair[0].text else { return nil }
            entries[name] = pair[1].unboxed ?? pair[1]
        }
        return entries
    }
}
