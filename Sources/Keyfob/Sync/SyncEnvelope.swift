internal import KeyfobAge
internal import KeyfobAgeHybrid
internal import KeyfobSodium
internal import KeyfobSync
internal import KeyfobVault

/// Signed bytes in an age file for some devices.
enum SyncEnvelope {
    /// What is wrong with one.
    enum Failure: Error {
        /// It is for others.
        case notForUs
        /// It is cut short, altered, or none.
        case damaged
    }

    static func seal(_ signed: SignedBytes, for devices: [SyncDevice]) throws -> [UInt8] {
        var encryptor = try AgeEncryptor(recipients: recipients(devices))
        let bytes = signed.list.encoded()
        let start = bytes.withBytes { encryptor.update($0) }
        return start + encryptor.finish()
    }

    static func recipients(_ devices: [SyncDevice]) -> [AgeRecipient] {
        devices.compactMap { AgeRecipient(publicKey: $0.recipient) }
    }

    static func open(_ bytes: [UInt8], with identity: borrowing SyncIdentity) throws(Failure) -> SignedBytes {
        guard let own = identity.age() else { throw .damaged }
        var decryptor = AgeDecryptor(identity: own, encoding: .binary)
        var plain: [UInt8] = []
        do {
            try bytes.withBytes { (bytes) throws(AgeError) in
                try decryptor.update(bytes) { (piece) throws(AgeError) in plain.append(contentsOf: piece) }
            }
            try decryptor.finish { (piece) throws(AgeError) in plain.append(contentsOf: piece) }
        } catch {
            if case .noMatch = error { throw .notForUs }
            throw .damaged
        }
        guard let list = try? FieldList(encoded: plain[...]), let signed = try? SignedBytes(list) else {
            throw .damaged
        }
        return signed
    }
}

extension SyncIdentity {
    /// What opens files for this device.
    borrowing func age() -> AgeIdentity? { AgeIdentity(secret: secret.extracting(0..<secret.count)) }
}
