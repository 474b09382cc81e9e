package import KeyfobModel

/// A grant: what is known of a refresh token, which one it is, and how far it has come.
///
/// Of two the greater wins whole: by epoch, which a sign-in raises; then a grant that is signed out, whatever the
/// clocks say; then by generation, which a refresh raises; then one that needs a sign-in; and only then by version
/// and digest. Which epochs are known of other machines, and which have ended, is joined apart from that: the highest.
package struct GrantItem: Hashable, Sendable {
    /// What is known of the token; without a grant it is one as it is after a first sign-in.
    package let credential: Credential
    /// Which token it is; nil where there is none any more.
    package let secret: SecretDigest?
    /// When and where it was written.
    package let version: ItemVersion
    /// The fields of its record that this build does not know.
    package let unknownFields: ItemHistory.UnknownFields

    /// A grant; nil for a credential that is no refresh token.
    package init?(
        _ credential: Credential, secret: SecretDigest?, version: ItemVersion,
        unknownFields: ItemHistory.UnknownFields = ItemHistory.UnknownFields()
    ) {
        guard credential.kind == .refreshToken else { return nil }
        self.credential = credential
        self.secret = secret
        self.version = version
        self.unknownFields = unknownFields
    }

    /// The state, the epoch and the generation.
    package var grant: Grant { credential.grant ?? Grant() }

    /// The greater of the two.
    package func joined(with other: GrantItem) -> GrantItem {
        let greater = isLess(than: other) ? other : self
        let known = max(grant.latestEpoch, other.grant.latestEpoch)
        let ended = max(grant.latestEnded, other.grant.latestEnded)
        var joined = greater.grant
        joined.known = known > joined.epoch ? known : 0
        joined.ended = joined.state == .signedOut && ended <= joined.epoch ? 0 : ended
        return joined == greater.grant ? greater : GrantItem(greater, joined, greater.secret, greater.version)
    }

    /// Whether the person signed out, on a machine that did not know of it, of all that had begun by then.
    var hasEnded: Bool { grant.state == .active && grant.epoch <= grant.ended }

    /// What is left of it once such a sign-out is heard of: newer sign-ins of other machines stay.
    var afterEnd: GrantItem {
        var left = Grant(state: .signedOut, epoch: grant.ended, generation: grant.generation, rotates: grant.rotates)
        left.known = grant.known > left.epoch ? grant.known : 0
        return GrantItem(self, left, nil, version)
    }

    /// What is left of it after its account was removed.
    func signedOut(by removal: ItemVersion) -> GrantItem { GrantItem(self, grant.signedOut, nil, removal) }

    private init(_ other: GrantItem, _ grant: Grant, _ secret: SecretDigest?, _ version: ItemVersion) {
        var credential = other.credential
        credential.grant = grant
        (self.credential, self.secret, self.version) = (credential, secret, version)
        unknownFields = other.unknownFields
    }

    /// What the order compares first: epoch, signed out, generation, needs a sign-in.
    var rank: [UInt64] {
        let isSignedOut = grant.state == .signedOut
        let needsSignIn = if case .needsSignIn = grant.state { true } else { false }
        return [grant.epoch, isSignedOut ? 1 : 0, grant.generation, needsSignIn ? 1 : 0]
    }

    private func isLess(than other: GrantItem) -> Bool {
        let (mine, theirs) = (rank, other.rank)
        if mine != theirs { return mine.lexicographicallyPrecedes(theirs) }
        if version != other.version { return version < other.version }
        return contentDigest.lexicographicallyPrecedes(other.contentDigest)
    }

    /// Whether both have the same content, spelling and all, whatever their versions.
    package func hasSameContent(as other: GrantItem) -> Bool {
        contentDigest == other.contentDigest
    }

    var contentDigest: [UInt8] {
        var bytes = CanonicalBytes()
        bytes.append(credential)
        bytes.append(optional: secret) { $0.append($1.bytes) }
        for (path, fields) in unknownFields.sorted {
            bytes.append(path)
            bytes.append(fields)
        }
        return bytes.digest
    }
}
