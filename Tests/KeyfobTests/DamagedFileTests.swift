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
        try keyring.accounts.setDefault(bob.id, in: .default)
        expected = try Observation(home)
        file = try home.folder.read("vault/keyring.db")
    }

    @Test("a flipped byte gives the right data or an error", arguments: [0x01, 0xFF] as [UInt8])
    func flips(mask: UInt8) throws {
        // From this offset on, every byte: takes many minutes.
        let exhaustiveStart = ProcessInfo.processInfo.environment["KEYFOB_EXHAUSTIVE_FROM"].flatMap { Int($0) } ?? .max
        let handle = try FileHandle(forUpdating: URL(filePath: home.location.vault + "/keyring.db"))
        defer { try? handle.close() }
        // Some of them, unless there is time for all.
        let share = TestLength.rounds(30, full: 1)
        for offset in file.indices {
            // Free space holds nothing to alter but zeros, and the middle of a sealed part is like the rest
            // of it; a sample will do.
            let isStructure = file[offset] < 0x20 || file[max(0, offset - 1)] == 0
            let step = file[offset] == 0 ? 211 : isStructure && mask == 0x01 ? 1 : 7
            let isExhaustive = offset >= exhaustiveStart
            guard isExhaustive || exhaustiveStart == .max && offset % (share * step) == 0 else { continue }
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: [file[offset] ^ mask])
            check("byte \(offset) xor \(mask)", isVerifying: isExhaustive || offset % 8 == 1)
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
            check("\(count) bytes", isVerifying: true)
        }
    }

    private func check(_ damage: String, isVerifying: Bool) {
        if let path = ProcessInfo.processInfo.environment["KEYFOB_DAMAGE_LOG"] {
            try? Data(damage.utf8).write(to: URL(filePath: path))
        }
        do {
            let found = try Observation(home, isVerifying: isVerifying)
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
    /// Whether the keyring told of records that it passed over.
    var isWarned = false
    var tokens: [Token] = []

    private static let requests = [
        TokenRequest(account: "ada@contoso.example", scopes: ["mail.read"]),
        TokenRequest(account: "work", realm: "contoso", clientID: "mailer", scopes: ["files.read"]),
        TokenRequest(),
    ]

    init(_ home: KeyringHome, isVerifying: Bool = false) throws(KeyringError) {
        let keyring: Keyring
        do {
            keyring = try home.opened()
        } catch {
            throw error as? KeyringError ?? KeyringError(.fault, "\(error)")
        }
        accounts = Result { () throws(KeyringError) in try keyring.accounts.list() }
        isWarned = keyring.takeWarnings().contains { $0.message.contains("is damaged and was passed over") }
        for request in Self.requests {
            do {
                tokens.append(.text(try keyring.tokenText(request)))
            } catch {
                tokens.append(.error(error))
            }
        }
        if isVerifying { _ = try? keyring.health.verify() }
    }

    /// Why an error misleads; nil when it says what is the matter.
    static func problem(with error: KeyringError) -> String? {
        [.damaged, .newerVersion].contains(error.code) ? nil : "\(error.code): \(error)"
    }

    /// Whether these are the accounts there were, or what is left of them after a warning.
    private func isRight(_ found: [Candidate], _ expected: Observation) -> Bool {
        if expected.accounts == .success(found) { return true }
        guard isWarned, case .success(let all) = expected.accounts else { return false }
        return Set(found.map(\.account)).isSubset(of: all.map(\.account)) && found.count <= all.count
    }

    /// What differs from what was seen before the damage, where it is not an error that says so.
    func differences(from expected: Observation) -> [String] {
        var problems: [String] = []
        switch accounts {
        case .success(let found):
            if !isRight(found, expected) { problems.append("the accounts are \(found.map(\.account.name))") }
        case .failure(let error): problems += [Self.problem(with: error)].compactMap(\.self)
        }
        for (index, token) in tokens.enumerated() where token != expected.tokens[index] {
            switch token {
            case .text(let text): problems.append("token \(index) is '\(text)'")
            case .error(let error):
                problems += [Self.problem(with: error).map { "token \(index): \($0)" }].compactMap(\.self)
            }
        }
        return problems
    }
}
