internal import CLibcurl
internal import Glibc
internal import KeyfobModel
package import KeyfobOAuth
internal import KeyfobSodium

/// Passes messages on between a program that speaks JSON-RPC over two descriptors, a line each, and a server of the Model
/// Context Protocol over HTTP (its revisions from 2024-11-05 on), with an `Authorization` that the program never has.
///
/// All happens on the thread that calls ``run()``.
@safe
package final class Bridge {
    /// How much and how long, in each case.
    struct Limits: Sendable {
        /// The longest message, in bytes.
        var message = 32 << 20
        /// How many messages are on their way at once; a further request is refused meanwhile.
        var calls = 128
        /// How much waits for a client that does not read, in bytes.
        var room = 1 << 20
        /// For calls to be answered once the client has said that it has no more.
        var finish = Duration.seconds(30)
        /// For the end of the session to be told.
        var goodbye = Duration.seconds(2)
        /// For a stream to end whose calls are answered.
        var rest = Duration.seconds(2)
        /// How often one that was cut off is taken up again in vain.
        var attempts = 5
    }

    /// Why there is no bridge.
    package enum Flaw: Error {
        /// There is no libcurl that is new enough.
        case noLibrary
        case configuration(NetworkError)
    }

    /// How it ended.
    package enum End: Hashable, Sendable {
        /// The client has gone, or a signal has come.
        case done
        /// Nobody has tokens any more.
        case alone
    }

    let limits = Limits()
    let address: EndpointURL
    let userAgent: String
    let tokens: BridgeTokens
    private var lines: RareLines
    let pool: TransferPool
    private var input: BridgeInput
    private var output: BridgeOutput
    private let signals: CInt
    let room = BridgeRoom()
    /// What the service wants to find in the next proof of a key.
    let nonces = KeptNonces.none()

    /// Messages on their way, and streams.
    var calls: [BridgeCall] = []
    /// Messages that wait for those before them.
    var queue: [BridgeCall] = []
    /// What waits for a token.
    var waiting: [BridgeCall] = []
    var session = BridgeSession()
    var grant: BridgeGrant?
    /// Counts the tokens.
    var grantNumber = 0
    /// When the token is not to be used any more without asking for another.
    var grantEnd: ContinuousClock.Instant?
    /// What a person does where the token is not taken.
    var login = ""
    var isAsking = false
    /// With what a token was asked for last.
    var asked: BridgeRefusal?
    private var isAlone = false
    /// When it is over, whatever is not answered; nil while the client is there.
    private var finishBy: ContinuousClock.Instant?
    private var isLeaving = false

    /// A bridge.
    ///
    /// - Parameters:
    ///   - address: The server's.
    ///   - signals: Can be read where the process is to end.
    ///   - tell: Takes a line about what the client is not told; the same no more than once a minute.
    package init(
        to address: EndpointURL, _ configuration: NetworkConfiguration, tokens: BridgeTokens, input: CInt, output: CInt,
        signals: CInt, tell: @escaping (String) -> Void
    ) throws(Flaw) {
        do {
            pool = try TransferPool(configuration)
        } catch {
            switch error {
            case .noLibrary: throw .noLibrary
            case .configuration(let error): throw .configuration(error)
            }
        }
        (self.address, self.tokens, self.signals) = (address, tokens, signals)
        lines = RareLines(tell)
        userAgent = configuration.userAgent
        self.input = BridgeInput(input, limit: limits.message)
        self.output = BridgeOutput(output)
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Passes messages on until the client goes, or a signal comes.
    package func run() -> End {
        while step() {}
        return isAlone ? .alone : .done
    }

    /// - Returns: Whether to go on.
    private func step() -> Bool {
        let ready = wait()
        if ready.contains(signals) { leave() }
        if ready.contains(input.descriptor) { read() }
        if isAsking, ready.contains(tokens.descriptor) { hear() }
        pool.drive(calls.compactMap(\.transfer))
        for call in calls + waiting { advance(call) }
        pump()
        room.isTaken = output.count > limits.room
        if !output.flush() { leave() }
        for call in calls { call.transfer?.resume() }
        return goesOn()
    }

    private func wait() -> Set<CInt> {
        let reads = finishBy == nil && !room.isTaken
        var waits = [wait(signals), wait(reads ? input.descriptor : -1), wait(isAsking ? tokens.descriptor : -1)]
        if output.count > 0 { waits.append(wait(output.descriptor, libcurl_WAIT_POLLOUT)) }
        let instants = calls.flatMap { [$0.sendAt, $0.overAt] } + [finishBy]
        let milliseconds = instants.compactMap(\.self).min().map(Self.milliseconds) ?? 60_000
        return pool.wait(waits, milliseconds: milliseconds)
    }

    private func wait(_ descriptor: CInt, _ events: Int = libcurl_WAIT_POLLIN) -> curl_waitfd {
        curl_waitfd(fd: descriptor, events: Int16(events), revents: 0)
    }

    private static func milliseconds(until instant: ContinuousClock.Instant) -> CInt {
        let left = max(.zero, instant - .now).components
        return CInt(min(60_000, left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000 + 1))
    }

    /// How requests are made at the moment.
    var setup: TransferSetup { pool.setup(for: address, certificateFile: grant?.certificateFile) }

    /// Tells what the client is not told, unless it was told just now: a service may send what is wrong without end.
    func tell(_ words: String) { lines.tell(words) }

    // MARK: The client

    /// Writes a message to the client.
    func write(_ message: [UInt8]) { output.append(BridgeMessage.line(message)) }

    private func read() {
        let lines = input.read()
        for line in lines {
            switch line {
            case .whole(let bytes): take(bytes)
            case .tooLong: write(BridgeMessage.error(-32_700, "keyfob: the message is longer than 32 MiB", to: nil))
            }
        }
        if input.isAtEnd { finishBy = finishBy ?? .now + limits.finish }
    }

    private func take(_ bytes: [UInt8]) {
        let message: BridgeMessage
        do {
            message = try BridgeMessage(reading: bytes, limit: limits.message)
        } catch {
            return write(
                error == .syntax
                    ? BridgeMessage.error(-32_700, "keyfob: the line is not JSON", to: nil)
                    : BridgeMessage.error(-32_600, "keyfob: the line is no message of JSON-RPC 2.0", to: nil))
        }
        let taken = Set((calls + queue + waiting).filter { !$0.isOwn }.flatMap(\.unanswered))
        let requests = message.requests
        guard taken.isDisjoint(with: requests), Set(requests).count == requests.count else {
            for id in requests where taken.contains(id) {
                write(BridgeMessage.error(-32_600, "keyfob: another request has this id", to: id))
            }
            return
        }
        // Without a session, a call ends with its connection, and the service is told nothing else.
        let gone = message.cancelled.filter(giveUp)
        guard gone.isEmpty || gone.count < message.parts.count else { return }
        guard calls.count + queue.count + waiting.count < limits.calls else {
            for id in requests {
                write(BridgeMessage.error(-32_000, "keyfob: \(limits.calls) messages are on their way already", to: id))
            }
            return
        }
        queue.append(BridgeCall(.message, bytes, message, limit: limits.message))
    }

    /// Expects no answer to a request any more; what is on its way goes on, for the service hears that it is taken back.
    ///
    /// - Returns: Whether it need not hear that.
    private func giveUp(_ id: BridgeMessage.ID) -> Bool {
        guard let call = (calls + waiting + queue).first(where: { $0.unanswered.contains(id) }) else { return false }
        call.unanswered.removeAll { $0 == id }
        if call.message?.stamp != nil || queue.contains(where: { $0 === call }) {
            finish(call)
            queue.removeAll { $0 === call }
            return true
        }
        if call.unanswered.isEmpty { call.overAt = .now + limits.rest }
        return false
    }

    // MARK: The end

    private func leave() { finishBy = .now }

    private func goesOn() -> Bool {
        if isAlone { return !output.flushes(within: limits.goodbye) }
        guard let finishBy else { return true }
        let isBusy = !queue.isEmpty || !waiting.isEmpty || calls.contains { $0.purpose == .message }
        if isLeaving {
            if calls.contains(where: { $0.purpose == .goodbye }), finishBy > .now { return true }
            return !output.flushes(within: limits.goodbye)
        }
        guard !isBusy || finishBy <= .now else { return true }
        isLeaving = true
        (queue, waiting, calls) = ([], [], [])
        self.finishBy = .now + limits.goodbye
        guard session.id != nil, grant != nil, case .streamable = session.way else {
            return !output.flushes(within: limits.goodbye)
        }
        send(BridgeCall(.goodbye, limit: limits.message))
        return true
    }

    /// Says to all who wait that nobody has tokens any more, and ends.
    func end() {
        isAlone = true
        for call in waiting + queue { fail(call, "keyfob: nobody is there any more who has tokens", code: .refused) }
        (waiting, queue) = ([], [])
    }
}

/// What a bridge knows of its session at the service.
struct BridgeSession {
    /// How messages go there.
    enum Way: Hashable {
        case streamable
        /// As in the revision 2024-11-05, with the address that the stream has named; nil before that.
        case older(EndpointURL?)
    }

    var way = Way.streamable
    /// Its name, which the service has given.
    var id: String?
    /// The version of the protocol that was agreed on.
    var version: String?
    /// Counts sessions.
    var number = 0
    /// Whose it is, as the id of an account.
    var account: String?
    /// The message with which the client began it.
    var beginning: BridgeCall?
    /// Whether the service may have something to say of itself.
    var listens = false
    /// Whether the service knows it no more.
    var isLost = false
}
