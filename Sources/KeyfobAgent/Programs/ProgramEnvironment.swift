internal import KeyfobModel

/// The variables that a program was started with, and which of them have it load other code than its own.
///
/// Only variables that name code count, each for the programs that read it. A path does no harm if it is the system's, where no
/// program of the user can put anything, or the program's own.
struct ProgramEnvironment {
    /// The values are bytes, as programs take them: what looks like one character with a colon in it is a colon and the next path.
    private let variables: [(name: String, value: ArraySlice<UInt8>)]
    /// Whether a path is the system's with all that is above it, or the program's own.
    private let isTrusted: (String) -> Bool

    /// - Parameter bytes: As `/proc/PID/environ` has them.
    init(_ bytes: [UInt8], isTrusted: @escaping (String) -> Bool) {
        variables = bytes.split(separator: 0).compactMap { line in
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (String(decoding: line[..<equals], as: UTF8.self), line[(equals + 1)...])
        }
        self.isTrusted = isTrusted
    }

    subscript(_ name: String) -> String? {
        variables.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// A variable that has other code run.
    struct Intruder: Equatable {
        let name: String
        /// The part of its value that names where that is, which may be empty; nil where no part does.
        var part: String?
    }

    /// The first variable that has any program load other code: what the dynamic linker and common libraries read.
    func intruder() -> Intruder? {
        variables.first { name, value in
            switch name {
            // A name without a folder is looked for where the system's libraries are, and in `LD_LIBRARY_PATH`.
            case "LD_PRELOAD", "LD_AUDIT", "GTK_MODULES", "GTK3_MODULES":
                !value.split { " :".utf8.contains($0) }.allSatisfy { part in
                    !part.contains(UInt8(ascii: "/")) || Self.text(part).map(isTrusted) ?? false
                }
            case "LD_LIBRARY_PATH": hasForeign(value, separators: ":;")
            case "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS":
                !Self.words(value).allSatisfy { word in Self.plainJavaOptions.contains { word.starts(with: $0.utf8) } }
            default: Self.placesOfCode.contains(name) && hasForeign(value, separators: Self.separators(of: name))
            }
        }.map { intruder($0.name, $0.value) }
    }

    /// A variable, and which part of it is foreign where it names places.
    private func intruder(_ name: String, _ value: ArraySlice<UInt8>) -> Intruder {
        let separators = Self.separators(of: name)
        let areFolders = name.hasSuffix("PATH") || name.hasSuffix("LIB")
        let part = value.split(omittingEmptySubsequences: false) { separators.utf8.contains($0) }.first { part in
            (part.isEmpty && areFolders || part.first == UInt8(ascii: "/")) && !isHarmless(part)
        }
        return Intruder(name: name, part: part.map { String(decoding: $0, as: UTF8.self) })
    }

    /// What parts the places in a variable: nothing where it names one alone, in which a colon is a part of its name.
    private static func separators(of name: String) -> String {
        switch name {
        case "LD_PRELOAD", "LD_AUDIT": " :"
        case "LD_LIBRARY_PATH": ":;"
        case "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "GTK_EXE_PREFIX", "GTK_IM_MODULE_FILE",
            "GDK_PIXBUF_MODULE_FILE", "GSS_MECH_CONFIG", "ODBCINI", "ODBCSYSINI", "BASH_ENV", "TEXTDOMAINDIR", "HOME",
            "ZDOTDIR", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "NODE_COMPILE_CACHE":
            ""
        default: ":"
        }
    }

    /// What has Java load no code: `-Xmx1g`.
    private static let plainJavaOptions = [
        "-Xmx", "-Xms", "-Xss", "-Dfile.encoding=", "-Dawt.useSystemAAFontSettings=", "-Djava.net.preferIPv4Stack=",
        "-Dswing.", "-Djava.io.tmpdir=", "-Duser.",
    ]

    /// Variables with the folders or files from which libraries load modules.
    ///
    /// Of glibc, OpenSSL, Kerberos, GTK, Qt, GStreamer, .NET, OpenGL, Vulkan, GSSAPI, SASL, ODBC and libtool; others have others.
    private static let placesOfCode: Set = [
        "GCONV_PATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "KRB5_CONFIG", "GTK_PATH", "GTK_EXE_PREFIX",
        "GTK_IM_MODULE_FILE", "GDK_PIXBUF_MODULE_FILE", "GI_TYPELIB_PATH", "GIO_EXTRA_MODULES", "GIO_MODULE_DIR",
        "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QML_IMPORT_PATH", "QML2_IMPORT_PATH", "GST_PLUGIN_PATH",
        "GST_PLUGIN_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH", "GST_PLUGIN_SYSTEM_PATH_1_0", "DOTNET_STARTUP_HOOKS",
        "CORECLR_PROFILER_PATH", "CORECLR_PROFILER_PATH_64", "LIBGL_DRIVERS_PATH", "VK_LAYER_PATH",
        "VK_ADD_LAYER_PATH", "VK_ICD_FILENAMES", "VK_DRIVER_FILES", "__EGL_VENDOR_LIBRARY_FILENAMES",
        "GBM_BACKENDS_PATH",
        "LIBVA_DRIVERS_PATH", "OCL_ICD_VENDORS", "GSS_MECH_CONFIG", "SASL_PATH", "ODBCINI", "ODBCSYSINI",
        "LIBMYSQL_PLUGINS", "LTDL_LIBRARY_PATH",
    ]

    /// The first variable that has an interpreter load other code than its script.
    ///
    /// - Parameters:
    ///   - letters: The options that it was started with.
    ///   - home: The user's own folder; nil where that is not known.
    func intruder(in family: Interpreter.Family, _ letters: Set<Character>, home: String?) -> Intruder? {
        var found = variables.first { name, value in !value.isEmpty && isIntruder(name, value, family, letters) }
        if found == nil, readsHome(family, letters), let home {
            found = variables.first { name, value in
                name == "HOME" && !Self.isSame(value, home) && hasForeign(value, separators: "")
            }
        }
        return found.map { intruder($0.name, $0.value) }
    }

    /// Whether a value is the path of a folder, whatever slashes are behind it.
    private static func isSame(_ value: ArraySlice<UInt8>, _ folder: String) -> Bool {
        func bare(_ path: some Sequence<UInt8>) -> [UInt8] {
            var path = Array(path)
            while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
            return path
        }
        return bare(value) == bare(folder.utf8)
    }

    /// Whether the interpreter runs code from the user's folder: modules of the user, `.zshenv`.
    private func readsHome(_ family: Interpreter.Family, _ letters: Set<Character>) -> Bool {
        switch family {
        // With -E it does not read what says so, and still where the folder is.
        case .python:
            letters.isDisjoint(with: "sI") && (letters.contains("E") || (self["PYTHONNOUSERSITE"] ?? "").isEmpty)
        case .zsh: !letters.contains("f")
        case .ruby, .node: true
        case .perl, .bash, .shell, .lua, .php: false
        }
    }

    private func isIntruder(
        _ name: String, _ value: ArraySlice<UInt8>, _ family: Interpreter.Family, _ letters: Set<Character>
    ) -> Bool {
        switch family {
        case .python:
            name == "PYTHONUSERBASE"
                ? readsHome(.python, letters) && hasForeign(value, separators: "")
                : letters.isDisjoint(with: "EI") && isPythonIntruder(name, value)
        case .perl:
            switch name {
            case "PERL5LIB", "PERLLIB": hasForeign(value)
            case "PERL5OPT": !Self.words(value).allSatisfy(Self.isPlainPerlOption)
            case "PERL_USE_UNSAFE_INC": !value.elementsEqual("0".utf8)
            default: name == "PERL5DB"
            }
        case .ruby:
            switch name {
            case "RUBYLIB", "GEM_HOME", "GEM_PATH": hasForeign(value)
            case "RUBYOPT": !Self.words(value).allSatisfy(Self.isPlainRubyOption)
            default: ["RUBYGEMS_GEMDEPS", "BUNDLER_SETUP"].contains(name)
            }
        case .node:
            switch name {
            case "NODE_PATH", "NODE_COMPILE_CACHE": hasForeign(value, separators: Self.separators(of: name))
            case "NODE_OPTIONS":
                !Self.words(value).allSatisfy { word in
                    Interpreter.nodeWords.contains {
                        $0.hasSuffix("=") ? word.starts(with: $0.utf8) : word.elementsEqual($0.utf8)
                    }
                }
            // Its modules then come from beside the link by which it was started.
            default: ["NODE_PRESERVE_SYMLINKS", "NODE_PRESERVE_SYMLINKS_MAIN"].contains(name)
            }
        case .bash:
            // With -p it reads none of them.
            !letters.contains("p") && isBashIntruder(name, value)
        case .shell: name == "FPATH" && hasForeign(value) || name == "PS4" && Self.isExpanded(value)
        // Called sh or ksh it expands its prompts.
        case .zsh:
            ["ZDOTDIR", "FPATH"].contains(name) && hasForeign(value, separators: Self.separators(of: name))
                || ["PS4", "PROMPT4"].contains(name) && Self.isExpanded(value)
        case .lua:
            letters.isDisjoint(with: "E")
                && (name.hasPrefix("LUA_INIT")
                    || (name.hasPrefix("LUA_PATH") || name.hasPrefix("LUA_CPATH")) && hasForeignTemplate(value))
        case .php:
            !letters.contains("n") && ["PHPRC", "PHP_INI_SCAN_DIR"].contains(name)
                && !value.split(separator: UInt8(ascii: ":")).allSatisfy(isHarmless)
        }
    }

    private func isBashIntruder(_ name: String, _ value: ArraySlice<UInt8>) -> Bool {
        switch name {
        case "BASH_ENV": value.contains { "$`".utf8.contains($0) } || hasForeign(value, separators: "")
        case "BASH_LOADABLES_PATH": hasForeign(value)
        // What is translated is expanded.
        case "TEXTDOMAINDIR": hasForeign(value, separators: "")
        case "PS4": Self.isExpanded(value)
        case "SHELLOPTS":
            !value.split(separator: UInt8(ascii: ":")).allSatisfy {
                Interpreter.shellSettings.contains(String(decoding: $0, as: UTF8.self))
            }
        default: false
        }
    }

    private func isPythonIntruder(_ name: String, _ value: ArraySlice<UInt8>) -> Bool {
        switch name {
        case "PYTHONPATH", "PYTHONHOME": hasForeign(value)
        // Compiled modules, also of the standard library.
        case "PYTHONPYCACHEPREFIX": hasForeign(value, separators: "")
        case "PYTHONPLATLIBDIR": value.contains(UInt8(ascii: "/"))
        case "PYTHONWARNINGS": !Interpreter.isPlainWarning(String(decoding: value, as: UTF8.self))
        // It reads more code from standard input, and with a debug build a module.
        default: ["PYTHONINSPECT", "PYTHON_PRESITE"].contains(name)
        }
    }

    /// Whether an option in `PERL5OPT` is about warnings and taint checks alone.
    private static func isPlainPerlOption(_ word: ArraySlice<UInt8>) -> Bool {
        word.drop { $0 == UInt8(ascii: "-") }.allSatisfy { "wWXtT".utf8.contains($0) }
    }

    /// Whether an option in `RUBYOPT` is about warnings alone; other letters may stand behind `-w`.
    private static func isPlainRubyOption(_ word: ArraySlice<UInt8>) -> Bool {
        ["-w", "-W", "-W0", "-W1", "-W2"].contains { word.elementsEqual($0.utf8) } || word.starts(with: "-W:".utf8)
    }

    /// The words between blanks of all kinds.
    private static func words(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        value.split { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
    }

    /// Whether a shell that expands a text may run a command for that: substitutions, and what evaluates another variable's text.
    static func isExpanded(_ text: ArraySlice<UInt8>) -> Bool {
        text.indices.contains { index in
            // In a prompt a backslash may write any character, also one of these.
            if text[index] == UInt8(ascii: "`") || text[index] == UInt8(ascii: "\\") { return true }
            guard text[index] == UInt8(ascii: "$") else { return false }
            var rest = text[(index + 1)...]
            guard rest.first == UInt8(ascii: "{") else { return rest.first.map("([".utf8.contains) ?? false }
            rest = rest.dropFirst()
            // What stands in the place of a name has a meaning of its own: `${#x[y]}`, `${!x}`, `${-:x}`.
            guard let first = rest.first, ShellText.isWordPart(first) else { return true }
            rest = rest.drop(while: ShellText.isWordPart)
            if rest.first == UInt8(ascii: "[") {
                rest = rest.dropFirst().drop { $0.isASCIIDigit }
                guard rest.first == UInt8(ascii: "]") else { return true }
                rest = rest.dropFirst()
            }
            if rest.first == UInt8(ascii: ":") { return !(rest.dropFirst().first.map("-+=?".utf8.contains) ?? false) }
            return !(rest.first.map("}-+=?#%/".utf8.contains) ?? false)
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
    private func hasForeign(_ value: ArraySlice<UInt8>, separators: String = ":") -> Bool {
        guard !value.isEmpty else { return false }
        return !value.split(omittingEmptySubsequences: false) { separators.utf8.contains($0) }.allSatisfy(isHarmless)
    }

    /// Whether one of Lua's templates of paths leads elsewhere; an empty one stands for what is built in.
    private func hasForeignTemplate(_ value: ArraySlice<UInt8>) -> Bool {
        !value.split(separator: UInt8(ascii: ";")).allSatisfy { isHarmless($0.prefix { $0 != UInt8(ascii: "?") }) }
    }

    /// Whether nothing of another program is at a path.
    private func isHarmless(_ path: ArraySlice<UInt8>) -> Bool {
        path.elementsEqual("/dev/null".utf8) || Self.text(path).map(isTrusted) ?? false
    }

    /// A path as text; nil where it is none, so that no other file is looked at in its place.
    private static func text(_ path: ArraySlice<UInt8>) -> String? { String(validating: path, as: UTF8.self) }
}
