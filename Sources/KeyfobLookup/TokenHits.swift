package import KeyfobFiles
package import KeyfobRecords
package import KeyfobModel
package import KeyfobSelection
package import KeyfobSodium
internal import KeyfobVault

/// Tokens that were looked up lately, still sealed, so that asking again costs one decryption.
///
/// An entry is valid as long as no other process has changed the database; this process's own
/// changes empty the list.
package struct TokenHits {
    /// What was asked.
    package struct Question: Hashable {
        let request: TokenRequest
        let groups: [AccessGroup]?

        /// A question.
        package init(request: TokenRequest, groups: [AccessGroup]?) {
            self.request = request
            self.groups = groups
        }
    }

    /// What was found.
    package struct Hit: Sendable {
        /// What is known of the token.
        package let credential: Credential
        /// Whose it is.
        package let account: Account
        /// The group it is in.
        package let group: AccessGroup
        /// Whether it should be replaced although it is still valid.
        package let isAging: Bool
        /// Why it is this account's.
        package let reason: Verdict.Reason
        let header: RecordHeader
        let secret: CommittingAEAD.Box
        let keys: GroupKeys

        /// The token.
        ///
        /// - Throws: `StoreError.damaged`.
        package func open() throws(StorageFailure) -> SecretBytes {
            do {
                return try keys.openSecret(header, secret)
            } catch {
                throw StoreError.damaged(what: "the secret of record \(header.record.short)")
            }
        }
    }

    /// How many answers are kept: some 4 KB each, and only as many as were asked for.
    private static let capacity = 16_384
    /// The first answer by itself: most processes ask for one token, and a dictionary costs 0.1 ms when it
    /// is first used.
    private var first: (question: Question, hit: Hit)?
    private var others: [Question: Hit]?
    private var version: StorageVersion?

    /// None yet.
    package init() {}

    /// The answer to `question`, when the database is still in the state `version`.
    package mutating func hit(_ question: Question, version: StorageVersion) -> Hit? {
        guard version == self.version else {
            removeAll()
            self.version = version
            return nil
        }
        return first?.question == question ? first?.hit : others?[question]
    }

    /// Remembers an answer that was found in the state that the last ``hit(_:version:)`` was asked about.
    package mutating func remember(_ hit: Hit, for question: Question) {
        if first == nil || first?.question == question {
            first = (question, hit)
        } else {
            if let count = others?.count, count >= Self.capacity { others = nil }
            others = others ?? [:]
            others?[question] = hit
        }
    }

    /// Forgets all of them.
    package mutating func removeAll() {
        first = nil
        others = nil
        version = nil
    }
}
