internal import Keyfob
internal import KeyfobAgent
internal import KeyfobNetwork

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
            if let report = try await byBrowser(redirect, open, show) { return report }
        }
        let signIn = try await keyring.signIns.beginDevice(request, in: groups, network: network)
        await show(
            .device(
                url: signIn.verificationURL, code: signIn.userCode, completeURL: signIn.completeURL,
                seconds: signIn.expiresIn))
        return try await keyring.signIns.finish(signIn, network: network)
    }

    /// Signs in by browser; nil where none was opened.
    private func byBrowser(
        _ redirect: RedirectSignIn, _ open: @Sendable (String) async -> Bool,
        _ show: @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport? {
        let (signIn, listener) = try await redirect.begin()
        let page: BrowserPage
        do throws(KeyringError) {
            page = try BrowserPage(
                leadingTo: signIn.url, at: redirect.keyring.location, home: Browser.homeOfSnaps())
        } catch {
            // The address itself is not for the list of processes.
            await listener.close()
            return nil
        }
        guard await open(page.url) else {
            await listener.close()
            return nil
        }
        await show(.browser(url: signIn.url))
        let outcome = SignInOutcome()
        await withTaskCancellationHandler {
            _ = await redirect.wait(for: signIn, at: listener, seconds: patience, outcome)
        } onCancel: {
            // Nobody waits for the tokens any more; what is being stored is stored.
            Task { await listener.close() }
        }
        _ = consume page
        if let report = try outcome.report { return report }
        if Task.isCancelled { throw KeyringError(.cancelled, "the program that wanted the sign-in has ended") }
        throw .nobodySignedIn(within: patience)
    }
}
