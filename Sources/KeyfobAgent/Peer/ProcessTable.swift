internal import KeyfobFiles

/// What the system tells of processes: `/proc` (proc(5)), or a folder that looks like it.
package struct ProcessTable: Sendable {
    /// The folder.
    package let path: String

    /// The table of this machine, unless another folder is given.
    package init(path: String = "/proc") { self.path = path }

    /// The longest list of arguments that is looked at, in bytes.
    private static let argumentLimit = 4 << 20

    /// A file or link of a process.
    func path(of process: Int32, _ name: String) -> String { "\(path)/\(process)/\(name)" }

    /// The content of a small file of a process; nil where it has none, or it is not for us.
    func read(_ name: String, of process: Int32, limit: Int = 1 << 16) -> [UInt8]? {
        guard case .bytes(let bytes, _) = FileAccess.read(path(of: process, name), limit: limit, following: false)
        else { return nil }
        return bytes
    }

    /// Where a link of a process leads.
    func link(_ name: String, of process: Int32) -> String? { FileAccess.link(path(of: process, name)) }

    /// The words that it was started with.
    func arguments(of process: Int32) -> [String]? {
        read("cmdline", of: process, limit: Self.argumentLimit)?
            .split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    /// How much code its program has; nil where there is none.
    ///
    /// The kernel waits for nothing to tell that.
    func codeSize(of process: Int32) -> String? {
        guard let fields = read("statm", of: process)?.split(separator: UInt8(ascii: " ")), fields.count > 3 else {
            return nil
        }
        return String(decoding: fields[3], as: UTF8.self)
    }

    /// When it started, in the kernel's ticks since the machine did: together with its number no other process has that.
    ///
    /// Nil where there is none, or where it has ended and only its status is left.
    func start(of process: Int32) -> String? { status(of: process)?.start }

    /// The same, and where in its memory its code, data and stack begin and end, which the kernel chooses for each program anew.
    ///
    /// Newer kernels wait here until a process has become another program, as with all that not everybody may see.
    func status(of process: Int32) -> (start: String, addresses: [String])? {
        guard let bytes = read("stat", of: process),
            // The name before it may hold anything.
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, !["Z", "X", "x"].contains(String(decoding: fields[0], as: UTF8.self)) else {
            return nil
        }
        let words = fields.map { String(decoding: $0, as: UTF8.self) }
        return (words[19], Array(words.dropFirst(23).prefix(3) + words.dropFirst(42).prefix(3)))
    }
}
