package import KeyfobModel

/// Why a request to a provider gave nothing: every way there is.
package enum ProviderFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// `invalid_grant`: the code or refresh token is refused.
    case invalidGrant(Refusal)
    /// A refusal that names no error: as good as `invalid_grant` for this request, but the grant ends only where an
    /// earlier refresh was interrupted.
    case refusedWithoutReason(Refusal)
    /// The person must answer something first: consent, a second factor, a new password.
    case interactionRequired(Refusal)
    /// The person said no.
    case denied(Refusal)
    /// Scopes that the provider does not know or does not give to this client.
    case scopeRefused(Refusal)
    /// The client is unknown, or may not do this.
    case clientRefused(Refusal)
    /// Any other refusal.
    case requestRefused(Refusal)
    /// The provider asks to wait until then.
    case throttled(until: Timestamp)
    /// The provider is out of order.
    case serverDown(status: Int, retryAt: Timestamp?)
    /// A status that no token endpoint should answer.
    case unexpectedStatus(Int)
    /// An answer that is not what the protocol says.
    case protocolViolation(ProtocolViolation, status: Int)
    /// Nothing was sent: no network, no such host, connection refused.
    case unreachable(UnreachableReason)
    /// Nothing was sent: the certificate is of nobody who is trusted, of another host, or expired.
    case untrustedCertificate(CertificateFlaw)
    /// Nothing was sent: this machine has no library that speaks HTTP.
    case noHTTPLibrary
    /// Nothing was sent: the system gave no thread to do so.
    case noThread
    /// Sent, but no answer came: nobody knows what the provider did.
    case outcomeUnknown

    /// Whether the provider may have acted on the request, so that a rotated token may be lost.
    package var mayHaveBeenProcessed: Bool {
        switch self {
        case .outcomeUnknown: true
        case .serverDown(let status, _): status != 503
        case .protocolViolation(_, let status): (200...299).contains(status)
        case .unexpectedStatus(let status): status < 400
        default: false
        }
    }

    /// Whether it may go better later without anybody doing anything.
    package var isTransient: Bool {
        switch self {
        case .throttled, .serverDown, .unreachable, .noThread, .outcomeUnknown: true
        default: false
        }
    }

    /// Whether the provider is not to be reached or out of order.
    package var isProviderDown: Bool {
        switch self {
        case .serverDown, .unreachable, .untrustedCertificate, .noHTTPLibrary, .noThread, .outcomeUnknown: true
        default: false
        }
    }

    /// Whether the provider did not know by whom it was asked (RFC 6749, section 5.2): it has done nothing then.
    package var isOfClient: Bool {
        switch self {
        case .clientRefused(let refusal): refusal.error == "invalid_client"
        case .refusedWithoutReason(let refusal): refusal.status == 401
        default: false
        }
    }

    /// Whether the provider takes no request without the proof of a key (RFC 9449): it has done nothing then.
    package var wantsProof: Bool {
        guard case .requestRefused(let refusal) = self else { return false }
        return refusal.error == "invalid_dpop_proof" || refusal.error == "use_dpop_nonce"
    }

    /// What the provider said, where it said something.
    package var refusal: Refusal? {
        switch self {
        case .invalidGrant(let refusal), .refusedWithoutReason(let refusal), .interactionRequired(let refusal),
            .denied(let refusal), .scopeRefused(let refusal), .clientRefused(let refusal), .requestRefused(let refusal):
            refusal
        default: nil
        }
    }

    package var description: String {
        if let refusal { return refusal.description }
        return switch self {
        case .throttled(let until): "the provider asks to wait until \(until.seconds)"
        case .serverDown(let status, _): "the provider is out of order (status \(status))"
        case .unexpectedStatus(let status): "the provider answered with status \(status)"
        case .protocolViolation(let violation, let status): "\(violation) (status \(status))"
        case .unreachable(let reason): "the provider cannot be reached: \(reason)"
        case .untrustedCertificate(let flaw): "the provider's certificate \(flaw)"
        case .noHTTPLibrary: "the provider cannot be reached: libcurl (7.87 or later) is not installed"
        case .noThread:
            "the provider cannot be reached: the system gives this process no further thread ('ulimit -u', '-v')"
        default: "the provider did not answer; nobody knows whether it acted"
        }
    }
}
