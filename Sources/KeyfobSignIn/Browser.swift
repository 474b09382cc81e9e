internal import FoundationEssentials
internal import KeyfobFiles

/// Opens an address in the person's browser.
public enum Browser {
    /// Where a page for the browser has to lie if it may come from snap, whose programs see no hidden folder and nothing
    /// outside of home; nil where no such programs are in the path.
    package static func homeOfSnaps(_ environment: [String: String]) -> String? {
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { $0.hasSuffix("/snap/bin") } ? environment["HOME"] : nil
    }

    /// Starts the first program of `BROWSER` (programs parted by colons, `%s` for the address), or else `xdg-open`.
    ///
    /// Every user of the machine can read the address among the arguments of that program.
    ///
    /// - Parameter environment: The environment variables; nil for those of this process.
    /// - Returns: Whether one was started.
    public static func open(
        _ url: String, environment: [String: String]? = nil
    ) -> Bool {
        let environment = environment ?? ProcessInfo.processInfo.environment
        let named = environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 }
        let programs = named.map { $0.split(separator: ":").map(String.init) } ?? ["xdg-open"]
        return programs.contains { start($0, url, environment) }
    }

    private static func start(_ program: String, _ url: String, _ environment: [String: String]) -> Bool {
        var words = program.split(separator: " ").map(String.init)
        let path = environment["PATH"].flatMap { $0.isEmpty ? nil : $0 }
        guard let name = words.first,
            let file = name.contains("/") ? name : SearchPath.program(name, in: path)
        else { return false }
        if words.contains("%s") { words = words.map { $0 == "%s" ? url : $0 } } else { words.append(url) }
        guard let process = ChildProgram(path: file, arguments: Array(words.dropFirst())).start() else {
            return false
        }
        process.leave()
        return true
    }
}
