internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobSodium
internal import KeyfobTerminal

/// A process of Keyfob's own that refreshes one token, from the lock to what is stored, and says what came of it.
///
/// A provider that replaces the refresh token has the old one no more, and the new one exists in one process alone until it
/// is stored. So that process is none that a person ends, or what they work in: it has a session of its own, no terminal,
/// and nothing open but a socket to whoever waits for it, and goes on without them. Once the token is stored it ends.
struct RefreshProcess: ~Copyable {
    private let process: pid_t
    private let socket: CInt

    /// For how many seconds its answer is waited for, longer than the provider's and those of others who refresh the same.
    private static let patience = 180

    /// The token for `acquisition`, from what is stored or by refresh.
    ///
    /// The network is made ready only where a token has to be got, and in the process that is made for that.
    ///
    /// - Parameter isVerbose: Whether something is told on standard error meanwhile.
    static func token(
        for acquisition: TokenAcquisition, of keyring: Keyring, isVerbose: Bool
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        let missing: MissingToken
        switch try keyring.tokens.lookUp(acquisition) {
        case .found(let answer): return answer
        case .missing(let token): missing = token
        }
        guard let other = RefreshProcess(for: missing, of: keyring, isVerbose: isVerbose) else {
            return try refresh(missing, of: keyring)
        }
        switch other.end() {
        case .answered(let reply): return try reply.answer(to: missing, of: keyring)
        case .silent:
            throw KeyringError(
                .busy, "the process that refreshes the token of \(missing.accountName) does not answer",
                advice: .tryAgain(.none))
        case .killed: break
        }
        // What it has written down counts here as it does for whoever comes next.
        switch try keyring.tokens.lookUp(acquisition) {
        case .found(let answer): return answer
        case .missing(let token): return try refresh(token, of: keyring)
        }
    }

    private static func refresh(
        _ missing: MissingToken, of keyring: Keyring
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        let box = try NetworkTask.runAlone { () async throws(KeyringError) in
            TokenBox(try await keyring.tokens.refresh(missing))
        }
        return box.answer
    }

    /// Makes one; nil where that cannot be: the desktop's keyring keeps the vault and knows one process, there are other
    /// threads, of which a fork would have none, or the system makes no process.
    private init?(for missing: MissingToken, of keyring: Keyring, isVerbose: Bool) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard keyring.storage == .embedded, Self.hasOneThread, unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            return nil
        }
        let process = fork()
        if process == 0 { Self.serve(missing, of: keyring, over: ends[1], isVerbose: isVerbose) }
        close(ends[1])
        guard process > 0 else {
            close(ends[0])
            return nil
        }
        (self.process, socket) = (process, ends[0])
    }

    deinit { close(socket) }

    /// Nobody knows in a child which locks the other threads of its parent held.
    ///
    /// One that waited for a socket may be about to end.
    private static var hasOneThread: Bool {
        (0..<10).contains { attempt in
            if attempt > 0 { usleep(1_000) }
            return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count == 1
        }
    }

    private enum End {
        case answered(AgentReply)
        /// It ended without an answer.
        case killed
        /// It neither answers nor ends.
        case silent
    }

    /// Waits for its answer and its end.
    private borrowing func end() -> End {
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let message = SecretBuffer(messageFrom: socket, limit: AgentReply.limit)
        let isWhole = message.endsWithZero
        if !isWhole, waitpid(process, nil, WNOHANG) == 0 {
            // What was stopped has its end of the socket still.
            var first: UInt8 = 0
            guard unsafe recv(socket, &first, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0 else { return .silent }
        }
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
        guard isWhole else { return .killed }
        return message.withBytes { bytes in AgentReply(bytes.extracting(0..<bytes.byteCount - 1)) }
            .map(End.answered) ?? .killed
    }

    /// In the process: refreshes, says what came of it, and ends.
    private static func serve(
        _ missing: MissingToken, of keyring: Keyring, over socket: CInt, isVerbose: Bool
    ) -> Never {
        setsid()
        // Whoever reads what its parent writes, or waits for a lock of its parent's, does not wait for this one.
        let line = STDERR_FILENO + 1
        dup2(socket, line)
        closefrom(line + 1)
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        for descriptor in STDIN_FILENO...(isVerbose ? STDOUT_FILENO : STDERR_FILENO) { dup2(nothing, descriptor) }
        close(nothing)
        _ = unsafe linux_name_process("keyfob-refresh")
        SecretMemory.goOnInChild()

        let message: VarlinkMessage
        do throws(KeyringError) {
            let own = try keyring.reopened()
            do throws(KeyringError) {
                message = .answer(try refresh(missing, of: own), own.takeWarnings())
            } catch {
                message = .refusal(error, own.takeWarnings())
            }
        } catch {
            message = .refusal(error, [])
        }
        message.withBytes { bytes in _ = try? DescriptorWriter.write(bytes, to: line) }
        _exit(ExitStatus.done.rawValue)
    }
}

extension VarlinkMessage {
    /// What a process says that has got a token; ``AgentReply/answer(to:of:)`` reads it.
    fileprivate static func answer(
        _ answer: borrowing Keyring.TokenAnswer, _ warnings: [Warning]
    ) -> VarlinkMessage {
        let found = answer.found
        let message = reply("token", answer.secret) { writer in
            writer.members(of: Record(found), isDocument: false)
            if let time = found.credential.cachedAt { writer.member("cachedAt", Int(time.seconds)) }
            writer.member(warnings)
        }
        return message ?? refusal(KeyringError(.damaged, "the token is not text"), warnings)
    }

    /// What a process says that has got none.
    fileprivate static func refusal(_ error: KeyringError, _ warnings: [Warning]) -> VarlinkMessage {
        reply { writer in
            writer.members(of: error, hint: error.hint)
            writer.member(warnings)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ warnings: [Warning]) {
        member("warnings", each: warnings) { warning, writer in
            writer.member("code", warning.code.rawValue)
            writer.member("message", warning.message)
            writer.member("advice", warning.advice?.code)
            writer.member("hint", warning.advice?.text)
        }
    }
}
