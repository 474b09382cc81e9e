internal import ArgumentParser
internal import Keyfob
internal import KeyfobTerminal

struct AccountShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an account, its tenants, and what is known of its tokens.",
        discussion: """
            Shows no token. 'before' lists the names and ids that the account had. Each still finds it, unless another \
            account has that name now. 'refused' is a request for a token that the provider refused, with what the \
            refusal covers and what to do; it is shown for an hour, or until such a request succeeds. 'from' is the \
            machine that changed the account last, if that was another one ('keyfob sync').

            Example:
              keyfob account show ada@contoso.example
            """)

    @OptionGroup var target: AccountArgument
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    /// The fields of an account that a line or the table of tokens tells in words of its own; any other one is told by its name.
    private static let toldAbove: Set = [
        "id", "homeAccountID", "environment", "username", "name", "displayName", "label", "formerNames", "group",
        "state", "stateReason", "signInEndsOn", "isSignInEnding", "isDefault", "hasTokenMadeByHand", "homeTenant",
        "tenants", "clients",
    ]

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let candidate = try keyring.accounts.named(target.account, in: global.groups())
        let credentials = try keyring.accounts.credentials(of: candidate.account.id, in: candidate.group)
        let origin = try keyring.sync.origin(of: candidate.account.id, in: candidate.group)
        let refusals = try keyring.signIns.refusals(of: candidate.account.id, in: candidate.group)
        let now = WallClock.system.now
        if global.json {
            return try JSONOutput.print(
                AccountShowDocument(
                    account: Record(candidate), syncedFrom: origin,
                    credentials: credentials.map { CredentialDocument($0, now: now) },
                    refusals: refusals.map(RefusalDocument.init)))
        }
        let account = candidate.account
        let provider = ProviderNames(keyring, try global.groups()).name(of: account.id.environment)
        var lines = [
            "user      \(account.username.isEmpty ? account.shortSubject : account.username)",
            "name      \(account.displayName ?? "-")",
            "label     \(account.label ?? "-")",
            "provider  \(provider)",
            "group     \(candidate.group)\(candidate.isDefault ? " (default account)" : "")",
            "state     \(candidate.stateWords(now))",
        ]
        if !account.formerNames.isEmpty { lines.append("before    \(account.formerNames.joined(separator: ", "))") }
        if let origin { lines.append("from      \(origin), by sync") }
        for profile in account.tenantProfiles {
            let home = account.homeRealm == profile.realm ? " (home)" : ""
            lines.append(
                "tenant    \(profile.realm.isEmpty ? "-" : profile.realm)\(home) as \(profile.username.isEmpty ? profile.localAccountID : profile.username)"
            )
        }
        lines += Record(candidate).fields.compactMap { name, _, value in
            Self.toldAbove.contains(name) ? nil : value?.text.map { "\(name)  \($0.replacing("\n", with: ", "))" }
        }
        lines += refusals.map(\.line)
        // An id can be copied only where it is whole.
        try StandardOutput.write(line: "id        \(account.id)")
        for line in lines { try StandardOutput.write(entry: line, hanging: 10) }
        guard !credentials.isEmpty else { return try StandardOutput.write(line: "tokens    none") }
        try StandardOutput.write(line: "")
        var table = Table(
            header: ["TOKEN", "CLIENT", "TENANT", "EXPIRES", "SCOPES"], yielding: ["CLIENT", "TENANT"],
            wrapping: ["SCOPES"])
        for credential in credentials {
            let document = CredentialDocument(credential, now: now)
            table.add([
                document.kind, credential.clientID, credential.realm.isEmpty ? "-" : credential.realm,
                credential.expiresOn.map { TimeText.distance(to: $0, from: now) } ?? credential.grant?.state.name
                    ?? "-",
                credential.scopes.spaceSeparated,
            ])
        }
        try StandardOutput.write(lines: table.text)
    }
}

/// What is known of a token, in a document.
struct CredentialDocument: Encodable {
    let kind: String
    let clientID: String
    let tenant: String?
    let scopes: [String]
    let familyID: String?
    let tokenType: String?
    let cachedOn: String?
    let expiresOn: String?
    let refreshOn: String?
    let freshness: String?
    let grantState: String?

    init(_ credential: Credential, now: Timestamp) {
        kind = credential.kind.rawValue
        clientID = credential.clientID
        tenant = credential.realm.isEmpty ? nil : credential.realm
        scopes = credential.scopes.scopes
        familyID = credential.familyID
        tokenType = credential.kind == .accessToken ? credential.shownTokenType : nil
        cachedOn = credential.cachedAt.map(\.rfc3339)
        expiresOn = credential.expiresOn.map(\.rfc3339)
        refreshOn = credential.refreshOn.map(\.rfc3339)
        freshness =
            credential.kind == .accessToken ? "\(credential.freshness(now: now, minimumValidity: nil))" : nil
        grantState = credential.grant?.state.name
    }
}

/// `Schemas/account-show.schema.json`.
struct AccountShowDocument: JSONDocument {
    let formatVersion = 1
    let account: Record
    /// The device of the sync that changed the account last, where that was another one.
    let syncedFrom: String?
    let credentials: [CredentialDocument]
    let refusals: [RefusalDocument]
}
