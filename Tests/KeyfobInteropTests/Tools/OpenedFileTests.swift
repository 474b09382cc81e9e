import Foundation
import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// gcloud's databases, which gcloud 2026 wrote itself, and what pizauth 1 dumps.
@Suite("Files that are opened before they are read")
struct OpenedFileTests {
    /// Of a file what was in it, as other tools' files are read.
    private func read(_ bytes: [UInt8]) throws(ToolFileError) -> ToolSample? {
        let opened = try bytes.withBytes { (bytes) throws(ToolFileError) in try ToolFile.opened(bytes) }
        guard let opened else { return nil }
        return try ToolSample(opened.withBytes { [UInt8]($0) })
    }

    private func database(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: folder.appending(path: "Support/\(name).db")))
    }

    @Test("gcloud's sign-ins have a refresh token and its client each, its access tokens an end")
    func gcloud() throws {
        let bytes = try database("gcloud-credentials")
        #expect(bytes.withBytes { ToolFile.format(of: $0) } == .gcloudDatabase)
        let credentials = try #require(try read(bytes))
        #expect(
            credentials.tokens == [
                "refresh_token ada@corp.example@accounts.google.com 1//refresh-ada",
                "refresh_token bob@corp.example@accounts.google.com 1//refresh-bob",
            ])
        #expect(
            credentials.clients.first == "32555940559.apps.googleusercontent.com accounts.google.com public-secret")
        #expect(credentials.credentials.first?.scopes == ["openid", "https://www.googleapis.com/auth/cloud-platform"])
        let tokens = try #require(try read(database("gcloud-access-tokens")))
        #expect(tokens.tokens.first == "access_token ada@corp.example@accounts.google.com ya29.access-ada")
        #expect(tokens.credentials.first?.expiresOn?.rfc3339 == "2033-05-18T03:33:20Z")
        #expect(tokens.credentials.map(\.clientID) == credentials.credentials.map(\.clientID))
    }

    @Test("a database that was cut off, or changed in any byte, gives an answer and no trap")
    func damagedDatabase() throws {
        let whole = try database("gcloud-credentials")
        let tokens = try #require(try read(whole)).tokens
        for count in stride(from: 0, to: whole.count, by: 97) {
            let part = try? read(Array(whole[..<count]))
            #expect(part?.tokens.allSatisfy(tokens.contains) ?? true, "\(count)")
        }
        for index in whole.indices where whole[index] != 0 || index < 120 || index % 4_096 < 16 {
            for mask in [UInt8(1), 0x40, 0xFF] {
                var changed = whole
                changed[index] ^= mask
                _ = try? read(changed)?.findings
            }
        }
        // A page that leads to itself, and a table that is where there is no page.
        var loop = whole
        loop.replaceSubrange(4_096..<4_110, with: [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0])
        #expect(throws: ToolFileError.database) { try read(loop) }
        var wal = whole
        (wal[18], wal[19]) = (2, 2)
        #expect(throws: ToolFileError.database) { try read(wal) }
    }

    /// A dump of accounts, as pizauth 1 writes it.
    private func dump(_ accounts: [[UInt8]], version: UInt8 = 1, more: [UInt8] = []) -> [UInt8] {
        let key: [UInt8] = [
            0x66, 0xA2, 0x47, 0xA8, 0x5E, 0x48, 0xCF, 0xEC, 0xAA, 0xED, 0x9B, 0x36, 0xEB, 0xA9, 0x7D, 0x53,
            0x50, 0xD4, 0x28, 0x63, 0x75, 0x09, 0x7A, 0x44, 0xEE, 0xFF, 0xB9, 0xC4, 0x54, 0x6B, 0x65, 0xA3,
        ]
        let plain = number(UInt64(version)) + number(UInt64(accounts.count)) + accounts.flatMap(\.self) + more
        let nonce = [UInt8](repeating: 9, count: 12)
        return nonce
            + plain.withBytes { plain in key.withBytes { ChaCha20Poly1305.seal(plain, key: $0, nonce: nonce) } }
    }

    private func number(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    private func text(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count)) + Array(text.utf8) }

    private func account(
        _ name: String, at authorization: String, _ endpoint: String, hint: String? = nil, tokens: Bool = true
    ) -> [UInt8] {
        let hints = hint.map { number(1) + text("login_hint") + text($0) } ?? number(0)
        let time = [0, 0, 0, 0] as [UInt8]
        let active: [UInt8] =
            [1, 0, 0, 0] + text("at-\(name)") + number(1_000) + time + number(2_000) + time + [1] + text("rt-\(name)")
        return text(name) + text(authorization) + hints + text("client") + [1] + text("secret")
            + text("http://localhost/") + number(2) + text("mail") + text("offline") + text(endpoint)
            + (tokens ? active : [0, 0, 0, 0])
    }

    private var sample: [UInt8] {
        dump([
            account(
                "work", at: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
                "https://login.microsoftonline.com/common/oauth2/v2.0/token", hint: "ada@corp.example"),
            account("home", at: "https://accounts.google.com/o/oauth2/auth", "https://oauth2.googleapis.com/token"),
            account("odd", at: "https://accounts.google.com/o/oauth2/auth", "https://evil.example/token"),
            account("http", at: "http://idp.example/auth", "https://idp.example/token"),
            account("own", at: "https://idp.example/auth", "https://idp.example/token"),
            account("new", at: "https://idp.example/auth", "https://idp.example/token", tokens: false),
        ])
    }

    @Test("a dump has each account's tokens with client, scopes and end, and none for another provider's endpoint")
    func pizauth() throws {
        #expect(sample.withBytes { ToolFile.format(of: $0) } == .pizauth)
        let read = try #require(try read(sample))
        #expect(
            read.tokens == [
                "access_token ada@corp.example@login.microsoftonline.com at-work",
                "refresh_token ada@corp.example@login.microsoftonline.com rt-work",
                "access_token home@accounts.google.com at-home", "refresh_token home@accounts.google.com rt-home",
                "access_token own@idp.example at-own", "refresh_token own@idp.example rt-own",
            ])
        #expect(
            read.findings == [
                "user 'odd': its token endpoint is not one of the provider that it signs in at",
                "user 'http': its issuer is not an https address, or is that of a service",
            ])
        #expect(read.credentials.first?.expiresOn == Timestamp(seconds: 2_000))
        #expect(read.credentials.first?.cachedAt == Timestamp(seconds: 1_000))
        #expect(read.credentials.first?.scopes == ["mail", "offline"])
        #expect(read.clients.first == "client login.microsoftonline.com secret")
    }

    @Test("a dump that was changed is none, and one of another version or shape is refused")
    func damagedDump() throws {
        let whole = sample
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1
            #expect(try read(changed) == nil)
            #expect(try read(Array(whole[..<index])) == nil)
        }
        #expect(throws: ToolFileError.damagedDump) { try read(dump([], more: [0])) }
        #expect(throws: ToolFileError.damagedDump) { try read(dump([number(.max)])) }
        #expect(throws: ToolFileError.damagedDump) { try read(dump([text("a") + text("b") + number(1 << 40)])) }
        #expect(throws: ToolFileError.damagedDump) { try read(dump([], version: 2)) }
        let entry = account("work", at: "https://idp.example/auth", "https://idp.example/token")
        for count in 1..<entry.count {
            #expect(throws: ToolFileError.damagedDump) { try read(dump([Array(entry[..<count])])) }
        }
    }
}
