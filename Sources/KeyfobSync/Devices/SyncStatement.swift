package import KeyfobModel
package import KeyfobVault

/// What a member says of who takes part, signed by it.
package struct SyncStatement: Hashable, Sendable {
    /// What is said.
    package enum Content: Hashable, Sendable {
        /// A device may take part in these groups: somebody compared its words.
        case approval(SyncDevice, SyncScope)
        /// A device may take part no more; of those that it has approved, these stay.
        case revocation(SyncDeviceID, keeping: Set<SyncDeviceID>)
    }

    /// What is said.
    package let content: Content
    /// Who says it.
    package let signer: SyncDeviceID
    /// When, by the signer's clock.
    package let time: Timestamp
    /// As it is signed.
    package let signed: SignedBytes

    /// Says something.
    package init(_ content: Content, by identity: borrowing SyncIdentity, in sync: SyncID, at time: Timestamp) {
        (self.content, self.time) = (content, time)
        signer = identity.device.id
        let body = Self.body(content, signer, time)
        signed = identity.sign(body.encoded(), as: .statement, in: sync)
    }

    // 1 device, 2 its scope; or 3 the id of a device, 4 an id (repeats). 5 signer's id, 6 time i64.
    private static func body(_ content: Content, _ signer: SyncDeviceID, _ time: Timestamp) -> FieldList {
        var body = FieldList()
        switch content {
        case .approval(let device, let scope):
            body.append(1, device.list)
            body.append(2, scope.list)
        case .revocation(let device, let kept):
            body.append(3, device.bytes)
            for id in kept.sorted() { body.append(4, id.bytes) }
        }
        body.append(5, signer.bytes)
        body.append(6, time.seconds)
        return body
    }

    /// Reads a statement; whether its signature is right shows against the signer's key alone.
    package init(_ signed: SignedBytes) throws(FieldList.Malformed) {
        let body = try FieldList(encoded: signed.body[...])
        guard let signer = body.bytes(5).flatMap({ SyncDeviceID($0) }), let seconds: Int64 = try body.integer(6) else {
            throw FieldList.Malformed()
        }
        if let device = try body.lists(1).first, let scope = try body.lists(2).first {
            content = .approval(try SyncDevice(device), try SyncScope(scope))
        } else if let device = body.bytes(3).flatMap({ SyncDeviceID($0) }) {
            var kept: Set<SyncDeviceID> = []
            for field in body.fields where field.number == 4 {
                guard let id = SyncDeviceID(field.bytes) else { throw FieldList.Malformed() }
                kept.insert(id)
            }
            content = .revocation(device, keeping: kept)
        } else {
            throw FieldList.Malformed()
        }
        (self.signer, self.signed, time) = (signer, signed, Timestamp(seconds: seconds))
    }
}
