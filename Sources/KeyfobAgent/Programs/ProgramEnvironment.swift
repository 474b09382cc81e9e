internal import KeyfobModel

/// The variables that a program was started with, and which of them have it run other code than its own.
///
/// Of a variable with folders or files those that are the system's do no harm: no program of the user puts anything there.
struct ProgramEnvironment {
    private let variables: [(name: Substring, value: Substring)]
    /// Whether a path is the system's, and all that is above it.
    private let isSystems: (String) -> Bool

    /// - Parameter bytes: As `/proc/PID/environ` has them.
    init(_ bytes: [UInt8], isSystems: @escaping (String) -> Bool) {
        variables = bytes.split(separator: 0).compactMap { line in
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (
                Substring(decoding: line[..<equals], as: UTF8.self),
                Substring(decoding: line[(equals + 1)...], as: UTF8.self)
            )
        }
        self.isSystems = isSystems
    }

    subscript(_ name: String) -> String? {
        variables.first { $0.name == name }.map { String($0.value) }
    }

    /// The first variable that has any program load other code.
    func intruder() -> String? {
        variables.first { name, value in
            switch name {
            // Names alone are looked for where the system's libraries are, and in `LD_LIBRARY_PATH`.
            case "LD_PRELOAD", "LD_AUDIT", "GTK_MODULES", "GTK3_MODULES":
                !value.split { $0 == " " || $0 == ":" }.allSatisfy { !$0.contains("/") || isSystems(String($0)) }
            case "LD_LIBRARY_PATH": hasForeign(value, separators: ":;")
            case "GCONV_PATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "KRB5_CONFIG",
                "GTK_PATH",
                "GIO_EXTRA_MODULES", "GIO_MODULE_DIR", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH":
                hasForeign(value)
            default: name.hasPrefix("GST_PLUGIN_PATH") && hasForeign(value)
            }
        }.map { String($0.name) }
    }

    /// The first variable that has an interpreter load other code than its script.
    ///
    /// - Parameters:
    ///   - letters: The options that it was started with.
    ///   - home: The user's own folder; nil where that is not known.
    func intruder(in family: Interpreter.Family, _ letters: Set<Character>, home: String?) -> String? {
        var found = variables.first { name, value in
            !value.isEmpty && isIntruder(String(name), value, family, letters)
        }
        // What is in this folder is run before the script: modules of the user, `.zshenv`.
        let ofUser = family == .python && letters.isDisjoint(with: "sI") || family == .ruby || family == .zsh
        if found == nil, ofUser, let home {
            found = variables.first { name, value in name == "HOME" && value != home && hasForeign(value) }
        }
        return found.map { String($0.name) }
    }

    private func isIntruder(
        _ name: String, _ value: Substring, _ family: Interpreter.Family, _ letters: Set<Character>
    ) -> Bool {
        switch family {
        case .python:
            guard name.hasPrefix("PYTHON"), letters.isDisjoint(with: "EI") else { return false }
            // Others have named theirs so.
            if name == "PYTHON" || name.hasPrefix("PYTHON_") { return name == "PYTHON_PRESITE" }
            if ["PYTHONPATH", "PYTHONHOME"].contains(name) { return hasForeign(value) }
            if name == "PYTHONWARNINGS" { return !Interpreter.isPlainWarning(String(value)) }
            return !Self.harmlessToPython.contains(name)
        case .perl:
            guard name.hasPrefix("PERL") else { return false }
            if ["PERL5LIB", "PERLLIB"].contains(name) { return hasForeign(value) }
            return ["PERL5OPT", "PERL5DB"].contains(name)
        case .ruby:
            if ["RUBYLIB", "GEM_HOME", "GEM_PATH"].contains(name) { return hasForeign(value) }
            return name == "RUBYOPT"
                && !value.split(separator: " ").allSatisfy { $0.hasPrefix("-w") || $0.hasPrefix("-W") }
        case .node:
            if ["NODE_PATH", "NODE_COMPILE_CACHE"].contains(name) { return hasForeign(value) }
            return name == "NODE_OPTIONS"
                && !value.split(separator: " ").allSatisfy { word in
                    Interpreter.nodeWords.contains { $0.hasSuffix("=") ? word.hasPrefix($0) : word == $0 }
                }
        case .bash, .shell:
            if name == "PS4" { return value.contains("$(") || value.contains("`") }
            return ["BASH_ENV", "ENV", "SHELLOPTS"].contains(name) || name.hasPrefix("BASH_FUNC_")
        case .zsh: return name == "ZDOTDIR" && hasForeign(value)
        case .lua:
            return letters.isDisjoint(with: "E")
                && ["LUA_INIT", "LUA_PATH", "LUA_CPATH"].contains { name.hasPrefix($0) }
        case .php: return ["PHPRC", "PHP_INI_SCAN_DIR"].contains(name) && hasForeign(value)
        }
    }

    /// Those of Python's that only say how it works; it reads what `PYTHONSTARTUP` names only where it runs no script.
    private static let harmlessToPython: Set = [
        "PYTHONSTARTUP", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING",
        "PYTHONUTF8", "PYTHONOPTIMIZE", "PYTHONNOUSERSITE", "PYTHONSAFEPATH", "PYTHONDEVMODE", "PYTHONFAULTHANDLER",
        "PYTHONTRACEMALLOC", "PYTHONASYNCIODEBUG", "PYTHONMALLOC", "PYTHONCOERCECLOCALE", "PYTHONVERBOSE",
        "PYTHONDEBUG", "PYTHONNODEBUGRANGES", "PYTHONINTMAXSTRDIGITS", "PYTHONWARNDEFAULTENCODING",
    ]

    /// Whether any of several paths is not the system's.
    ///
    /// An empty one among others is the folder that the program is in.
    private func hasForeign(_ value: Substring, separators: String = ":") -> Bool {
        guard !value.isEmpty else { return false }
        return !value.split(omittingEmptySubsequences: false) { separators.contains($0) }.allSatisfy {
            isSystems(String($0))
        }
    }
}
