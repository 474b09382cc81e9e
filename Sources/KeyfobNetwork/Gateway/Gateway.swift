internal import CLibcurl
internal import Glibc
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// Passes requests of programs on to services over https, with an `Authorization` that the programs never have.
///
/// All happens on the thread that calls ``run(until:)``.
@safe
package final class Gateway {
    /// The most connections at once; others wait.
    static let connectionLimit = 64

    private let door: GatewayDoor
    private let judge: GatewayJudge
    private let references: GatewayReferences
    private let tell: (String) -> Void
    private let limits: GatewayConnection.Limits
    private let nonces = GatewayNonces()
    private let certificates: TrustedCertificates
    private let proxies: ProxySettings
    private let owner: SocketOwner
    private var strangers = StrangerTally()
    private let curl: Libcurl
    @safe private let multi: UnsafeMutableRawPointer
    private var connections: [GatewayConnection] = []
    private var questions: [(connection: GatewayConnection, question: GatewayQuestion, ticket: Int)] = []
    private var isAsking = false
    private var isJudgeGone = false

    /// Why there is no gateway.
    package enum Flaw: Error {
        /// There is no libcurl that is new enough.
        case noLibrary
        /// The system does not tell whose a connection is.
        case noOwners
        case configuration(NetworkError)
    }

    /// A gateway behind a door.
    ///
    /// - Parameters:
    ///   - isGranted: Whether an address in an answer is one that can be asked for here.
    ///   - tell: Takes a line about each request that is not passed on, without its query.
    package init(
        _ door: GatewayDoor, _ configuration: NetworkConfiguration, judge: GatewayJudge,
        isGranted: @escaping (GatewayQuestion) -> Bool, tell: @escaping (String) -> Void
    ) throws(Flaw) {
        guard let owner = SocketOwner(listening: door.descriptor) else { throw .noOwners }
        do {
            certificates = try TrustedCertificates(path: configuration.certificateFile)
            proxies = try ProxySettings(environment: configuration.environment)
        } catch {
            throw .configuration(error)
        }
        guard let curl = Libcurl.installed, let multi = curl.functions.pointee.curl_multi_init() else {
            throw .noLibrary
        }
        (self.door, self.judge, self.tell, self.limits) = (door, judge, tell, GatewayConnection.Limits())
        references = GatewayReferences(gateway: door.address, isGranted: isGranted)
        self.owner = owner
        self.curl = curl
        unsafe self.multi = multi
        // TLS writes to sockets by itself.
        _ = signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        connections = []
        questions = []
        _ = unsafe curl.functions.pointee.curl_multi_cleanup(multi)
    }

    /// Passes on what comes until something can be read of `lifeline`, or its other end is closed.
    package func run(until lifeline: CInt) {
        while step(lifeline) {}
        for line in strangers.summary { tell(line) }
    }

    private func step(_ lifeline: CInt) -> Bool {
        let canAccept = canAccept
        var waits = [wait(lifeline), wait(isAsking ? judge.descriptor : -1), wait(canAccept ? door.descriptor : -1)]
        let waiting = connections.filter { $0.events != 0 }
        waits += waiting.map { wait($0.descriptor, $0.events) }
        waits.removeAll { $0.fd < 0 }
        var count: CInt = 0
        // Where there is no room there may be some in a moment.
        let longest: CInt = canAccept ? 60_000 : 500
        let milliseconds = min(longest, connections.compactMap(\.deadline).min().map(Self.milliseconds) ?? longest)
        _ = unsafe curl.functions.pointee.curl_multi_poll(
            multi, &waits, CUnsignedInt(waits.count), milliseconds, &count)
        let ready = Set(waits.filter { $0.revents != 0 }.map(\.fd))
        if ready.contains(lifeline) { return false }
        if isAsking, ready.contains(judge.descriptor) { hear() }
        for connection in waiting where ready.contains(connection.descriptor) { connection.receive() }
        drive()
        for connection in connections {
            connection.advance()
            if let deadline = connection.deadline, deadline <= .now { connection.expire() }
            for (question, reason) in connection.takeRefused() { tell("\(question): \(reason)") }
            if let (question, ticket) = connection.takeQuestion() { questions.append((connection, question, ticket)) }
        }
        connections.removeAll(where: \.isGone)
        ask()
        if ready.contains(door.descriptor) { accept() }
        return true
    }

    private func wait(_ descriptor: CInt, _ events: Int16 = Int16(libcurl_WAIT_POLLIN)) -> curl_waitfd {
        curl_waitfd(fd: descriptor, events: events, revents: 0)
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> CInt {
        let left = max(.zero, deadline - .now).components
        return CInt(min(60_000, left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000 + 1))
    }

    // Connections.

    /// Whether there is room, or somebody who can go.
    private var canAccept: Bool {
        connections.count < Self.connectionLimit || connections.contains(where: \.canGo)
    }

    private func accept() {
        let idle = connections.count < Self.connectionLimit ? nil : connections.firstIndex(where: \.canGo)
        guard idle != nil || connections.count < Self.connectionLimit,
            let descriptor = LoopbackSocket.accept(door.descriptor)
        else { return }
        let user = owner.user(at: descriptor)
        guard user == geteuid() else {
            if let line = strangers.note(user) { tell(line) }
            close(descriptor)
            return
        }
        if let idle { connections.remove(at: idle) }
        connections.append(GatewayConnection(descriptor, references: references, nonces: nonces, limits: limits))
    }

    // The judge.

    /// Asks the next question, when the last one was answered.
    private func ask() {
        while !isAsking, let (connection, question, ticket) = questions.first {
            if connection.isGone {
                questions.removeFirst()
            } else if isJudgeGone {
                questions.removeFirst()
                answer(.refused(.alone), connection, ticket)
            } else if let refusal = judge.ask(nonces.completing(question)) {
                questions.removeFirst()
                answer(.refused(refusal), connection, ticket)
            } else {
                isAsking = true
            }
        }
    }

    private func hear() {
        isAsking = false
        let (connection, _, ticket) = questions.removeFirst()
        guard let answer = judge.hear() else {
            isJudgeGone = true
            return self.answer(.refused(.alone), connection, ticket)
        }
        self.answer(answer, connection, ticket)
    }

    private func answer(_ answer: consuming GatewayAnswer, _ connection: GatewayConnection, _ ticket: Int) {
        guard let request = connection.request(of: ticket) else { return }
        switch consume answer {
        case .refused(let refusal): connection.refuse(refusal)
        case .granted(let authorization, let proof, let file):
            let setup = TransferSetup(
                userAgent: "", certificateFile: file ?? certificates.path, proxy: proxies.proxy(for: request.url))
            guard
                let transfer = unsafe GatewayTransfer(
                    request, authorization: authorization, proof: proof, setup, curl, multi: multi)
            else {
                return connection.refuse(GatewayRefusal(status: 502, reason: "the request cannot be sent"))
            }
            connection.begin(transfer)
        }
        for (question, reason) in connection.takeRefused() { tell("\(question): \(reason)") }
    }

    // The services.

    /// Has libcurl do what can be done, and takes note of what has ended.
    private func drive() {
        var count: CInt = 0
        _ = unsafe curl.functions.pointee.curl_multi_perform(multi, &count)
        while let message = unsafe curl.functions.pointee.curl_multi_info_read(multi, &count) {
            let (easy, code) = unsafe (message.pointee.easy_handle, Int(message.pointee.data.result))
            for connection in connections {
                if let transfer = connection.transfer, unsafe transfer.easy == easy { transfer.end(code) }
            }
        }
    }
}
