internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct ProviderCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Ask a provider what it offers, and say what will work.",
        discussion: """
            Reads its discovery document and the keys of its ID tokens anew; no token is sent. Ends with 69 where its \
            description cannot be used or lets nobody sign in, and with 75 where it cannot be reached.

            Example:
              keyfob provider check contoso
            """)

    @Argument(help: "The provider: its name, issuer or host.") var name: String
    @OptionGroup(visibility: .hidden) var networkOptions: NetworkOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let network = try networkOptions.network()
        let keyring = try global.unlockedKeyring(reaching: .network)
        let groups = try global.groups()
        let report = try NetworkTask.run { () async throws(KeyringError) in
            try await keyring.providers.check(name, in: groups, network: network)
        }
        global.tellWarnings(of: keyring)
        for flaw in report.flaws { global.say("keyfob: warning: \(report.provider): \(flaw)") }
        if global.json {
            try JSONOutput.print(ProviderCheckDocument(report))
        } else {
            try StandardOutput.write(lines: report.lines.joined(separator: "\n") + "\n")
        }
        guard report.letsNobodyIn else { return }
        throw KeyringError(.providerFailed, "nobody can sign in at \(report.provider)")
    }
}

/// `Schemas/provider-check.schema.json`.
struct ProviderCheckDocument: JSONDocument {
    struct Finding: Encodable {
        let function: String
        let standing: String
        let reason: String?
    }

    let formatVersion = 1
    let provider: String
    let issuer: String?
    let findings: [Finding]
    let clientMethods: [String]
    let scopes: [String]?
    let flaws: [String]

    init(_ report: ProviderReport) {
        provider = report.provider
        issuer = report.issuer
        findings = report.findings.map {
            Finding(function: $0.function.rawValue, standing: $0.standing.rawValue, reason: $0.reason)
        }
        clientMethods = report.clientMethods
        scopes = report.scopes
        flaws = report.flaws
    }
}

extension ProviderReport {
    /// What works and what does not, as people read it: a line for each standing.
    var lines: [String] {
        let standings: [(ProviderFinding.Standing, String)] = [
            (.works, "works"), (.unsaid, "may work"), (.missing, "lacks"), (.unusable, "does not work"),
        ]
        let found = standings.compactMap { standing, word -> String? in
            let names = findings.filter { $0.standing == standing }.map { finding in
                // What is missing needs no reason.
                let reason = standing == .missing ? nil : finding.reason
                return finding.function.words + (reason.map { " (\($0))" } ?? "")
            }
            return names.isEmpty ? nil : "\(word): " + names.joined(separator: ", ")
        }
        let methods = clientMethods.isEmpty ? [] : ["clients show: " + clientMethods.joined(separator: ", ")]
        return (found + methods).map(TerminalText.line)
    }
}

extension ProviderFunction {
    fileprivate var words: String {
        switch self {
        case .browserSignIn: "sign-in by browser"
        case .deviceSignIn: "sign-in by a code (--device)"
        case .refresh: "refresh"
        case .names: "names"
        case .revocation: "revocation"
        case .browserSignOut: "ending the browser's session"
        case .registration: "registering a client by itself"
        case .pushedRequests: "pushed requests (PAR)"
        case .boundTokens: "bound tokens (DPoP)"
        }
    }
}
