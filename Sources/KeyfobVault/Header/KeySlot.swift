package import KeyfobAge
package import KeyfobModel
package import KeyfobSodium

/// One way to unlock: a key (the vault key, or a group slot's own key) sealed for somebody.
package struct KeySlot: Equatable, Sendable {
    /// Names the slot.
    package let id: SlotID
    /// When it was made, in seconds since 1970.
    package let created: Int64
    /// What opens it.
    package let lock: Lock

    /// What opens a slot, with the sealed key.
    package enum Lock: Equatable, Sendable {
        /// A passphrase, through Argon2id with a 16-byte salt.
        case passphrase(salt: [UInt8], cost: Argon2id.Cost, box: CommittingAEAD.Box)
        /// The bytes of a file, through BLAKE2b keyed with a 32-byte salt.
        case keyFile(salt: [UInt8], box: CommittingAEAD.Box)
        /// The identity of an age recipient (32 bytes of X25519, or 1,216 of X-Wing); the key lies in an age file.
        ///
        /// Anybody can seal a key for a public key. The proof (32 bytes) is made with the identity, and only a slot for a
        /// recovery key has one.
        case recipient(publicKey: [UInt8], file: [UInt8], proof: [UInt8]?)
        /// 32 random bytes that the Secret Service keeps, through BLAKE2b keyed with a 32-byte salt.
        case secretService(salt: [UInt8], box: CommittingAEAD.Box)
    }

    /// The kind of a slot.
    package enum Kind: UInt8, Sendable {
        case passphrase = 1
        case keyFile = 2
        case recipient = 3
        case secretService = 4

        /// The name that people see and type.
        package var name: String {
            switch self {
            case .passphrase: "passphrase"
            case .keyFile: "key-file"
            case .recipient: "recipient"
            case .secretService: "secret-service"
            }
        }
    }

    /// What kind of slot it is.
    package var kind: Kind {
        switch lock {
        case .passphrase: .passphrase
        case .keyFile: .keyFile
        case .recipient: .recipient
        case .secretService: .secretService
        }
    }
}

/// What is offered to open a slot.
package enum SlotKey: ~Copyable {
    /// A passphrase, as UTF-8 in Unicode's form NFC.
    case passphrase(SecretBytes)
    /// The bytes of a key file, 32 bytes to 64 KiB.
    case keyFile(SecretBytes)
    /// The identities of an age identity file; the first that fits is used.
    case identities(AgeIdentityFile)
    /// What an item of the Secret Service holds; only 32 bytes can fit.
    case secretService(SecretBytes)
}

/// A passphrase for a new slot, and what deriving a key from it shall cost.
package struct NewPassphrase: ~Copyable {
    /// UTF-8 in Unicode's form NFC.
    package let text: SecretBytes
    package let cost: Argon2id.Cost

    package init(_ text: consuming SecretBytes, cost: Argon2id.Cost = .standard) {
        self.text = text
        self.cost = cost
    }
}

/// For whom a new slot is made.
package enum NewSlot: ~Copyable {
    /// Whoever knows the passphrase.
    case passphrase(NewPassphrase)
    /// Whoever has the file.
    case keyFile(SecretBytes)
    /// Whoever has the identity of this recipient, of which nothing but the public key is known.
    case recipient(AgeRecipient)
    /// Whoever has this identity: the slot proves that it was made by somebody who had it.
    case recoveryKey(AgeIdentity)
    /// Whoever the Secret Service gives these 32 random bytes.
    ///
    /// The caller stores them there, under the id of the slot that comes of it.
    case secretService(SecretBytes)
}
