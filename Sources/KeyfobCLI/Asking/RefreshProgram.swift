internal import Glibc
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium

/// Keyfob's full program as a process that refreshes a token for a program of others', which cannot fork by itself.
///
/// It says which release it is. Where that is this one's it is handed the vault's key and what is asked for, over a socket, and
/// nothing in its arguments. Until then it has begun nothing.
struct RefreshProgram: Sendable {
    /// The only argument with which it is started so.
    static let argument = "---refresh"
    /// What it says first.
    static let greeting = Array("io.keyfob.Refresh \(Release.version)\0".utf8)
    /// For how many seconds that is waited for, and what it is asked.
    static let patience = AgentClient.patience

    /// Where it lies.
    let path: String
    /// The variables that say how the network is set up, as they were when the keyring was opened.
    let environment: [String: String]
    let certificateFile: String?

    /// The token that ``Keyring/Tokens/lookUp(_:)`` has not found; nil where the program cannot be started, is of another release,
    /// or ended without an answer.
    ///
    /// Threads that ask for the same at the same time have one program, and what it says.
    func answer(
        to missing: MissingToken, of keyring: Keyring
    ) throws(KeyringError) -> Keyring.TokenAnswer? {
        guard keyring.storage == .embedded else { return nil }
        let question = self.question(missing, keyring.location)
        guard let end = RefreshesUnderWay.end(of: question, { ask(question, missing.askedAt, keyring) }) else {
            return nil
        }
        return try end.answer(to: missing, of: keyring)
    }

    /// Starts the program and waits for its end; nil where it was not asked.
    private func ask(_ question: [UInt8], _ time: Timestamp, _ keyring: Keyring) -> RefreshEnd? {
        let message: SecretBytes
        do throws(KeyringError) {
            message = Self.message(question, time, try keyring.unlockingKey())
        } catch {
            return nil
        }
        guard let (own, other) = Self.sockets() else { return nil }
        defer { close(own) }
        let program = ChildProgram(path: path, arguments: [Self.argument], environment: environment, input: other)
            .startApart()
        close(other)
        guard let program else { return nil }
        RefreshEnd.limit(own, SO_RCVTIMEO, Self.patience)
        RefreshEnd.limit(own, SO_SNDTIMEO, Self.patience)
        let greeting = SecretBuffer(messageFrom: own, limit: Self.greeting.count).withBytes { [UInt8]($0) }
        guard greeting == Self.greeting, message.withBytes({ bytes in AgentClient.send(bytes, over: own) }) else {
            shutdown(own, CInt(SHUT_WR))
            if program.isOwn, Self.isOver(own) { program.collect() }
            return nil
        }
        return RefreshEnd(over: own, program.collect)
    }

    /// Both ends of a line, which no other program gets; nil where there are no descriptors left.
    ///
    /// They are none of the first three: what a program without those writes to them is not for this line.
    private static func sockets() -> (own: CInt, other: CInt)? {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        for index in ends.indices where ends[index] < 3 {
            let low = ends[index]
            ends[index] = fcntl(low, F_DUPFD_CLOEXEC, 3)
            close(low)
        }
        guard ends.allSatisfy({ $0 >= 0 }) else {
            for descriptor in ends where descriptor >= 0 { close(descriptor) }
            return nil
        }
        return (ends[0], ends[1])
    }

    /// Whether whoever was not asked ends within a second.
    private static func isOver(_ socket: CInt) -> Bool {
        RefreshEnd.limit(socket, SO_RCVTIMEO, 1)
        var (byte, count): (UInt8, Int) = (0, 1)
        while count > 0 || count < 0 && (errno == EINTR || errno == ECONNRESET) {
            count = unsafe recv(socket, &byte, 1, 0)
        }
        return count == 0
    }

    /// What is asked, but for the time and the key.
    private func question(_ missing: MissingToken, _ location: KeyringLocation) -> [UInt8] {
        let question = missing.question
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method", "io.keyfob.Refresh")
        writer.name("parameters")
        writer.beginObject()
        writer.member("vault", location.vault)
        writer.member("state", location.state)
        writer.member("runtime", location.runtime)
        writer.member("certificateFile", certificateFile)
        writer.members(of: question.request, question.groups)
        writer.members(of: question.options, question.request.minimumValidity)
        return writer.bytes
    }

    private static func message(_ question: [UInt8], _ time: Timestamp, _ key: borrowing SecretBytes) -> SecretBytes {
        let start = question + Array(#","askedAt":\#(time.seconds),"key":""#.utf8)
        return key.withBytes { Base64.standard.encodeSecret($0, from: start, to: Array("\"}}\0".utf8)) }
    }
}
