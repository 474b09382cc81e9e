internal import KeyfobModel

/// A program that runs files of text: whose script it is says more than its own path.
package struct Interpreter {
    /// Those of one kind, whatever their version.
    enum Family {
        case python, perl, ruby, node, bash, zsh, shell, lua, php
    }

    let family: Family
    private var options: Options { Self.options(of: family) }

    /// The options that leave the script what decides what runs; any other may bring other code.
    struct Options {
        /// Letters behind one dash, alone or together.
        var letters = ""
        /// Letters whose value stands behind them or is the next word, and which values do no harm.
        var withValue: [Character: @Sendable (String) -> Bool] = [:]
        /// Whole words, those that end with `=` with any value.
        var words: [String] = []
        /// Whether it is a shell: `-` ends its options, and `+` begins one.
        var isShell = false
    }

    /// The interpreter at a path; nil for any other program.
    package init?(executable path: String) {
        let name = path.split(separator: "/").last ?? ""
        // python3.11, perl5.36, ruby3.1, lua5.4
        switch name.prefix(while: { !$0.utf8.allSatisfy { $0.isASCIIDigit } && $0 != "." && $0 != "-" }) {
        case "python", "pypy": family = .python
        case "perl": family = .perl
        case "ruby": family = .ruby
        case "node", "nodejs": family = .node
        case "bash": family = .bash
        case "zsh": family = .zsh
        case "sh", "dash", "ksh", "mksh": family = .shell
        case "lua", "luajit": family = .lua
        // Others of PHP read more from their environment, as a web server does.
        case "php" where !name.contains("-"): family = .php
        default: return nil
        }
    }

    private static func options(of family: Family) -> Options {
        let setting: @Sendable (String) -> Bool = { shellSettings.contains($0) }
        switch family {
        case .python:
            return Options(
                letters: "BEIOPRSbdqsuv", withValue: ["W": isPlainWarning, "X": { pythonSettings.contains($0) }])
        case .perl: return Options(letters: "wWXtTf")
        case .ruby: return Options(letters: "wU", words: ["-W", "-W0", "-W1", "-W2", "--yjit", "--jit"])
        case .node: return Options(words: nodeWords)
        case .bash:
            return Options(
                letters: "aefhknpuvxBCET", withValue: ["o": setting, "O": { $0.utf8.allSatisfy(isWordPart) }],
                words: ["--norc", "--noprofile", "--posix", "--restricted", "--verbose"], isShell: true)
        case .zsh: return Options(letters: "efunvx", withValue: ["o": setting], isShell: true)
        case .shell: return Options(letters: "aefnuvxC", withValue: ["o": setting], isShell: true)
        case .lua: return Options(letters: "EW")
        case .php: return Options(letters: "nqH")
        }
    }

    private static let pythonSettings: Set = [
        "dev", "utf8", "utf8=0", "utf8=1", "faulthandler", "importtime", "tracemalloc", "no_debug_ranges",
        "warn_default_encoding", "gil=0", "gil=1",
    ]
    /// Those of shells that run nothing else, also in `SHELLOPTS`.
    static let shellSettings: Set = [
        "pipefail", "errexit", "nounset", "noglob", "xtrace", "verbose", "posix", "noclobber", "errtrace", "functrace",
        "allexport", "monitor", "braceexpand", "hashall", "interactive-comments",
    ]
    /// Those of Node, also in `NODE_OPTIONS`.
    static let nodeWords = [
        "--trace-warnings", "--no-warnings", "--trace-deprecation", "--no-deprecation", "--throw-deprecation",
        "--trace-uncaught", "--enable-source-maps", "--use-openssl-ca", "--use-bundled-ca", "--use-system-ca",
        "--expose-gc", "--max-old-space-size=", "--max-semi-space-size=", "--stack-size=", "--stack-trace-limit=",
        "--unhandled-rejections=", "--max-http-header-size=", "--dns-result-order=",
        "--openssl-legacy-provider",
    ]

    private static func isWordPart(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") }

    /// Whether filters of Python's warnings name no class, which Python would load: `ignore`, not `ignore::a.B`.
    @Sendable
    static func isPlainWarning(_ filters: String) -> Bool {
        filters.utf8.split(separator: UInt8(ascii: ",")).allSatisfy { filter in
            // action:message:category:module:line
            let fields = filter.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            return fields.count < 3 || !fields[2].contains(UInt8(ascii: "."))
        }
    }

    /// The script among the words that it was started with; nil where there is none, or an option may have other code run.
    func script(in arguments: [String]) -> String? { start(in: arguments)?.script }

    /// The script, and the letters of the options before it; nil where there is none, or an option may have other code run.
    func start(in arguments: [String]) -> (script: String, letters: Set<Character>)? {
        let options = options
        // A shell that is called so reads the user's profile first.
        let name = arguments.first ?? ""
        if options.isShell,
            name.utf8.first == UInt8(ascii: "-")
                || name.utf8.split(separator: UInt8(ascii: "/")).last?.first == UInt8(ascii: "-")
        {
            return nil
        }
        var (words, letters) = (arguments.dropFirst(), Set<Character>())
        while let word = words.popFirst() {
            if word == "--" || word == "-" && options.isShell { return words.first.map { ($0, letters) } }
            // Of others it is what they read from standard input.
            if word == "-" { return nil }
            let isOption = word.hasPrefix("-") || options.isShell && word.hasPrefix("+") && word != "+"
            guard isOption else { return (word, letters) }
            if options.words.contains(where: { $0.hasSuffix("=") ? word.hasPrefix($0) : word == $0 }) { continue }
            var rest = word.dropFirst()
            while let letter = rest.popFirst() {
                if options.letters.contains(letter) {
                    // A plus takes back what a dash has said.
                    if word.first == "+" { letters.remove(letter) } else { letters.insert(letter) }
                } else if let isHarmless = options.withValue[letter] {
                    // A shell takes the next word whatever stands behind the letter.
                    let value = rest.isEmpty || options.isShell ? words.popFirst() : String(rest)
                    guard let value, isHarmless(value) else { return nil }
                    if !options.isShell { rest = "" }
                } else {
                    return nil
                }
            }
        }
        return nil
    }
}
