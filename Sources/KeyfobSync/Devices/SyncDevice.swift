internal import KeyfobModel
package import KeyfobSodium
package import KeyfobVault

/// The public part of a device of a sync.
package struct SyncDevice: Hashable, Sendable {
    /// The public key of X25519 for which files are encrypted: 32 bytes.
    package let recipient: [UInt8]
    /// The public key of Ed25519 by which its signatures are checked: 32 bytes.
    package let signing: [UInt8]
    /// The number of its copy of the vault, as the versions of records have it.
    package let number: UInt64

    /// A device; nil for keys of another length.
    package init?(recipient: [UInt8], signing: [UInt8], number: UInt64) {
        guard recipient.count == X25519.count, signing.count == Ed25519.keyCount else { return nil }
        (self.recipient, self.signing, self.number) = (recipient, signing, number)
    }

    /// What names it, and what people compare.
    package var id: SyncDeviceID {
        var bytes = CanonicalBytes()
        bytes.append("keyfob sync device v1")
        let hash = BLAKE2b.hash(bytes.bytes + list.encoded(), count: 32)
        guard let id = SyncDeviceID(hash.prefix(SyncDeviceID.count)) else { preconditionFailure("a hash has 32 bytes") }
        return id
    }

    /// 1 recipient, 2 signing key, 3 number u64.
    package var list: FieldList {
        var list = FieldList()
        list.append(1, recipient)
        list.append(2, signing)
        list.append(3, number)
        return list
    }

    /// The device that ``list`` describes.
    package init(_ list: FieldList) throws(FieldList.Malformed) {
        guard let recipient = list.bytes(1), let signing = list.bytes(2), let number: UInt64 = try list.integer(3),
            let device = SyncDevice(recipient: Array(recipient), signing: Array(signing), number: number)
        else { throw FieldList.Malformed() }
        self = device
    }
}

/// The keys of this device.
package struct SyncIdentity: ~Copyable {
    /// The scalar of X25519.
    package let secret: SecretBytes
    /// The seed of Ed25519.
    package let seed: SecretBytes
    /// The public part.
    package let device: SyncDevice

    /// The identity with these secrets, 32 bytes each; nil for another length.
    package init?(secret: consuming SecretBytes, seed: consuming SecretBytes, number: UInt64) {
        guard secret.count == X25519.count, seed.count == Ed25519.keyCount,
            let device = SyncDevice(
                recipient: secret.withBytes { X25519.publicKey(of: $0) },
                signing: seed.withBytes { Ed25519.publicKey(of: $0) }, number: number)
        else { return nil }
        self.secret = secret
        self.seed = seed
        self.device = device
    }

    /// A new identity.
    package static func generate(number: UInt64) -> SyncIdentity {
        let made = SyncIdentity(
            secret: .random(count: X25519.count), seed: .random(count: Ed25519.keyCount), number: number)
        guard let made else { preconditionFailure("random keys have 32 bytes") }
        return made
    }

    /// Signs what is of one kind in one sync; nil for what is said before there is one.
    package borrowing func sign(_ body: [UInt8], as kind: SignedBytes.Kind, in sync: SyncID?) -> SignedBytes {
        let message = SignedBytes.message(body, kind, sync)
        return SignedBytes(body: body, signature: seed.withBytes { Ed25519.signature(of: message, seed: $0) })
    }
}
