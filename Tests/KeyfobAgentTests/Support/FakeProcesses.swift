import Foundation
import KeyfobAgent
import KeyfobTestSupport
import Testing

/// A folder that looks like `/proc`, with one process in it.
final class FakeProcesses: Sendable {
    let scratch: ScratchFolder
    let number: Int32

    /// The table.
    var table: ProcessTable { ProcessTable(path: "\(scratch.path)/proc") }
    /// The folder of the process.
    var folder: String { "\(scratch.path)/proc/\(number)" }

    /// A process that began at `start`, after all files unless that is given, runs `executable` and sees the same files.
    init(_ number: Int32 = 4_711, start: String = "9999999999", executable: String = "/bin/ls") throws {
        scratch = try ScratchFolder()
        self.number = number
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try setStart(start)
        try link("exe", to: executable)
        try link("root", to: "/")
        try link("cwd", to: scratch.path)
    }

    func setStart(_ start: String, state: String = "S") throws {
        let before = Array(repeating: "0", count: 18).joined(separator: " ")
        try write("stat", "\(number) (a) name) \(state) \(before) \(start) 0 0\n")
    }

    func write(_ name: String, _ text: String) throws {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createDirectory(
            atPath: ("\(folder)/\(name)" as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: target)
    }

    func setArguments(_ words: [String]) throws { try write("cmdline", words.map { $0 + "\0" }.joined()) }

    /// A file beside the table, and its path.
    func file(_ name: String, _ text: String = "#!/bin/sh\n") throws -> String {
        try scratch.write(name, Array(text.utf8))
        return try #require(FileManager.default.realPath("\(scratch.path)/\(name)"))
    }
}

extension FileManager {
    /// The path without links.
    func realPath(_ path: String) -> String? { URL(filePath: path).resolvingSymlinksInPath().path }
}
