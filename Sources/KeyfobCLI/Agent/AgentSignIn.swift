internal import Keyfob
internal import KeyfobAgent
internal import KeyfobSignIn

/// Takes people through the sign-ins that programs want of an agent: by a browser that brings the answer to a port of this
/// machine or to the program of its scheme, or on another device where no browser can be opened.
struct AgentSignIn: AgentSignIns {
    /// Opens the network.
    let network: @Sendable () throws(KeyringError) -> Network
    /// Opens an address in the person's browser, and says whether it did; nil where there is none.
    let open: (@Sendable (_ url: String) async -> Bool)?
    /// For how many seconds a browser is waited for.
    var patience = RedirectSignIn.patience

    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        let network = try network()
        if let open {
            let redirect = RedirectSignIn(
                keyring: keyring, request: request, groups: groups, network: network, port: nil)
            let environment = Environment.current.variables
            let report = try await redirect.run(seconds: patience, environment: environment, opening: open) {
                await show(.browser(url: $0))
            }
            if let report { return report }
        }
        let signIn = try await keyring.signIns.beginDevice(request, in: groups, network: network)
        await show(
            .device(
                url: signIn.verificationURL, code: signIn.userCode, completeURL: signIn.completeURL,
                seconds: signIn.expiresIn))
        return try await keyring.signIns.finish(signIn, network: network)
    }
}
