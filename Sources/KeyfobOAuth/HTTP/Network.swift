package import KeyfobModel
package import KeyfobSodium

/// What reaches providers: it sends requests, and checks signatures with a provider's keys.
///
/// The module KeyfobNetwork makes one that works over HTTP. A program that only reads what is stored needs none and
/// need not link one.
public struct Network: Sendable {
    /// Sends a request once, without following redirections, and waits for the answer at most so many seconds.
    package let send: @Sendable (consuming HTTPRequest, _ seconds: Int64) async -> HTTPExchange
    /// What is wrong with the signature of an ID token by the keys of a JWKS document (RFC 7517); nil where it is good.
    package let flaw: @Sendable (_ token: borrowing SecretBytes, _ keys: borrowing SecretBytes) async -> IDTokenFlaw?
    /// What is wrong with the signature of an ID token by a client's secret; nil where it is good.
    package let flawBySecret:
        @Sendable (_ token: borrowing SecretBytes, _ secret: borrowing SecretBytes) async -> IDTokenFlaw?
    /// Whether no signature by these algorithms (nil: any) can be checked, because this machine lacks a library.
    package let lacksSignatureLibrary: @Sendable (_ algorithms: [String]?) -> Bool

    /// The same, trusting the certificates of a provider's own file; nil where nothing is to change.
    package let trusting: @Sendable (_ file: String) throws -> Network?
    /// What makes proofs of keys.
    package let signer: ProofSigner
    /// What servers want to find in them.
    package let nonces: ProofNonces

    /// A network of these functions.
    package init(
        send: @escaping @Sendable (consuming HTTPRequest, _ seconds: Int64) async -> HTTPExchange,
        flaw: @escaping @Sendable (_ token: borrowing SecretBytes, _ keys: borrowing SecretBytes) async -> IDTokenFlaw?,
        flawBySecret:
            @escaping @Sendable (_ token: borrowing SecretBytes, _ secret: borrowing SecretBytes) async -> IDTokenFlaw? =
            {
                _, _ in .noSignatureLibrary
            },
        lacksSignatureLibrary: @escaping @Sendable (_ algorithms: [String]?) -> Bool = { _ in false },
        trusting: @escaping @Sendable (_ file: String) throws -> Network? = { _ in nil },
        signer: ProofSigner = .none, nonces: ProofNonces = .none
    ) {
        self.signer = signer
        self.nonces = nonces
        self.send = send
        self.flaw = flaw
        self.flawBySecret = flawBySecret
        self.lacksSignatureLibrary = lacksSignatureLibrary
        self.trusting = trusting
    }
}

extension Network {
    /// Sends a request as ``send``, also where the caller's task is cancelled meanwhile: an answer that nobody waits for
    /// may hold the only refresh token there is.
    package func sendToTheEnd(_ request: consuming HTTPRequest, _ seconds: Int64) async -> HTTPExchange {
        let (sent, answer) = (Handover(request), Handover<HTTPExchange>())
        await Task(executorPreference: PreferredExecutor.executor) { [send] in
            guard let request = sent.take() else { return }
            answer.put(await send(request, seconds))
        }.value
        return answer.take() ?? .failed(.outcomeUnknown)
    }
}

/// What became of a request.
package enum HTTPExchange: ~Copyable, Sendable {
    /// An answer came, whatever its status.
    case answered(HTTPResponse)
    /// None came: `unreachable`, `untrustedCertificate`, `noHTTPLibrary` or `noThread` where nothing was sent, `outcomeUnknown` where
    /// it may have been, `protocolViolation` for one longer than ``HTTPResponse/bodyLimit``.
    case failed(ProviderFailure)

    /// Why it gave nothing that a token endpoint and its neighbours should give; nil where it did.
    package func failure(now: Timestamp) -> ProviderFailure? {
        switch self {
        case .answered(let response): ProviderFailure.classify(response, now: now)
        case .failed(let failure): failure
        }
    }

    /// What time it is by the clock of whoever answered; nil where nobody did, or does not say.
    package var date: Timestamp? {
        switch self {
        case .answered(let response): response.header("Date").flatMap { CivilDate(httpDate: $0)?.time }
        case .failed: nil
        }
    }

    /// Whether the other side did nothing because of what a proof says.
    package var refusesProof: Bool {
        switch self {
        case .answered(let response): response.refusesProof
        case .failed: false
        }
    }

    /// Whether the other side answered that it will not, or has nothing there.
    package var isRefused: Bool {
        switch self {
        case .answered(let response): (400..<500).contains(response.status) && response.status != 429
        case .failed: false
        }
    }
}
