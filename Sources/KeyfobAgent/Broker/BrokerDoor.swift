public import Keyfob
internal import Dispatch
internal import Glibc
internal import KeyfobBus
internal import KeyfobModel
internal import KeyfobSodium
internal import Synchronization

/// The door on the session bus by which programs made with MSAL come, which take it for the Linux identity broker.
///
/// What it speaks is in docs/broker.md. It works without a key of the device: what needs one is refused.
public final class BrokerDoor: Sendable {
    private let desk: AgentDesk
    private let signIns: any AgentSignIns
    private let owner: UInt32
    private let show: @Sendable (SignInStep) async -> Void
    private let words: @Sendable (KeyringError) -> String
    private let clock: WallClock
    private let secretService: SecretServiceOptions
    private let isShared: Bool
    private let inspection: any PeerInspection
    let environment: [String: String]
    let notices: BrokerNotices
    /// Wakes who waits for a bus.
    let wake = DispatchSemaphore(value: 0)
    let state = Mutex(State())

    struct State {
        var service: BusService?
        /// How often the name was asked for, and whether that is over.
        var (attempts, isOver) = (0, false)
        var open = 0
        var lastCall: Timestamp
        /// The sign-ins that have not ended; each program has one.
        var signingIn: [Program: BrokerFlow] = [:]
        /// How many calls of each program are being answered.
        var openOf: [Program: Int] = [:]

        init() { lastCall = Timestamp(seconds: .min) }
    }

    private init(
        _ desk: AgentDesk, _ signIns: any AgentSignIns, owner: UInt32,
        show: @escaping @Sendable (SignInStep) async -> Void,
        words: @escaping @Sendable (KeyringError) -> String, clock: WallClock, _ environment: [String: String],
        isShared: Bool, _ inspection: any PeerInspection, _ notices: BrokerNotices
    ) {
        self.inspection = inspection
        (secretService, self.isShared) = (SecretServiceOptions(environment: environment), isShared)
        (self.environment, self.notices) = (environment, notices)
        (self.desk, self.signIns, self.owner) = (desk, signIns, owner)
        (self.show, self.words, self.clock) = (show, words, clock)
        state.withLock { $0.lastCall = clock.now }
    }

    /// Opens the door: from then on programs that look for the broker find it.
    ///
    /// Where the bus goes away, it opens again once one answers in its place.
    ///
    /// - Parameters:
    ///   - signIns: Takes people through sign-ins.
    ///   - environment: Says where the session bus is, and where service files lie.
    ///   - owner: Whose programs may come; nil for those of the user who runs this one.
    ///   - isShared: Whether several people use the machine, so that the sign-out of one ends it for all programs; nil to
    ///     look for ``DeviceInformation/sharedMark``.
    ///   - show: Told where a person goes in a sign-in that opens no browser by itself.
    ///   - inspection: Finds out which program asks.
    ///   - words: What programs and people read of an error: one line.
    ///   - notices: Told when the door has closed.
    /// - Throws: `unavailable` without libsystemd or a bus, or where there is another broker.
    package static func start(
        desk: AgentDesk, signIns: any AgentSignIns, environment: [String: String], owner: UInt32? = nil,
        isShared: Bool? = nil, clock: WallClock = .system,
        show: @escaping @Sendable (SignInStep) async -> Void = { _ in },
        words: @escaping @Sendable (KeyringError) -> String = { $0.message },
        inspection: any PeerInspection = InspectionHere(), notices: BrokerNotices = BrokerNotices()
    ) throws(KeyringError) -> BrokerDoor {
        try BrokerServiceFile.requireNoOther(environment)
        let door = BrokerDoor(
            desk, signIns, owner: owner ?? geteuid(), show: show, words: words, clock: clock, environment,
            isShared: isShared ?? DeviceInformation().isShared, inspection, notices)
        do throws(BusFailure) {
            try door.open(within: .seconds(10))
        } catch {
            throw KeyringError(error)
        }
        return door
    }

    /// Whether a service file has the bus start Keyfob as the broker.
    public static func isWanted(_ environment: [String: String]) -> Bool {
        BrokerServiceFile.isOwnInstalled(environment)
    }

    /// Closes it once what has come is answered; the bus can start it anew then.
    public func retire() { end { $0.retire() } }

    /// Closes it at once.
    public func stop() { end { $0.stop() } }

    private func end(_ close: (BusService) -> Void) {
        let service = state.withLock { state in
            state.isOver = true
            return state.service
        }
        wake.signal()
        if let service { close(service) }
    }

    /// How many calls wait for their answer, and when the last one came or was answered.
    public var activity: (open: Int, last: Timestamp) { state.withLock { ($0.open, $0.lastCall) } }

    // MARK: Calls

    func receive(_ call: BusCall) {
        guard call.caller.user == owner else {
            return call.refuse("org.freedesktop.DBus.Error.AccessDenied", "this broker serves another user")
        }
        guard let method = BrokerMethod(rawValue: call.method) else {
            return call.refuse("org.freedesktop.DBus.Error.UnknownMethod", "there is no such method")
        }
        // Held now, so that no later process of its number is taken for it.
        let process = PeerProcess(
            call.caller.process, user: call.caller.user, descriptor: call.caller.takeDescriptor())
        state.withLock { ($0.open, $0.lastCall) = ($0.open + 1, clock.now) }
        let flow = BrokerFlow()
        flow.begin(
            StoreCall.start { [self] in
                call.answer(await answer(method, call, process, flow))
                state.withLock { ($0.open, $0.lastCall) = ($0.open - 1, clock.now) }
            })
        call.whenGone { flow.cancel() }
    }

    private func answer(
        _ method: BrokerMethod, _ call: BusCall, _ process: PeerProcess?, _ flow: BrokerFlow
    ) async -> SecretBytes {
        var namesAccount = false
        do {
            if method == .getLinuxBrokerVersion { return BrokerAnswer.versions }
            if method == .acquirePrtSsoCookie || method == .generateSignedHttpRequest {
                throw BrokerRefusal.needsDevice
            }
            // What says which flow is meant is not looked at: a program has one sign-in, and ends no other's.
            let request =
                try method == .cancelInteractiveFlow
                ? nil
                : call.body.withBytes { (bytes) throws(BrokerRefusal) in try BrokerRequest(method, bytes) }
            guard let process else { throw KeyringError.ended(call.caller.process) }
            let caller = try AgentCaller(process, door: .bus, by: inspection)
            guard let request else {
                state.withLock { $0.signingIn[caller.program] }?.cancel()
                return BrokerAnswer.nothing
            }
            namesAccount = request.account != nil || request.username != nil
            try enter(caller.program)
            defer { leave(caller.program) }
            switch method {
            case .getAccounts:
                return BrokerAnswer.accounts(
                    try await desk.accounts(for: caller).compactMap { BrokerAccount($0.account) })
            case .acquireTokenSilently: return try await silently(request, caller)
            case .acquireTokenInteractively: return try await interactively(request, caller, flow)
            case .removeAccount:
                guard let account = request.account else { throw BrokerRefusal.malformed("'account' is missing") }
                let report = try await desk.signOut(
                    account, clientID: request.clientID, isShared: isShared, for: caller)
                // What they cannot be deleted for is no reason to stay signed in.
                let clients = Set(report.clients).union([request.clientID])
                _ = try? RuntimeCopies.remove(of: account, clientIDs: clients.sorted(), secretService)
                return BrokerAnswer.nothing
            case .cancelInteractiveFlow, .acquirePrtSsoCookie, .generateSignedHttpRequest, .getLinuxBrokerVersion:
                return BrokerAnswer.nothing
            }
        } catch let refusal as BrokerRefusal {
            return BrokerAnswer.refusal(refusal, of: method)
        } catch {
            let refusal = BrokerRefusal(KeyringError(error), namesAccount: namesAccount, words: words)
            return BrokerAnswer.refusal(refusal, of: method)
        }
    }

    /// How many calls of one program are answered at a time, on however many connections: others need room too.
    private static let callsOfProgram = 32

    private func enter(_ program: Program) throws(KeyringError) {
        let hasRoom = state.withLock { state in
            guard state.openOf[program, default: 0] < Self.callsOfProgram else { return false }
            state.openOf[program, default: 0] += 1
            return true
        }
        guard hasRoom else { throw KeyringError(.busy, "too many calls of \(program) are open; try again later") }
    }

    private func leave(_ program: Program) {
        state.withLock { state in
            let left = state.openOf[program, default: 1] - 1
            state.openOf[program] = left > 0 ? left : nil
        }
    }

    private func silently(_ request: BrokerRequest, _ caller: AgentCaller) async throws -> SecretBytes {
        let acquisition = request.acquisition
        do throws(KeyringError) {
            return try answer(await desk.token(acquisition, for: caller), request)
        } catch {
            // Where nobody is, somebody can sign in, whatever the program may have of others.
            let isNobody =
                request.account == nil && request.username == nil && error.code == .notPermitted
                && !desk.isAnybodyThere(acquisition.request)
            throw isNobody
                ? BrokerRefusal(.interactionRequired, "nobody is signed in") as any Error : error as any Error
        }
    }

    private func interactively(
        _ request: BrokerRequest, _ caller: AgentCaller, _ flow: BrokerFlow
    ) async throws -> SecretBytes {
        let isFirst = state.withLock { state in
            if state.signingIn[caller.program] != nil { return false }
            state.signingIn[caller.program] = flow
            return true
        }
        guard isFirst else {
            throw BrokerRefusal(
                .applicationCancelled, "a sign-in for \(caller.program) is open already: finish that one")
        }
        defer { state.withLock { $0.signingIn[caller.program] = nil } }
        return try answer(await desk.interactiveToken(request, for: caller, by: signIns, show: show), request)
    }

    /// The document of a token.
    private func answer(_ box: TokenBox, _ request: BrokerRequest) throws(KeyringError) -> SecretBytes {
        let credential = box.found.credential
        guard let account = BrokerAccount(box.found.account, in: credential.realm) else {
            throw KeyringError(.noSuchAccount, "the account is at none of Microsoft's clouds")
        }
        let now = clock.now
        let end = credential.expiresOn ?? now.advanced(by: 3_600)
        let stored = try desk.vault.keyring().tokens.idToken(
            of: box.found.account.id, clientID: credential.clientID, realm: credential.realm, in: box.found.group)
        if let stored { return BrokerAnswer.token(box, idToken: stored.secret, of: account, until: end) }
        let idToken = account.unsignedIDToken(for: credential.clientID, until: end, now: now)
        return BrokerAnswer.token(box, idToken: idToken, of: account, until: end)
    }
}
