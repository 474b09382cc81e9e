package import KeyfobModel

/// What came of a request to a token endpoint.
package enum TokenOutcome: ~Copyable, Sendable {
    /// Tokens.
    case tokens(TokenResponse)
    /// None, and why.
    case failed(ProviderFailure)

    /// What `response` means.
    ///
    /// - Parameter hasProof: Whether the request had the proof of a key, to which the tokens may be bound.
    package init(_ response: borrowing HTTPResponse, hasProof: Bool = false, now: Timestamp) {
        if let failure = ProviderFailure.classify(response, now: now) {
            self = .failed(failure)
            return
        }
        do throws(ProtocolViolation) {
            let tokens = try TokenResponse(reading: response.body)
            guard hasProof || !tokens.details.isBound else { throw ProtocolViolation.unknownTokenType }
            self = .tokens(tokens)
        } catch {
            self = .failed(.protocolViolation(error, status: response.status))
        }
    }
}
