internal import Glibc
internal import KeyfobModel

/// The program that called this one.
package enum CallingTool {
    /// What runs whatever its user types tells nothing of what the token is for.
    private static let shells: Set<String> = [
        "sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "nu", "tcsh", "xonsh", "zsh", "env", "init", "login",
        "make", "nice", "nohup", "screen", "script", "setsid", "sshd", "su", "sudo", "systemd", "timeout", "tmux",
        "tmux: server", "watch", "xargs",
    ]

    /// The name of the parent process, of which Linux keeps 15 bytes; nil for a shell, and where it cannot be told.
    package static var name: String? {
        ProcessName.of(getppid()).flatMap { Identifier.isAcceptable($0) && !shells.contains($0) ? $0 : nil }
    }

    /// Whether a shell called at which a person types: one that gives each command a process group of its own, as
    /// shells do for job control, and not for the commands of a script.
    package static var isInteractiveShell: Bool { name == nil && getpgrp() != getpgid(getppid()) }
}
