internal import CLinux
internal import Glibc

/// What the command does for its secrets before it does anything else.
///
/// This belongs to the command and not to the library: a host application may need to be debugged,
/// or to be recognised by desktop portals, which a process that cannot be dumped is not.
package enum ProcessHardening {
    /// Does it, once, at the start.
    package static func apply() {
        applyNotInherited()
        // No core dump, which would hold the keys.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        // A file with the keys of TLS connections, which OpenSSL and GnuTLS write for whoever debugs them.
        _ = unsafe unsetenv("SSLKEYLOGFILE")
        // A closed pipe is an error to report, not a reason to die silently.
        _ = signal(SIGPIPE, SIG_IGN)
        // So is a file that may not grow any more (`ulimit -f`).
        _ = signal(SIGXFSZ, SIG_IGN)
        // What is created is for its owner.
        umask(0o077)
    }

    /// The part of it that a program which comes into this one's place, or is started by it, has nothing of.
    package static func applyNotInherited() {
        // A descriptor 0, 1 or 2 that is closed would go to the next file that is opened, and what is written to
        // standard output would end up there. In its place comes one that refuses to be used.
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        }
        // No debugger of the same user, and no /proc/PID/mem.
        _ = linux_forbid_dumping()
    }

    /// Lets other processes of the user see which program this is, or ends that: of a process that cannot be dumped the
    /// system shows neither the executable nor the arguments' files.
    ///
    /// For as long as there are no secrets in it. Cores stay forbidden.
    package static func show(_ isShown: Bool) {
        _ = isShown ? linux_allow_dumping() : linux_forbid_dumping()
    }
}
