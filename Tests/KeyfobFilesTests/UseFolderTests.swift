import Foundation
import KeyfobTestSupport
import Testing

@testable import KeyfobFiles

@Suite("The folder of token uses")
struct UseFolderTests {
    private let scratch: ScratchFolder
    private let folder: UseFolder
    private let now: Int64 = 1_700_000_000
    private let series = String(repeating: "a", count: 32) + ".1"
    private let other = String(repeating: "b", count: 32) + ".1"
    private var current: String { "\(scratch.path)/uses/\(series).\(now / 1_296_000)" }

    init() throws {
        scratch = try ScratchFolder()
        folder = UseFolder(VaultDirectory(path: scratch.path))
    }

    private func record(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 512) }

    private func found(at time: Int64? = nil) -> [UInt8] {
        folder.records(of: series, at: time ?? now).records.compactMap(\.first)
    }

    private func names() throws -> Set<String> { Set(try POSIXFile.names(in: scratch.path + "/uses")) }

    @Test("has the records of a series in their order, for its owner alone")
    func order() throws {
        for byte: UInt8 in 1...3 { #expect(folder.append(record(byte), to: series, at: now)) }
        #expect(folder.append(record(9), to: other, at: now))
        #expect(found() == [1, 2, 3] && folder.records(of: other, at: now).records.count == 1)
        #expect(FileAccess.status(scratch.path + "/uses", following: false)?.permissions == 0o700)
        #expect(FileAccess.status(current, following: false)?.permissions == 0o600)
        #expect(!folder.append(record(1) + [1], to: series, at: now) && !folder.append([], to: series, at: now))
    }

    @Test("a full file gives way, and the one that gave way before is gone")
    func full() throws {
        for byte: UInt8 in 1...3 {
            for _ in 0..<2_048 { #expect(folder.append(record(byte), to: series, at: now)) }
        }
        #expect(folder.append(record(4), to: series, at: now))
        let bytes = found()
        #expect(bytes.count == 2_049 && bytes.first == 3 && bytes.last == 4)
        #expect(try names().count == 2)
    }

    @Test(
        "a part of a record at the end becomes one that cannot be read, and what comes stands behind it, as often as it happens"
    )
    func torn() throws {
        #expect(folder.append(record(1), to: series, at: now))
        for byte: UInt8 in 2...4 {
            let file = try #require(FileHandle(forWritingAtPath: current))
            try file.seekToEnd()
            try file.write(contentsOf: Data([9, 2, 3]))
            try file.close()
            #expect(folder.records(of: series, at: now).unreadable == 1)
            #expect(folder.append(record(byte), to: series, at: now))
        }
        #expect(found() == [1, 9, 2, 9, 3, 9, 4] && folder.records(of: series, at: now).unreadable == 0)
        #expect(try names().count == 1)
    }

    @Test("while another process is about a part of a record, nothing is added behind it")
    func tornAndHeld() throws {
        #expect(folder.append(record(1), to: series, at: now))
        let file = try #require(FileHandle(forUpdatingAtPath: current))
        try file.seekToEnd()
        try file.write(contentsOf: Data([9, 2, 3]))
        #expect(flock(file.fileDescriptor, LOCK_EX) == 0)
        #expect(!folder.append(record(2), to: series, at: now))
        try file.close()
        #expect(folder.append(record(2), to: series, at: now) && found() == [1, 9, 2])
    }

    @Test("a file that is there and cannot be read is counted")
    func unreadable() throws {
        #expect(folder.append(record(1), to: series, at: now))
        #expect(unsafe mkfifo(current + ".1", 0o600) == 0)
        let (records, unreadable) = folder.records(of: series, at: now)
        #expect(records.count == 1 && unreadable == 1)
    }

    @Test("what is older than the files that count goes when a new one begins, of all series, and nothing else")
    func old() throws {
        let days: Int64 = 86_400
        #expect(folder.append(record(1), to: other, at: now - 60 * days))
        #expect(folder.append(record(2), to: series, at: now - 30 * days))
        try scratch.write("uses/notes.txt", [1])
        #expect(try names().count == 3)
        #expect(folder.append(record(3), to: series, at: now))
        #expect(try names().count == 3 && found() == [2, 3])
        // A clock that is wrong for once takes fifteen days of it.
        folder.prune(at: now + 9_000 * days)
        #expect(try names().count == 2 && found() == [3])
        folder.prune(at: now + 60 * days)
        #expect(try names() == ["notes.txt"])
    }

    @Test("a folder that is a link, or not the user's alone, is neither read nor emptied, nor is what only looks alike")
    func foreign() throws {
        let files = FileManager.default
        #expect(folder.append(record(1), to: series, at: now))
        for name in ["libx.so.1", "x.1.2.1", "\(series).x", series, "\(series).1.2", "\(series.uppercased()).1"] {
            try scratch.write("uses/" + name, [1])
        }
        let all = try names()
        folder.prune(at: now + 60 * 86_400)
        #expect(try names() == all.subtracting(["\(series).\(now / 1_296_000)"]))
        #expect(folder.append(record(1), to: series, at: now))
        let (uses, real) = (scratch.path + "/uses", scratch.path + "/real")
        try files.moveItem(atPath: uses, toPath: real)
        try files.createSymbolicLink(atPath: uses, withDestinationPath: real)
        let group = String(series.dropLast(2))
        for _ in 0..<2 {
            folder.prune(at: now + 60 * 86_400)
            folder.clear(of: group)
            #expect(Set(try POSIXFile.names(in: real)) == all && found().isEmpty && folder.files(of: group).isEmpty)
            #expect(folder.obstacle != nil && folder.isOn && !folder.append(record(2), to: series, at: now))
            // Then the same for one that others may enter.
            if folder.obstacle?.reason == "is no folder" {
                try files.removeItem(atPath: uses)
                try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: real)
                try files.moveItem(atPath: real, toPath: uses)
                try files.createSymbolicLink(atPath: real, withDestinationPath: uses)
            }
        }
        #expect(folder.obstacle?.reason.contains("0700") == true)
    }

    @Test("what a group noted under older keys can be removed, and all of it")
    func oldKeys() throws {
        let group = String(series.dropLast(2))
        for (byte, epoch): (UInt8, Int) in [(1, 1), (2, 2), (3, 10)] {
            #expect(folder.append(record(byte), to: "\(group).\(epoch)", at: now))
        }
        #expect(folder.append(record(4), to: other, at: now))
        #expect(folder.files(of: group).count == 3 && folder.files(of: group, before: 10).count == 2)
        folder.clear(of: group, before: 10)
        #expect(folder.files(of: group).count == 1 && folder.records(of: group + ".10", at: now).records.count == 1)
        folder.clear(of: group)
        #expect(try names().count == 1 && folder.records(of: other, at: now).records.count == 1)
    }

    @Test("is turned off whatever is in the way, of which the rest is told")
    func off() throws {
        let (files, uses) = (FileManager.default, scratch.path + "/uses")
        #expect(folder.append(record(1), to: series, at: now))
        try scratch.write("uses/notes.txt", [1])
        let left = try #require(try folder.turnOff())
        #expect(!folder.isOn && !folder.append(record(2), to: series, at: now))
        #expect(try POSIXFile.names(in: left) == ["notes.txt"])
        // What a stop in between leaves goes with the next look.
        try files.removeItem(atPath: left)
        try folder.turnOn()
        #expect(folder.append(record(3), to: series, at: now))
        try files.moveItem(atPath: uses, toPath: uses + ".off-12")
        #expect(folder.isOn && folder.append(record(4), to: series, at: now))
        folder.prune(at: now)
        #expect(found() == [4] && !files.fileExists(atPath: uses + ".off-12"))
        for kind in ["link", "fifo"] {
            try files.removeItem(atPath: uses)
            if kind == "link" {
                try files.createSymbolicLink(atPath: uses, withDestinationPath: "/etc")
            } else {
                #expect(unsafe mkfifo(uses, 0o600) == 0)
            }
            #expect(folder.obstacle != nil)
            #expect(try folder.turnOff() == nil && !folder.isOn && folder.obstacle == nil, "\(kind)")
        }
    }

    @Test(
        "what is in the way is left as it is, and nothing waits for it",
        arguments: ["fifo", "link", "dangling", "folder", "second name", "open to all", "read-only", "file", "closed"])
    func obstacle(kind: String) throws {
        #expect(folder.append(record(1), to: series, at: now))
        let (files, foreign) = (FileManager.default, scratch.path + "/other")
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
            case "link": try files.createSymbolicLink(atPath: current, withDestinationPath: foreign)
            case "dangling":
                try files.createSymbolicLink(atPath: current, withDestinationPath: scratch.path + "/none")
            default: try files.createDirectory(atPath: current, withIntermediateDirectories: false)
            }
        }
        #expect(!folder.append(record(2), to: series, at: now))
        #expect(try scratch.read("other") == [7] && !found().contains(2))
        #expect(!files.fileExists(atPath: scratch.path + "/none"))
    }

    @Test("is turned off by a file in its place, with what was in it, and on again")
    func setting() throws {
        #expect(folder.isOn && folder.append(record(1), to: series, at: now))
        try folder.turnOff()
        try folder.turnOff()
        #expect(!folder.isOn && !folder.append(record(2), to: series, at: now) && found().isEmpty)
        try folder.turnOn()
        try folder.turnOn()
        #expect(folder.isOn && folder.append(record(3), to: series, at: now) && found() == [3])
    }

    @Test("threads that add at once lose nothing, also while a file gives way")
    func together() async throws {
        for _ in 0..<2_000 { folder.append(record(99), to: series, at: now) }
        await withTaskGroup(of: Void.self) { group in
            for byte: UInt8 in 1...8 {
                group.addTask { [folder, now, series] in
                    for _ in 0..<50 {
                        folder.append([UInt8](repeating: byte, count: 512), to: series, at: now)
                    }
                }
            }
        }
        let bytes = found()
        for byte: UInt8 in 1...8 { #expect(bytes.count { $0 == byte } == 50, "\(byte)") }
        #expect(bytes.count == 2_400)
        #expect(folder.records(of: series, at: now).records.allSatisfy { Set($0).count == 1 })
    }
}
