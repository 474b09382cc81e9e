package import KeyfobModel
internal import KeyfobRecords
package import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

// Tokens that somebody has put into the collection by hand.

extension SecretServiceStorage {
    /// The items that may be tokens made by hand.
    ///
    /// Where others have many items here, another vault for one, only those are found that say that they were made by hand:
    /// a search costs no call for each item of others.
    func itemsMadeByHand() throws -> [SecretService.ItemPath] {
        let own = Set(try search(ItemAttributes.every(vault, .accessToken)))
        let others = try search(HandMadeToken.search()).filter { !own.contains($0) }
        return others.count > Self.fewLimit ? try search(HandMadeToken.marked()) : others
    }

    /// Whether a token was made by hand for a group.
    func isMeant(_ token: HandMadeToken, for group: GroupID) throws -> Bool {
        try memory()?.known.header.unlocked().groupNames[group] == token.group
    }

    /// Whether the item of a record holds what is to be the secret of another one.
    func holds(_ old: StoredRecord, _ record: SealedRecord, _ keys: GroupKeys) throws -> Bool {
        let parts = try ItemParts(record, keys, group: .default, owner: nil)
        return try reads(old) { $0.isEqual(to: parts.secret) }
    }

    /// Whether somebody was about to remove the item of a record, which the service did not do without a question.
    func isEmptied(_ old: StoredRecord) throws -> Bool { try reads(old) { ItemSecret.isEmptied($0) } }

    /// What is said of the text in the item of a record; false where it is gone.
    private func reads(_ old: StoredRecord, _ body: (borrowing SecretBytes) -> Bool) throws -> Bool {
        let item = try item(row: old.rowID)
        return try withService { service, _ in
            var result = false
            try service.secrets(of: [item], areForeign: true) { _, content in
                switch consume content {
                case .success(let text): result = body(text)
                case .failure(.noItem): break
                case .failure(let error): throw error
                }
            }
            return result
        }
    }

    /// Gives tokens that were made by hand for a group the name that it is to have.
    ///
    /// They belong to no vault: where the collection holds another vault too, which may take them as well, they stay as they
    /// are, and where the service does not let anybody change them.
    func renameMadeByHand(from former: AccessGroup, to name: AccessGroup) throws {
        let items = try itemsMadeByHand()
        guard !items.isEmpty, former != name else { return }
        try withCalls { service, collection, hasBegun in
            for header in try service.items(["xdg:schema": ItemAttributes.header], in: collection) {
                guard try service.attributesIfThere(of: header)?["vault"] ?? "\(vault)" == "\(vault)" else { return }
            }
            for item in items {
                guard let details = try? service.details(of: item), let token = HandMadeToken(item, details),
                    token.group == former
                else { continue }
                hasBegun = true
                do {
                    try service.setAttributes(of: item, to: HandMadeToken.renamed(details.attributes, name), label: nil)
                } catch let error as SecretServiceError {
                    guard error.isRefusal || error == .noItem else { throw error }
                }
            }
        }
    }

    /// The tokens that were made by hand, and the items that look like one and cannot be used.
    ///
    /// - Parameter withSecrets: Whether the tokens themselves are looked at.
    package func tokensMadeByHand(withSecrets: Bool = false) throws -> (
        tokens: [HandMadeToken], unusable: [(item: SecretService.ItemPath, fault: HandMadeTokenFault)]
    ) {
        let items = try itemsMadeByHand()
        let groups = try openHeader().unlocked().groupNames.values
        var tokens: [HandMadeToken] = []
        var faults: [SecretService.ItemPath: HandMadeTokenFault] = [:]
        try withService { service, _ in
            for item in items {
                guard let details = try? service.details(of: item), HandMadeToken.isCandidate(details.attributes) else {
                    continue
                }
                if let token = HandMadeToken(item, details), groups.contains(token.group) {
                    tokens.append(token)
                } else {
                    faults[item] = .attributes
                }
            }
            guard withSecrets else { return }
            try service.secrets(of: tokens.map(\.item), areForeign: true) { item, content in
                guard case .success(let text) = consume content else { return }
                faults[item] = HandMadeToken.fault(of: text)
            }
        }
        return (
            tokens.filter { faults[$0.item] == nil }, items.compactMap { item in faults[item].map { (item, $0) } }
        )
    }
}
