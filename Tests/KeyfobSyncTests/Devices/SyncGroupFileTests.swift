import KeyfobModel
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("The files that tell of a group")
struct SyncGroupFileTests {
    private let tag = SyncGroupTag(.default, in: .random())

    private func file(_ position: UInt64, after: UInt64? = nil) -> SyncHead.GroupFile {
        SyncHead.GroupFile(
            group: tag, hash: [UInt8](repeating: UInt8(truncatingIfNeeded: position), count: 32), size: 1,
            sequence: position, position: position, after: after)
    }

    @Test("are read from where one stands: segments where they reach so far, else everything")
    func paths() {
        let files = [file(4), file(5, after: 4), file(9, after: 5), file(9, after: 8)]
        func path(_ start: UInt64) -> [String]? { files.path(from: start)?.map { "\($0.after ?? 0)-\($0.position)" } }
        #expect(path(0) == ["0-4", "4-5", "5-9"])
        #expect(path(4) == ["4-5", "5-9"] && path(5) == ["5-9"] && path(7) == ["5-9"] && path(8)?.count == 1)
        #expect(path(9) == [] && path(12) == [])
        // What leaves something out is none.
        #expect([file(4), file(9, after: 5)].path(from: 0) == nil)
        #expect([file(4), file(9, after: 5)].path(from: 4) == nil)
        #expect([file(9, after: 5)].path(from: 0) == nil)
        #expect([SyncHead.GroupFile]().path(from: 3) == [])
    }

    @Test("are never others where they were told once, but for wholes")
    func contradictions() {
        func other(_ file: SyncHead.GroupFile) -> SyncHead.GroupFile {
            SyncHead.GroupFile(
                group: file.group, hash: [UInt8](repeating: 99, count: 32), size: 1, sequence: 10,
                position: file.position, after: file.after)
        }
        let told = [file(4), file(5, after: 4), file(9, after: 5)]
        #expect(!told.isContradicted(by: told) && !told.isContradicted(by: []))
        #expect(!told.isContradicted(by: [other(file(4)), file(9, after: 5), other(file(9, after: 4))]))
        #expect(told.isContradicted(by: [file(4), other(file(5, after: 4)), file(9, after: 5)]))
    }

    @Test("in every order of many are read in a moment")
    func many() throws {
        var generator = SeededGenerator(seed: 4)
        let files = ([file(1)] + (1..<15_000).map { file($0 + 1, after: $0) }).shuffled(using: &generator)
        #expect(files.path(from: 0)?.count == 15_000 && files.path(from: 14_990)?.count == 10)
    }

    @Test("are few, and each is folded as often as its number has digits")
    func folding() {
        var told = SyncState.ToldGroup()
        var (most, written) = (0, 0)
        let count = 5_000
        for number in 0..<count {
            let folded = told.segments.suffix(told.foldedCount)
            let weight = UInt8(folded.count / (SyncState.ToldGroup.fold - 1))
            let size = folded.reduce(1) { $0 + $1.size }
            let start = folded.first?.start ?? UInt64(number)
            told.segments.removeLast(folded.count)
            told.segments.append(.init(after: start, start: start, weight: weight, size: size))
            written += Int(size)
            most = max(most, told.segments.count)
            #expect(told.segments.reduce(0) { $0 + $1.size } == UInt64(number + 1))
        }
        #expect(most <= 35 && written < count * 6, "\(most) at a time, \(written) written")
    }
}
