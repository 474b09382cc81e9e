internal import Glibc
internal import KeyfobModel
internal import Synchronization

/// The program that called this one.
package enum CallingTool {
    /// What runs whatever its user types tells nothing of what the token is for.
    private static let shells = [
        "sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "nu", "tcsh", "xonsh", "zsh", "env", "init", "login",
        "make", "nice", "nohup", "screen", "script", "setsid", "sshd", "su", "sudo", "systemd", "timeout", "tmux",
        "tmux: server", "watch", "xargs",
    ]

    /// The process that called, where this one was made by another of the same program; nil for the parent.
    private static let kept = Mutex<Int32?>(nil)
    private static var caller: Int32 { kept.withLock { $0 } ?? getppid() }

    /// Makes processes that this one makes of itself tell of the same caller.
    package static func keep() { kept.withLock { $0 = getppid() } }

    /// The name of the calling process, of which Linux keeps 15 bytes; nil for a shell, and where it cannot be told.
    package static var name: String? { ProcessName.of(caller).flatMap(telling) }

    /// The name of this process, where it is another's that uses the library; nil for a shell.
    package static var ownName: String? { ProcessName.of(getpid()).flatMap(telling) }

    /// The name by which a program at `path` is known as a tool; nil for a shell.
    package static func name(ofProgram path: String) -> String? {
        let last = path.split(separator: "/").last ?? ""
        return String(validating: last.utf8.prefix(15), as: UTF8.self).flatMap(telling)
    }

    private static func telling(_ name: String) -> String? {
        Identifier.isAcceptable(name) && !shells.contains(name) ? name : nil
    }

    /// Whether a shell called at which a person types: one that gives each command a process group of its own, as
    /// shells do for job control, and not for the commands of a script.
    package static var isInteractiveShell: Bool { name == nil && getpgrp() != getpgid(caller) }
}
