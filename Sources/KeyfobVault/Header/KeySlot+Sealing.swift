internal import KeyfobAge
package import KeyfobModel
internal import KeyfobSodium

extension KeySlot {
    private static let keyCount = 32
    /// For the bytes of a key file, and for those that the Secret Service keeps.
    private static let saltCount = 32
    private static let acceptableKeyFileCounts = 32...65_536

    /// Seals `key` (32 bytes) for whoever `new` describes: a slot's own key of `group`, or the key of the whole vault.
    ///
    /// - Throws: `costRefused`, `outOfMemory`, `unsuitableKeyFile`.
    static func seal(
        _ key: borrowing SecretBytes, for new: borrowing NewSlot, vault: VaultID, group: GroupID? = nil, now: Int64
    ) throws(VaultError) -> KeySlot {
        let id = SlotID.random()
        switch new {
        case .passphrase(let passphrase):
            let cost = passphrase.cost
            let salt = Randomness.bytes(Argon2id.saltCount)
            let derived = try derive(passphrase.text, salt: salt, cost: cost)
            let parameters = passphraseParameters(salt: salt, cost: cost)
            let box = seal(
                key, with: derived, context: SealingContext.slotKey(vault, group, id, parameters: parameters))
            return KeySlot(id: id, created: now, lock: .passphrase(salt: salt, cost: cost, box: box))
        case .keyFile(let content):
            let salt = Randomness.bytes(saltCount)
            let derived = try derive(keyFile: content, salt: salt)
            let context = SealingContext.slotKey(vault, group, id, parameters: parameters(.keyFile, salt: salt))
            let box = seal(key, with: derived, context: context)
            return KeySlot(id: id, created: now, lock: .keyFile(salt: salt, box: box))
        case .secretService(let kept):
            precondition(kept.count == keyCount, "what the Secret Service keeps has 32 bytes")
            let salt = Randomness.bytes(saltCount)
            let context = SealingContext.slotKey(vault, group, id, parameters: parameters(.secretService, salt: salt))
            let box = seal(key, with: derive(kept, salt: salt), context: context)
            return KeySlot(id: id, created: now, lock: .secretService(salt: salt, box: box))
        case .recipient(let recipient):
            let lock = Lock.recipient(publicKey: recipient.publicKey, file: seal(key, to: recipient), proof: nil)
            return KeySlot(id: id, created: now, lock: lock)
        case .recoveryKey(let identity):
            let file = seal(key, to: identity.recipient)
            let proof = identity.withSecret { Self.proof(of: file, in: id, of: vault, group, created: now, by: $0) }
            let lock = Lock.recipient(publicKey: identity.recipient.publicKey, file: file, proof: proof)
            return KeySlot(id: id, created: now, lock: lock)
        }
    }

    private static func seal(_ key: borrowing SecretBytes, to recipient: AgeRecipient) -> [UInt8] {
        do {
            return try key.withBytes { (key) throws(AgeError) in try Age.seal(key, to: [recipient]) }
        } catch {
            preconditionFailure("one recipient is neither none nor too many")
        }
    }

    /// The length of a proof in bytes.
    static let proofCount = 32

    /// What nobody can make of a slot who has not the identity that opens it: BLAKE2b keyed with a key of its secret key's.
    private static func proof(
        of file: [UInt8], in slot: SlotID, of vault: VaultID, _ group: GroupID?, created: Int64, by secret: RawSpan
    ) -> [UInt8] {
        let key = SecretBytes(count: Subkey.count, placement: .recycled) { span in
            Subkey.derive(proofKey, from: secret, into: &span, at: 0)
        }
        let message = SealingContext.slotProof(vault, group, slot, created: created) + file
        return key.withBytes { BLAKE2b.mac(message, key: $0, count: proofCount) }
    }

    private static let proofKey = Subkey.Purpose("KeyfobRK", 1)

    /// Whether the slot proves that whoever made it had the identity that opens it, which is among `identities`.
    ///
    /// - Throws: `corrupted(.header)` for a proof that is not the right one.
    func isProven(
        by identities: borrowing AgeIdentityFile, vault: VaultID, group: GroupID? = nil
    ) throws(VaultError) -> Bool {
        guard case .recipient(let publicKey, let file, let proof?) = lock else { return false }
        let expected = identities.withSecret(of: publicKey) {
            Self.proof(of: file, in: id, of: vault, group, created: created, by: $0)
        }
        guard let expected, ConstantTime.areEqual(expected, proof) else { throw .corrupted(.header) }
        return true
    }

    /// Whether `offered` opens the slot.
    ///
    /// - Throws: `outOfMemory`: not having tried does not say that it does not fit.
    func opens(
        with offered: borrowing SlotKey, vault: VaultID, group: GroupID? = nil
    ) throws(VaultError) -> Bool {
        do throws(VaultError) {
            let key = try open(with: offered, vault: vault, group: group)
            return key.count > 0
        } catch .outOfMemory {
            throw .outOfMemory
        } catch {
            return false
        }
    }

    /// Opens a slot of the whole vault, to see that what is to open it does.
    ///
    /// - Throws: `noSuchKindOfSlot`, `wrongKey`, `costRefused`, `outOfMemory`, `corrupted(.header)`.
    package func tryOpening(with offered: borrowing SlotKey, vault: VaultID) throws(VaultError) {
        _ = try open(with: offered, vault: vault)
    }

    /// The key in the slot.
    ///
    /// - Throws: `noSuchKindOfSlot` when the slot wants another kind of key, `wrongKey` when it does not
    ///   fit, `costRefused` before anything is computed, `outOfMemory`, `corrupted(.header)`.
    func open(
        with offered: borrowing SlotKey, vault: VaultID, group: GroupID? = nil
    ) throws(VaultError) -> SecretBytes {
        switch offered {
        case .passphrase(let passphrase):
            guard case .passphrase(let salt, let cost, let box) = lock else { throw .noSuchKindOfSlot }
            let derived = try Self.derive(passphrase, salt: salt, cost: cost)
            let parameters = Self.passphraseParameters(salt: salt, cost: cost)
            return try Self.open(
                box, with: derived, context: SealingContext.slotKey(vault, group, id, parameters: parameters))
        case .keyFile(let content):
            guard case .keyFile(let salt, let box) = lock else { throw .noSuchKindOfSlot }
            let derived = try Self.derive(keyFile: content, salt: salt)
            let context = SealingContext.slotKey(vault, group, id, parameters: Self.parameters(.keyFile, salt: salt))
            return try Self.open(box, with: derived, context: context)
        case .secretService(let kept):
            guard case .secretService(let salt, let box) = lock else { throw .noSuchKindOfSlot }
            // Anybody can put an item there.
            guard kept.count == Self.keyCount else { throw .wrongKey }
            let context = SealingContext.slotKey(
                vault, group, id, parameters: Self.parameters(.secretService, salt: salt))
            return try Self.open(box, with: Self.derive(kept, salt: salt), context: context)
        case .identities(let identities):
            guard case .recipient(_, let file, _) = lock else { throw .noSuchKindOfSlot }
            return try Self.open(file, with: identities)
        }
    }

    private static func open(
        _ file: [UInt8], with identities: borrowing AgeIdentityFile
    ) throws(VaultError) -> SecretBytes {
        let key: SecretBytes
        do {
            key = try file.withBytes { (bytes) throws(AgeError) in
                try Age.open(bytes, withAnyOf: identities)
            }
        } catch .noMatch {
            throw .wrongKey
        } catch {
            throw .corrupted(.header)
        }
        guard key.count == keyCount else { throw .corrupted(.header) }
        return key
    }

    private static func derive(
        _ passphrase: borrowing SecretBytes, salt: [UInt8], cost: Argon2id.Cost
    ) throws(VaultError) -> SecretBytes {
        guard cost.isAcceptable else {
            throw .costRefused(operations: cost.operations, memory: cost.memory)
        }
        do {
            return try Argon2id.derive(passphrase: passphrase, salt: salt, cost: cost)
        } catch {
            throw .outOfMemory
        }
    }

    private static func derive(
        keyFile: borrowing SecretBytes, salt: [UInt8]
    ) throws(VaultError) -> SecretBytes {
        guard acceptableKeyFileCounts.contains(keyFile.count) else { throw .unsuitableKeyFile }
        return derive(keyFile, salt: salt)
    }

    private static func derive(_ content: borrowing SecretBytes, salt: [UInt8]) -> SecretBytes {
        content.withBytes { content in
            salt.withBytes { BLAKE2b.derive(content, key: $0, count: 32, placement: .recycled) }
        }
    }

    private static func seal(
        _ key: borrowing SecretBytes, with derived: borrowing SecretBytes, context: [UInt8]
    ) -> CommittingAEAD.Box {
        key.withBytes { key in
            derived.withBytes { CommittingAEAD.seal(key, key: $0, context: context) }
        }
    }

    private static func open(
        _ box: CommittingAEAD.Box, with derived: borrowing SecretBytes, context: [UInt8]
    ) throws(VaultError) -> SecretBytes {
        do {
            return try derived.withBytes { (derived) throws(SodiumError) in
                try CommittingAEAD.open(box, key: derived, context: context, placement: .recycled)
            }
        } catch .wrongKey {
            throw .wrongKey
        } catch {
            throw .corrupted(.header)
        }
    }

    private static func passphraseParameters(salt: [UInt8], cost: Argon2id.Cost) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(Kind.passphrase.rawValue)
        writer.write(salt)
        writer.write(cost.operations)
        writer.write(cost.memory)
        return writer.bytes
    }

    private static func parameters(_ kind: Kind, salt: [UInt8]) -> [UInt8] {
        [kind.rawValue] + salt
    }
}
