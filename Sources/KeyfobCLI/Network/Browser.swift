internal import Keyfob
internal import KeyfobFiles

/// Opens an address in the person's browser.
enum Browser {
    /// Where a page for the browser has to lie if it may come from snap, whose programs see no hidden folder and nothing
    /// outside of home; nil where no such programs are in the path.
    static func homeOfSnaps(_ environment: Environment = .current) -> String? {
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { $0.hasSuffix("/snap/bin") } ? environment["HOME"] : nil
    }

    /// Starts the first program of `BROWSER` (programs parted by colons, `%s` for the address), or else `xdg-open`.
    ///
    /// Every user of the machine can read the address among the arguments of that program.
    ///
    /// - Returns: Whether one was started.
    static func open(_ url: String, _ environment: Environment = .current) -> Bool {
        let programs = environment["BROWSER"].map { $0.split(separator: ":").map(String.init) } ?? ["xdg-open"]
        return programs.contains { start($0, url, environment) }
    }

    private static func start(_ program: String, _ url: String, _ environment: Environment) -> Bool {
        var words = program.split(separator: " ").map(String.init)
        guard let name = words.first, let path = name.contains("/") ? name : SearchPath.program(name, environment)
        else { return false }
        if words.contains("%s") { words = words.map { $0 == "%s" ? url : $0 } } else { words.append(url) }
        guard let process = ChildProgram(path: path, arguments: Array(words.dropFirst())).start() else { return false }
        process.leave()
        return true
    }
}
