import Keyfob
import KeyfobSecretService
import KeyfobTestSupport
import Testing

/// Tokens that another program has put in the place of others: however either is written, a repair takes the new one over,
/// and nothing is told of it after that.
@Suite("Tokens that a repair takes over", .waitsForPrograms)
struct TakenOverItemTests {
    /// What is written as it is, and what is not.
    private static let stored: [[UInt8]] = [
        Array("plain".utf8), Array("{TITLE}".utf8), Array("two\nlines".utf8), [0, 0xFF],
    ]

    private static let put: [[UInt8]] =
        [
            "changed", "{hand", "a{b}", "{TITLE}{", "\"quoted\"", "{\"json\": true}", "line\nbreak", "end of a line\n",
            "c2VjcmV0", "e1RJVExFfQ==", "schön", "-", "x y",
        ].map { Array($0.utf8) } + [
            [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16),
            // KeePassXC takes for ever over as many braces.
            Array("{".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16),
            [0xC3, 0x28], [0, 1, 0],
        ]

    /// In a run without KeePassXC, GNOME's keyring alone.
    private static let services = SecretServiceSession.hasKeePassXC ? [DesktopService.keyring, .keePassXC] : [.keyring]

    private let ada: Account
    private let request = TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])

    init() throws { ada = try Account.contoso("ada") }

    /// A vault with a service that needs no screen.
    private func home(_ service: DesktopService) throws -> KeyringHome {
        try KeyringHome(in: SharedSession(service == .keyring ? .keyring : .keePassXC(asking: false)))
    }

    /// A text without the end of a line, which counts for nothing.
    private func trimmed(_ text: [UInt8]) -> [UInt8] {
        Array(text[..<(text.lastIndex { ![0x0A, 0x0D, 0x20].contains($0) }.map { $0 + 1 } ?? 0)])
    }

    @Test("whatever it is and whatever was there before", arguments: services)
    func takenOver(service: DesktopService) throws {
        let home = try home(service)
        let items = try home.items()
        try home.keyring.store(.access(ada), "first", for: ada)
        let item = try items.record(["xdg:schema": "io.keyfob.AccessToken"])
        for (number, token) in Self.stored.enumerated() {
            for (place, text) in Self.put.enumerated() where TestLength.isFull || (place + number) % 2 == 0 {
                let comment: Comment = "\(String(decoding: text.prefix(20), as: UTF8.self)) after \(token)"
                _ = try home.keyring.tokens.store(.access(ada), secret: secret(token), for: ada)
                try items.set(item, to: text)
                // As the service has it: KeePassXC keeps text alone.
                let expected = trimmed(try items.content(item))
                #expect(try home.opened().refusal(request) == .damaged, comment)
                #expect(try home.opened().health.verify().replacedTokens.count == 1, comment)
                #expect(try home.keyring.health.repair().takenOver.map(\.loss.account) == [ada.id], comment)
                let verified = try home.opened().health.verify()
                #expect(verified.isSound && verified.replacedTokens.isEmpty, comment)
                let isSame = try home.opened().tokens.stored(for: request).secret.isEqual(to: secret(expected))
                #expect(isSame, comment)
                let isPlain = try items.content(item) == expected
                let encoding = try items.attributes(item)["encoding"] ?? ""
                #expect(encoding == (isPlain ? "" : "base64url"), comment)
            }
        }
        try home.keyring.store(.access(ada), "again", for: ada)
        #expect(try home.opened().tokenText(request) == "again")
    }

    @Test(
        "a repair that was stopped before it wrote the token takes the same one over again",
        arguments: ["{hand", "c2VjcmV0"])
    func stopped(text: String) throws {
        let session = try RefusingSession()
        let home = try KeyringHome(in: session.session)
        let items = try home.items()
        try home.keyring.store(.access(ada), "line\nbreak", for: ada)
        let item = try items.record(["xdg:schema": "io.keyfob.AccessToken"])
        var number = 1
        repeat {
            _ = try home.keyring.tokens.store(.access(ada), secret: secret("line\nbreak"), for: ada)
            try items.set(item, to: Array(text.utf8))
            try session.order("refuse from \(number) \(RefusingSession.changes)")
            let refused = failure(of: KeyringError.self) { _ = try home.keyring.health.repair() }
            // What cannot be noted is a warning: the repair itself is done.
            let isUnnoted = home.keyring.takeWarnings().contains { $0.message.contains("could not be noted") }
            #expect((refused != nil || isUnnoted) == session.hasRefused)
            try session.order("")
            _ = try home.keyring.health.repair()
            #expect(try home.opened().health.verify().isSound, "\(number)")
            #expect(try home.opened().tokenText(request) == text, "\(number)")
            if refused == nil { break }
            number += 1
        } while number < 10
        #expect(number > 2)
    }

    @Test("text that is no token is nothing, and a repair removes its item", arguments: services, ["", "\n"])
    func emptied(service: DesktopService, text: String) throws {
        let home = try home(service)
        let items = try home.items()
        try home.keyring.store(.access(ada), "{first}", for: ada)
        let item = try items.record(["xdg:schema": "io.keyfob.AccessToken"])
        try #require(home.session).withSession { try $0.putRawSecret(text, at: item.path) }
        #expect(try home.opened().refusal(request) == .damaged)
        #expect(try home.opened().health.verify().problems.contains { $0.contains("is empty") })
        _ = try home.keyring.health.repair()
        #expect(try home.opened().health.verify().isSound)
        try home.keyring.store(.access(ada), "again", for: ada)
        #expect(try home.opened().tokenText(request) == "again")
    }

    @Test("an attribute that an item no longer has tells nothing, where the service keeps it too", arguments: services)
    func leftOut(service: DesktopService) throws {
        let home = try home(service)
        let items = try home.items()
        let work = try AccessGroup("work")
        try home.keyring.groups.create(work)
        let ada = try Account.contoso("ada", label: "boss")
        try home.keyring.store(.access(ada), "{first}", for: ada, in: [work])
        let token = try items.record(["xdg:schema": "io.keyfob.AccessToken"])
        #expect(try items.attributes(token)["label"] == "boss")
        try home.keyring.accounts.setLabel(nil, of: ada.id, in: work)
        try home.keyring.store(.access(ada, expires: 7_200), "second", for: self.ada, in: [work])
        let attributes = try items.attributes(token)
        #expect(["label", "encoding"].allSatisfy { (attributes[$0] ?? "").isEmpty }, "\(attributes)")
        let account = try items.record(["xdg:schema": "io.keyfob.Account"])
        #expect((try items.attributes(account)["called:boss"] ?? "").isEmpty)
        #expect(try items.records(["called:boss": "yes"]) == [])
        #expect(try home.opened().health.verify().isSound)
    }
}
