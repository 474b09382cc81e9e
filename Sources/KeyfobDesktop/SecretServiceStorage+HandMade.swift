internal import KeyfobModel
internal import KeyfobRecords
package import KeyfobSecretService
internal import KeyfobVault

// Tokens that somebody has put into the collection by hand.

extension SecretServiceStorage {
    /// The items that may be tokens made by hand, all of them or those of an account.
    func itemsMadeByHand(of account: String? = nil) throws -> [SecretService.ItemPath] {
        try withService { service, collection in
            try service.items(HandMadeToken.search(account).mapValues(ItemAttributes.text), in: collection)
        }
    }

    /// Whether a token was made by hand for a group.
    func isMeant(_ token: HandMadeToken, for group: GroupID) throws -> Bool {
        try memory()?.known.header.unlocked().groupNames[group] == token.group
    }

    /// The tokens that were made by hand, and the items that look like one and cannot be used.
    package func tokensMadeByHand() throws -> (tokens: [HandMadeToken], unusable: [SecretService.ItemPath]) {
        let items = try itemsMadeByHand()
        let groups = try openHeader().unlocked().groupNames.values
        var found: (tokens: [HandMadeToken], unusable: [SecretService.ItemPath]) = ([], [])
        try withService { service, _ in
            for item in items {
                guard let details = try? service.details(of: item), HandMadeToken.isCandidate(details.attributes) else {
                    continue
                }
                if let token = HandMadeToken(item, details), groups.contains(token.group) {
                    found.tokens.append(token)
                } else {
                    found.unusable.append(item)
                }
            }
        }
        return found
    }
}
