internal import Glibc
package import KeyfobModel
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

    /// The name of the calling process whatever it is, of which Linux keeps 15 bytes; nil where it cannot be told.
    package static var program: String? { ProcessName.of(caller) }

    /// What is found in the words that the calling process was started with, or one of the next three that called it: between
    /// git's program for HTTP and its helper stand a git and a shell.
    package static func word<Result>(where find: (String) -> Result?) -> Result? {
        words { words in
            for word in words {
                if let found = find(word) { return found }
            }
            return nil
        }
    }

    /// What is found in all the words of one of these processes; a word that is no text is empty.
    package static func words<Result>(where find: ([String]) -> Result?) -> Result? {
        var process = caller
        for _ in 0..<4 {
            let bytes = FileAccess.head("/proc/\(process)/cmdline", count: 4_096) ?? []
            let words = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
                String(validating: $0, as: UTF8.self) ?? ""
            }
            if let found = find(words) { return found }
            guard let parent = standing(of: process)?.parent else { return nil }
            process = parent
        }
        return nil
    }

    /// The working directories of the calling process and of those that called it, the nearest first, each once.
    ///
    /// Up to whoever leads the session, where a person types or a service begins, and the first of another user. The kernel
    /// tells them, and no file system is asked. They are those of the first time that anybody asks for them: a process that is
    /// confined may look at no other.
    package static let folders: [String] = {
        var folders: [String] = []
        var process = caller
        for _ in 0..<greatestFolderCount {
            guard let (parent, session) = standing(of: process), session != process,
                FileAccess.status("/proc/\(process)", following: false)?.isOwn == true,
                let folder = FileAccess.link("/proc/\(process)/cwd")
            else { break }
            if !folders.contains(folder) { folders.append(folder) }
            process = parent
        }
        return folders
    }()

    /// How many programs are looked at for ``folders``.
    package static let greatestFolderCount = 8

    /// The folders that a request means.
    package static func folders(_ callers: RequestContext.Callers) -> [String] {
        switch callers {
        case .ignored: []
        case .ofThisProcess: folders
        case .known(let folders): folders
        }
    }

    /// Who called a process, and who leads its session.
    private static func standing(of process: Int32) -> (parent: Int32, session: Int32)? {
        // The name before them may hold anything.
        guard let stat = FileAccess.head("/proc/\(process)/stat", count: 512),
            let end = stat.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = stat[end...].split(separator: UInt8(ascii: " ")).dropFirst(2).prefix(3).map { Int64(digits: $0) }
        guard fields.count == 3, let parent = fields[0], let session = fields[2] else { return nil }
        return (Int32(truncatingIfNeeded: parent), Int32(truncatingIfNeeded: session))
    }

    /// The name of the calling process, of which Linux keeps 15 bytes; nil for a shell, and where it cannot be told.
    package static var name: String? { ProcessName.of(caller).flatMap(telling) }

    /// The name of this process, where it is another's that uses the library; nil for a shell.
    package static var ownName: String? { ProcessName.of(getpid()).flatMap(telling) }

    /// The name by which a program at `path` is known as a tool; nil for a shell.
    package static func name(ofProgram path: String) -> String? { shortName(ofProgram: path).flatMap(telling) }

    /// The name that Linux gives a process of the program at `path`.
    package static func shortName(ofProgram path: String) -> String? {
        String(validating: (path.split(separator: "/").last ?? "").utf8.prefix(15), as: UTF8.self)
    }

    /// The name of this process, whatever it is.
    package static var ownProgram: String? { ProcessName.of(getpid()) }

    private static func telling(_ name: String) -> String? {
        Identifier.isAcceptable(name) && !shells.contains(name) ? name : nil
    }

    /// Whether a shell called at which a person types: one that gives each command a process group of its own, as
    /// shells do for job control, and not for the commands of a script.
    package static var isInteractiveShell: Bool { name == nil && getpgrp() != getpgid(caller) }
}
