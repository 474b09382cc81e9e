/// The names of processes.
package enum ProcessName {
    /// The name of a process, of which Linux keeps 15 bytes; nil where it cannot be told, or is no text.
    package static func of(_ process: Int32) -> String? {
        guard let bytes = try? POSIXFile.read("/proc/\(process)/comm", limit: 64),
            let name = String(validating: bytes.prefix { $0 != 0x0A }, as: UTF8.self), !name.isEmpty
        else { return nil }
        return name
    }
}
