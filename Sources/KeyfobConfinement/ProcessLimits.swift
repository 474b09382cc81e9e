internal import Glibc

/// The limits of the process (getrlimit(2), the shell's `ulimit`) below which the full program does not start: with less
/// memory it dies by a signal, wherever that ends, and with fewer files the rules that confine it cannot be made.
package enum ProcessLimits {
    /// The program with its libraries, secrets and a page cache of SQLite.
    private static let memory: rlim_t = 128 << 20
    /// Standard ones, the vault's, those of a connection, and some to start a program.
    private static let files: rlim_t = 16
    /// The deepest calls, of SQLite and of the parser of arguments.
    private static let stack: rlim_t = 256 << 10

    /// Why the full program is not started, in one line; nil where it has enough.
    package static var refusal: String? {
        let (mapped, opened, stacked) = (
            limit(__rlimit_resource_t(RLIMIT_AS.rawValue)), limit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue)),
            limit(__rlimit_resource_t(RLIMIT_STACK.rawValue))
        )
        if mapped < memory {
            return "this process may map \(mapped >> 20) MB of memory and needs \(memory >> 20); "
                + "raise the limit ('ulimit -v') and try again"
        }
        if stacked < stack {
            return "this process has a stack of \(stacked >> 10) KB and needs \(stack >> 10); "
                + "raise the limit ('ulimit -s') and try again"
        }
        guard opened < files else { return nil }
        return "this process may open \(opened) files and needs \(files); raise the limit ('ulimit -n') and try again"
    }

    private static func limit(_ resource: __rlimit_resource_t) -> rlim_t {
        var limit = rlimit()
        return unsafe getrlimit(resource, &limit) == 0 ? limit.rlim_cur : .max
    }
}
