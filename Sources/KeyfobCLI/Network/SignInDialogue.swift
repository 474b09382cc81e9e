internal import Keyfob
internal import KeyfobSignIn
internal import KeyfobTerminal

/// Takes a person through a sign-in.
struct SignInDialogue: Sendable {
    let keyring: Keyring
    let request: SignInRequest
    let groups: [AccessGroup]?
    let network: Network
    /// For how many seconds to wait for the person; nil for as long as is usual.
    let timeout: Int64?
    let opensBrowser: Bool
    /// The port to listen on; nil for the client's, or a free one.
    let port: Int?
    /// Whether the person may be asked to paste an address.
    let mayAsk: Bool
    let isQuiet: Bool
    let isColored: Bool

    /// Signs in by browser.
    ///
    /// - Throws: `cancelled` where nobody answered in time.
    func signInByBrowser() throws(KeyringError) -> SignInReport {
        try NetworkTask.run { () async throws(KeyringError) in
            let redirect = RedirectSignIn(
                keyring: keyring, request: request, groups: groups, network: network, port: port)
            let (signIn, listener) = try await redirect.begin()
            let page = show(signIn, listener.redirectURI)
            let report = try await answer(to: signIn, listener, redirect)
            _ = consume page
            return report
        }
    }

    /// Signs in on another device.
    func signInOnDevice() throws(KeyringError) -> SignInReport {
        try NetworkTask.run { () async throws(KeyringError) in
            let signIn = try await keyring.signIns.beginDevice(request, in: groups, network: network)
            show(signIn)
            guard let timeout else { return try await keyring.signIns.finish(signIn, network: network) }
            return try await keyring.signIns.finish(signIn, timeout: timeout, network: network)
        }
    }

    /// Waits for the browser, or for an address that the person pastes, and finishes the sign-in.
    private func answer(
        to signIn: BrowserSignIn, _ listener: RedirectListener, _ redirect: RedirectSignIn
    ) async throws(KeyringError) -> SignInReport {
        let paste = opensBrowser || !mayAsk ? nil : PastedAddress(signIn) { await listener.close() }
        let outcome = SignInOutcome()
        let timeout = timeout ?? RedirectSignIn.patience
        let explanation = Task { await explain(listener, within: timeout) }
        defer { explanation.cancel() }
        let isAnswered = await redirect.wait(for: signIn, at: listener, seconds: timeout, outcome) {
            explanation.cancel()
        }
        paste?.stop()
        if let report = try outcome.report { return report }
        if let error = paste?.error { throw error }
        guard !isAnswered, paste?.isAccepted ?? false else { throw .nobodySignedIn(within: timeout) }
        return try await keyring.signIns.finish(signIn, network: network)
    }

    /// Says after a while where the answer is waited for: a provider that does not know the address may show no more than
    /// an empty page, and nothing of that comes here.
    private func explain(_ listener: RedirectListener, within timeout: Int64) async {
        do { try await Task.sleep(for: .milliseconds(min(10_000, timeout * 500))) } catch { return }
        guard !isQuiet else { return }
        let address = listener.redirectURI
        if let scheme = listener.scheme {
            return StandardError.write(
                line:
                    "Nothing has come to \(address) yet. If the browser knows no program for it, have the desktop bring it "
                    + "here: 'keyfob setup url-scheme \(scheme)'.")
        }
        StandardError.write(
            line:
                "Nothing has come to \(address) yet. If the provider shows an error instead of a sign-in, it may not know "
                + "this address: register it there, or name one that is registered, by --port or by --redirect-uri of "
                + "'keyfob client add'.")
    }

    /// Opens the browser, or says what to open.
    ///
    /// - Returns: The page that the browser needs until it has answered.
    private func show(_ signIn: BrowserSignIn, _ address: String) -> BrowserPage? {
        if opensBrowser {
            do throws(KeyringError) {
                let page = try BrowserPage(
                    leadingTo: signIn.url, at: keyring.location,
                    home: Browser.homeOfSnaps(Environment.current.variables))
                if Browser.open(page.url) {
                    if !isQuiet {
                        StandardError.write(
                            lines:
                                "The browser asks you to sign in. If no browser opens, or the page does not load, go to\n\n"
                                + "  \(signIn.url)\n\n")
                    }
                    return page
                }
            } catch {
                StandardError.write(line: "keyfob: warning: no page for the browser can be made: \(error.message)")
            }
        }
        StandardError.write(lines: "Open this address in a browser:\n\n  \(signIn.url)\n\n")
        if !opensBrowser, mayAsk, Terminal.isThere {
            StandardError.write(
                line: "If the browser runs on another machine, paste here the address at which it ends.")
        } else if !isQuiet {
            let time = Quantity.of(Int(timeout ?? RedirectSignIn.patience), "second")
            StandardError.write(
                line:
                    "Waiting for \(time) until a browser of this machine comes to \(address); --timeout waits longer or "
                    + "shorter, and --device needs no browser here.")
        }
        return nil
    }

    private func show(_ signIn: DeviceSignIn) {
        let minutes = max(1, signIn.expiresIn / 60)
        // By itself, so that no width of a terminal cuts it.
        StandardError.write(lines: "Open \(signIn.verificationURL) and type this code:\n\n  \(signIn.userCode)\n\n")
        StandardError.write(line: "It is good for \(Quantity.of(Int(minutes), "minute")).")
        if let code = QRCodeText.lines(for: signIn.completeURL ?? signIn.verificationURL, isColored: isColored) {
            StandardError.write(drawing: "\n" + code + "\n")
        }
    }
}
