import Foundation
import Testing

/// The OpenID provider of `Tests/Provider`, on a port of its own for as long as somebody holds this.
///
/// It ends when this goes or the tests end, however they do, and takes its folder along.
final class ProviderServer: Sendable {
    /// How it is set up, with times in seconds.
    ///
    /// What each means is in `Tests/Provider/provider.py`.
    struct Settings: Sendable {
        var isSecure = false
        var accessLifetime = 3_600
        var refreshLifetime = 14 * 24 * 3_600
        var gracePeriod = 0
        var rotates = true
        var hasReuseProtection = true
        var deviceInterval = 1
        /// Whether it is the one of `Tests/Provider/wordless.py`, for which only the next two and the lifetime of access
        /// tokens count.
        var isWordless = false
        /// The redirect addresses that it takes; none for one at a port that is free.
        var redirects: [String] = []
        /// By how many milliseconds its token endpoint is away.
        var delay = 0

        fileprivate var arguments: [String] {
            if isWordless {
                return ["--access-lifetime", "\(accessLifetime)", "--delay", "\(delay)"]
                    + redirects.flatMap { ["--redirect", $0] }
            }
            return [
                "--access-lifetime", "\(accessLifetime)", "--refresh-lifetime", "\(refreshLifetime)",
                "--grace", "\(gracePeriod)", "--rotation", rotates ? "always" : "never",
                "--device-interval", "\(deviceInterval)",
            ] + (isSecure ? ["--https"] : []) + (hasReuseProtection ? [] : ["--no-reuse-protection"])
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The clients; the confidential one has a secret.
    static let publicClient = "keyfob-public"
    static let deviceClient = "keyfob-device"
    static let confidentialClient = "keyfob-confidential"
    static let confidentialSecret = "confidential-secret"

    /// Programs that take a URL and do there what `$TEST_USER` does: a real browser, and one that is fast.
    static let browserProgram = script("browser")
    static let visitorProgram = script("visit")

    /// The issuer, as `http://127.0.0.1:PORT/o`.
    let issuer: String
    /// Where its database, its log and its keys are.
    let folder: String
    /// The file with the authority that its certificate is from; nil without TLS.
    let authorityFile: String?
    /// Whether it is the one of `Tests/Provider/wordless.py`.
    let isWordless: Bool
    private let process: Process
    // It ends when this is closed.
    private let lifeline: FileHandle

    /// The address without the issuer's path.
    var base: String { String(issuer.dropLast(2)) }
    /// The host with its port.
    var host: String { base.split(separator: "/").last.map(String.init) ?? base }
    /// The redirect addresses that a wordless one takes.
    var redirects: [String] {
        get throws {
            try String(contentsOfFile: folder + "/redirects", encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }
    /// What discovery does not tell.
    var deviceEndpoint: String { issuer + "/device-authorization/" }

    private static let started = Result { try ProviderServer() }

    /// The one that tests share which neither set it up, nor let it misbehave, nor sign anybody out.
    static func shared() throws -> ProviderServer { try started.get() }

    init(_ settings: Settings = Settings()) throws {
        folder =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "keyfob-provider-\(UUID().uuidString)").path
        isWordless = settings.isWordless
        authorityFile = settings.isSecure ? folder + "/ca.pem" : nil
        let (input, output) = (Pipe(), Pipe())
        lifeline = input.fileHandleForWriting
        process = Process()
        process.executableURL = URL(filePath: PythonScript.interpreter)
        process.arguments =
            [Self.script(settings.isWordless ? "wordless" : "provider"), folder, "--guest"] + settings.arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()

        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                throw Failure(description: "the provider does not start; is Tests/requirements.txt installed?")
            }
            line += data
        }
        issuer = String(decoding: line.dropLast(), as: UTF8.self)
    }

    deinit {
        try? lifeline.close()
        process.waitUntilExit()
    }

    private static func script(_ name: String) -> String {
        ProjectFolder.root.appending(path: "Tests/Provider/\(name).py").path
    }

    /// Does at `url` what `user` does in a browser, fast; options are those of `visit.py`.
    ///
    /// Its text is the address where that leads, which it has visited, or the heading of the provider's last page.
    func visit(_ url: String, _ user: String, _ options: [String] = []) throws -> Outcome {
        let trust = authorityFile.map { ["--ca", $0] } ?? []
        return try run([Self.visitorProgram, url, user] + options + trust)
    }

    /// The same in a real Chromium, in a second or two; options are those of `browser.py`.
    func browser(_ url: String, _ user: String, _ options: [String] = []) throws -> Outcome {
        try run([Self.browserProgram, url, user] + options)
    }

    /// Runs MSAL for Python as `user` over a token cache; words are those of `msal_client.py`.
    ///
    /// The provider has to be secure.
    func msal(_ action: String, _ cache: String, _ user: String, _ options: [String] = []) throws -> Outcome {
        let trust = authorityFile.map { ["--ca", $0] } ?? []
        return try run([Self.script("msal_client"), action, cache, issuer, user] + options + trust)
    }

    private func run(_ words: [String]) throws -> Outcome {
        let words = [PythonScript.interpreter] + words
        return try Workplace().run(words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " "))
    }
}
