import Glibc
import Testing

@testable import KeyfobFiles

@Suite("A program that is started apart")
struct ProgramApartTests {
    @Test("has a session of its own, what it was given, and is nobody's child here")
    func apart() throws {
        var ends: [CInt] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        let program = ChildProgram(
            path: "/bin/sh", arguments: ["-c", "echo $(ps -o sid= -p $$) $$ $WORD"],
            environment: ["PATH": "/bin:/usr/bin", "WORD": "word"], output: ends[1])
        let process = try #require(program.startApart())
        close(ends[1])
        defer { close(ends[0]) }
        #expect(waitpid(process.id, nil, 0) == -1 && errno == ECHILD)
        var said: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(ends[0], &byte, 1) == 1 { said.append(byte) }
        #expect(String(decoding: said, as: UTF8.self) == "\(process.id) \(process.id) word\n")
    }

    @Test("is none where the file is none")
    func missing() {
        #expect(ChildProgram(path: "/nowhere/at/all", arguments: []).startApart() == nil)
    }
}
