internal import Foundation
internal import Glibc
internal import Keyfob

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
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = Array(words.dropFirst())
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return withoutBlockedSignals { (try? process.run()) != nil }
    }

    /// Runs `body` so that what it starts blocks no signals.
    ///
    /// A program inherits the signals that the thread which starts it blocks, and the threads of the concurrency
    /// runtime block nearly all: nobody could end a browser by SIGTERM.
    private static func withoutBlockedSignals<Value>(_ body: () -> Value) -> Value {
        var (none, before) = (sigset_t(), sigset_t())
        _ = unsafe sigemptyset(&none)
        _ = unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }
}
