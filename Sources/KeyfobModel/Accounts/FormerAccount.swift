/// An account that was removed from a group, or moved out of it: what it was called, and what it could do.
///
/// It is remembered so that nobody is taken in its place where something still means it. It decides nothing else.
package struct FormerAccount: Hashable, Sendable {
    /// Who it was; of the tenants no more than which.
    package private(set) var account: Account
    /// The clients that held a credential of it.
    package let clientIDs: Set<String>
    /// The tenants that it had tokens for.
    package let realms: Set<String>
    /// The scopes that its tokens and grants named; empty where they named none, or more than are kept.
    package let scopes: ScopeSet
    /// What it could reach.
    package let reach: FormerReach
    /// Whether a grant of it was a family's.
    package let hadFamilyGrant: Bool

    /// The name under which a group keeps those that it had.
    package static let setting = "former accounts"
    /// How many are kept: the latest.
    package static let limit = 32
    /// The longest list of scopes that is kept, in bytes.
    private static let scopesLimit = 4_096

    /// An account with what it holds.
    package init(_ account: Account, holding credentials: [Credential]) {
        self.account = Account(
            id: account.id, username: account.username, label: account.label,
            tenantProfiles: account.tenantProfiles.map {
                TenantProfile(
                    realm: $0.realm, localAccountID: "", environment: $0.environment, username: "",
                    authorityType: $0.authorityType)
            }, formerNames: account.formerNames)
        self.account.isProved = account.isProved
        let credentials = credentials.filter { $0.kind != .idToken }
        clientIDs = Set(credentials.map { $0.clientID })
        realms = Set(credentials.flatMap { [$0.realm] + ($0.former?.realms ?? []) }.filter { !$0.isEmpty })
        let all = ScopeSet(credentials.flatMap { $0.scopes.scopes })
        let isKept = all.spaceSeparated.utf8.count <= Self.scopesLimit
        (scopes, reach) = isKept ? (all, FormerReach(of: credentials)) : ([], .any)
        hadFamilyGrant = credentials.contains { $0.kind == .refreshToken && $0.familyID != nil }
    }

    /// An account of which no more than its id is known.
    package init(_ id: AccountID) {
        account = Account(id: id, username: id.homeAccountID)
        (clientIDs, realms, scopes) = ([], [], [])
        (reach, hadFamilyGrant) = (.any, false)
    }

    /// Those that a text tells of; a line that makes no sense is passed over.
    package static func all(in text: String) -> [FormerAccount] {
        text.split(separator: "\n").prefix(limit).compactMap { FormerAccount(line: String($0)) }
    }

    /// The text that tells of these, the latest first.
    package static func text(of all: [FormerAccount]) -> String {
        all.prefix(limit).map { $0.line }.joined(separator: "\n")
    }

    private var line: String {
        let realmsOfProfiles = account.tenantProfiles.map { $0.realm }
        return [
            account.id.description, account.username, account.label ?? "", scopes.spaceSeparated,
            realms.union(realmsOfProfiles).sorted().joined(separator: "\n"),
            clientIDs.sorted().joined(separator: "\n"), account.isOfMicrosoft ? "microsoft" : "",
            reach.rawValue, hadFamilyGrant ? "family" : "", account.formerNames.joined(separator: "\n"),
            account.isProved ? "proved" : "",
        ].map { PercentEncoding.encode($0) }.joined(separator: " ")
    }

    private init?(line: String) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false).compactMap { part in
            PercentEncoding.decode(part.utf8).map { String(decoding: $0, as: UTF8.self) }
        }
        guard parts.count == 11, let id = AccountID(parts[0]), let reach = FormerReach(rawValue: parts[7]) else {
            return nil
        }
        func list(_ text: String) -> [String] { text.split(separator: "\n").map { String($0) } }
        realms = Set(list(parts[4]))
        account = Account(
            id: id, username: parts[1], label: parts[2].isEmpty ? nil : parts[2],
            tenantProfiles: realms.sorted().map {
                TenantProfile(
                    realm: $0, localAccountID: "", environment: id.environment, username: "",
                    authorityType: parts[6].isEmpty ? nil : "MSSTS")
            }, formerNames: Array(list(parts[9]).prefix(Account.formerNamesLimit)))
        account.isProved = !parts[10].isEmpty
        scopes = ScopeSet(spaceSeparated: parts[3])
        clientIDs = Set(list(parts[5]))
        self.reach = reach
        hadFamilyGrant = !parts[8].isEmpty
    }
}
