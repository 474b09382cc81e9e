package import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

/// What only those have who hold one refresh token: under which name they tell each other of access tokens, and a key
/// that seals these.
///
///     root = BLAKE2b-256(key: id of the sync, "keyfob sync shared root v1" ‖ refresh token)
///     name = BLAKE2b-256(key: root, "keyfob sync shared name v1" ‖ what the token is for)
///     key  = BLAKE2b-256(key: root, "keyfob sync shared key v1")
package struct SharedTokenKey: ~Copyable, Sendable {
    private let root: SecretBytes

    /// What a refresh token gives in a sync.
    package init(_ refreshToken: borrowing SecretBytes, in sync: SyncID) {
        let label = Array("keyfob sync shared root v1".utf8)
        let message = SecretBytes(count: label.count + refreshToken.count, placement: .recycled) { span in
            label.withBytes { span.copy(from: $0) }
            refreshToken.withBytes { span.copy(from: $0, at: label.count) }
        }
        root = sync.bytes.withBytes { id in message.withBytes { BLAKE2b.derive($0, key: id, count: 32) } }
    }

    /// The name for what an access token is for; 32 bytes, which say nothing to who has not the refresh token.
    package borrowing func name(_ purpose: CanonicalBytes) -> [UInt8] {
        let message = Array("keyfob sync shared name v1".utf8) + purpose.bytes
        return root.withBytes { BLAKE2b.mac(message, key: $0, count: 32) }
    }

    private borrowing func key() -> SecretBytes {
        root.withBytes { root in
            Array("keyfob sync shared key v1".utf8).withBytes { BLAKE2b.derive($0, key: root, count: 32) }
        }
    }

    fileprivate borrowing func seal(_ token: borrowing SecretBytes, _ context: [UInt8]) -> [UInt8] {
        let key = key()
        return key.withBytes { key in
            token.withBytes { CommittingAEAD.seal($0, key: key, context: context).stored }
        }
    }

    fileprivate borrowing func open(_ bytes: [UInt8], _ context: [UInt8]) -> SecretBytes? {
        guard let box = CommittingAEAD.Box(stored: bytes) else { return nil }
        let key = key()
        return try? key.withBytes { (key) throws(SodiumError) in
            try CommittingAEAD.open(box, key: key, context: context)
        }
    }
}

/// An access token that one device has got, for others that hold the same refresh token: what it signs.
package struct SharedToken: Hashable, Sendable {
    /// The longest life that is believed, in seconds.
    package static let lifetimeLimit: Int64 = 86_400
    /// How far the signer's clock may be ahead, in seconds.
    private static let clockLimit: Int64 = 120

    /// What ``SharedTokenKey/name(_:)`` gives for it.
    package let name: [UInt8]
    /// Who has got it.
    package let signer: SyncDeviceID
    /// When it was asked for, by the signer's clock.
    package let issued: Timestamp
    /// How long it lives from then on, in seconds.
    package let lifetime: Int64
    private let box: [UInt8]

    /// Seals the answer of a token endpoint.
    package init(
        _ answer: borrowing SecretBytes, name: [UInt8], by signer: SyncDeviceID, issued: Timestamp, lifetime: Int64,
        with key: borrowing SharedTokenKey
    ) {
        (self.name, self.signer, self.issued, self.lifetime) = (name, signer, issued, lifetime)
        box = key.seal(answer, Self.context(name, signer, issued, lifetime))
    }

    private static func context(
        _ name: [UInt8], _ signer: SyncDeviceID, _ issued: Timestamp, _ lifetime: Int64
    ) -> [UInt8] {
        var bytes = CanonicalBytes()
        bytes.append("keyfob sync shared token v1")
        bytes.append(name)
        bytes.append(signer.bytes)
        bytes.append(issued.seconds)
        bytes.append(lifetime)
        return bytes.bytes
    }

    /// The answer of the token endpoint; nil where another refresh token sealed it.
    package func open(with key: borrowing SharedTokenKey) -> SecretBytes? {
        key.open(box, Self.context(name, signer, issued, lifetime))
    }

    /// Whether it can have been got when it says so, lives no longer than tokens do, and lives still.
    package func isSane(at now: Timestamp) -> Bool {
        (1...Self.lifetimeLimit).contains(lifetime) && issued.seconds > 0
            && issued.seconds <= now.seconds + Self.clockLimit && now.seconds - issued.seconds < lifetime
    }

    /// The token, signed: 1 name, 2 signer's id, 3 issued i64, 4 lifetime i64, 5 what is sealed.
    package func signed(by identity: borrowing SyncIdentity, in sync: SyncID) -> SignedBytes {
        var body = FieldList()
        body.append(1, name)
        body.append(2, signer.bytes)
        body.append(3, issued.seconds)
        body.append(4, lifetime)
        body.append(5, box)
        return identity.sign(body.encoded(), as: .token, in: sync)
    }

    /// Reads what ``signed(by:in:)`` gave; whether its signature is right shows against the signer's key alone.
    package init(_ signed: SignedBytes) throws(FieldList.Malformed) {
        let body = try FieldList(encoded: signed.body[...])
        guard let name = body.bytes(1), let signer = body.bytes(2).flatMap({ SyncDeviceID($0) }),
            let issued: Int64 = try body.integer(3), let lifetime: Int64 = try body.integer(4), let box = body.bytes(5)
        else { throw FieldList.Malformed() }
        (self.name, self.signer, self.box) = (Array(name), signer, Array(box))
        (self.issued, self.lifetime) = (Timestamp(seconds: issued), lifetime)
    }
}
