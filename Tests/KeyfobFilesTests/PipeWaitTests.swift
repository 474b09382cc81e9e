import Foundation
import KeyfobSodium
import KeyfobTestSupport
import Testing

@testable import KeyfobFiles

@Suite("What comes through a pipe")
struct PipeWaitTests {
    /// How the other end behaves.
    enum Writer: CaseIterable {
        case silent, stalls, ends, writesAndEnds

        var isAwaited: Bool { self == .writesAndEnds || self == .ends }
    }

    /// The two ends of a pipe.
    private static func ends() throws -> (reading: CInt, writing: CInt) {
        let pipe = Pipe()
        let ends = (dup(pipe.fileHandleForReading.fileDescriptor), dup(pipe.fileHandleForWriting.fileDescriptor))
        try #require(ends.0 >= 0 && ends.1 >= 0)
        return ends
    }

    @Test(
        "is waited for, told of once, and given up where it does not come, whatever has come before",
        arguments: Writer.allCases)
    func pipes(writer: Writer) throws {
        let (reading, writing) = try Self.ends()
        defer { close(reading) }
        if writer == .stalls || writer == .writesAndEnds {
            try FileHandle(fileDescriptor: writing).write(contentsOf: Data("abc".utf8))
        }
        if writer.isAwaited { close(writing) }
        defer { if !writer.isAwaited { close(writing) } }
        var count = 0
        var wait = PipeWait(reading, limit: 2) { count += 1 }
        do throws(SodiumError) {
            let text = try SecretBytes.reading(descriptor: reading, limit: 100, whenReady: { wait.wait($0) })
            #expect(writer.isAwaited && text.count == (writer == .ends ? 0 : 3))
        } catch {
            #expect(!writer.isAwaited && error == .unreadable(errno: ETIMEDOUT))
        }
        #expect(count == (writer.isAwaited ? 0 : 1))
    }

    @Test("is waited for of a pipe, and not of a file")
    func files() throws {
        let folder = try ScratchFolder()
        let file = URL(filePath: folder.path + "/file")
        try Data("abc".utf8).write(to: file)
        let handle = try FileHandle(forReadingFrom: file)
        var wait = PipeWait(handle.fileDescriptor, limit: 1) { Issue.record("a file was waited for") }
        let isReady = wait.wait(handle.fileDescriptor)
        #expect(isReady)
    }

    @Test("of a name is waited for less long than where a person may be asked before, until a program opens it")
    func named() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/pipe"
        let making = try Process.run(URL(filePath: "/usr/bin/mkfifo"), arguments: ["-m", "600", path])
        making.waitUntilExit()
        let named = try SecretFile.descriptor(path, mode: 0o077)
        let (reading, writing) = try Self.ends()
        defer { for descriptor in [named, reading, writing] { close(descriptor) } }
        #expect(PipeWait(named).seconds < PipeWait(reading).seconds)
        var short = PipeWait(named, limit: 1)
        let isEarly = short.wait(named)
        #expect(!isEarly)
        let writer = try FileHandle(forWritingTo: URL(filePath: path))
        try writer.write(contentsOf: Data("a".utf8))
        let isReady = short.wait(named)
        #expect(isReady)
        try writer.close()
    }
}
