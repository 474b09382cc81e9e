internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

// An account of which nothing is known but that it has a token needs no item: the token's tells all of it.

extension Credential {
    /// The account that an access token of no client tells of; nil for all other credentials, which tell too little.
    var toldAccount: Account? {
        guard kind == .accessToken, clientID == Self.noClient else { return nil }
        return .knownByName(account, tenant: realm)
    }
}

extension SecretService.ItemPath {
    private static let accountSuffix = "#account"

    /// The path of what stands for the account of a token's item, which has no item of its own.
    var toldAccount: Self { Self(path: path + Self.accountSuffix) }

    /// The item of the token where this stands for its account; nil for all others.
    var tokenOfAccount: Self? {
        guard path.hasSuffix(Self.accountSuffix) else { return nil }
        return Self(path: String(path.dropLast(Self.accountSuffix.count)))
    }
}

extension OpenedItem {
    /// The account that a token tells of, as a record: of the token's version, and on as many devices as that.
    ///
    /// It is the record that storing the token writes for the account where there is none; its id alone is another.
    ///
    /// - Parameter isOfRun: Whether the account came by the command that added the token.
    init?(
        accountOf token: RecordHeader, _ attributes: CommittingAEAD.Box, _ keys: GroupKeys, isOfRun: Bool = true
    ) throws {
        guard token.kind == .accessToken else { return nil }
        let said = try keys.openAttributes(token, attributes)
        let credential = try ItemBody.decode(said, token.kind).credential
        guard let account = credential?.toldAccount,
            let record = RecordID(BLAKE2b.hash(Array("\(keys.group) \(account.id.canonical)".utf8), count: 16))
        else { return nil }
        let kind = RecordHeader.Kind.account
        var body = ItemBody.encode(.account(account)).body
        // The same run of a command has added both.
        if isOfRun, let origin = said.origin() { body.setOrigin(origin.encoded) }
        let header = RecordHeader(
            vault: keys.vault, group: keys.group, epoch: keys.epoch, record: record, kind: kind, flags: token.flags,
            stamp: token.stamp, device: token.device, index: try body.index(kind: kind, keys: keys))
        let sealed = try keys.seal(header, attributes: body)
        self.init(header: header, attributes: sealed.attributes, commitment: nil, secret: nil)
    }
}
