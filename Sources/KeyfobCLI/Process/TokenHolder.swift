internal import Glibc
internal import Keyfob
internal import KeyfobConfinement
internal import KeyfobSodium
internal import KeyfobTerminal

/// A process of Keyfob's own that holds keys, for one that runs another program: what confines it does not hold for that
/// program, and what a program inherits has no keys.
///
/// It ends with the process that made it. Over a socket it sends tokens, and others each time that it is asked again.
struct TokenHolder: ~Copyable {
    let process: pid_t
    /// Readable when there is an answer.
    let socket: CInt

    /// Makes the process, in which `serve` runs; it ends with the status of its error.
    init(_ relay: borrowing SignalRelay, _ serve: (TokenLine) throws(KeyringError) -> Void) throws(KeyringError) {
        try self.init({ () throws(KeyringError) in try relay.fork() }, serve)
    }

    /// The same for a process that goes on by itself, and waits for no other.
    init(_ serve: (TokenLine) throws(KeyringError) -> Void) throws(KeyringError) {
        try self.init(
            { () throws(KeyringError) in
                let process = Glibc.fork()
                guard process >= 0 else {
                    throw KeyringError(noFurtherProcess: errno)
                }
                return process
            }, serve)
    }

    private init(
        _ fork: () throws(KeyringError) -> pid_t, _ serve: (TokenLine) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw KeyringError(.unavailable, "there are no file descriptors left")
        }
        process = try fork()
        guard process == 0 else {
            close(ends[1])
            socket = ends[0]
            return
        }
        close(ends[0])
        ProcessHardening.apply()
        do throws(KeyringError) {
            try serve(TokenLine(descriptor: ends[1]))
            exit(ExitStatus.done.rawValue)
        } catch {
            ErrorOutput.tell(error, isJSON: false)
            exit(ExitStatus(error.code).rawValue)
        }
    }

    deinit { close(socket) }

    /// Asks again.
    func ask() {
        var byte: UInt8 = 0
        _ = unsafe send(socket, &byte, 1, CInt(MSG_NOSIGNAL))
    }

    /// Lets it end.
    func dismiss() { shutdown(socket, CInt(SHUT_RDWR)) }

    /// In the holder, once it only waits to be asked: neither what is typed nor who reads the output is its business.
    static func retire() {
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTOU, SIGUSR1, SIGUSR2] {
            _ = signal(number, SIG_IGN)
        }
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO] where nothing >= 0 { dup2(nothing, descriptor) }
    }

    /// What it has sent.
    func receive() -> Answer {
        var head: [Int64] = [0, 0]
        guard unsafe recv(socket, &head, 16, CInt(MSG_WAITALL)) == 16 else { return .ended }
        guard head[0] > 0 else { return .refused }
        var isWhole = false
        let text = SecretBytes(count: Int(head[0])) { span in
            let count = span.byteCount
            isWhole = unsafe span.withUnsafeMutableBytes {
                unsafe recv(socket, $0.baseAddress, count, CInt(MSG_WAITALL)) == count
            }
        }
        return isWhole ? .tokens(text, until: head[1] == .max ? nil : Timestamp(seconds: head[1])) : .ended
    }

    /// What a holder says.
    enum Answer: ~Copyable {
        /// Each with a zero behind it, and when the first one expires.
        case tokens(SecretBytes, until: Timestamp?)
        /// It has said why.
        case refused
        case ended
    }
}

/// The holder's end.
struct TokenLine {
    let descriptor: CInt
    private static let name = "the process that runs the program"

    /// Sends tokens.
    func send(_ tokens: [TokenBox]) throws(KeyringError) {
        let size = tokens.reduce(0) { $0 + $1.secret.count + 1 }
        try head(Int64(size), tokens.first?.found.credential.expiresOn)
        for token in tokens {
            try token.secret.withBytes { (bytes) throws(KeyringError) in
                try DescriptorWriter.write(bytes, to: descriptor, name: Self.name)
            }
            try DescriptorWriter.write([0], to: descriptor, name: Self.name)
        }
    }

    /// Says that there is no other token now.
    func refuse() throws(KeyringError) { try head(0, nil) }

    /// Waits until another token is asked for; false where nobody is there any more.
    func isAsked() -> Bool {
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            return count == 1
        }
    }

    private func head(_ size: Int64, _ expiry: Timestamp?) throws(KeyringError) {
        let words = [size, expiry?.seconds ?? .max]
        try unsafe DescriptorWriter.write(words.span.bytes, to: descriptor, name: Self.name)
    }
}
