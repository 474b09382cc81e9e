import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

/// Every byte of a vault's database is altered, one at a time: what comes out is right, or an error.
@Suite("A damaged database")
struct DamagedFileTests {
    private let home: KeyringHome
    private let expected: Observation
    private let file: [UInt8]

    init() throws {
        home = try KeyringHome()
        let keyring = home.keyring
        let (ada, bob) = (try Account.contoso("ada", label: "work"), try Account.contoso("bob"))
        try keyring.store(.access(ada), "token of ada", for: ada)
        try keyring.store(.access(ada, scopes: ["files.read"]), "files of ada", for: ada)
        try keyring.store(.refresh(ada), "refresh of ada", for: ada)
        try keyring.store(.access(bob, client: "other"), "token of bob", for: bob)
        try keyring.setDefault(bob.id, in: .default)
        expected = try Observation(home)
        file = try home.folder.read("vault/keyring.db")
    }

    @Test("a flipped byte gives the right data or an error", arguments: [0x01, 0xFF] as [UInt8])
    func flips(mask: UInt8) throws {
        let isExhaustive = ProcessInfo.processInfo.environment["KEYFOB_EXHAUSTIVE"] != nil
        let handle = try FileHandle(forUpdating: URL(filePath: home.location.vault + "/keyring.db"))
        defer { try? handle.close() }
        for offset in file.indices {
            // Free space holds nothing to alter but zeros; a sample of it will do.
            let isSampled = file[offset] == 0 ? offset % 61 == 0 : mask == 0x01 || offset % 7 == 0
            guard isExhaustive || isSampled else { continue }
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: [file[offset] ^ mask])
            check("byte \(offset) xor \(mask)")
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: [file[offset]])
        }
        #expect(try Observation(home) == expected)
    }

    @Test("a truncated file gives the right data or an error")
    func truncations() throws {
        let odd = [0, 1, 15, 16, 99, 100, 101, 4_095, 8_191, 8_193, file.count - 1]
        for count in odd + Array(stride(from: 512, to: file.count, by: 512)) {
            try home.folder.write("vault/keyring.db", Array(file.prefix(count)))
            check("\(count) bytes")
        }
    }

    private func check(_ damage: String) {
        if let path = ProcessInfo.processInfo.environment["KEYFOB_DAMAGE_LOG"] {
            try? Data(damage.utf8).write(to: URL(filePath: path))
        }
        do {
            let found = try Observation(home)
            for problem in found.differences(from: expected) {
                Issue.record("\(damage): \(problem)")
            }
        } catch {
            if let problem = Observation.problem(with: error) { Issue.record("\(damage): \(problem)") }
        }
    }
}

/// What a user sees of a vault.
private struct Observation: Equatable {
    enum Token: Equatable {
        case text(String)
        case error(KeyringError)
    }

    var accounts: Result<[Candidate], KeyringError>
    var tokens: [Token] = []

    private static let requests = [
        TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"]),
        TokenRequest(account: "work", realm: "contoso", clientID: "mailer", scopes: ["files.read"]),
        TokenRequest(),
    ]

    init(_ home: KeyringHome) throws(KeyringError) {
        let keyring: Keyring
        do {
            keyring = try home.opened()
        } catch {
            throw error as? KeyringError ?? KeyringError(.fault, "\(error)")
        }
        accounts = Result { () throws(KeyringError) in try keyring.accounts() }
        for request in Self.requests {
            do {
                tokens.append(.text(try keyring.tokenText(request)))
            } catch {
                tokens.append(.error(error))
            }
        }
        _ = try? keyring.verify()
    }

    /// Why an error misleads; nil when it says what is the matter.
    static func problem(with error: KeyringError) -> String? {
        [.damaged, .newerVersion].contains(error.code) ? nil : "\(error.code): \(error)"
    }

    /// What differs from what was seen before the damage, where it is not an error that says so.
    func differences(from expected: Observation) -> [String] {
        var problems: [String] = []
        switch accounts {
        case .success(let found):
            if .success(found) != expected.accounts { problems.append("the accounts are \(found.map(\.account.name))") }
        case .failure(let error): problems += [Self.problem(with: error)].compactMap(\.self)
        }
        for (index, token) in tokens.enumerated() where token != expected.tokens[index] {
            switch token {
            case .text(let text): problems.append("token \(index) is '\(text)'")
            case .error(let error): problems += [Self.problem(with: error).map { "token \(index): \($0)" }].compactMap(\.self)
            }
        }
        return problems
    }
}
