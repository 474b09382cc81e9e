import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import Testing

@Suite("What a pass of a mirror does")
struct MirrorMergeTests {
    private static let now = Timestamp(seconds: 2_000)
    private static let file = "/home/ada/.azure/msal_token_cache.json"

    /// A person's account in a cache, with an access token and a refresh token that were stored at a time.
    private struct Person {
        let name: String
        let time: Int
        var version = "1"
        var hasAccessToken = true

        var entities: [(MSALSection, String)] {
            let id: (String, String?) = ("home_account_id", "\"\(name).utid\"")
            let access: KeyValuePairs<String, String?> = [
                id.0: id.1, "secret": "\"access-\(name)-\(version)\"", "cached_at": "\"\(time)\"",
                "expires_on": "\"9000\"",
            ]
            let refresh: KeyValuePairs<String, String?> = [
                id.0: id.1, "secret": "\"refresh-\(name)-\(version)\"", "last_modification_time": "\"\(time)\"",
            ]
            return [
                (MSALSection.account, CacheFile.entity(.account, [id.0: id.1, "username": "\"\(name)\""])),
                (.accessToken, CacheFile.entity(.accessToken, access)),
                (.refreshToken, CacheFile.entity(.refreshToken, refresh)),
            ].filter { hasAccessToken || $0.0 != .accessToken }
        }

        var id: AccountID? { AccountID(homeAccountID: "\(name).utid", environment: "login.example.com") }
    }

    private func text(_ people: [Person]) -> [UInt8] {
        let sections = [MSALSection.account, .accessToken, .refreshToken].map { section in
            let entities = people.flatMap { person in
                person.entities.filter { $0.0 == section }.map { "\"\(person.name)\":\($0.1)" }
            }
            return "\"\(section.rawValue)\":{\(entities.joined(separator: ","))}"
        }
        return Array("{\(sections.joined(separator: ","))}".utf8)
    }

    private func document(_ people: [Person]) throws -> MSALDocument {
        try text(people).withBytes { (bytes) throws(MSALCacheError) in try MSALDocument(reading: bytes) }
    }

    private func group(_ people: [Person], signedOut: [Person] = []) throws -> MirrorMerge.Group {
        MirrorMerge.Group(
            document: try document(people),
            accounts: Set((people + signedOut).compactMap(\.id).map { MirrorDigest($0) }),
            signedOut: Set(signedOut.compactMap(\.id).map { MirrorDigest($0, clientID: "client") }), isIncomplete: false
        )
    }

    private func newNote() throws -> MirrorNote {
        MirrorNote(file: Self.file, program: "msal", vault: "v", group: try AccessGroup("default"))
    }

    private func merge(
        _ there: [Person], _ here: MirrorMerge.Group, since note: MirrorNote, bringsBack: Bool = false
    ) throws -> MirrorMerge {
        MirrorMerge(try document(there), here, since: note, bringsBack: bringsBack, now: Self.now) { _ in true }
    }

    /// What is left of a pass after which both sides have the same.
    private func note(after people: [Person]) throws -> MirrorNote {
        try merge(people, try group(people), since: try newNote()).succeeding(refusing: [], keeping: []) {
            $0.description
        }
    }

    private func went(_ merge: MirrorMerge, of people: [Person]) throws -> Set<String> {
        let entries = try document(people).entries
        return Set(merge.additions.compactMap { entries[$0].account?.homeAccountID })
    }

    private let ada = Person(name: "ada", time: 1_000)
    private let bob = Person(name: "bob", time: 1_000)

    @Test("who is on one side comes to the other")
    func bothWays() throws {
        let pass = try merge([ada], try group([bob]), since: try newNote())
        #expect(pass.accounts.map(\.id) == [ada.id])
        #expect(pass.tokens.map(\.token.credential.kind) == [.refreshToken, .accessToken])
        #expect(try went(pass, of: [bob]) == ["bob.utid"])
        #expect(pass.removals.isEmpty && pass.leftThere.isEmpty && pass.ended.isEmpty)
    }

    @Test("the token that was stored later wins, and of the same second the file's")
    func later() throws {
        let newer = Person(name: "ada", time: 1_500, version: "2")
        let taken = try merge([newer], try group([ada]), since: try note(after: [ada]))
        #expect(taken.tokens.count == 2 && taken.additions.isEmpty)
        let written = try merge([ada], try group([newer]), since: try note(after: [ada]))
        #expect(written.tokens.isEmpty && written.additions.count == 2)
        let other = Person(name: "ada", time: 1_000, version: "2")
        let tie = try merge([other], try group([ada]), since: try note(after: [ada]))
        #expect(tie.tokens.count == 2 && tie.tokens.allSatisfy(\.isTie) && tie.additions.isEmpty)
        let ours = try merge([ada], try group([other]), since: try note(after: [ada]))
        #expect(ours.tokens.isEmpty && ours.additions.count == 2)
        let future = try merge([Person(name: "ada", time: 3_000, version: "2")], try group([ada]), since: try newNote())
        #expect(future.tokens.isEmpty && future.fromTheFuture == 2)
    }

    @Test("who is signed out or removed here is taken out there, whatever the program made of it")
    func endedHere() throws {
        let before = try note(after: [ada, bob])
        let newer = Person(name: "ada", time: 1_500, version: "2")
        for here in [try group([bob]), try group([bob], signedOut: [ada])] {
            let pass = try merge([newer, bob], here, since: before)
            #expect(pass.ended == [ada.id] && pass.removals.count == 3 && pass.tokens.isEmpty)
        }
    }

    @Test("who is signed out there stays here, and is left out until it is there again, or brought back")
    func signedOutThere() throws {
        let before = try note(after: [ada, bob])
        let pass = try merge([bob], try group([ada, bob]), since: before)
        #expect(pass.leftThere == [ada.id] && pass.additions.isEmpty)
        let after = pass.succeeding(refusing: [], keeping: []) { $0.description }
        #expect(after.leftOut.map(\.account) == [ada.id])
        let again = try merge([bob], try group([ada, bob]), since: after)
        #expect(again.leftThere.isEmpty && again.additions.isEmpty)
        let back = try merge([bob], try group([ada, bob]), since: after, bringsBack: true)
        #expect(try went(back, of: [ada, bob]) == ["ada.utid"])
        let newer = Person(name: "ada", time: 1_500, version: "2")
        #expect(try merge([newer, bob], try group([ada, bob]), since: after).returned == [ada.id])
    }

    @Test("who signs out there after a pass that was killed at its end stays away, and who was not brought yet comes")
    func killed() throws {
        let here = try group([ada, bob])
        let first = try note(after: [bob])
        let pass = try merge([bob], here, since: first)
        #expect(try went(pass, of: [ada, bob]) == ["ada.utid"])
        let ending = pass.succeeding(refusing: [], keeping: []) { $0.description }
        let begun = text([bob]).withBytes { first.before(writing: $0, for: [ada.id].compactMap { $0 }, ending: ending) }
        let kept = try #require(MirrorNote(text: begun.text))
        #expect(kept == begun)
        // The file was not written.
        #expect(try went(merge([bob], here, since: kept), of: [ada, bob]) == ["ada.utid"])
        // It was.
        let done = try merge([ada, bob], here, since: kept)
        #expect(done.additions.isEmpty && done.leftThere.isEmpty)
        // It was, and the program signed somebody out and refreshed somebody.
        let refreshed = Person(name: "bob", time: 1_500, version: "2")
        let late = try merge([refreshed], here, since: kept)
        #expect(late.leftThere == [ada.id] && late.additions.isEmpty)
        #expect(late.succeeding(refusing: [], keeping: []) { $0.description }.underWay == nil)
    }

    @Test("what a program takes out alone, as an access token that has expired, does not come back")
    func expired() throws {
        let before = try note(after: [ada])
        let less = Person(name: "ada", time: 1_000, hasAccessToken: false)
        let pass = try merge([less], try group([ada]), since: before)
        #expect(pass.additions.isEmpty && pass.leftThere.isEmpty)
    }
}
