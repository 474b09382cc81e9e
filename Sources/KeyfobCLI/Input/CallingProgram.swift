internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobTerminal

/// A program that called this one, or called one that did.
struct CallingProgram: Hashable {
    /// What it was started with, its name first; empty where that cannot be told.
    let words: [String]
    /// Whether it reads a terminal.
    var readsTerminal = false
    /// Whether what it reads is empty (`/dev/null`), as git has it for what it starts in the middle of something else.
    var readsNothing = false
    /// Its process; 0 where that is not known.
    var process: Int64 = 0

    private static let shells = ["sh", "bash", "dash", "ash", "zsh", "ksh", "busybox"]

    /// Its name without the folder.
    private var name: String { Self.name(words.first) }

    private static func name(_ word: String?) -> String { word?.split(separator: "/").last.map(String.init) ?? "" }

    /// Whether it is git or a part of git, some of which are scripts.
    var isGits: Bool {
        Self.isGits(name) || Self.shells.contains(name) && Self.isGits(Self.name(words.dropFirst().first))
    }

    private static func isGits(_ name: String) -> Bool { name == "git" || name.hasPrefix("git-") }

    /// What it is to do, of git: its first word that is no option of git's own.
    var command: String? {
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if Self.optionsWithValue.contains(word) {
                _ = rest.popFirst()
            } else if !word.hasPrefix("-") {
                return word
            }
        }
        return nil
    }

    private static let optionsWithValue = [
        "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env",
    ]

    /// The hooks of githooks(5) that may talk to a server.
    private static let hooks = [
        "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
        "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update",
        "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
        "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "post-index-change",
    ]
    /// The commands of git's that run hooks.
    private static let commandsWithHooks = [
        "commit", "checkout", "switch", "merge", "rebase", "am", "push", "cherry-pick", "revert", "worktree", "clone",
        "receive-pack", "stash",
    ]
    private static let commandsThatFetch = ["fetch", "pull", "push", "clone", "ls-remote", "remote"]
    /// What starts programs at times.
    private static let timers = ["cron", "crond", "CRON", "anacron", "atd", "fcron"]

    /// Whether it is a hook of git's, called by `caller`, or git that has taken a hook's place (`exec git fetch`).
    func isHook(of caller: CallingProgram) -> Bool {
        if caller.isGits, caller.command == "hook" { return true }
        guard caller.isGits else { return false }
        let isLine = words.dropFirst().first == "-c"
        let named = Self.shells.contains(name) && !isLine ? words.dropFirst().first { !$0.hasPrefix("-") } : words.first
        if Self.hooks.contains(Self.name(named)) { return true }
        guard readsNothing, !caller.readsNothing else { return false }
        if startsGit { return true }
        return isGits && command != caller.command && Self.commandsThatFetch.contains(command ?? "")
            && Self.commandsWithHooks.contains(caller.command ?? "")
    }

    /// Whether it starts programs at times, when nobody has to be there.
    var isTimer: Bool { Self.timers.contains(name) || words.first?.hasPrefix("CRON") == true }

    /// Whether it is a shell by which git starts a part of git.
    var startsGit: Bool {
        guard Self.shells.contains(name), words.count > 2, words[1] == "-c" else { return false }
        return Self.isGits(Self.name(words[2].split(separator: " ").first.map(String.init)))
    }

    /// Whether it is git at what it does in the background, or for later.
    var isMaintenance: Bool {
        guard isGits || name == "scalar" else { return false }
        if words.contains("--prefetch") { return true }
        return [
            "maintenance", "for-each-repo", "gc", "git-maintenance", "git-for-each-repo", "git-gc", "scalar",
        ].contains { $0 == name || isGits && $0 == command }
    }

    /// Those that called this one, the nearest first, as far as the system tells.
    static func chain() -> [CallingProgram] {
        var programs: [CallingProgram] = []
        var process = parent(of: "self")
        while let current = process, current > 1, programs.count < 64 {
            let folder = "/proc/\(current)"
            let bytes = FileAccess.head(folder + "/cmdline", count: 65_536) ?? []
            let words = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            let input = FileAccess.link(folder + "/fd/0") ?? ""
            programs.append(
                CallingProgram(
                    words: words, readsTerminal: Terminal.isOne(input), readsNothing: input == "/dev/null",
                    process: current))
            process = parent(of: "\(current)")
        }
        return programs
    }

    /// Tells whether all are still there through which the tool has called: git, or whatever has called by itself.
    static func watch() -> () -> Bool {
        let programs = chain()
        let last = programs.lastIndex(where: \.isGits) ?? 0
        let processes = programs.prefix(last + 1).map(\.process)
        return {
            var process = "self"
            for expected in processes {
                guard parent(of: process) == expected else { return false }
                process = "\(expected)"
            }
            return true
        }
    }

    private static func parent(of process: String) -> Int64? {
        // The name before it may hold anything.
        guard let stat = FileAccess.head("/proc/\(process)/stat", count: 512),
            let end = stat.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        return Int64(digits: stat[end...].split(separator: UInt8(ascii: " ")).dropFirst(2).first ?? [])
    }
}
