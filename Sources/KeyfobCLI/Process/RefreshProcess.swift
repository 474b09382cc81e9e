internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobSignIn
internal import KeyfobSodium
internal import KeyfobTerminal

/// A process of Keyfob's own that refreshes one token, from the lock to what is stored, and says what came of it.
///
/// A provider that replaces the refresh token has the old one no more, and the new one exists in one process alone until it
/// is stored. So that process is none that a person ends, or what they work in: it has a session of its own, no terminal,
/// and nothing open but a socket to whoever waits for it, and goes on without them. Once the token is stored it ends.
enum RefreshProcess {
    /// The token for `acquisition`, from what is stored or by refresh.
    ///
    /// The network is made ready only where a token has to be got, and in the process that is made for that.
    ///
    /// - Parameters:
    ///   - isVerbose: Whether something is told on standard error meanwhile.
    ///   - global: What opens the vault again where it has got other keys meanwhile.
    static func token(
        for acquisition: TokenAcquisition, of keyring: Keyring, isVerbose: Bool, _ global: GlobalOptions
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        do throws(KeyringError) {
            return try token(for: acquisition, of: keyring, isVerbose: isVerbose)
        } catch {
            guard let newer = global.reopened(keyring, after: error) else { throw error }
            return try token(for: acquisition, of: newer, isVerbose: isVerbose)
        }
    }

    private static func token(
        for acquisition: TokenAcquisition, of keyring: Keyring, isVerbose: Bool
    ) throws(KeyringError) -> Keyring.TokenAnswer {
        try keyring.tokens.get(acquisition) { (missing) throws(KeyringError) in
            guard let end = fork(for: missing, of: keyring, isVerbose: isVerbose) else { return nil }
            return try end.answer(to: missing, of: keyring)
        } here: { (missing) throws(KeyringError) in
            try refresh(missing, of: keyring)
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

    // MARK: As the child of a command

    /// Makes one, and waits for its end; nil where there is none: the desktop's keyring keeps the vault and knows one process,
    /// there are other threads, of which a fork would have none, or the system makes no process.
    private static func fork(for missing: MissingToken, of keyring: Keyring, isVerbose: Bool) -> RefreshEnd? {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard keyring.storage == .embedded, hasOneThread, unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            return nil
        }
        defer { close(ends[0]) }
        let process = Glibc.fork()
        if process == 0 {
            detach(with: ends[1], isVerbose: isVerbose)
            standAlone()
            tell(outcome(of: missing, by: keyring))
            _exit(ExitStatus.done.rawValue)
        }
        close(ends[1])
        guard process > 0 else { return nil }
        return RefreshEnd(over: ends[0]) { while waitpid(process, nil, 0) < 0, errno == EINTR {} }
    }

    /// In a child: gets the token with a vault that is opened anew.
    private static func outcome(of missing: MissingToken, by keyring: Keyring) -> VarlinkMessage {
        let own: Keyring
        do throws(KeyringError) {
            own = try keyring.reopened()
        } catch {
            return .refusal(error, [])
        }
        return outcome(of: own) { (own) throws(KeyringError) in try refresh(missing, of: own) }
    }

    /// Nobody knows in a child which locks the other threads of its parent held.
    ///
    /// One that waited for a socket may be about to end.
    private static var hasOneThread: Bool {
        (0..<10).contains { attempt in
            if attempt > 0 { usleep(1_000) }
            return (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count == 1
        }
    }

    /// In a child: makes a socket standard input, and leaves nothing else of the parent's open.
    ///
    /// Whoever reads what the parent writes, or waits for a lock of the parent's, does not wait for the child.
    private static func detach(with socket: CInt, isVerbose: Bool) {
        dup2(socket, STDIN_FILENO)
        closefrom(STDERR_FILENO + 1)
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        for descriptor in STDOUT_FILENO...(isVerbose ? STDOUT_FILENO : STDERR_FILENO) { dup2(nothing, descriptor) }
        close(nothing)
        SecretMemory.goOnInChild()
    }

    // MARK: As a program that a library has started

    /// Does what is asked over standard input, one question after the other, and ends.
    ///
    /// - Throws: `usage` where nobody asks anything who knows how.
    static func serveLibrary() throws(KeyringError) -> Never {
        var kind: CInt = 0
        var count = socklen_t(MemoryLayout<CInt>.size)
        let isSocket = unsafe getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &kind, &count) == 0
        guard isSocket, (try? DescriptorWriter.write(RefreshProgram.greeting, to: STDIN_FILENO)) != nil,
            serveNext(within: RefreshProgram.patience, isFirst: true)
        else {
            throw KeyringError(.usage, "this is what libkeyfob starts to refresh a token")
        }
        while serveNext(within: RefreshLine.patience, isFirst: false) {}
        _exit(ExitStatus.done.rawValue)
    }

    /// Answers one question, for which the vault is open no longer than that.
    ///
    /// - Returns: Whether there was one that can be understood.
    private static func serveNext(within seconds: Int, isFirst: Bool) -> Bool {
        RefreshEnd.limit(STDIN_FILENO, SO_RCVTIMEO, seconds)
        guard let call = nextCall() else { return false }
        // Whoever asks has the vault open, and goes on by itself where that cannot be done here.
        guard let keyring = try? LockedKeyring(at: call.location).unlock(withHandedOver: call.key) else {
            _exit(ExitStatus.done.rawValue)
        }
        _ = keyring.takeWarnings()
        if isFirst {
            Reach.network.confine(keyring)
            standAlone()
        }
        tell(
            outcome(of: keyring) { (keyring) throws(KeyringError) in
                var acquisition = call.acquisition
                acquisition.network = { [file = call.certificateFile] () throws(KeyringError) in
                    try Network.ofThisMachine(
                        certificateFile: file, environment: Environment.current.variables
                    ) { _ in }
                }
                switch try keyring.tokens.lookUp(acquisition) {
                case .found(let answer): return answer
                case .missing(let token): return try refresh(token.asked(at: call.askedAt), of: keyring)
                }
            })
        return true
    }

    /// What is asked next over standard input.
    private static func nextCall() -> RefreshCall? {
        let message = SecretBuffer(messageFrom: STDIN_FILENO, limit: AgentReply.limit)
        guard message.endsWithZero else { return nil }
        return message.withBytes { bytes in RefreshCall(bytes.extracting(0..<bytes.byteCount - 1)) }
    }

    // MARK: As either

    /// Leaves the session and the name of whoever has started the process.
    private static func standAlone() {
        setsid()
        _ = unsafe linux_name_process("keyfob-refresh")
    }

    /// Gets the token, and says what came of it.
    private static func outcome(
        of keyring: Keyring, _ get: (Keyring) throws(KeyringError) -> Keyring.TokenAnswer
    ) -> VarlinkMessage {
        do throws(KeyringError) {
            return .answer(try get(keyring), keyring.takeWarnings())
        } catch {
            return .refusal(error, keyring.takeWarnings())
        }
    }

    /// Says it over standard input; where nobody waits for it, the process ends.
    private static func tell(_ message: VarlinkMessage) {
        let isTold = message.withBytes { bytes in (try? DescriptorWriter.write(bytes, to: STDIN_FILENO)) != nil }
        if !isTold { _exit(ExitStatus.done.rawValue) }
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
