internal import Glibc
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium

/// Keyfob's full program as a process that refreshes a token for a program of others', which cannot fork by itself.
///
/// It says which release it is. Where that is this one's it is handed the vault's key and what is asked for, over a socket, and
/// nothing in its arguments. Until then it has begun nothing. After its answer it forgets the key, and waits for another question.
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
    /// The process that was asked last.
    let kept: RefreshLine.Kept

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

    /// Asks the process of the last question, or else starts the program, and waits for the answer; nil where nobody was asked.
    private func ask(_ question: [UInt8], _ time: Timestamp, _ keyring: Keyring) -> RefreshEnd? {
        guard let key = try? keyring.unlockingKey() else { return nil }
        let message = Self.message(question, time, key)
        if let line = kept.take(), line.send(message) { return end(over: line) }
        guard let (own, other) = RefreshLine.ends() else { return nil }
        let line = RefreshLine(own)
        let program = ChildProgram(path: path, arguments: [Self.argument], environment: variables, input: other)
            .startApart()
        close(other)
        guard let program else { return nil }
        RefreshEnd.limit(line.socket, SO_RCVTIMEO, Self.patience)
        RefreshEnd.limit(line.socket, SO_SNDTIMEO, Self.patience)
        let greeting = SecretBuffer(messageFrom: line.socket, limit: Self.greeting.count).withBytes { [UInt8]($0) }
        let isAsked = greeting == Self.greeting && line.send(message)
        // It is kept for no further question where its end has to be waited for.
        if !isAsked || program.isOwn { shutdown(line.socket, CInt(SHUT_WR)) }
        guard isAsked else {
            if program.isOwn, Self.isOver(line.socket) { program.collect() }
            return nil
        }
        return program.isOwn ? RefreshEnd(over: line.socket, program.collect) : end(over: line)
    }

    /// The program's variables.
    ///
    /// Its C library is to overwrite memory that is freed, where libcurl leaves tokens: the process goes on after its answer.
    private var variables: [String: String] {
        let (name, settings) = ("GLIBC_TUNABLES", "glibc.malloc.perturb=85:glibc.malloc.tcache_count=0")
        return environment.merging([name: settings]) { "\($0):\($1)" }
    }

    /// Waits for the answer of a process that goes on, and keeps the line where it comes.
    private func end(over line: RefreshLine) -> RefreshEnd {
        let end = RefreshEnd(over: line.socket) {}
        if case .answered = end { kept.keep(line) }
        return end
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
