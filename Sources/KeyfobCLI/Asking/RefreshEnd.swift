internal import Glibc
internal import Keyfob
internal import KeyfobSodium

/// How a process ended that was to refresh a token for this one.
enum RefreshEnd: Sendable {
    case answered(AgentReply)
    /// It ended without an answer.
    case killed
    /// It neither answers nor ends.
    case silent

    /// For how many seconds an answer is waited for, longer than the provider's and those of others who refresh the same.
    private static let patience = 180

    /// Waits for the answer, which comes over a socket, and then for the end of the process, which `collect` waits for.
    init(over socket: Int32, _ collect: () -> Void) {
        Self.limit(socket, SO_RCVTIMEO, Self.patience)
        let message = SecretBuffer(messageFrom: socket, limit: AgentReply.limit)
        guard message.endsWithZero else {
            // Whoever is stopped has its end of the socket still.
            var first: UInt8 = 0
            let isOver = unsafe recv(socket, &first, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0
            if isOver { collect() }
            self = isOver ? .killed : .silent
            return
        }
        collect()
        let reply = message.withBytes { bytes in AgentReply(bytes.extracting(0..<bytes.byteCount - 1)) }
        self = reply.map(RefreshEnd.answered) ?? .killed
    }

    /// Waits no longer than so many seconds for what comes over a socket, or goes.
    static func limit(_ socket: Int32, _ option: Int32, _ seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The answer; nil where the process was killed.
    func answer(to missing: MissingToken, of keyring: Keyring) throws(KeyringError) -> Keyring.TokenAnswer? {
        switch self {
        case .answered(let reply): return try reply.answer(to: missing, of: keyring)
        case .killed: return nil
        case .silent:
            throw KeyringError(
                .busy, "the process that refreshes the token of \(missing.accountName) does not answer",
                advice: .tryAgain(.none))
        }
    }
}
