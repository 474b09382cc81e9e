internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobTerminal

/// A program that called this one, or called one that did.
struct CallingProgram: Hashable {
    /// What it was started with, its name first; empty where that cannot be told.
    let words: [String]
    /// Whether it reads a terminal.
    var readsTerminal = false

    private static let shells = ["sh", "bash", "dash", "ash", "zsh", "ksh", "busybox"]

    /// Its name without the folder.
    private var name: String { Self.name(words.first) }

    private static func name(_ word: String?) -> String { word?.split(separator: "/").last.map(String.init) ?? "" }

    /// Whether it is git or a part of git, some of which are scripts.
    var isGits: Bool {
        Self.isGits(name) || Self.shells.contains(name) && Self.isGits(Self.name(words.dropFirst().first))
    }

    private static func isGits(_ name: String) -> Bool { name == "git" || name.hasPrefix("git-") }

    /// Whether it is a shell by which git starts a part of git.
    var startsGit: Bool {
        guard Self.shells.contains(name), words.count > 2, words[1] == "-c" else { return false }
        return Self.isGits(Self.name(words[2].split(separator: " ").first.map(String.init)))
    }

    /// Whether it is git at what it does in the background, or for later.
    var isMaintenance: Bool {
        guard isGits else { return false }
        if words.contains("--prefetch") { return true }
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"].contains(word) {
                _ = rest.popFirst()
            } else if !word.hasPrefix("-") {
                return ["maintenance", "for-each-repo", "gc"].contains(word)
            }
        }
        return false
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
            programs.append(CallingProgram(words: words, readsTerminal: Terminal.isOne(input)))
            process = parent(of: "\(current)")
        }
        return programs
    }

    private static func parent(of process: String) -> Int64? {
        // The name before it may hold anything.
        guard let stat = FileAccess.head("/proc/\(process)/stat", count: 512),
            let end = stat.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        return Int64(digits: stat[end...].split(separator: UInt8(ascii: " ")).dropFirst(2).first ?? [])
    }
}
