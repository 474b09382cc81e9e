import KeyfobFiles
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("What is told once a day")
struct DailyNotesTests {
    private let folder: ScratchFolder
    private let notes: DailyNotes
    private let noon = Timestamp(seconds: 20_000 * 86_400 + 43_200)

    init() throws {
        folder = try ScratchFolder()
        notes = DailyNotes(state: folder.path + "/state", vault: "v")
    }

    @Test("is first once for each key and day, and what was told before is forgotten")
    func days() throws {
        #expect(try notes.isFirst("a", now: noon))
        #expect(try !notes.isFirst("a", now: noon.advanced(by: 3_600)))
        #expect(try notes.isFirst("b", now: noon))
        #expect(try notes.isFirst("a", now: noon.advanced(by: 43_200)))
        #expect(try POSIXFile.read(folder.path + "/state/v.told", limit: 100) == Array("20001 a\n".utf8))
    }

    @Test("a file that holds something else is written anew")
    func damaged() throws {
        #expect(try notes.isFirst("a", now: noon))
        try POSIXFile.replace(folder.path + "/state/v.told", with: [0xFF, 0x00, 0x0A])
        #expect(try notes.isFirst("a", now: noon) && !notes.isFirst("a", now: noon))
    }
}
