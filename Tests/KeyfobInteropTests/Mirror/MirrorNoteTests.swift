import KeyfobModel
import KeyfobSodium
import Testing

@testable import KeyfobInterop

@Suite("What is noted of a mirror")
struct MirrorNoteTests {
    private func note() throws -> MirrorNote {
        let ada = try #require(AccountID(homeAccountID: "ada.utid", environment: "login.example.com"))
        var note = MirrorNote(
            file: "/a b/%\n/cache.json", program: "azure-cli", vault: "v", group: try AccessGroup("the group"))
        note.clients = ["one", ""]
        note.passedAt = Timestamp(seconds: 1_000)
        let (first, second) = (MirrorDigest(ada), MirrorDigest(ada, clientID: "one"))
        note.traces = [
            first: MirrorNote.Trace(account: first, owner: nil, isGrant: false, there: second, here: nil),
            second: MirrorNote.Trace(account: first, owner: second, isGrant: true, there: nil, here: first),
        ]
        note.leftOut = MirrorNote.Reason.allCases.map {
            MirrorNote.LeftOut(account: ada, name: "Ada 'x'\nB", reason: $0)
        }
        note.brought = [first]
        note.subscriptions = [second]
        return Array("{}".utf8).withBytes { note.before(writing: $0, for: [ada], ending: note) }
    }

    @Test("it is read as it was written")
    func roundTrip() throws {
        let note = try note()
        #expect(MirrorNote(text: note.text) == note)
        #expect(note.underWay?.brought == [MirrorDigest(try #require(note.leftOut.first).account)])
        let plain = MirrorNote(file: "/f", program: "msal", vault: "v", group: try AccessGroup("g"))
        #expect(MirrorNote(text: plain.text) == plain)
    }

    @Test("what is cut off or has another word is none, or says less, and never more")
    func damage() throws {
        let note = try note()
        let text = note.text
        #expect(MirrorNote(text: "") == nil && MirrorNote(text: text.replacing("mirror 1", with: "mirror 2")) == nil)
        for count in 0..<text.count {
            guard let read = MirrorNote(text: String(text.prefix(count))) else { continue }
            #expect(read.brought.isSubset(of: note.brought) && read.subscriptions.isSubset(of: note.subscriptions))
            #expect(Set(read.traces.keys).isSubset(of: note.traces.keys))
        }
        for line in ["brought x", "left a b c d", "under-way 00", "brings 00", "unknown", "entry 1 2 3 4 5 6"] {
            #expect(MirrorNote(text: text + line + "\n") == nil, "\(line)")
        }
    }
}
