import Keyfob
import KeyfobTestSupport
import Testing

@Suite("The secrets of items")
struct ItemSecretTests {
    private let home: KeyringHome
    private let ada: Account
    private let request = TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"])

    init() throws {
        home = try KeyringHome(in: SharedSession.forOneVault())
        ada = try Account.contoso("ada")
    }

    /// Stores a token twice, the second time in the place of another, and expects it to come back.
    private func expectKept(_ token: [UInt8], isPlain: Bool, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for other in [nil, "plain", "line\nbreak"] {
            if let other { try home.keyring.store(.access(ada), other, for: ada) }
            _ = try home.keyring.tokens.store(.access(ada, expires: 7_200), secret: secret(token), for: ada)
            let items = try home.items()
            let item = try items.record(["xdg:schema": "io.keyfob.AccessToken"])
            #expect(try (items.content(item) == token) == isPlain, sourceLocation: sourceLocation)
            #expect(
                try items.attributes(item)["encoding"] == (isPlain ? nil : "base64url"),
                sourceLocation: sourceLocation)
            let answer = try home.opened().tokens.stored(for: request)
            let isSame = answer.secret.isEqual(to: secret(token))
            #expect(isSame, sourceLocation: sourceLocation)
        }
        #expect(try home.opened().health.verify().problems == [], sourceLocation: sourceLocation)
    }

    @Test(
        "printable ASCII is written as it is",
        arguments: ["t", "eyJ.eyJ9.x-_~+/=", "with spaces between", "}", "S0ZEMQ", "--", "%s\\n"])
    func plain(token: String) throws { try expectKept(Array(token.utf8), isPlain: true) }

    @Test(
        "all else is encoded",
        arguments: [
            "two\nlines", "end\n", "\r", " front", "back ", "{TITLE}", "a{", "bell\u{7}", "\u{0}zero\u{0}", "schön",
            "\u{FEFF}x",
            "-", "KFD1", "\u{7F}",
        ])
    func encoded(token: String) throws { try expectKept(Array(token.utf8), isPlain: false) }

    @Test("bytes that are no text, and a megabyte of either, come back")
    func large() throws {
        try expectKept((0...255).map { UInt8($0) }, isPlain: false)
        try expectKept([0xC3, 0x28], isPlain: false)
        try expectKept([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20), isPlain: true)
        try expectKept([UInt8](repeating: 0xFF, count: 1 << 20), isPlain: false)
    }
}
