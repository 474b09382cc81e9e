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

    init() throws {
        folder = try ScratchFolder()
        mark = HighWaterMark(state: folder.path + "/state/deeper", vault: vault)
    }

    @Test("it only grows, until it is set back on purpose")
    func growing() throws {
        #expect(try mark.sequence(of: nil) == 0)
        try mark.raise([(nil, 5), (group, 7)])
        try mark.raise([(nil, 3), (group, 9)])
        #expect(try mark.sequence(of: nil) == 5)
        #expect(try mark.sequence(of: group) == 9)
        #expect(try mark.sequence(of: .random()) == 0)
        try mark.reset([(nil, 2)])
        #expect(try mark.sequence(of: nil) == 2)
        #expect(try mark.sequence(of: group) == 9)
    }

    @Test("it is a text file that tells no name", arguments: [UInt64.max])
    func text(sequence: UInt64) throws {
        try mark.raise([(nil, 5), (group, sequence)])
        let lines = String(decoding: try folder.read("state/deeper/\(vault).mark"), as: UTF8.self).split(
            separator: "\n")
        #expect(lines.sorted() == ["\(group) \(sequence)", "header 5"].sorted()[...].map { $0[...] })
        #expect(try mark.sequence(of: group) == sequence)
    }

    @Test("each vault has its own")
    func vaults() throws {
        try mark.raise([(nil, 5)])
        #expect(try HighWaterMark(state: folder.path + "/state/deeper", vault: .random()).sequence(of: nil) == 0)
    }

    @Test("lines that make no sense are passed over")
    func nonsense() throws {
        try mark.raise([(nil, 1)])
        try folder.write(
            "state/deeper/\(vault).mark",
            Array("\nx\nheader -3\nheader 99999999999999999999999\nheader 4\n a b c\n".utf8))
        #expect(try mark.sequence(of: nil) == 4)
    }
}
