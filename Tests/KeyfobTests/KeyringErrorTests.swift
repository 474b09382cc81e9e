import Keyfob
import KeyfobSQLiteTestSupport
import KeyfobTestSupport
import Testing

@Suite("The errors of a keyring")
struct KeyringErrorTests {
    private static let token = "eyJhbGciOiJub25lIn0.secret"
    private static let passphrase = "correct horse battery staple"

    private let home: KeyringHome
    private let ada: Account

    init() throws {
        home = try KeyringHome()
        ada = try .contoso("ada")
        try home.keyring.store(.access(ada), Self.token, for: ada)
        try home.keyring.store(.access(ada, scopes: ["files.read"], expires: 10), Self.token, for: ada)
    }

    /// The errors of everything that can go wrong, with the secrets at hand.
    private func errors() throws -> [KeyringError] {
        let keyring = home.keyring
        let location = home.location
        let bob = try Account.contoso("bob")
        _ = try keyring.slots.grant(.default, to: .keyFile(keyFile(2)))
        let limited = try home.opened(keyFile: 2)
        let recovery = text(of: secret(home.recoveryKey))
        let attempts: [() throws -> Void] = [
            { _ = try LockedKeyring(at: location).unlock(with: .passphrase(secret(Self.passphrase))) },
            { _ = try LockedKeyring(at: location).unlock(with: .keyFile(secret(Self.passphrase))) },
            { _ = try LockedKeyring(at: location).unlock(with: .identity(secret(recovery + "x"))) },
            { _ = try LockedKeyring(at: location).unlock(with: .identity(secret(Self.passphrase))) },
            { _ = try Keyring.create(at: location, slot: .passphrase(secret(Self.passphrase))) },
            { _ = try keyring.slots.add(.passphrase(secret(Self.passphrase), memory: 1)) },
            { _ = try keyring.slots.add(.recipient(recovery)) },
            { _ = try keyring.slots.add(.keyFile(secret("short"))) },
            { try keyring.store(.access(bob), Self.token, for: ada) },
            { try keyring.store(.access(ada), String(repeating: Self.token, count: 50_000), for: ada) },
            { try keyring.store(.access(ada), Self.token, for: ada, in: [AccessGroup("nowhere")]) },
            { try limited.groups.create(AccessGroup("x")) },
            { _ = try keyring.caches.importMSAL(secret(#"{"AccessToken": "\#(Self.token)"#)) },
            { _ = try keyring.caches.importMSAL(secret(#"["\#(Self.token)"]"#)) },
            { _ = try keyring.tokens.stored(for: TokenRequest(account: "eve")) },
            { _ = try keyring.tokens.stored(for: TokenRequest(account: "ada", scopes: ["files.read"])) },
            { _ = try keyring.tokens.stored(for: TokenRequest(account: "ada", scopes: ["nothing"])) },
            { try keyring.accounts.setLabel("\u{7}", of: ada.id, in: .default) },
            { try keyring.slots.remove("f") },
            { try self.home.database().run("UPDATE secrets SET bytes = zeroblob(80)") },
            { _ = try keyring.tokens.stored(for: TokenRequest(account: "ada", scopes: ["mail.read"])) },
            { _ = try keyring.groups.rotate(.default) },
            { try self.home.database().run("UPDATE manifests SET sealed = zeroblob(200)") },
            { try keyring.store(.access(ada), Self.token, for: ada) },
            { _ = try keyring.groups.list() },
        ]
        return attempts.compactMap { failure(of: KeyringError.self, $0) }
    }

    @Test("none of them tells a secret")
    func secrets() throws {
        let errors = try errors()
        #expect(errors.count >= 20)
        let recovery = text(of: secret(home.recoveryKey))
        for error in errors {
            let told = ([error.description, error.message, "\(error.advice.map { "\($0)" } ?? "")"] + error.candidates)
                .joined(separator: "\n")
            for secret in [Self.token, Self.passphrase, recovery, "eyJhbGci", "horse"] {
                #expect(!told.contains(secret), "\(error.code)")
            }
            #expect(error.code != .fault, "\(error)")
        }
    }

    @Test("each code has one spelling, which documents rely on")
    func codes() {
        #expect(Set(KeyringError.Code.allCases.map(\.rawValue)).count == KeyringError.Code.allCases.count)
        #expect(KeyringError.Code.signInNeeded.rawValue == "signInNeeded")
        #expect(KeyringError.Code.groupNotGranted.rawValue == "groupNotGranted")
    }

    @Test("two errors are equal when their codes are")
    func equality() {
        #expect(KeyringError(.damaged, "a") == KeyringError(.damaged, "b", advice: .verify))
        #expect(KeyringError(.damaged, "a") != KeyringError(.busy, "a"))
        #expect(KeyringError(.damaged, "a", advice: .repair).description == "a")
    }
}
