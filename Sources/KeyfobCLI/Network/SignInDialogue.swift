internal import Keyfob
internal import KeyfobNetwork

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

    /// For how many seconds a browser is waited for where nobody says.
    private static let patience: Int64 = 300

    /// Signs in by browser.
    ///
    /// - Throws: `cancelled` where nobody answered in time.
    func signInByBrowser() throws(KeyringError) -> SignInReport {
        try NetworkTask.run { () async throws(KeyringError) in
            let listener = try await listen()
            let signIn: BrowserSignIn
            do throws(KeyringError) {
                signIn = try await keyring.beginSignIn(
                    request, redirectURI: listener.redirectURI, in: groups, network: network)
            } catch {
                await listener.close()
                throw error
            }
            let page = show(signIn, listener.redirectURI)
            let report = try await answer(to: signIn, listener)
            _ = consume page
            return report
        }
    }

    /// Signs in on another device.
    func signInOnDevice() throws(KeyringError) -> SignInReport {
        try NetworkTask.run { () async throws(KeyringError) in
            let signIn = try await keyring.beginDeviceSignIn(request, in: groups, network: network)
            show(signIn)
            guard let timeout else { return try await keyring.finish(signIn, network: network) }
            return try await keyring.finish(signIn, timeout: timeout, network: network)
        }
    }

    private func listen() async throws(KeyringError) -> LoopbackListener {
        let redirects = try keyring.redirects(for: request, in: groups)
        var choices = redirects
        if let port {
            // An address that was registered with the port, or without any, goes before another one's host and path.
            let fitting = redirects.filter { $0.port == port || $0.port == nil }
            choices = (fitting.isEmpty ? Array(redirects.prefix(1)) : fitting).map { redirect in
                LoopbackRedirect(host: redirect.host, port: port, path: redirect.path)
            }
        }
        var busy: [Int] = []
        var problem: LoopbackError?
        for choice in choices {
            guard let host = LoopbackListener.Host(rawValue: choice.host.rawValue) else { continue }
            do {
                return try await LoopbackListener.open(
                    host: host, ports: choice.port.map { [$0] } ?? [], path: choice.path)
            } catch {
                if case .portInUse(let ports) = error, !busy.contains(ports) { busy += ports }
                problem = error
            }
        }
        if !busy.isEmpty { problem = .portInUse(busy) }
        throw KeyringError(
            .unavailable, "the browser's answer cannot be received: \(problem ?? .badAddress)",
            hint: "end the program that uses it, say another with --port, or use --device")
    }

    /// Waits for the browser, or for an address that the person pastes, and finishes the sign-in.
    ///
    /// The browser's page says "signed in" once the tokens are stored, and not before.
    private func answer(
        to signIn: BrowserSignIn, _ listener: LoopbackListener
    ) async throws(KeyringError) -> SignInReport {
        let paste = opensBrowser || !mayAsk ? nil : PastedAddress(signIn) { await listener.close() }
        let outcome = SignInOutcome()
        let timeout = timeout ?? Self.patience
        let explanation = Task { await explain(listener.redirectURI, within: timeout) }
        defer { explanation.cancel() }
        let ending = await listener.answer(seconds: timeout) { fields in
            switch signIn.receive(fields) {
            case .accepted:
                explanation.cancel()
                do throws(KeyringError) {
                    outcome.succeed(try await keyring.finish(signIn, network: network))
                    return .last(.signedIn)
                } catch {
                    outcome.fail(error)
                    return .last(.failed(error.message))
                }
            case .failed(let error):
                outcome.fail(error)
                return .last(.failed(error.message))
            case .ignored(let why): return .more(.failed(why))
            }
        }
        paste?.stop()
        if let report = try outcome.report { return report }
        if let error = paste?.error { throw error }
        guard ending != .answered, paste?.isAccepted ?? false else { throw .nobodySignedIn(within: timeout) }
        return try await keyring.finish(signIn, network: network)
    }

    /// Says after a while where the answer is waited for: a provider that does not know the address may show no more than
    /// an empty page, and nothing of that comes here.
    private func explain(_ address: String, within timeout: Int64) async {
        do { try await Task.sleep(for: .milliseconds(min(10_000, timeout * 500))) } catch { return }
        guard !isQuiet else { return }
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
                    leadingTo: signIn.url, at: keyring.location, home: Browser.homeOfSnaps())
                if Browser.open(page.url) {
                    if !isQuiet {
                        StandardError.write(
                            lines:
                                "The browser asks you to sign in. If none opens, or it cannot read the page, go to\n\n"
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
            let time = Quantity.of(Int(timeout ?? Self.patience), "second")
            StandardError.write(
                line:
                    "Waiting for \(time) until a browser of this machine comes to \(address); --timeout waits longer or "
                    + "shorter, and --device needs no browser here.")
        }
        return nil
    }

    private func show(_ signIn: DeviceSignIn) {
        let minutes = max(1, signIn.expiresIn / 60)
        StandardError.write(line: "Open \(signIn.verificationURL) and type the code  \(signIn.userCode)")
        StandardError.write(line: "The code is good for \(Quantity.of(Int(minutes), "minute")).")
        if let code = DeviceCodeImage.text(for: signIn.completeURL ?? signIn.verificationURL, color: isColored) {
            StandardError.write(drawing: "\n" + code + "\n")
        }
    }
}
