internal import KeyfobOAuth

/// A sign-in on another device (RFC 8628) that has begun: a code to type at an address.
public final class DeviceSignIn: Sendable {
    /// What the person types.
    public let userCode: String
    /// Where the person types it.
    public let verificationURL: String
    /// The same with the code in it, where the provider gives one.
    public let completeURL: String?
    /// For how many seconds the code is good.
    public let expiresIn: Int64
    let context: SignInContext
    let authorization: DeviceAuthorization
    /// When the code was given: its life counts from there.
    let begunAt: Timestamp

    init(_ authorization: consuming DeviceAuthorization, _ context: SignInContext, begunAt: Timestamp) {
        self.begunAt = begunAt
        userCode = authorization.userCode
        verificationURL = authorization.verificationURL.text
        completeURL = authorization.completeURL?.text
        expiresIn = authorization.expiresIn
        self.context = context
        self.authorization = authorization
    }
}

extension Keyring.SignIns {
    /// Begins a sign-in on another device; it waits on threads of Keyfob's own, see ``Keyring``.
    ///
    /// - Throws: as ``begin(_:redirectURI:in:network:)``.
    public func beginDevice(
        _ request: SignInRequest, in groups: [AccessGroup]? = nil, network: Network
    ) async throws(KeyringError) -> DeviceSignIn {
        try await StoreCall.run { () async throws(KeyringError) in
            try await begunDevice(request, in: groups, network)
        }
    }

    private func begunDevice(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ network: Network
    ) async throws(KeyringError) -> DeviceSignIn {
        let context = try await context(for: request, in: groups, network: network)
        let network = try network.serving(context.provider)
        let endpoint: EndpointURL
        do {
            endpoint = try context.metadata.require(.deviceAuthorization)
        } catch {
            throw KeyringError(error, of: context.provider)
        }
        var exchange = ClientExchange(try oauthClient(context, network), context.metadata, network, clock)
        let asked = AskedScopes(context.scopes, at: context.provider)
        let fields = context.provider.tokenFields + asked.fields
        let extra = fields + context.parameters(besides: fields)
        let response: HTTPResponse
        let answer = await exchange.send { client in
            TokenRequests.startDevice(
                scopes: asked.scopes, client: client, at: endpoint, extra: extra)
        }
        switch consume answer {
        case .answered(let answer): response = answer
        case .failed(let failure): throw KeyringError(failure, of: context.provider)
        }
        keepMethod(of: exchange, context)
        if let failure = ProviderFailure.classify(response, now: clock.now) {
            throw context.error(failure, exchange.client)
        }
        do {
            return DeviceSignIn(try DeviceAuthorization(reading: response.body), context, begunAt: clock.now)
        } catch {
            throw KeyringError(.providerFailed, "\(context.provider.title): \(error)")
        }
    }

    /// Waits until the person has answered on the other device, and stores the tokens; it holds up no other task meanwhile.
    ///
    /// - Parameter timeout: For how many seconds from the beginning of the sign-in; the code's life ends the wait
    ///   in any case. 15 minutes unless given.
    /// - Throws: `cancelled` where the person said no, nobody answered in time or the task was cancelled,
    ///   `signInNeeded` where the code expired first; as ``finish(_:network:)``.
    public func finish(
        _ signIn: DeviceSignIn, timeout: Int64 = 900, network: Network
    ) async throws(KeyringError) -> SignInReport {
        try await StoreCall.run { () async throws(KeyringError) in
            try await finished(signIn, timeout: timeout, network)
        }
    }

    private func finished(
        _ signIn: DeviceSignIn, timeout: Int64, _ network: Network
    ) async throws(KeyringError) -> SignInReport {
        let context = signIn.context
        let network = try network.serving(context.provider)
        var exchange = try exchange(context, network)
        guard let endpoint = context.metadata.endpoints[.token] else {
            throw KeyringError(DiscoveryFailure.endpointMissing(.token), of: context.provider)
        }
        var flow = DeviceFlow(
            expiresIn: signIn.expiresIn, interval: signIn.authorization.interval, waitingFor: max(0, timeout),
            now: signIn.begunAt)
        var received: ReceivedTokens?
        var action = flow.poll(now: clock.now)
        while true {
            switch action {
            case .wait(let until):
                let seconds = max(1, until.seconds - clock.now.seconds)
                do { try await Task.sleep(for: .seconds(seconds)) } catch {
                    throw KeyringError(.cancelled, "the sign-in was cancelled")
                }
                action = flow.poll(now: clock.now)
            case .poll:
                let answer = await exchange.tokens(clock) { client in
                    TokenRequests.pollDevice(
                        code: signIn.authorization.deviceCode, client: client, at: endpoint,
                        extra: context.provider.tokenFields)
                }
                received = answer.received
                action = flow.receive(answer.failure.map { .failed($0) } ?? .tokens, now: clock.now)
            case .finished(let ending):
                guard case .tokens = ending, let received else { throw Self.error(ending, context, timeout) }
                keepMethod(of: exchange, context)
                return try await file(received, context, nonce: nil, exchange.client, network)
            }
        }
    }

    private static func error(
        _ ending: DeviceFlow.Ending, _ context: SignInContext, _ timeout: Int64
    ) -> KeyringError {
        switch ending {
        case .tokens: KeyringError(.fault, "the tokens of a sign-in were lost")
        case .expired:
            KeyringError(
                .signInNeeded, "the code expired before anybody answered", advice: .beginAnew(waitsLonger: false))
        case .timedOut: .nobodySignedIn(within: timeout)
        case .denied: KeyringError(.cancelled, "the sign-in was declined on the other device")
        case .failed(let failure): KeyringError(failure, of: context.provider)
        }
    }
}

extension KeyringError {
    /// The error where nobody signed in within so many seconds.
    package static func nobodySignedIn(within seconds: Int64) -> KeyringError {
        KeyringError(
            .cancelled, "nobody signed in within \(seconds) seconds",
            advice: .beginAnew(waitsLonger: true))
    }
}
