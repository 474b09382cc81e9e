import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent
@testable import KeyfobFiles

/// Which program asks is known without asking a file system, wherever the kernel has it in memory.
@Suite("What the kernel has in memory of a program")
struct KnownProgramTests {
    /// What both ways say of a program that is started with these words, while it waits for its input.
    private func found(_ words: String..., in folder: String, once: () throws -> Void = {}) throws -> (
        Program?, Program?
    ) {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.currentDirectoryURL = URL(filePath: folder)
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        // It has started once it says something.
        try input.fileHandleForWriting.write(contentsOf: Data("here\n".utf8))
        _ = output.fileHandleForReading.availableData
        try once()
        let (table, number) = (ProcessTable(), process.processIdentifier)
        return (
            KnownProgramSearch(table: table, process: number).program(),
            try? ProgramSearch(table: table, process: number).program()
        )
    }

    @Test("An executable, and scripts by whatever path, are the same as they are by asking")
    func same() throws {
        let scratch = try ScratchFolder()
        try "#!/bin/sh\nread line; echo $line; read line\n".write(
            toFile: scratch.path + "/talk.sh", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/link.sh", withDestinationPath: scratch.path + "/talk.sh")
        let cat = try found("/bin/cat", in: scratch.path)
        #expect(cat.0 == cat.1 && cat.0?.kind == .executable)
        usleep(50_000)
        let talk = try found("/bin/sh", scratch.path + "/talk.sh", in: scratch.path)
        #expect(talk.0 == talk.1 && talk.0?.kind == .script, "\(talk)")
        // What it is called by a link is asked for.
        let link = try found("/bin/sh", scratch.path + "/link.sh", in: scratch.path)
        #expect(link.0 == nil && link.1 == talk.1, "\(link)")
        let relative = try found("/bin/sh", "talk.sh", in: scratch.path)
        #expect(relative.0 == nil && relative.1 == nil)
    }

    @Test("Of a program whose file is gone nothing is known, and it is refused by asking")
    func gone() throws {
        let scratch = try ScratchFolder()
        try FileManager.default.copyItem(atPath: "/bin/cat", toPath: scratch.path + "/cat")
        let cat = try found(
            scratch.path + "/cat", in: scratch.path,
            once: { try FileManager.default.removeItem(atPath: scratch.path + "/cat") })
        #expect(cat.0 == nil && cat.1 == nil)
    }

    @Test("What is asked and answered is read as it was written")
    func messages() throws {
        let program = try #require(Program(.script, "/p/a b.py"))
        for known in [nil, "64768.12"] {
            for var question in [InspectionQuestion(process: 7), InspectionQuestion(process: 7, program: program)] {
                question.known = known
                let read = try #require(InspectionQuestion(question.bytes))
                #expect(read.process == 7 && read.program == question.program && read.known == known)
            }
        }
        for answer in [
            InspectionAnswer.found("script:/p a"), .found("script:/p a", file: "64768.12"), .refused("no"), .nothing,
            .askFar,
        ] {
            #expect(InspectionAnswer(answer.bytes) == answer)
        }
        #expect(InspectionAnswer([]) == .noProcess && InspectionQuestion([0x78]) == nil)
    }

    @Test("The type of a mount is found by its number, also behind optional fields")
    func mounts() {
        let table = Array(
            """
            27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
            203 182 0:41 / /home/u/silent rw,relatime shared:1 master:2 - fuse.x silent rw,user_id=0
            """.utf8)
        #expect(KnownFile.type(of: 27, in: table) == "ext4")
        #expect(KnownFile.type(of: 203, in: table) == "fuse.x")
        #expect(KnownFile.type(of: 2, in: table) == nil)
    }
}
