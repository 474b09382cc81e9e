import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// What a program gets that links nothing but the lookup.
@Suite("Tokens from the cache alone")
struct CachedTokenTests {
    private let home: KeyringHome
    private let ada: Account
    private let program: String

    init() throws {
        home = try KeyringHome()
        ada = try .contoso("ada")
        try home.folder.write("key", contents(of: keyFile(1)))
        program = try TestProgram.path("KeyfobCachedToken")
    }

    /// What a program writes.
    private func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    private func answer(account: String = "-", scope: String = "mail.read", after seconds: Int64 = 0) throws -> String {
        try output(
            of: program,
            [
                home.location.vault, home.location.state, home.folder.path + "/key",
                "\(noon.seconds + seconds)", account, scope,
            ]
        ).trimmingCharacters(in: .newlines)
    }

    @Test("the token is the one that the library answers with", arguments: ["-", "ada@contoso.example"])
    func token(account: String) throws {
        try home.keyring.store(.access(ada), "token of ada", for: ada)
        #expect(try answer(account: account) == "\(ada.name) token of ada")
    }

    @Test("several accounts, an expired token and a lowered mark are for the whole program")
    func misses() throws {
        let bob = try Account.contoso("bob")
        try home.keyring.store(.access(ada), "token of ada", for: ada)
        #expect(try answer(after: 3_500) == "miss: notFresh")
        #expect(try answer(scope: "mail.send").hasPrefix("miss: "))
        try home.keyring.store(.access(bob), "token of bob", for: bob)
        #expect(try answer().hasPrefix("miss: refused"))
        let mark = home.location.state + "/\(home.keyring.vaultID).mark"
        let text = try String(contentsOfFile: mark, encoding: .utf8)
        let raised = text.split(separator: "\n").map { "\($0.prefix { $0 != " " }) 999 -\n" }.joined()
        try raised.write(toFile: mark, atomically: true, encoding: .utf8)
        #expect(try answer(account: ada.username).hasPrefix("miss: warnings"))
    }

    @Test("a token that is bound to a key is for the whole program, which gives it to nobody alone")
    func bound() throws {
        var token = Credential.access(ada)
        (token.tokenType, token.keyID) = ("DPoP", "key")
        try home.keyring.store(token, "token of ada", for: ada)
        #expect(try answer().hasPrefix("miss: "))
        #expect(try answer(account: ada.username).hasPrefix("miss: "))
        var request = TokenRequest(account: ada.username)
        var code: KeyringError.Code?
        do {
            _ = try home.keyring.tokens.stored(for: request).found
        } catch {
            code = error.code
        }
        #expect(code == .proofNeeded)
        request.takesProofs = true
        let found = try home.keyring.tokens.stored(for: request).found
        #expect(found.credential.keyID == "key")
    }

    @Test("a vault that was taken back is for the whole program until that is accepted")
    func takenBack() throws {
        try home.keyring.store(.access(ada), "token of ada", for: ada)
        let earlier = try home.folder.read("vault/keyring.db")
        try home.keyring.store(.access(ada, expires: 4_000), "newer", for: ada)
        try home.folder.write("vault/keyring.db", earlier)
        for number in 1...4 {
            #expect(try answer().hasPrefix("miss: warnings"))
            try home.opened().store(.access(ada, expires: 5_000 + Int64(number)), "token of ada", for: ada)
        }
        #expect(try answer().hasPrefix("miss: warnings"))
        try home.opened().health.acceptRollback()
        #expect(try answer() == "\(ada.name) token of ada")
    }

    @Test("a vault in the place of another is for the whole program")
    func replaced() throws {
        let other = try KeyringHome()
        try other.keyring.store(.access(ada), "planted", for: ada)
        try FileManager.default.removeItem(atPath: home.location.vault)
        try FileManager.default.copyItem(atPath: other.location.vault, toPath: home.location.vault)
        #expect(try answer() == "miss: replaced")
        try Keyring.acceptVault(at: home.location)
        #expect(try answer() == "\(ada.name) planted")
    }

    @Test("it links neither Foundation nor what writes, BoringSSL, TOML, D-Bus or the network")
    func linkage() throws {
        let libraries = try output(of: "/usr/bin/env", ["readelf", "--dynamic", "--wide", program])
            .split(separator: "\n").filter { $0.contains("(NEEDED)") }
        #expect(!libraries.isEmpty)
        for name in ["Foundation", "icu", "libglib", "libsecret", "dbus", "curl", "ssl", "crypto"] {
            #expect(!libraries.contains { $0.localizedCaseInsensitiveContains(name) }, "\(libraries)")
        }
        let symbols = try output(of: "/usr/bin/env", ["nm", "--defined-only", program])
        #expect(symbols.contains("12KeyfobLookup"))
        // Each is how Swift or C++ mangles the name of a module.
        for module in [
            "11KeyfobStore", "7TOMLKit", "toml", "libcurl", "libcrypto", "6Keyfob", "19KeyfobSecretService", "6Crypto",
            "15KeyfobAgeHybrid",
        ] {
            #expect(!symbols.contains("$s\(module)"), "\(module)")
        }
        #expect(!symbols.contains("BoringSSL"))
    }
}
