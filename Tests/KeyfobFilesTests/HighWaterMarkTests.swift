import Foundation
import KeyfobFiles
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("The high-water mark")
struct HighWaterMarkTests {
    private let folder: ScratchFolder
    private let mark: HighWaterMark
    private let vault = VaultID.random()
    private let group = GroupID.random()
    private let now = Timestamp(seconds: 1_700_000_000)

    init() throws {
        folder = try ScratchFolder()
        mark = HighWaterMark(state: folder.path + "/state/deeper", vault: vault)
    }

    private var file: String { "state/deeper/\(vault).mark" }

    /// A state of the header (nil) or of a group, the same whenever `content` is.
    private func at(_ group: GroupID?, _ sequence: UInt64, _ content: UInt8 = 0) -> Milestone {
        Milestone(group: group, sequence: sequence, digest: [UInt8](repeating: content, count: 32))
    }

    /// What another process notes that sees these states after it has read the marks.
    private func see(_ milestones: Milestone...) throws {
        var marks = try mark.marks(now: now)
        #expect(mark.note(milestones, in: &marks, now: now) == nil)
    }

    private func sequence(_ group: GroupID?) throws -> UInt64 { try mark.marks(now: now).sequence(of: group) }

    private func findings() throws -> [Marks.Finding] { try mark.marks(now: now).findings }

    @Test("it only grows, until the owner accepts something else")
    func growing() throws {
        #expect(try sequence(nil) == 0)
        try see(at(nil, 5), at(group, 7))
        try see(at(nil, 3), at(group, 9))
        #expect(try sequence(nil) == 5 && sequence(group) == 9 && sequence(.random()) == 0)
        _ = try mark.accept([at(nil, 2)], isAll: false, now: now)
        #expect(try sequence(nil) == 2 && sequence(group) == 9)
    }

    @Test("it is a text file that tells no name", arguments: [UInt64.max])
    func text(sequence: UInt64) throws {
        try see(at(nil, 5), at(group, sequence, 255))
        try see(at(nil, 3))
        let lines = String(decoding: try folder.read(file), as: UTF8.self).split(separator: "\n")
        let (zeros, ones) = (String(repeating: "0", count: 64), String(repeating: "f", count: 64))
        let expected = ["\(group) \(sequence) \(ones)", "header 5 \(zeros)", "finding rollback header 3 5 1700000000"]
        #expect(lines.map(String.init) == expected)
        #expect(try self.sequence(group) == sequence)
    }

    @Test("each vault has its own")
    func vaults() throws {
        try see(at(nil, 5))
        let other = HighWaterMark(state: folder.path + "/state/deeper", vault: .random())
        #expect(try other.marks(now: now).sequence(of: nil) == 0)
    }

    @Test("an older state is a finding, and so is another one of the same sequence; later ones take neither back")
    func findingsStay() throws {
        try see(at(nil, 5), at(group, 7))
        try see(at(nil, 4), at(group, 7, 1))
        for sequence: UInt64 in 5...9 { try see(at(nil, sequence), at(group, sequence + 3)) }
        let found = try findings()
        #expect(found.map(\.kind) == [.fork, .rollback] && found.map(\.subject) == [.group(group), .header])
        #expect(found.map(\.found) == [7, 4] && found.map(\.seen) == [7, 5] && found.allSatisfy { $0.time == now })
        #expect(try mark.accept([at(group, 12)], isAll: false, now: now).map(\.kind) == [.fork])
        #expect(try findings().map(\.kind) == [.rollback])
        #expect(try mark.accept([at(nil, 9)], isAll: true, now: now).map(\.kind) == [.rollback])
        #expect(try findings() == [])
    }

    @Test("what another process has noted meanwhile is no finding")
    func meanwhile() throws {
        try see(at(nil, 5))
        var slow = try mark.marks(now: now)
        try see(at(nil, 6))
        try see(at(nil, 7))
        #expect(mark.note([at(nil, 6)], in: &slow, now: now) == nil)
        #expect(try findings() == [] && sequence(nil) == 7)
    }

    @Test("a state whose content is not known is neither another one nor the same")
    func unknownContent() throws {
        try see(Milestone(group: group, sequence: 5, digest: nil))
        try see(at(group, 5, 1))
        try see(Milestone(group: group, sequence: 5, digest: nil))
        #expect(try findings() == [])
        try see(at(group, 5, 2))
        #expect(try findings().map(\.kind) == [.fork])
    }

    private static let digest = String(repeating: "0", count: 64)

    @Test(
        "a damaged file is a finding that stays; what is sound of it counts, and a copy is kept",
        arguments: [
            "header 4", "\nheader 4 -\n", "header 4 -", "header -3 -\n", "header 99999999999999999999999 -\n",
            "header 4 - \n", "header 4 -\nheader 5 -\n", "\u{0}", "header 4 0\n", "", "other 4 -\n",
            "header 4 \(digest.dropLast())\n", "header 4 \(digest.dropLast())G\n", "finding theft header 1 2 3\n",
            "finding fork nobody 1 2 3\n", "finding fork header 1 2\n", String(repeating: "a", count: 1_050_000),
            "header 4 -\n" + String(repeating: "0123456789abcdef0123456789abcdef 1 -\n", count: 5_000),
        ])
    func damage(text: String) throws {
        try see(at(nil, 1))
        try folder.write(file, Array(text.utf8))
        let marks = try mark.marks(now: now)
        #expect(marks.findings.map(\.kind) == [.damage] && marks.findings.map(\.subject) == [.marks])
        #expect([0, 4].contains(marks.sequence(of: nil)))
        try see(at(nil, 6))
        #expect(try findings().map(\.kind) == [.damage] && sequence(nil) == 6)
        #expect(try folder.read(file + ".damaged-1700000000") == Array(text.utf8))
        #expect(try mark.accept([at(nil, 6)], isAll: true, now: now).map(\.kind) == [.damage])
        #expect(try findings() == [])
    }

    @Test("what is damaged twice within a second is kept twice")
    func damagedTwice() throws {
        try see(at(nil, 1))
        for text in ["first", "second"] {
            try folder.write(file, Array(text.utf8))
            _ = try mark.accept([at(nil, 1)], isAll: true, now: now)
        }
        let path = folder.path + "/" + file
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        _ = try mark.accept([at(nil, 1)], isAll: true, now: now)
        #expect(try folder.read(file + ".damaged-1700000000") == Array("first".utf8))
        #expect(try folder.read(file + ".damaged-1700000000-2") == Array("second".utf8))
        #expect(FileManager.default.fileExists(atPath: path + ".damaged-1700000000-3"))
    }

    @Test("something else in its place is a finding with a way out", arguments: ["a folder", "a link"])
    func otherThing(kind: String) throws {
        try see(at(nil, 5))
        let path = folder.path + "/" + file
        try FileManager.default.removeItem(atPath: path)
        if kind == "a folder" {
            try FileManager.default.createDirectory(atPath: path + "/deeper", withIntermediateDirectories: true)
        } else {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
        }
        #expect(try findings().map(\.kind) == [.damage])
        #expect(try mark.accept([at(nil, 5)], isAll: true, now: now).map(\.kind) == [.damage])
        #expect(try findings() == [] && sequence(nil) == 5)
    }

    @Test("where it cannot be written, that is told, and the finding is known to this process")
    func unwritable() throws {
        try folder.write("state", [])
        var marks = Marks()
        #expect(mark.note([at(nil, 5)], in: &marks, now: now) != nil)
        #expect(mark.note([at(nil, 4)], in: &marks, now: now) != nil)
        #expect(marks.findings.map(\.kind) == [.rollback])
    }

    @Test("many that note at once lose nothing", .timeLimit(.minutes(1)))
    func together() async throws {
        let groups = (0..<8).map { _ in GroupID.random() }
        try see(at(nil, 100))
        try await withThrowingTaskGroup { tasks in
            for group in groups {
                tasks.addTask {
                    for sequence: UInt64 in 1...25 { try see(at(group, sequence)) }
                    try see(at(group, 24))
                }
            }
            try await tasks.waitForAll()
        }
        #expect(try groups.allSatisfy { try sequence($0) == 25 } && sequence(nil) == 100)
        #expect(try Set(findings().map(\.subject)) == Set(groups.map { .group($0) }))
    }
}
