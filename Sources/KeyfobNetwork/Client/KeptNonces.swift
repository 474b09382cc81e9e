internal import KeyfobOAuth
internal import Synchronization

/// The nonces that servers have given this process for the next proof.
final class KeptNonces: Sendable {
    private static let limit = 64
    private let known = Mutex<[String: String]>([:])

    /// The same, as those who send proofs ask for them; none yet.
    static func none() -> ProofNonces {
        let kept = KeptNonces()
        return ProofNonces(
            known: { origin in kept.known.withLock { $0[origin] } },
            keep: { origin, nonce in
                kept.known.withLock { known in
                    if known.count >= Self.limit, known[origin] == nil { known = [:] }
                    known[origin] = nonce
                }
            })
    }
}
