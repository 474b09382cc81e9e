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
    private var advice: RareLines
    private let limits: GatewayConnection.Limits
    private let nonces = GatewayNonces()
    private let pool: TransferPool
    private let owner: SocketOwner
    private var strangers = StrangerTally()
    private var connections: [GatewayConnection] = []
    private var questions: [(connection: GatewayConnection, question: GatewayQuestion, ticket: Int)] = []
    private var isAsking = false
    private var isJudgeGone = false
    /// Whether a program of the user's has connected.
    package private(set) var hasBeenUsed = false

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
    ///   - advise: Takes a line about what a person has to do where a service wants more; the same no more than once a minute.
    package init(
        _ door: GatewayDoor, _ configuration: NetworkConfiguration, judge: GatewayJudge,
        isGranted: @escaping (GatewayQuestion) -> Bool, tell: @escaping (String) -> Void,
        advise: @escaping (String) -> Void
    ) throws(Flaw) {
        guard let owner = SocketOwner(listening: door.descriptor) else { throw .noOwners }
        do {
            pool = try TransferPool(configuration)
        } catch {
            switch error {
            case .noLibrary: throw .noLibrary
            case .configuration(let error): throw .configuration(error)
            }
        }
        (self.door, self.judge, self.tell, self.limits) = (door, judge, tell, GatewayConnection.Limits())
        advice = RareLines(advise)
        references = GatewayReferences(gateway: door.address, isGranted: isGranted)
        self.owner = owner
        // TLS writes to sockets by itself.
        _ = signal(SIGPIPE, SIG_IGN)
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
        // Where there is no room there may be some in a moment.
        let longest: CInt = canAccept ? 60_000 : 500
        let milliseconds = min(longest, connections.compactMap(\.deadline).min().map(Self.milliseconds) ?? longest)
        let ready = pool.wait(waits, milliseconds: milliseconds)
        if ready.contains(lifeline) { return false }
        if isAsking, ready.contains(judge.descriptor) { hear() }
        for connection in waiting where ready.contains(connection.descriptor) { connection.receive() }
        pool.drive(connections.compactMap(\.transfer))
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
        hasBeenUsed = true
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
        let (connection, question, ticket) = questions.removeFirst()
        guard let answer = judge.hear() else {
            isJudgeGone = true
            return self.answer(.refused(.alone), connection, ticket)
        }
        self.answer(answer, connection, ticket, question)
    }

    private func answer(
        _ answer: consuming GatewayAnswer, _ connection: GatewayConnection, _ ticket: Int,
        _ question: GatewayQuestion? = nil
    ) {
        guard let request = connection.request(of: ticket) else { return }
        switch consume answer {
        case .refused(let refusal):
            if let question, !question.challenges.isEmpty, !refusal.reason.isEmpty {
                advice.tell("\(question.place): \(refusal.reason)")
            }
            connection.refuse(refusal)
        case .granted(let authorization, let proof, let file):
            let setup = pool.setup(for: request.url, certificateFile: file)
            guard
                let transfer = GatewayTransfer(
                    request, authorization: authorization, proof: proof, setup, pool)
            else {
                return connection.refuse(GatewayRefusal(status: 502, reason: "the request cannot be sent"))
            }
            connection.begin(transfer)
        }
        for (question, reason) in connection.takeRefused() { tell("\(question): \(reason)") }
    }
}
