internal import Glibc

/// The environment variables that the front looks at.
struct Variables {
    private var found: [(name: String, value: String)] = []

    /// Those that decide what is answered.
    private static let names = [
        "HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "CREDENTIALS_DIRECTORY", "KEYFOB_VAULT",
        "KEYFOB_GROUP", "KEYFOB_ACCOUNT", "KEYFOB_KEY_FILE", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_DIR",
        "KUBERNETES_EXEC_INFO",
    ]
    /// With it the full program runs other code, which a static one would not load.
    private static let preload = "LD_PRELOAD"
    /// With it the full program asks an agent in the place of any vault.
    private static let agent = "KEYFOB_AGENT"

    /// These variables.
    init(values: [String: String]) {
        found = Self.names.compactMap { name in values[name].map { (name, $0) } }
    }

    /// What stands in a process's environment; nil where it is not plain: a name twice, or a value that is no text.
    @unsafe
    init?(_ environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) {
        guard var entry = unsafe environment else { return nil }
        while let text = unsafe entry.pointee {
            unsafe entry += 1
            // What any of the names begins with.
            switch UInt8(bitPattern: unsafe text.pointee) {
            case 0x43, 0x47, 0x48, 0x4B, 0x4C, 0x58: break
            default: continue
            }
            if unsafe Self.value(text, of: Self.preload) != nil || Self.value(text, of: Self.agent) != nil {
                return nil
            }
            for name in Self.names {
                guard let value = unsafe Self.value(text, of: name) else { continue }
                guard !found.contains(where: { $0.name == name }), let value = unsafe String(validatingCString: value)
                else { return nil }
                found.append((name, value))
            }
        }
    }

    /// Where the value begins of an entry `NAME=VALUE`; nil for another name.
    private static func value(_ entry: UnsafeMutablePointer<CChar>, of name: String) -> UnsafeMutablePointer<CChar>? {
        var position = unsafe entry
        for byte in name.utf8 {
            guard unsafe UInt8(bitPattern: position.pointee) == byte else { return nil }
            unsafe position += 1
        }
        return unsafe UInt8(bitPattern: position.pointee) == UInt8(ascii: "=") ? position + 1 : nil
    }

    /// A variable that is set.
    func value(_ name: String) -> String? { found.first { $0.name == name }?.value }

    /// A variable that is set and not empty.
    subscript(name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
}
