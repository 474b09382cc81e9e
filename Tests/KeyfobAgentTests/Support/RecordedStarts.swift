import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// What the kernel starts for words, recorded in the form of `/proc` by `starts.py`.
struct RecordedStarts {
    private let folder: ScratchFolder
    private var table: ProcessTable { ProcessTable(path: folder.path + "/table") }

    /// Records them as a shell with this `PATH` starts them.
    init(_ words: [String], searchPath: String) throws {
        folder = try ScratchFolder()
        let (process, input, problems) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [AgentTestFile.path("starts.py"), folder.path + "/table"]
        process.environment = ["PATH": searchPath]
        (process.standardInput, process.standardError) = (input, problems)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(words.flatMap { Array($0.utf8) + [0] }))
        try input.fileHandleForWriting.close()
        let problem = String(decoding: problems.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(problem)")
    }

    /// The program that an agent sees in what a word has started, by its place among the words; nil where nothing started.
    func program(_ number: Int) throws -> Program? {
        let process = Int32(number + 1)
        guard table.link("exe", of: process) != nil else { return nil }
        return try ProgramSearch(table: table, process: process).program()
    }
}

/// Files of these tests that are no Swift.
enum AgentTestFile {
    static func path(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: name).path
    }

    /// Compiles `caller.c`.
    static func compileCaller(_ flags: String..., to path: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["cc", "-Wall", "-Wextra", "-Werror"] + flags + [Self.path("caller.c"), "-o", path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "there is no C compiler: Scripts/install-dependencies --test")
    }
}
