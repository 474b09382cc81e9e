import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// Who is at the other end of a socket, and that nobody is taken for another.
@Suite("Who asks")
struct PeerTests {
    /// A process that waits, and its socket.
    private func pair() throws -> (own: CInt, other: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    /// A program that runs until its input ends.
    private func sleeper() throws -> (Process, Pipe) {
        let (process, input) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/cat")
        process.standardInput = input
        process.standardOutput = Pipe()
        try process.run()
        return (process, input)
    }

    private func digest(_ path: String) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/sha256sum")
        process.arguments = [path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return String(text.prefix(64))
    }

    @Test("The other end of a socket is the process that connected it")
    func connected() throws {
        let (own, other) = try pair()
        defer { for end in [own, other] { close(end) } }
        let peer = try PeerProcess.connected(to: own)
        #expect(peer.number == getpid())
        #expect(peer.user == geteuid())
        #expect(peer.isThere)
    }

    @Test("Another user's process is refused")
    func otherUser() throws {
        let (own, other) = try pair()
        defer { for end in [own, other] { close(end) } }
        #expect(throws: KeyringError(.notPermitted, "")) {
            try PeerProcess.connected(to: own, owner: geteuid() + 1)
        }
    }

    @Test("What is no socket is refused")
    func noSocket() {
        #expect(throws: KeyringError(.notPermitted, "")) { try PeerProcess.connected(to: -1) }
    }

    @Test("A process that has ended is nobody, whatever is read of its number later")
    func ended() throws {
        let (process, input) = try sleeper()
        // Until then it is not the program that it becomes.
        while FileManager.default.contents(atPath: "/proc/\(process.processIdentifier)/cmdline")?.starts(
            with: "/bin/cat".utf8) != true
        {
            usleep(1_000)
        }
        let peer = try #require(PeerProcess(process.processIdentifier, user: geteuid()))
        let caller = try AgentCaller(peer, door: .bus, digests: FileDigests())
        #expect(caller.program.kind == .executable)
        #expect(try caller.digest() == digest("/bin/cat"))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(!peer.isThere)
        #expect(caller.digest() == nil)
        #expect(throws: KeyringError(.notPermitted, "")) { try AgentCaller(peer, door: .bus, digests: FileDigests()) }
        #expect(PeerProcess(process.processIdentifier, user: geteuid()) == nil)
    }

    @Test("Without descriptors of processes, a later one of the same number is noticed by when it started")
    func reused() throws {
        // No process has this number: the kernel gives no descriptor of it.
        let processes = try FakeProcesses(.max, start: "100")
        let peer = try #require(PeerProcess(processes.number, user: geteuid(), in: processes.table))
        let caller = try AgentCaller(peer, door: .socket, digests: FileDigests())
        #expect(caller.program.description == "executable:/bin/ls")
        try processes.setStart("200")
        #expect(!peer.isThere)
        #expect(caller.digest() == nil)
        #expect(throws: KeyringError(.notPermitted, "")) {
            try AgentCaller(peer, door: .socket, digests: FileDigests())
        }
    }

    @Test("One of which only the status is left has ended")
    func zombie() throws {
        let processes = try FakeProcesses(.max)
        try processes.setStart("100", state: "Z")
        #expect(PeerProcess(processes.number, user: geteuid(), in: processes.table) == nil)
    }

    @Test("A digest is that of the content, also after a change, and of a script that of the script")
    func digests() throws {
        let processes = try FakeProcesses(.max)
        let digests = FileDigests()
        let path = try processes.file("sync.py", "one")
        try processes.link("exe", to: #require(FileManager.default.realPath("/usr/bin/python3")))
        try processes.setArguments(["python3", path])
        let peer = try #require(PeerProcess(processes.number, user: geteuid(), in: processes.table))
        let caller = try AgentCaller(peer, door: .socket, digests: digests)
        let first = try digest(path)
        #expect(caller.digest() == first)
        #expect(caller.digest() == first)
        _ = try processes.file("sync.py", "two, and longer")
        #expect(try caller.digest() == digest(path))
        #expect(caller.digest() != first)
        #expect(digests.digest(of: "/") == nil)
        #expect(digests.digest(of: "/nowhere") == nil)
    }
}
