internal import Foundation
internal import Glibc
internal import Keyfob
internal import KeyfobSodium

/// What a command of the owner's tells an agent, or asks it.
struct AgentClient: ~Copyable {
    private let descriptor: CInt

    /// For how many seconds an answer is waited for.
    private static let patience = 10
    /// The longest answer, in bytes.
    private static let limit = 1 << 16

    /// What an agent says of itself.
    struct Status: Decodable {
        let process: Int
        let isOpen: Bool
        let until: Int64?
    }

    /// Whether it had keys to forget.
    struct Locked: Decodable {
        let wasOpen: Bool
    }

    private struct Nothing: Decodable {}

    /// Connects with who listens at a socket; nil where nobody does.
    ///
    /// - Throws: `notPermitted` where it is another user's.
    init?(_ path: String) throws(KeyringError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw KeyringError(.unavailable, "there are no file descriptors left") }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = unsafe setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let isConnected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(socket)
            return nil
        }
        // `struct ucred`: process, user, group.
        var other: (Int32, user: UInt32, UInt32) = (0, .max, .max)
        var count = socklen_t(MemoryLayout.size(ofValue: other))
        guard unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &count) == 0, other.user == geteuid() else {
            close(socket)
            throw KeyringError(.notPermitted, "another user listens at \(path)")
        }
        descriptor = socket
    }

    deinit { close(descriptor) }

    /// What it is, and whether it holds keys.
    func status() throws(KeyringError) -> Status { try call("Status") }

    /// Has it forget its keys.
    func lock() throws(KeyringError) -> Locked { try call("Lock") }

    /// Hands it a vault's unlocking key.
    func unlock(_ vault: String, _ key: borrowing SecretBytes, seconds: Int64) throws(KeyringError) {
        let before =
            #"{"method":"io.keyfob.Agent.Unlock","parameters":{"vault":"\#(vault)","seconds":\#(seconds),"key":""#
        let message = key.withBytes {
            Base64.standard.encodeSecret($0, from: Array(before.utf8), to: Array("\"}}\0".utf8))
        }
        try message.withBytes { (bytes) throws(KeyringError) in try send(bytes) }
        let _: Nothing = try receive()
    }

    private func call<Answer: Decodable>(_ method: String) throws(KeyringError) -> Answer {
        try Array("{\"method\":\"io.keyfob.Agent.\(method)\"}\0".utf8).withBytes { (bytes) throws(KeyringError) in
            try send(bytes)
        }
        return try receive()
    }

    private func send(_ bytes: RawSpan) throws(KeyringError) {
        var start = 0
        while start < bytes.byteCount {
            let rest = bytes.extracting(start..<bytes.byteCount)
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.silent() }
            start += count
        }
    }

    /// An answer: parameters, or an error.
    private struct Reply<Answer: Decodable>: Decodable {
        let error: String?
        let parameters: Answer
    }

    private struct Refusal: Decodable {
        let error: String
        let parameters: Words

        struct Words: Decodable {
            let message: String?
            let code: String?
            let hint: String?
        }
    }

    private func receive<Answer: Decodable>() throws(KeyringError) -> Answer {
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while bytes.last != 0 {
            let count = unsafe recv(descriptor, &part, part.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0, bytes.count < Self.limit else { throw Self.silent() }
            bytes += part[..<count]
        }
        let data = Data(bytes.dropLast())
        if let refusal = try? JSONDecoder().decode(Refusal.self, from: data) {
            let words = refusal.parameters
            throw KeyringError(
                words.code.flatMap(KeyringError.Code.init) ?? .unavailable,
                words.message.map { "the agent says: \($0)" } ?? "the agent refuses: \(refusal.error)", hint: words.hint
            )
        }
        guard let reply = try? JSONDecoder().decode(Reply<Answer>.self, from: data) else {
            throw KeyringError(.unavailable, "what the agent answers makes no sense")
        }
        return reply.parameters
    }

    private static func silent() -> KeyringError {
        KeyringError(
            .unavailable, "the agent does not answer", hint: "end its process ('keyfob agent') and start it again")
    }
}
