import Foundation
import Testing

/// A provider of `Tests/Provider`, for as long as somebody holds this: an OpenID provider on a port of its own, or stand-ins for
/// providers by their own names.
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
        var registers = false

        fileprivate var arguments: [String] {
            [
                "--access-lifetime", "\(accessLifetime)", "--refresh-lifetime", "\(refreshLifetime)",
                "--grace", "\(gracePeriod)", "--rotation", rotates ? "always" : "never",
                "--device-interval", "\(deviceInterval)",
            ] + (isSecure ? ["--https"] : []) + (registers ? ["--registers"] : [])
                + (hasReuseProtection ? [] : ["--no-reuse-protection"])
        }
    }

    /// A stand-in of `Tests/Provider/standins`, with options that stand there.
    struct StandIn: Sendable {
        let name: String
        let options: [String: any Sendable]

        init(_ name: String, _ options: [String: any Sendable] = [:]) {
            (self.name, self.options) = (name, options)
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

    /// The issuer, as `http://127.0.0.1:PORT/o`; of several stand-ins that of the first.
    let issuer: String
    /// What programs need in their environment to get to stand-ins by their names.
    let environment: [String: String]
    /// Where its database, its log and its keys are.
    let folder: String
    /// The file with the authority that its certificate is from; nil without TLS.
    let authorityFile: String?
    /// Whether discovery tells all that there is to tell; else not of devices and revocation.
    let tellsAll: Bool
    private let process: Process
    // It ends when this is closed.
    private let lifeline: FileHandle

    /// The address without the issuer's path.
    var base: String { issuer.hasSuffix("/o") ? String(issuer.dropLast(2)) : issuer }
    /// The host with its port.
    var host: String { base.split(separator: "/").last.map(String.init) ?? base }
    /// The redirect addresses, where it takes some alone.
    var redirects: [String] {
        let text = try? String(contentsOfFile: folder + "/redirects", encoding: .utf8)
        return text?.split(separator: "\n").map(String.init) ?? []
    }
    /// What discovery does not tell.
    var deviceEndpoint: String { issuer + "/device-authorization/" }

    private static let started = Result { try ProviderServer() }

    /// The one that tests share which neither set it up, nor let it misbehave, nor sign anybody out.
    static func shared() throws -> ProviderServer { try started.get() }

    /// The OpenID provider that is a program of others'.
    convenience init(_ settings: Settings = Settings()) throws {
        try self.init("provider", settings.arguments, isSecure: settings.isSecure, tellsAll: false)
    }

    /// A stand-in on a port of this machine.
    convenience init(_ standIn: StandIn, isSecure: Bool = false) throws {
        try self.init(
            "serve", [try Self.wanted([standIn]), "--loopback"] + (isSecure ? ["--https"] : []), isSecure: isSecure,
            tellsAll: true)
    }

    /// Stand-ins at their own names, for programs with ``environment``.
    convenience init(named standIns: [StandIn]) throws {
        try self.init("serve", [try Self.wanted(standIns)], isSecure: true, tellsAll: true)
    }

    private init(_ script: String, _ arguments: [String], isSecure: Bool, tellsAll: Bool) throws {
        folder =
            FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "keyfob-provider-\(UUID().uuidString)").path
        authorityFile = isSecure ? folder + "/ca.pem" : nil
        self.tellsAll = tellsAll
        let (input, output) = (Pipe(), Pipe())
        lifeline = input.fileHandleForWriting
        process = Process()
        process.executableURL = URL(filePath: PythonScript.interpreter)
        process.arguments = [Self.script(script), folder, "--guest"] + arguments
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
        if let told = try? JSONDecoder().decode(Told.self, from: line) {
            (issuer, environment) = (told.issuer, told.environment)
        } else {
            (issuer, environment) = (String(decoding: line.dropLast(), as: UTF8.self), [:])
        }
    }

    /// What `serve.py` says when it is ready.
    private struct Told: Decodable {
        let issuer: String
        let environment: [String: String]
    }

    /// Stand-ins as `serve.py` wants to be told of them.
    static func wanted(_ standIns: [StandIn]) throws -> String {
        let options: [String: Any] = Dictionary(standIns.map { ($0.name, $0.options) }) { $1 }
        return String(decoding: try JSONSerialization.data(withJSONObject: options), as: UTF8.self)
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
