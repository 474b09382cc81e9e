internal import Keyfob
internal import KeyfobNetwork

/// A sign-in whose answer a browser brings to a port of this machine (RFC 8252, section 7.3).
struct LoopbackSignIn: Sendable {
    let keyring: Keyring
    let request: SignInRequest
    let groups: [AccessGroup]?
    let network: Network
    /// The port to listen on; nil for the client's, or a free one.
    let port: Int?

    /// For how many seconds a browser is waited for where nobody says.
    static let patience: Int64 = 300

    /// Begins, and listens for the answer.
    func begin() async throws(KeyringError) -> (signIn: BrowserSignIn, listener: LoopbackListener) {
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

    private func listen() async throws(KeyringError) -> LoopbackListener {
        let redirects = try keyring.signIns.redirects(for: request, in: groups)
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

    /// Waits for the answer, and finishes the sign-in.
    ///
    /// The browser's page says "signed in" once the tokens are stored, and not before.
    ///
    /// - Parameter accepted: Called when the answer is there, before the tokens are.
    /// - Returns: Whether there was an answer; what it led to is in `outcome`.
    func wait(
        for signIn: BrowserSignIn, at listener: LoopbackListener, seconds: Int64, _ outcome: SignInOutcome,
        accepted: @escaping @Sendable () -> Void = {}
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
