internal import KeyfobModel

/// The variables that a program was started with, and which of them have it load other code than its own.
///
/// Only variables that name code count, each for the programs that read it. A path does no harm if it is the system's, where no
/// program of the user can put anything, or the program's own.
struct ProgramEnvironment {
    private let variables: [(name: Substring, value: Substring)]
    /// Whether a path is the system's with all that is above it, or the program's own.
    private let isTrusted: (String) -> Bool

    /// - Parameter bytes: As `/proc/PID/environ` has them.
    init(_ bytes: [UInt8], isTrusted: @escaping (String) -> Bool) {
        variables = bytes.split(separator: 0).compactMap { line in
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (
                Substring(decoding: line[..<equals], as: UTF8.self),
                Substring(decoding: line[(equals + 1)...], as: UTF8.self)
            )
        }
        self.isTrusted = isTrusted
    }

    subscript(_ name: String) -> String? {
        variables.first { $0.name == name }.map { String($0.value) }
    }

    /// The first variable that has any program load other code: what the dynamic linker and common libraries read.
    func intruder() -> String? {
        variables.first { name, value in
            switch name {
            // A name without a folder is looked for where the system's libraries are, and in `LD_LIBRARY_PATH`.
            case "LD_PRELOAD", "LD_AUDIT", "GTK_MODULES", "GTK3_MODULES":
                !value.split { $0 == " " || $0 == ":" }.allSatisfy { !$0.contains("/") || isTrusted(String($0)) }
            case "LD_LIBRARY_PATH": hasForeign(value, separators: ":;")
            default: Self.placesOfCode.contains(String(name)) && hasForeign(value)
            }
        }.map { String($0.name) }
    }

    /// Variables with the folders or files from which libraries load modules: glibc, OpenSSL, Kerberos, GTK, Qt, GStreamer.
    private static let placesOfCode: Set = [
        "GCONV_PATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "KRB5_CONFIG", "GTK_PATH", "GTK_EXE_PREFIX",
        "GTK_IM_MODULE_FILE", "GDK_PIXBUF_MODULE_FILE", "GI_TYPELIB_PATH", "GIO_EXTRA_MODULES", "GIO_MODULE_DIR",
        "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QML_IMPORT_PATH", "QML2_IMPORT_PATH", "GST_PLUGIN_PATH",
        "GST_PLUGIN_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH", "GST_PLUGIN_SYSTEM_PATH_1_0",
    ]

    /// The first variable that has an interpreter load other code than its script.
    ///
    /// - Parameters:
    ///   - letters: The options that it was started with.
    ///   - home: The user's own folder; nil where that is not known.
    func intruder(in family: Interpreter.Family, _ letters: Set<Character>, home: String?) -> String? {
        var found = variables.first { name, value in
            !value.isEmpty && isIntruder(String(name), value, family, letters)
        }
        if found == nil, readsHome(family, letters), let home {
            found = variables.first { name, value in name == "HOME" && value != home && hasForeign(value) }
        }
        return found.map { String($0.name) }
    }

    /// Whether the interpreter runs code from the user's folder before the script: modules of the user, `.zshenv`.
    private func readsHome(_ family: Interpreter.Family, _ letters: Set<Character>) -> Bool {
        switch family {
        case .python: letters.isDisjoint(with: "sI") && (self["PYTHONNOUSERSITE"] ?? "").isEmpty
        case .zsh: !letters.contains("f")
        case .ruby: true
        case .perl, .node, .bash, .shell, .lua, .php: false
        }
    }

    private func isIntruder(
        _ name: String, _ value: Substring, _ family: Interpreter.Family, _ letters: Set<Character>
    ) -> Bool {
        switch family {
        case .python: letters.isDisjoint(with: "EI") && isPythonIntruder(name, value, letters)
        case .perl:
            switch name {
            case "PERL5LIB", "PERLLIB": hasForeign(value)
            case "PERL5OPT": !value.split(separator: " ").allSatisfy(Self.isPlainPerlOption)
            case "PERL_USE_UNSAFE_INC": value != "0"
            default: name == "PERL5DB"
            }
        case .ruby:
            switch name {
            case "RUBYLIB", "GEM_HOME", "GEM_PATH": hasForeign(value)
            case "RUBYOPT": !value.split(separator: " ").allSatisfy { $0.hasPrefix("-w") || $0.hasPrefix("-W") }
            default: name == "RUBYGEMS_GEMDEPS"
            }
        case .node:
            switch name {
            case "NODE_PATH", "NODE_COMPILE_CACHE": hasForeign(value)
            case "NODE_OPTIONS":
                !value.split(separator: " ").allSatisfy { word in
                    Interpreter.nodeWords.contains { $0.hasSuffix("=") ? word.hasPrefix($0) : word == $0 }
                }
            default: false
            }
        case .bash:
            // With -p it reads none of them.
            !letters.contains("p")
                && (name == "BASH_ENV" && (Self.isExpanded(value) || hasForeign(value))
                    || name == "BASH_LOADABLES_PATH" && hasForeign(value) || name == "PS4" && Self.isExpanded(value))
        case .shell: name == "FPATH" && hasForeign(value) || name == "PS4" && Self.isExpanded(value)
        case .zsh: ["ZDOTDIR", "FPATH"].contains(name) && hasForeign(value)
        case .lua:
            letters.isDisjoint(with: "E")
                && (name.hasPrefix("LUA_INIT")
                    || (name.hasPrefix("LUA_PATH") || name.hasPrefix("LUA_CPATH")) && hasForeignTemplate(value))
        case .php:
            !letters.contains("n") && ["PHPRC", "PHP_INI_SCAN_DIR"].contains(name)
                && !value.split(separator: ":").allSatisfy { isHarmless(String($0)) }
        }
    }

    private func isPythonIntruder(_ name: String, _ value: Substring, _ letters: Set<Character>) -> Bool {
        switch name {
        case "PYTHONPATH", "PYTHONHOME": hasForeign(value)
        // Compiled modules, also of the standard library.
        case "PYTHONPYCACHEPREFIX": hasForeign(value)
        case "PYTHONUSERBASE": readsHome(.python, letters) && hasForeign(value)
        case "PYTHONPLATLIBDIR": value.contains("/")
        case "PYTHONWARNINGS": !Interpreter.isPlainWarning(String(value))
        // It reads more code from standard input, and with a debug build a module.
        default: ["PYTHONINSPECT", "PYTHON_PRESITE"].contains(name)
        }
    }

    /// Whether an option in `PERL5OPT` is about warnings and taint checks alone.
    private static func isPlainPerlOption(_ word: Substring) -> Bool {
        word.drop { $0 == "-" }.allSatisfy { "wWXtT".contains($0) }
    }

    /// Whether a shell that expands a text may run a command for that: substitutions, and what evaluates another variable's text.
    static func isExpanded(_ text: Substring) -> Bool {
        if text.contains("`") || text.contains("$(") || text.contains("$[") { return true }
        return text.components(after: "${").contains { rest in
            var rest = rest.drop { $0.isLetter || $0.isNumber || $0 == "_" }
            if rest.first == "[" {
                rest = rest.dropFirst().drop { $0.isNumber }
                guard rest.first == "]" else { return true }
                rest = rest.dropFirst()
            }
            if rest.first == ":" { return !"-+=?".contains(rest.dropFirst().first ?? "x") }
            return !"}-+=?#%/".contains(rest.first ?? "x")
        }
    }

    /// The shell functions that a program was given, which bash takes in place of commands of these names.
    var shellFunctions: [String] {
        let prefix = "BASH_FUNC_"
        return variables.compactMap { name, _ in
            guard name.hasPrefix(prefix) else { return nil }
            let name = name.dropFirst(prefix.count)
            // What older versions of bash wrote behind the name, too.
            return ["%%", "()"].first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
        }
    }

    /// Whether any of several paths is another's.
    ///
    /// An empty one among others is the folder that the program is in.
    private func hasForeign(_ value: Substring, separators: String = ":") -> Bool {
        guard !value.isEmpty else { return false }
        return !value.split(omittingEmptySubsequences: false) { separators.contains($0) }.allSatisfy {
            isHarmless(String($0))
        }
    }

    /// Whether one of Lua's templates of paths leads elsewhere; an empty one stands for what is built in.
    private func hasForeignTemplate(_ value: Substring) -> Bool {
        !value.split(separator: ";").allSatisfy { isHarmless(String($0.prefix { $0 != "?" })) }
    }

    /// Whether nothing of another program is at a path.
    private func isHarmless(_ path: String) -> Bool { path == "/dev/null" || isTrusted(path) }
}

extension Substring {
    /// What stands behind each place where a text is.
    fileprivate func components(after text: String) -> [Substring] {
        var (found, rest): ([Substring], Substring) = ([], self)
        while let range = rest.firstRange(of: text) {
            rest = rest[range.upperBound...]
            found.append(rest)
        }
        return found
    }
}
