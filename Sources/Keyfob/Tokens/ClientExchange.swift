internal import KeyfobModel
internal import KeyfobOAuth

/// Requests of a client to its provider's token endpoint and the neighbours of that.
///
/// One in which the provider did not know the client is sent once more, with the client's secret in the other place, or with a signature
/// for the other audience or by the provider's clock: nothing was done then, and no code or refresh token was used.
struct ClientExchange: ~Copyable {
    /// The client as it says who it is by now.
    private(set) var client: OAuthClient
    /// Whether that is not how it said so at first, and the provider has taken it.
    private(set) var hasLearned = false
    /// The key that its proofs are of; nil where it sends none.
    private(set) var key: ProofKey?
    private let mayMakeKey: Bool
    private var hasChanged = false
    /// Whether it signs by the provider's clock.
    private var hasFollowed = false
    private let metadata: ProviderMetadata
    private let network: Network
    private let clock: WallClock

    /// Requests of a client.
    ///
    /// - Parameters:
    ///   - key: The key that tokens are to be bound to, or are.
    ///   - mayMakeKey: Whether one is made where the provider wants proofs.
    init(
        _ client: consuming OAuthClient, _ metadata: ProviderMetadata, _ network: Network, _ clock: WallClock,
        key: ProofKey? = nil, mayMakeKey: Bool = false
    ) {
        self.key = key
        self.mayMakeKey = mayMakeKey
        self.client = client
        self.metadata = metadata
        self.network = network
        self.clock = clock
    }

    /// Sends what `message` makes for a client.
    ///
    /// - Parameter isKept: Whether the answer is waited for also where the caller's task is cancelled.
    mutating func send(
        isKept: Bool = false, _ message: (borrowing OAuthClient) -> HTTPRequest
    ) async -> HTTPExchange {
        let answer = await send(client, isKept, message)
        guard let failure = lack(of: answer) else {
            if hasChanged { hasLearned = true }
            return answer
        }
        if key == nil, mayMakeKey, failure.wantsProof, metadata.takesProofs, let made = network.signer.makeKey() {
            key = made
            return await send(isKept: isKept, message)
        }
        // What is signed is good for a minute only. A second clock of the same server is no better than the first.
        if failure.isOfClient, !hasFollowed, let later = client.following(answer.date) {
            client = later
            hasFollowed = true
            return await send(isKept: isKept, message)
        }
        guard !hasChanged, let other = client.alternative(after: failure, at: metadata) else { return answer }
        let second = await send(other, isKept, message)
        guard let failure = lack(of: second) else {
            client = other
            (hasChanged, hasLearned) = (true, true)
            return second
        }
        // Whoever takes neither way has nothing against the first in particular.
        guard !failure.isOfClient else { return answer }
        client = other
        hasChanged = true
        return key == nil && mayMakeKey && failure.wantsProof ? await send(isKept: isKept, message) : second
    }

    /// Why an answer is none; what was left with the provider is there by now (RFC 9126, section 2.2).
    private func lack(of answer: borrowing HTTPExchange) -> ProviderFailure? {
        let failure = answer.failure(now: clock.now)
        return failure == .unexpectedStatus(201) ? nil : failure
    }

    private func send(
        _ client: borrowing OAuthClient, _ isKept: Bool, _ message: (borrowing OAuthClient) -> HTTPRequest
    ) async -> HTTPExchange {
        // A closure can hold only what it owns.
        let own = client.copy()
        if let endpoint = metadata.endpoints[.token], own.lacksSignature(for: endpoint) {
            return .failed(.protocolViolation(.reported(Self.noSignature), status: 0))
        }
        return await network.send(provingBy: key, isKept: isKept, seconds: GrantRefresh.deadline, clock) {
            message(own)
        }
    }

    private static let noSignature =
        "nothing can be signed by the client's key: it is damaged, or OpenSSL 3 (libcrypto) is not installed"
}

extension Network {
    /// What signs for clients with a private key.
    func assertions(_ clock: WallClock) -> AssertionSigner {
        AssertionSigner(sign: signer.signAsClient, now: { clock.now })
    }
}
