package import Keyfob
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobNetwork
internal import Synchronization

/// A sign-in whose answer a browser brings to a port of this machine, or to the program of the client's own scheme (RFC 8252,
/// sections 7.3 and 7.1).
package struct RedirectSignIn: Sendable {
    package let keyring: Keyring
    package let request: SignInRequest
    package let groups: [AccessGroup]?
    package let network: Network
    /// The port to listen on; nil for the client's, or a free one.
    package let port: Int?

    /// For how many seconds a browser is waited for where nobody says.
    package static let patience: Int64 = 300

    /// A sign-in.
    package init(keyring: Keyring, request: SignInRequest, groups: [AccessGroup]?, network: Network, port: Int?) {
        (self.keyring, self.request, self.groups) = (keyring, request, groups)
        (self.network, self.port) = (network, port)
    }

    /// Begins, and listens for the answer.
    package func begin() async throws(KeyringError) -> (signIn: BrowserSignIn, listener: RedirectListener) {
        let listener = try await listen()
        do throws(KeyringError) {
            let signIn = try await keyring.signIns.begin(
                request, redirectURI: listener.redirectURI, in: groups, network: network)
            return (signIn, listener)
        } catch {
            await listener.close()
            throw error
        }
    }

    private func listen() async throws(KeyringError) -> RedirectListener {
        var choices = try keyring.signIns.redirects(for: request, in: groups)
        if port != nil || request.usesFormPost {
            choices.removeAll { if case .scheme = $0 { true } else { false } }
            guard !choices.isEmpty else {
                throw KeyringError(
                    .usage,
                    "the client's redirect addresses have a scheme of an app's own, which has no port and takes no form",
                    advice: .omitPort)
            }
        }
        if let port { choices = Self.choices(choices, at: port) }
        var busy: [Int] = []
        var problem: LoopbackError?
        for choice in choices {
            switch choice {
            case .scheme(let uri): return .scheme(try schemeListener(uri))
            case .loopback(let redirect):
                guard let host = LoopbackListener.Host(rawValue: redirect.host.rawValue) else { continue }
                do {
                    return .loopback(
                        try await LoopbackListener.open(
                            host: host, ports: redirect.port.map { [$0] } ?? [], path: redirect.path))
                } catch {
                    if case .portInUse(let ports) = error, !busy.contains(ports) { busy += ports }
                    problem = error
                }
            }
        }
        if !busy.isEmpty { problem = .portInUse(busy) }
        throw KeyringError(
            .unavailable, "the browser's answer cannot be received: \(problem ?? .badAddress)",
            advice: .freePort)
    }

    /// The addresses with a port that somebody named: one that was registered with it, or without any, goes before another
    /// one's host and path.
    private static func choices(_ redirects: [SignInRedirect], at port: Int) -> [SignInRedirect] {
        let all = redirects.compactMap { if case .loopback(let redirect) = $0 { redirect } else { nil } }
        let fitting = all.filter { $0.port == port || $0.port == nil }
        return (fitting.isEmpty ? Array(all.prefix(1)) : fitting).map { redirect in
            .loopback(LoopbackRedirect(host: redirect.host, port: port, path: redirect.path))
        }
    }

    private func schemeListener(_ uri: String) throws(KeyringError) -> SchemeListener {
        guard let folder = keyring.location.runtime else {
            throw KeyringError(
                .unavailable, "the answer to \(uri) cannot be received: XDG_RUNTIME_DIR is not set",
                advice: .signInOnDevice)
        }
        do { try RuntimeFolder(path: folder).prepare() } catch { throw KeyringError(error) }
        do throws(SchemeFailure) {
            return try SchemeListener.open(for: uri, in: folder)
        } catch {
            throw KeyringError(
                .unavailable, "the answer to \(uri) cannot be received: \(error)", advice: .setRuntimeFolder)
        }
    }

    /// Waits for the answer, and finishes the sign-in.
    ///
    /// The browser's page says "signed in" once the tokens are stored, and not before.
    ///
    /// - Parameter accepted: Called when the answer is there, before the tokens are.
    /// - Returns: Whether there was an answer; what it led to is in `outcome`.
    package func wait(
        for signIn: BrowserSignIn, at listener: RedirectListener, seconds: Int64, _ outcome: SignInOutcome,
        accepted: @escaping @Sendable () -> Void = {}
    ) async -> Bool {
        switch listener {
        case .loopback(let listener): await wait(for: signIn, at: listener, seconds, outcome, accepted)
        case .scheme(let listener): await wait(for: signIn, at: listener, seconds, outcome, accepted)
        }
    }

    private func wait(
        for signIn: BrowserSignIn, at listener: SchemeListener, _ seconds: Int64, _ outcome: SignInOutcome,
        _ accepted: @escaping @Sendable () -> Void
    ) async -> Bool {
        let ending = await listener.answer(seconds: seconds) { address in
            switch signIn.receive(address, isPasted: true) {
            case .accepted:
                accepted()
                return .accepted
            case .failed(let error):
                outcome.fail(error)
                return .failed(error.message)
            case .ignored(let why): return .ignored(why)
            }
        }
        guard ending == .answered else { return false }
        if !outcome.isThere {
            do throws(KeyringError) {
                outcome.succeed(try await keyring.signIns.finish(signIn, network: network))
            } catch {
                outcome.fail(error)
            }
        }
        return true
    }

    private func wait(
        for signIn: BrowserSignIn, at listener: LoopbackListener, _ seconds: Int64, _ outcome: SignInOutcome,
        _ accepted: @escaping @Sendable () -> Void
    ) async -> Bool {
        let ending = await listener.answer(seconds: seconds) { fields in
            switch signIn.receive(fields) {
            case .accepted:
                accepted()
                do throws(KeyringError) {
                    outcome.succeed(try await keyring.signIns.finish(signIn, network: network))
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
        return ending == .answered
    }
}

extension RedirectSignIn {
    /// Opens a browser, and signs in; nil where none was opened.
    ///
    /// - Parameters:
    ///   - seconds: For how long a person is waited for.
    ///   - open: Opens a page that only its owner reads, which leads on to the provider; says whether it did.
    ///   - shown: Called when it was opened, with the provider's address.
    /// - Throws: `cancelled` where nobody answers in time, or the task is cancelled.
    package func run(
        seconds: Int64 = patience, environment: [String: String], opening open: @Sendable (String) async -> Bool,
        shown: @Sendable (_ url: String) async -> Void = { _ in }
    ) async throws(KeyringError) -> SignInReport? {
        let (signIn, listener) = try await begin()
        // The address itself is not for the list of processes.
        let page: BrowserPage
        do throws(KeyringError) {
            page = try BrowserPage(
                leadingTo: signIn.url, at: keyring.location, home: Browser.homeOfSnaps(environment))
        } catch {
            await listener.close()
            return nil
        }
        guard await open(page.url) else {
            await listener.close()
            return nil
        }
        await shown(signIn.url)
        let outcome = SignInOutcome()
        await withTaskCancellationHandler {
            _ = await wait(for: signIn, at: listener, seconds: seconds, outcome)
        } onCancel: {
            // Nobody waits for the tokens any more; what is being stored is stored.
            Task { await listener.close() }
        }
        _ = consume page
        if let report = try outcome.report { return report }
        if Task.isCancelled { throw KeyringError(.cancelled, "the program that wanted the sign-in has ended") }
        throw .nobodySignedIn(within: seconds)
    }
}

/// What the browser's answer led to.
package final class SignInOutcome: Sendable {
    private let held = Mutex<Result<SignInReport, KeyringError>?>(nil)

    /// Not known yet.
    package init() {}

    /// The report of a sign-in that was finished; nil where none was.
    ///
    /// - Throws: why it failed.
    package var report: SignInReport? {
        get throws(KeyringError) { try held.withLock { $0 }?.get() }
    }

    /// Whether it is known.
    var isThere: Bool { held.withLock { $0 != nil } }

    func succeed(_ report: SignInReport) { held.withLock { $0 = .success(report) } }

    func fail(_ error: KeyringError) { held.withLock { $0 = .failure(error) } }
}
