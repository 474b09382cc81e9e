package import KeyfobModel

/// What came of a request to a token endpoint.
package enum TokenOutcome: ~Copyable, Sendable {
    /// Tokens.
    case tokens(TokenResponse)
    /// None, and why.
    case failed(ProviderFailure)

    /// What `response` means.
    package init(_ response: borrowing HTTPResponse, now: Timestamp) {
        if let failure = ProviderFailure.classify(response, now: now) {
            self = .failed(failure)
            return
        }
        do {
            self = .tokens(try TokenResponse(reading: response.body))
        } catch {
            self = .failed(.protocolViolation(error, status: response.status))
        }
    }
}
