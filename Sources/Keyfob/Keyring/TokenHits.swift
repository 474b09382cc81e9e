internal import KeyfobSodium
internal import KeyfobStore
internal import KeyfobVault

/// Tokens that were looked up lately, still sealed, so that asking again costs one decryption.
///
/// An entry is valid as long as no other process has changed the database; this process's own
/// changes empty the list.
struct TokenHits {
    /// What was asked.
    struct Question: Hashable {
        let request: TokenRequest
        let groups: [AccessGroup]?
    }

    /// What was found.
    struct Hit {
        let found: Keyring.Found
        let header: RecordHeader
        let secret: CommittingAEAD.Box
        let keys: GroupKeys

        /// The token.
        ///
        /// - Throws: `StoreError.damaged`.
        func open() throws -> SecretBytes {
            do {
                return try keys.openSecret(header, secret)
            } catch {
                throw StoreError.damaged(what: "the secret of record \(header.record.short)")
            }
        }
    }

    private static let capacity = 256
    private var hits: [Question: Hit] = [:]
    private var version: VaultDatabase.Version?

    /// The answer to `question`, when the database is still in the state `version`.
    mutating func hit(_ question: Question, version: VaultDatabase.Version) -> Hit? {
        guard version == self.version else {
            removeAll()
            self.version = version
            return nil
        }
        return hits[question]
    }

    /// Remembers an answer that was found in the state that the last ``hit(_:version:)`` was asked about.
    mutating func remember(_ hit: Hit, for question: Question) {
        if hits.count >= Self.capacity { hits.removeAll(keepingCapacity: true) }
        hits[question] = hit
    }

    mutating func removeAll() {
        hits.removeAll(keepingCapacity: true)
        version = nil
    }
}
