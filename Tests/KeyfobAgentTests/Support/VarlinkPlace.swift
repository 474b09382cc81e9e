import Foundation
import Keyfob
import KeyfobTestSupport
import Synchronization
import Testing

@testable import KeyfobAgent

/// A server that a test drives step by step, by a clock of the test's own.
final class VarlinkPlace {
    let scratch: ScratchFolder
    let server: VarlinkServer
    private let socket: AgentSocket
    private let time: Time

    /// The time, in milliseconds.
    final class Time: Sendable {
        private let value = Mutex<Int64>(1_000)
        var now: Int64 { value.withLock { $0 } }
        func advance(_ milliseconds: Int64) { value.withLock { $0 += milliseconds } }
    }

    /// A server; what asks is taken for a process of its own each time unless `ofOneProcess`, and of a program that nobody can see
    /// unless `isSeen`.
    init(
        limits: VarlinkServer.Limits = VarlinkServer.Limits(), ofOneProcess: Bool = false, isSeen: Bool = false,
        answer: @escaping VarlinkServer.Answering
    ) throws {
        scratch = try ScratchFolder()
        let path = scratch.path + "/agent"
        socket = try AgentSocket(at: path, AgentSocket.Turn(at: path, of: "vault"))
        let time = Time()
        self.time = time
        let processes = try FakeProcesses(.max)
        var number: Int32 = .max
        // A process is there as long as its folder is.
        var started: [FakeProcesses] = []
        server = try #require(
            VarlinkServer(
                listener: socket.descriptor, limits: limits, busy: SocketDoor.busy(),
                unanswered: SocketDoor.unanswered(), now: { time.now },
                peer: { _ in
                    if ofOneProcess { return processes.peer() }
                    number -= 1
                    guard let process = try? FakeProcesses(number) else { return nil }
                    if isSeen { started.append(process) }
                    return process.peer()
                }, answer: answer))
    }

    func advance(_ milliseconds: Int64) { time.advance(milliseconds) }

    /// Does what there is to do without waiting, some times.
    func turn(_ count: Int = 3) { for _ in 0..<count { _ = server.step(waiting: 0) } }

    /// Goes on until something is so.
    func turn(until isSo: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await eventually(sourceLocation: sourceLocation) {
            _ = server.step(waiting: 0)
            return isSo()
        }
    }

    /// A program that has connected.
    func connect() throws -> Client {
        let client = try Client(scratch.path + "/agent")
        return client
    }

    /// The other end.
    final class Client {
        let descriptor: CInt
        private var bytes: [UInt8] = []
        private(set) var isClosed = false

        init(_ path: String) throws {
            descriptor = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            let result = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(result == 0)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }

        deinit { if !isLeft { close(descriptor) } }

        private var isLeft = false
        func leave() {
            isLeft = true
            // A program that is just being started may have a copy.
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }

        /// Sends what fits; how much that was.
        @discardableResult
        func send(_ text: String) -> Int { send(Array(text.utf8)) }

        @discardableResult
        func send(_ bytes: [UInt8]) -> Int {
            unsafe Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        func call(_ method: String, _ more: String = "") { send(#"{"method":"\#(method)"\#(more)}"# + "\0") }

        /// The replies that have come.
        func replies() -> [String] {
            var part = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe recv(descriptor, &part, part.count, 0)
                if count == 0 || count < 0 && errno != EAGAIN { isClosed = true }
                guard count > 0 else { break }
                bytes += part[..<count]
            }
            guard let end = bytes.lastIndex(of: 0) else { return [] }
            let whole = bytes[..<end].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            bytes.removeSubrange(...end)
            return whole
        }
    }
}

extension FakeProcesses {
    func peer() -> PeerProcess? { PeerProcess(number, user: geteuid(), in: table) }
}
