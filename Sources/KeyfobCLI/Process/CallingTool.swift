internal import Glibc
internal import Keyfob

/// The program that called this one.
enum CallingTool {
    /// What runs whatever its user types tells nothing of what the token is for.
    private static let shells: Set<String> = [
        "sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "nu", "tcsh", "xonsh", "zsh", "env", "init", "login",
        "make", "nice", "nohup", "screen", "script", "setsid", "sshd", "su", "sudo", "systemd", "timeout", "tmux",
        "tmux: server", "watch", "xargs",
    ]

    /// The name of the parent process, of which Linux keeps 15 bytes; nil for a shell, and where it cannot be told.
    static var name: String? {
        let descriptor = unsafe open("/proc/\(getppid())/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0, let text = String(validating: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self),
            Identifier.isAcceptable(text), !shells.contains(text)
        else { return nil }
        return text
    }

    /// Whether a shell called at which a person types: one that gives each command a process group of its own, as
    /// shells do for job control, and not for the commands of a script.
    static var isInteractiveShell: Bool { name == nil && getpgrp() != getpgid(getppid()) }
}
