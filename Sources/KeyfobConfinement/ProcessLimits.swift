internal import Glibc

/// The limits of the process (getrlimit(2), the shell's `ulimit`) below which a program of Keyfob's does not go on: with less
/// memory it dies by a signal, wherever that ends, and with fewer files the rules that confine it cannot be made.
package struct ProcessLimits {
    /// How many bytes it may map: the program with its libraries, secrets and a page cache of SQLite.
    private let memory: rlim_t
    /// How many of them it may write to.
    private let data: rlim_t
    /// How many bytes its deepest calls take.
    private let stack: rlim_t
    /// How many files it may open: standard ones, the vault's, those of a connection, and some to start a program.
    private let files: rlim_t

    /// What the full program needs.
    package static let full = ProcessLimits(memory: 128 << 20, data: 16 << 20, stack: 256 << 10, files: 16)
    /// What an agent needs, which has processes of its own and connections of others.
    package static let agent = ProcessLimits(memory: full.memory, data: full.data, stack: full.stack, files: 64)
    /// What the front needs to say what is wrong.
    package static let front = ProcessLimits(memory: 0, data: 4 << 20, stack: 96 << 10, files: 0)

    /// Why a program is not started, or does not go on, in one line; nil where it has enough.
    package var refusal: String? {
        let mapped = Self.limit(__rlimit_resource_t(RLIMIT_AS.rawValue))
        if mapped < memory {
            return Self.text("may map \(mapped >> 20) MB of memory", "\(memory >> 20)", "-v")
        }
        let written = Self.limit(__rlimit_resource_t(RLIMIT_DATA.rawValue))
        if written < data {
            return Self.text("may have \(written >> 10) KB of data", "\(data >> 10)", "-d")
        }
        let stacked = Self.limit(__rlimit_resource_t(RLIMIT_STACK.rawValue))
        if stacked < stack {
            return Self.text("has a stack of \(stacked >> 10) KB", "\(stack >> 10)", "-s")
        }
        let opened = Self.limit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue))
        return opened < files ? Self.text("may open \(opened) files", "\(files)", "-n") : nil
    }

    private static func text(_ limit: String, _ needed: String, _ option: String) -> String {
        "this process \(limit) and needs \(needed); raise the limit ('ulimit \(option)') and try again"
    }

    private static func limit(_ resource: __rlimit_resource_t) -> rlim_t {
        var limit = rlimit()
        return unsafe getrlimit(resource, &limit) == 0 ? limit.rlim_cur : .max
    }
}
