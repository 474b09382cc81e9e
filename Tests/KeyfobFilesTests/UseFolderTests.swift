import Foundation
import KeyfobTestSupport
import Testing

@testable import KeyfobFiles

@Suite("The folder of token uses")
struct UseFolderTests {
    private let scratch: ScratchFolder
    private let folder: UseFolder
    private let now: Int64 = 1_700_000_000
    private var current: String { "\(scratch.path)/uses/a.1.\(now / 1_296_000)" }

    init() throws {
        scratch = try ScratchFolder()
        folder = UseFolder(VaultDirectory(path: scratch.path))
    }

    private func record(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 512) }

    private func found(at time: Int64? = nil) -> [UInt8] {
        folder.records(of: "a.1", at: time ?? now).records.compactMap(\.first)
    }

    private func names() throws -> Set<String> { Set(try POSIXFile.names(in: scratch.path + "/uses")) }

    @Test("has the records of a series in their order, for its owner alone")
    func order() throws {
        for byte: UInt8 in 1...3 { #expect(folder.append(record(byte), to: "a.1", at: now)) }
        #expect(folder.append(record(9), to: "b.1", at: now))
        #expect(found() == [1, 2, 3] && folder.records(of: "b.1", at: now).records.count == 1)
        #expect(FileAccess.status(scratch.path + "/uses", following: false)?.permissions == 0o700)
        #expect(FileAccess.status(current, following: false)?.permissions == 0o600)
        #expect(!folder.append(record(1) + [1], to: "a.1", at: now) && !folder.append([], to: "a.1", at: now))
    }

    @Test("a full file gives way, and the one that gave way before is gone")
    func full() throws {
        for byte: UInt8 in 1...3 {
            for _ in 0..<2_048 { #expect(folder.append(record(byte), to: "a.1", at: now)) }
        }
        #expect(folder.append(record(4), to: "a.1", at: now))
        let bytes = found()
        #expect(bytes.count == 2_049 && bytes.first == 3 && bytes.last == 4)
        #expect(try names().count == 2)
    }

    @Test("a part of a record at the end is counted, and what comes is added to another file")
    func torn() throws {
        #expect(folder.append(record(1), to: "a.1", at: now))
        let file = try #require(FileHandle(forWritingAtPath: current))
        try file.seekToEnd()
        try file.write(contentsOf: Data([1, 2, 3]))
        try file.close()
        #expect(folder.append(record(2), to: "a.1", at: now))
        #expect(found() == [1, 2] && folder.records(of: "a.1", at: now).parts == 1)
    }

    @Test("what is older than the files that count goes when a new one begins, of all series, and nothing else")
    func old() throws {
        let days: Int64 = 86_400
        #expect(folder.append(record(1), to: "b.1", at: now - 60 * days))
        #expect(folder.append(record(2), to: "a.1", at: now - 30 * days))
        try scratch.write("uses/notes.txt", [1])
        #expect(try names().count == 3)
        #expect(folder.append(record(3), to: "a.1", at: now))
        #expect(try names().count == 3 && found() == [2, 3])
        folder.prune(at: now + 60 * days)
        #expect(try names() == ["notes.txt"])
    }

    @Test(
        "what is in the way is left as it is, and nothing waits for it",
        arguments: ["fifo", "link", "dangling", "folder", "second name", "open to all", "read-only", "file", "closed"])
    func obstacle(kind: String) throws {
        #expect(folder.append(record(1), to: "a.1", at: now))
        let (files, other) = (FileManager.default, scratch.path + "/other")
        try scratch.write("other", [7])
        switch kind {
        case "second name": try files.linkItem(atPath: current, toPath: scratch.path + "/second")
        case "open to all": try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: current)
        case "read-only":
            // Whom no mode stops needs another reason.
            try files.setAttributes([.posixPermissions: getuid() == 0 ? 0o640 : 0o400], ofItemAtPath: current)
        case "closed": try files.setAttributes([.posixPermissions: 0o750], ofItemAtPath: scratch.path + "/uses")
        case "file":
            try files.removeItem(atPath: scratch.path + "/uses")
            try scratch.write("uses", [])
        default:
            try files.removeItem(atPath: current)
            switch kind {
            case "fifo": #expect(unsafe mkfifo(current, 0o600) == 0)
            case "link": try files.createSymbolicLink(atPath: current, withDestinationPath: other)
            case "dangling":
                try files.createSymbolicLink(atPath: current, withDestinationPath: scratch.path + "/none")
            default: try files.createDirectory(atPath: current, withIntermediateDirectories: false)
            }
        }
        #expect(!folder.append(record(2), to: "a.1", at: now))
        #expect(try scratch.read("other") == [7] && !found().contains(2))
        #expect(!files.fileExists(atPath: scratch.path + "/none"))
    }

    @Test("is turned off by a file in its place, with what was in it, and on again")
    func setting() throws {
        #expect(folder.isOn && folder.append(record(1), to: "a.1", at: now))
        try folder.turnOff()
        try folder.turnOff()
        #expect(!folder.isOn && !folder.append(record(2), to: "a.1", at: now) && found().isEmpty)
        try folder.turnOn()
        try folder.turnOn()
        #expect(folder.isOn && folder.append(record(3), to: "a.1", at: now) && found() == [3])
    }

    @Test("threads that add at once lose nothing, also while a file gives way")
    func together() async throws {
        for _ in 0..<2_000 { folder.append(record(99), to: "a.1", at: now) }
        await withTaskGroup(of: Void.self) { group in
            for byte: UInt8 in 1...8 {
                group.addTask { [folder, now] in
                    for _ in 0..<50 {
                        folder.append([UInt8](repeating: byte, count: 512), to: "a.1", at: now)
                    }
                }
            }
        }
        let bytes = found()
        for byte: UInt8 in 1...8 { #expect(bytes.count { $0 == byte } == 50, "\(byte)") }
        #expect(bytes.count == 2_400)
        #expect(folder.records(of: "a.1", at: now).records.allSatisfy { Set($0).count == 1 })
    }
}
