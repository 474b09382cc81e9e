internal import Keyfob
internal import KeyfobModel

extension Continuation {
    /// The sign-in that repeats all of it, as one command to type.
    var command: String { command(ShellWord.quoted) }

    private func command(_ word: (String) -> String) -> String {
        let options: [(String, String?)] =
            [("--account", name), ("--group", group?.name), ("--tenant", tenant), ("--client", clientID)]
            + scopes.scopes.map { ("--scope", $0) } + [("--claims", claims)]
            + [("--acr-values", contexts.isEmpty ? nil : contexts.joined(separator: " "))]
            + [("--max-age", maximumAge.map(String.init))]
        return options.reduce(into: "keyfob login") { text, option in
            if let value = option.1 { text += " \(option.0) \(word(value))" }
        }
    }

    /// The sign-in, with more to fill in.
    func advice(adding words: String) -> String { "run '\(command(ShellWord.inMessage)) \(words)'" }

    /// What to do: one line.
    var advice: String {
        let run = "run '\(command(ShellWord.inMessage))'"
        let administrator = "ask an administrator\(tenant.map { " of tenant \($0)" } ?? "")"
        return switch action {
        case .signIn, .meetPolicy, .otherScopes, .otherClient: run
        case .consent: "consent when you \(run)"
        case .secondFactor: "have a second factor ready and \(run)"
        case .newPassword: "choose a new password when you \(run)"
        case .invitation: "\(administrator) to invite \(name), then \(run)"
        case .administrator:
            "\(administrator) to let \(name) use \(clientID.map { "client \($0)" } ?? "the client"), then \(run)"
        }
    }
}

/// A continuation in a document; `Schemas/error.schema.json`.
struct ContinuationDocument: Encodable {
    /// What 'keyfob login --continue' takes; left out where it is not kept.
    let id: String?
    let action: String
    let provider: String?
    let account: String?
    let name: String
    let group: String?
    let tenant: String?
    let clientID: String?
    let scopes: [String]
    let claims: String?
    let command: String

    init(_ continuation: Continuation) {
        id = continuation.id
        action = continuation.action.rawValue
        provider = continuation.provider.isEmpty ? nil : continuation.provider
        account = continuation.account.isEmpty ? nil : continuation.account
        name = continuation.name
        group = continuation.group?.name
        tenant = continuation.tenant
        clientID = continuation.clientID
        scopes = continuation.scopes.scopes
        claims = continuation.claims
        command = continuation.command
    }
}
