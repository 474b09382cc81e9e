import Foundation
import Keyfob
import KeyfobLookup
import KeyfobSodium
import KeyfobTestSupport
import Testing

/// What a stored token is answered with where bits of the vault are others, in this process.
@Suite("Tokens from the cache of a damaged vault")
struct DamagedCachedTokenTests {
    private let home: KeyringHome
    private let ada: Account

    init() throws {
        home = try KeyringHome()
        ada = try .contoso("ada")
        try home.keyring.store(.access(ada), "token of ada", for: ada)
    }

    /// The token; nil for a miss.
    private func answer(_ request: TokenRequest) -> String? {
        let answer = CachedToken.answer(
            request, vault: home.location.vault, state: home.location.state, key: .keyFile(keyFile(1)),
            now: noon, projectFiles: ProjectFileAccess(paths: { _ in [] }, problem: { _, _ in nil }))
        guard case .token(let secret, _) = consume answer else { return nil }
        return secret.withBytes { String(decoding: [UInt8]($0), as: UTF8.self) }
    }

    /// Tries the vault as it is: what is answered is right, and nothing else than the library says, which looks at more and
    /// may see damage where no token is.
    private func compare(_ what: String) {
        for request in [
            TokenRequest(account: ada.username, scopes: ["mail.read"]), TokenRequest(scopes: ["mail.read"]),
        ] {
            guard let token = answer(request) else { continue }
            #expect(token == "token of ada", "\(what)")
            let whole = try? home.opened().tokens.stored(for: request).secret.withBytes {
                String(decoding: [UInt8]($0), as: UTF8.self)
            }
            #expect(whole == nil || whole == token, "\(what)")
        }
    }

    @Test("each flipped bit and each truncation gives the right token or none")
    func damage() throws {
        let path = home.location.vault + "/keyring.db"
        let sound = try Data(contentsOf: URL(filePath: path))
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        compare("sound")
        var generator = SeededGenerator(seed: 3)
        let step = max(1, sound.count * 8 / TestLength.rounds(400, full: 20_000))
        var bit = Int.random(in: 0..<step, using: &generator)
        while bit < sound.count * 8 {
            try file.seek(toOffset: UInt64(bit / 8))
            try file.write(contentsOf: Data([sound[bit / 8] ^ 1 << (bit % 8)]))
            compare("bit \(bit)")
            // Whoever reads may have mended or moved something; it is the same file each time.
            try file.seek(toOffset: 0)
            try file.write(contentsOf: sound)
            bit += step
        }
        for count in stride(from: 0, to: sound.count, by: TestLength.rounds(4_096, full: 512)) {
            try file.truncate(atOffset: UInt64(count))
            compare("\(count) bytes")
            try file.seek(toOffset: 0)
            try file.write(contentsOf: sound)
        }
    }
}
