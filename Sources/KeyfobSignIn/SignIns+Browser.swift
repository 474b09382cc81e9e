internal import FoundationEssentials
public import Keyfob

extension Keyring.SignIns {
    /// Signs a person in with a browser of this machine: opens it, takes the answer at a port of this machine or by the scheme
    /// of the client, and stores the tokens.
    ///
    ///     let network = try Network.ofThisMachine()
    ///     let report = try await keyring.signIns.inBrowser(SignInRequest(provider: "microsoft"), network: network)
    ///
    /// - Parameters:
    ///   - groups: Where the tokens go: the first of them; nil for the usual group.
    ///   - port: The port to listen on; nil for the client's, or a free one.
    ///   - seconds: For how long a person is waited for.
    ///   - open: Opens the page whose address it gets, and says whether it did; the page lies on the disk, for its owner alone.
    /// - Throws: As ``begin(_:redirectURI:in:network:)`` and ``finish(_:network:)``; `unavailable` where no browser was opened
    ///   or the answer cannot be received, `cancelled` where nobody signs in in time.
    public func inBrowser(
        _ request: SignInRequest, in groups: [AccessGroup]? = nil, port: Int? = nil, timeout seconds: Int64 = 300,
        network: Network, opening open: @escaping @Sendable (_ url: String) async -> Bool = { Browser.open($0) }
    ) async throws(KeyringError) -> SignInReport {
        let redirect = RedirectSignIn(keyring: keyring, request: request, groups: groups, network: network, port: port)
        let environment = ProcessInfo.processInfo.environment
        guard let report = try await redirect.run(seconds: seconds, environment: environment, opening: open) else {
            throw KeyringError(.unavailable, "no browser can be opened", advice: .signInOnDevice)
        }
        return report
    }
}
