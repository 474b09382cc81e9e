import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// Who connected is who asks, and who gets the answer.
@Suite("Who connected is who asks", .waitsForPrograms)
struct OtherWriterTests {
    private static let caller = """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX)
        s.connect(sys.argv[1])
        if sys.argv[2] == 'later':
            s.sendall(b'{"method":"a.B"}\\0')
            print(s.recv(4096).decode().replace('given', 'first'), end='', flush=True)
            if os.fork():
                os.wait()
                sys.exit()
        if sys.argv[2] == 'child' and os.fork():
            os.wait()
            sys.exit()
        s.sendall(b'{"method":"a.B"}\\0')
        print(s.recv(4096).decode(), end='')
        """

    private static let answer: VarlinkServer.Answering = { _, _, replies in
        replies.send(.reply { $0.member("is", "given") })
    }

    /// What a program is told that connects, and then itself or in a child asks.
    private func told(_ who: String, isChecked: Bool, isLate: Bool = false) throws -> String {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/agent"
        let socket = try AgentSocket(at: path, AgentSocket.Turn(at: path, of: "vault"))
        if isLate {
            var no: CInt = 0
            _ = unsafe setsockopt(socket.descriptor, SOL_SOCKET, SO_PASSCRED, &no, socklen_t(MemoryLayout<CInt>.size))
        }
        #expect(PeerProcess.isAskedForWriters(socket.descriptor) != isLate)
        let server = try #require(
            VarlinkServer(
                listener: socket.descriptor, busy: SocketDoor.busy(),
                otherWriter: isChecked ? SocketDoor.otherWriter() : nil,
                answer: Self.answer))
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", Self.caller, path, who]
        process.standardOutput = output
        try process.run()
        while process.isRunning { _ = server.step(waiting: 20) }
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    @Test("A process that holds another's connection is refused, and would be answered if nobody looked")
    func child() throws {
        #expect(try told("itself", isChecked: true).contains("given"))
        let refusal = try told("child", isChecked: true)
        #expect(refusal.contains("NotPermitted") && refusal.contains("connect in the one that asks"), "\(refusal)")
        #expect(try told("child", isChecked: false).contains("given"))
    }

    @Test("Who connected before the socket asked who writes is answered, and no other process in its place")
    func late() throws {
        #expect(try told("itself", isChecked: true, isLate: true).contains("given"))
        for isLate in [false, true] {
            let answers = try told("later", isChecked: true, isLate: isLate)
            #expect(answers.contains("first") && answers.contains("NotPermitted") && !answers.contains("given"))
        }
    }

    @Test("What has come is told from what may come, and from the end")
    func writers() throws {
        var ends: [CInt] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        PeerProcess.askForWriters(at: ends[0])
        #expect(PeerProcess.writer(at: ends[0]) == .nothingYet)
        #expect(unsafe write(ends[1], "x", 1) == 1)
        #expect(PeerProcess.writer(at: ends[0]) == .process(getpid()))
        var byte: UInt8 = 0
        #expect(unsafe read(ends[0], &byte, 1) == 1)
        close(ends[1])
        #expect(PeerProcess.writer(at: ends[0]) == .end)
    }

    @Test("A process that has become another program is not taken for that")
    func becameAnother() throws {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "echo here; read line; exec cat"]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        _ = output.fileHandleForReading.availableData
        let peer = try #require(PeerProcess(process.processIdentifier, user: geteuid()))
        let before = try AgentCaller(peer, door: .socket, digests: FileDigests())
        #expect(peer.isSame(by: InspectionHere()) && before.digest() != nil)
        try input.fileHandleForWriting.write(contentsOf: Data("one\ntwo\n".utf8))
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "two\n")
        #expect(peer.isThere && !peer.isSame(by: InspectionHere()) && before.digest() == nil)
        #expect(throws: KeyringError.becameAnother(peer.number)) {
            try AgentCaller(peer, door: .socket, digests: FileDigests())
        }
    }
}
