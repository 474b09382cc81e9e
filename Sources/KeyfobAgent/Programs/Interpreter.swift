internal import KeyfobModel

/// A program that runs files of text: whose script it is says more than its own path.
package struct Interpreter {
    /// The options with which something else than the script decides what runs.
    private let code: Set<String>
    /// The options whose value is a word of its own.
    private let withValue: Set<String>
    /// Whether it is a shell: `-` ends its options, and `+` begins one.
    private let isShell: Bool

    /// The interpreter at a path; nil for any other program.
    package init?(executable path: String) {
        let name = path.split(separator: "/").last ?? ""
        // python3.11, perl5.36, ruby3.1, lua5.4
        let family = name.prefix { !$0.utf8.allSatisfy { $0.isASCIIDigit } && $0 != "." && $0 != "-" }
        isShell = ["sh", "bash", "dash", "zsh", "ksh", "mksh"].contains(family)
        switch family {
        case "python", "pypy": (code, withValue) = (["-c", "-m"], ["-W", "-X", "--check-hash-based-pycs"])
        case "perl": (code, withValue) = (["-e", "-E", "-M", "-m"], ["-I"])
        case "ruby": (code, withValue) = (["-e", "-r"], ["-I", "-E", "-C"])
        case "node", "nodejs":
            (code, withValue) = (
                [
                    "-e", "--eval", "-p", "--print", "-pe", "-r", "--require", "--import", "--loader",
                    "--experimental-loader", "-i", "--interactive", "inspect",
                ], ["-C", "--conditions"]
            )
        case "sh", "bash", "dash", "zsh", "ksh", "mksh":
            (code, withValue) = (["-c", "-s", "-i", "--rcfile", "--init-file"], ["-o", "+o", "-O", "+O"])
        case "lua", "luajit": (code, withValue) = (["-e", "-l", "-i"], [])
        case "php": (code, withValue) = (["-r", "-B", "-R", "-F", "-E", "-S", "-a"], ["-c", "-d", "-f"])
        default: return nil
        }
    }

    /// The script among the words that it was started with; nil where there is none, or an option has other code run.
    func script(in arguments: [String]) -> String? {
        var words = arguments.dropFirst()
        while let word = words.popFirst() {
            if word == "--" || word == "-" && isShell { return words.first }
            // Of others it is what they read from standard input.
            if word == "-" { return nil }
            guard word.hasPrefix("-") || isShell && word.hasPrefix("+") && word != "+" else { return word }
            if hasCode(word) { return nil }
            if takesNext(word) { words = words.dropFirst() }
        }
        return nil
    }

    /// Whether it is an option that has other code run: by itself, with its value behind it, or among other letters.
    private func hasCode(_ word: String) -> Bool {
        if word.hasPrefix("--") { return code.contains(String(word.prefix { $0 != "=" })) }
        return code.contains(word) || !hasValue(word) && word.dropFirst().contains { code.contains("-\($0)") }
    }

    /// Whether the next word is the value of this option, or of the last letter of several: `-euo pipefail`.
    private func takesNext(_ word: String) -> Bool {
        if withValue.contains(word) { return true }
        guard !word.hasPrefix("--"), !hasValue(word), let last = word.last else { return false }
        return withValue.contains("-\(last)")
    }

    /// Whether its value stands behind it: `-Wignore`.
    private func hasValue(_ word: String) -> Bool {
        withValue.contains { $0.utf8.count == 2 && word.hasPrefix($0) }
    }
}
