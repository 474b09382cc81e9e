internal import KeyfobFiles
public import KeyfobOAuth
internal import KeyfobSodium

/// Sends requests over HTTP/1.1, each once, on a connection of its own.
struct HTTPTransport: Sendable {
    let userAgent: String
    let certificates: TrustedCertificates
    let proxies: ProxySettings
    let log: @Sendable (String) -> Void
    /// Whether the file's certificates are trusted alone, and none of the system's.
    var trustsFileAlone = false
    /// Loads libcurl, when there is something to send.
    var library: @Sendable () -> Libcurl? = { .installed }

    /// Sends a request once and waits for the whole answer at most so many seconds.
    func send(_ request: consuming HTTPRequest, seconds: Int64) async -> HTTPExchange {
        let title = request.redactedDescription
        // A day is as good as for ever, and does not overflow.
        switch await outcome(of: request, seconds: min(max(0, seconds), 86_400)) {
        case .answered(let response):
            log("\(title): \(response.status)")
            return .answered(response)
        case .tooLarge(let status):
            log("\(title): \(ProtocolViolation.tooLarge)")
            return .failed(.protocolViolation(.tooLarge, status: status))
        case .failed(let fault, let isRequestSent):
            log("\(title): \(fault)")
            return .failed(fault.failure(isRequestSent: isRequestSent))
        }
    }

    private func outcome(of request: consuming HTTPRequest, seconds: Int64) async -> Transfer.Outcome {
        guard let library = library() else { return .failed(.noLibrary, isRequestSent: false) }
        guard let transfer = Transfer(library) else { return .failed(.connection(.unsendable), isRequestSent: false) }
        let setup = TransferSetup(
            userAgent: userAgent, certificateFile: certificates.path, proxy: proxies.proxy(for: request.url),
            trustsFileAlone: trustsFileAlone)
        let (sent, outcome) = (Handover<HTTPRequest>(request), Handover<Transfer.Outcome>())
        let hasThread = await withTaskCancellationHandler {
            await BlockingThread.run {
                guard let request = sent.take() else { return }
                outcome.put(transfer.run(request, setup, seconds: seconds))
            }
        } onCancel: {
            transfer.cancel()
        }
        guard hasThread else { return .failed(.noThread, isRequestSent: false) }
        return outcome.take() ?? .failed(.connection(.unsendable), isRequestSent: false)
    }
}

extension Network {
    /// The network of this machine: HTTP/1.1 with the system's trust, and signatures checked by the system's libcrypto.
    ///
    /// The configuration is read at once; sockets, threads, libraries and the system's certificates wait until they are needed.
    ///
    /// - Throws: `NetworkError` for a file of certificates or a proxy that cannot be used.
    public static func system(_ configuration: NetworkConfiguration) throws(NetworkError) -> Network {
        try system(configuration, KeptNonces.none())
    }

    private static func system(
        _ configuration: NetworkConfiguration, _ nonces: ProofNonces
    ) throws(NetworkError) -> Network {
        let transport = HTTPTransport(
            userAgent: configuration.userAgent,
            certificates: try TrustedCertificates(path: configuration.certificateFile),
            proxies: try ProxySettings(environment: configuration.environment),
            log: configuration.log, trustsFileAlone: configuration.trustsFileAlone)
        let signatures = SignatureCheck()
        return Network(
            send: { request, seconds in await transport.send(request, seconds: seconds) },
            flaw: { token, keys in signatures.flaw(of: token, keys: keys) },
            flawBySecret: { token, secret in signatures.flaw(of: token, secret: secret) },
            lacksSignatureLibrary: { signatures.lacksLibrary(for: $0) },
            trusting: { file in
                guard configuration.usesProvidersCertificates else { return nil }
                var own = configuration
                own.certificateFile = file
                return try system(own, nonces)
            },
            signer: ProofSigner(
                makeKey: { Libcrypto.installed?.newProofKey() },
                sign: { text, key in Libcrypto.installed?.signature(of: text, by: key) },
                signAsClient: { text, key, name in Libcrypto.installed?.signature(of: text, by: key, name) }),
            nonces: nonces)
    }
}
