package import KeyfobModel
internal import KeyfobSodium
package import KeyfobVault

/// What a member says of who takes part, signed by it.
package struct SyncStatement: Hashable, Sendable {
    /// What is said.
    package enum Content: Hashable, Sendable {
        /// A device may take part in these groups: somebody compared its words.
        case approval(SyncDevice, SyncScope)
        /// A device may take part no more, or leaves by itself; of what it has said, the statements with these hashes still count.
        case revocation(SyncDeviceID, keeping: Set<[UInt8]>)
    }

    /// The longest statement, in bytes.
    package static let sizeLimit = 8_192
    /// How many groups, or hashes of statements, one names at most.
    package static let entryLimit = 64
    /// How many bytes of its hash a revocation names.
    private static let hashCount = 16

    /// What is said.
    package let content: Content
    /// Of which device.
    package let subject: SyncDeviceID
    /// Who says it.
    package let signer: SyncDeviceID
    /// When, by the signer's clock.
    package let time: Timestamp
    /// As it is signed.
    package let signed: SignedBytes

    /// Says something.
    package init(_ content: Content, by identity: borrowing SyncIdentity, in sync: SyncID, at time: Timestamp) {
        (self.content, self.time) = (content, time)
        subject = Self.subject(content)
        signer = identity.device.id
        let body = Self.body(content, signer, time)
        signed = identity.sign(body.encoded(), as: .statement, in: sync)
    }

    private static func subject(_ content: Content) -> SyncDeviceID {
        switch content {
        case .approval(let device, _): device.id
        case .revocation(let id, _): id
        }
    }

    /// Whether it keeps a device out.
    package var isRevocation: Bool {
        if case .revocation = content { true } else { false }
    }

    /// What a revocation of its signer names it by: the first 16 bytes of the hash of what is signed.
    package var hash: [UInt8] { Array(BLAKE2b.hash(signed.body, count: 32).prefix(Self.hashCount)) }

    // 1 device, 2 its scope; or 3 the id of a device, 4 a statement's hash (repeats). 5 signer's id, 6 time i64.
    private static func body(_ content: Content, _ signer: SyncDeviceID, _ time: Timestamp) -> FieldList {
        var body = FieldList()
        switch content {
        case .approval(let device, let scope):
            body.append(1, device.list)
            body.append(2, scope.list)
        case .revocation(let device, let kept):
            body.append(3, device.bytes)
            for hash in kept.sorted(by: { $0.lexicographicallyPrecedes($1) }) { body.append(4, hash) }
        }
        body.append(5, signer.bytes)
        body.append(6, time.seconds)
        return body
    }

    /// Reads a statement; whether its signature is right shows against the signer's key alone.
    package init(_ signed: SignedBytes) throws(FieldList.Malformed) {
        guard signed.body.count <= Self.sizeLimit else { throw FieldList.Malformed() }
        let body = try FieldList(encoded: signed.body[...])
        guard let signer = body.bytes(5).flatMap({ SyncDeviceID($0) }), let seconds: Int64 = try body.integer(6) else {
            throw FieldList.Malformed()
        }
        if let device = try body.lists(1).first, let scope = try body.lists(2).first {
            let scope = try SyncScope(scope)
            guard scope.count <= Self.entryLimit else { throw FieldList.Malformed() }
            content = .approval(try SyncDevice(device), scope)
        } else if let device = body.bytes(3).flatMap({ SyncDeviceID($0) }) {
            let kept = Set(body.fields.filter { $0.number == 4 }.map { Array($0.bytes) })
            guard kept.count <= Self.entryLimit, kept.allSatisfy({ $0.count == Self.hashCount }) else {
                throw FieldList.Malformed()
            }
            content = .revocation(device, keeping: kept)
        } else {
            throw FieldList.Malformed()
        }
        subject = Self.subject(content)
        (self.signer, self.signed, time) = (signer, signed, Timestamp(seconds: seconds))
    }
}
