package import KeyfobModel
internal import KeyfobSodium
internal import KeyfobVault

/// Tokens that are to be left nowhere: of sign-ins that have ended, or of accounts that have left a group.
package struct EndedTokens: Sendable {
    /// What has ended of one account.
    private struct Part: Sendable {
        /// The clients whose tokens these are; nil for all.
        var clients: Set<String>? = []
        /// The families of clients that share a sign-in.
        var families: Set<String> = []
        /// Whether the account itself goes too.
        var isWhole = false
    }

    private var parts: [AccountID: Part] = [:]

    /// None.
    package init() {}

    /// Those of an account: all, or those of some clients.
    ///
    /// - Parameter isWhole: Whether the account itself is meant too.
    package init(of account: AccountID, clients: Set<String>? = nil, isWhole: Bool = false) {
        parts[account] = Part(clients: clients, isWhole: isWhole)
    }

    /// Adds all tokens of an account.
    package mutating func insert(_ account: AccountID) { parts[account, default: Part()].clients = nil }

    /// Adds those of a sign-in, whichever of them: what its client and its family had for the account.
    package mutating func insert(_ grant: Credential) {
        parts[grant.account, default: Part()].clients?.insert(grant.clientID)
        if let family = grant.familyID { parts[grant.account]?.families.insert(family) }
    }

    /// Whether there are none.
    package var isEmpty: Bool { parts.isEmpty }

    /// Whether a token is one of them.
    package func covers(_ token: Credential) -> Bool {
        covers(token.account, clientID: token.clientID, familyID: token.familyID)
    }

    func covers(_ account: AccountID, clientID: String?, familyID: String?) -> Bool {
        guard let part = parts[account] else { return false }
        guard let clients = part.clients else { return true }
        return clientID.map(clients.contains) ?? false || familyID.map(part.families.contains) ?? false
    }

    func coversAccount(_ account: AccountID) -> Bool { parts[account]?.isWhole ?? false }
}

extension GroupWriter {
    /// Removes what the journal keeps of tokens, in all of its entries.
    package func eraseFromJournal(_ tokens: EndedTokens) throws {
        guard !tokens.isEmpty, try storage.mayHold(.journal) else { return }
        for kept in try reader.journal() {
            let isMeant: Bool
            switch kept.value.content {
            case .credential(let credential): isMeant = tokens.covers(credential)
            case .foreign:
                guard kept.record.secretCommitment != nil else { continue }
                isMeant = try reader.secret(kept.record).withBytes { bytes in
                    guard let owner = ForeignOwner(reading: bytes) else { return false }
                    return tokens.covers(owner.account, clientID: owner.clientID, familyID: owner.familyID)
                }
            case .account(let former): isMeant = tokens.coversAccount(former.id)
            default: isMeant = false
            }
            if isMeant { try delete(kept.record) }
        }
    }
}
