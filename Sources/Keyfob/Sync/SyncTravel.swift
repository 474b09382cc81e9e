internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSync

/// What of a vault goes to other devices, and what of theirs comes in.
///
/// Accounts, what is known of clients, bindings, defaults, and that they are gone. A refresh token goes only where its
/// provider is known never to replace it: two machines that use one which is replaced sign each other out. Of any other
/// sign-in goes that there is one, and that it has ended. Access tokens, ID tokens, providers, clients, permissions of
/// project files and other programs' entries stay where they are.
struct SyncTravel {
    /// Why an account that signed in elsewhere has no token here.
    static let signedInElsewhere = "not signed in here"

    /// More sign-ins than anybody makes between two synchronisations: what a device tells must leave room for those to come.
    private static let epochLead: UInt64 = 1 << 20

    /// Whose vault it is.
    let own: UInt64
    /// The other devices that there are or ever were, by the numbers in their versions.
    let others: Set<UInt64>
    /// By whose numbers the vault had decisions before it was part of a sync.
    var natives: Set<UInt64> = []
    /// What was removed so long ago that it is told no more.
    var removals = SyncRemovals()

    /// An item as it leaves, and whether its secret goes along; nil for one that stays.
    func leaving(_ item: ItemRecord, hasSecret: Bool) -> (item: ItemRecord, hasSecret: Bool)? {
        guard !item.isThisDeviceOnly else { return nil }
        // A decision is told by who made it alone.
        if item.key.kind == .setting, item.version.device != own { return nil }
        return travelling(item, hasSecret: hasSecret)
    }

    /// An item of another device as it comes in, and whether its secret does; nil for one that is not taken.
    ///
    /// - Parameters:
    ///   - speaksForOwner: Whether what the owner decided there is the owner's word here: of a device that shares all groups.
    ///   - epoch: The latest epoch of the sign-in that is known here.
    func arriving(
        _ item: ItemRecord, hasSecret: Bool, from device: UInt64, speaksForOwner: Bool, knowing epoch: UInt64 = 0
    ) -> (item: ItemRecord, hasSecret: Bool)? {
        if item.key.kind == .setting, item.version.device != device { return nil }
        guard !Self.isFarAhead(item, of: epoch), var travelling = travelling(item, hasSecret: hasSecret) else {
            return nil
        }
        travelling.item.isOwners = travelling.item.isOwners && speaksForOwner
        return travelling
    }

    /// Whether a sign-in is told to have been begun more often since than anybody does.
    static func isFarAhead(_ item: ItemRecord, of epoch: UInt64) -> Bool {
        let told = item.content.credential?.grant?.latestEpoch ?? 0
        return told > epoch && told - epoch > epochLead
    }

    /// Whether an item is a decision that no device of the sync made and that was here before: this vault's owner took it in from elsewhere.
    func isOrphan(_ item: ItemRecord) -> Bool {
        item.key.kind == .setting && !item.isTombstone && Self.travels(item.key) && !item.isThisDeviceOnly
            && item.version.device != own && natives.contains(item.version.device)
            && !others.contains(item.version.device)
    }

    /// Whether items with this key go from device to device.
    static func travels(_ key: ItemKey) -> Bool {
        switch key.kind {
        case .account, .grant, .appMetadata: true
        case .setting:
            key.parts.first.map { $0.hasPrefix(BindingSetting.prefix) || $0 == Keyring.Accounts.defaultAccount }
                ?? false
        case .idToken, .accessToken, .clientSecret, .foreign: false
        }
    }

    private func travelling(_ item: ItemRecord, hasSecret: Bool) -> (item: ItemRecord, hasSecret: Bool)? {
        guard Self.travels(item.key) else { return nil }
        guard let credential = item.content.credential else { return (item, false) }
        let grant = credential.grant ?? Grant()
        if grant.state == .signedOut || Self.isShared(credential) { return (item, hasSecret) }
        // The same whoever tells it, and whatever has become of the token since.
        var told = Credential(
            kind: .refreshToken, account: credential.account, clientID: credential.clientID,
            familyID: credential.familyID, additionalFields: AdditionalFields(credential.partition))
        var known = Grant(state: .needsSignIn(reason: Self.signedInElsewhere), epoch: 0, generation: 0)
        known.known = grant.latestEpoch
        known.ended = grant.latestEnded
        told.grant = known
        let version = ItemVersion(stamp: Stamp(value: 0), device: 0)
        return (ItemRecord(group: item.group, content: .credential(told), version: version), false)
    }

    /// Whether two machines may hold the same refresh token.
    static func isShared(_ credential: Credential) -> Bool {
        credential.grant?.rotates != true
            && ProviderRegistry(added: []).provider(environment: credential.account.environment, tenant: nil)?
                .description.rotation == .no
    }
}
