internal import Glibc
internal import Keyfob
internal import KeyfobLookup
internal import KeyfobSodium
internal import Synchronization

/// `keyfob_options`: the names of options, each with its values.
final class OptionValues: Sendable {
    /// The largest value, in bytes.
    static let sizeLimit = 65_536
    /// How many values an option has at most.
    static let countLimit = 1_000

    private static let flags: Set = ["may-ask", "force-refresh", "extended-lifetime", "offline", "forget"]
    private static let lists: Set = ["scope", "group"]
    /// What opens a keyring.
    static let ofOpening: Set = ["vault", "key-file", "ca-file", "may-ask"]
    /// What a request for a token has.
    static let ofRequest: Set = [
        "account", "scope", "resource", "authority", "tenant", "client", "url", "allow-host", "tool", "group",
        "min-validity", "force-refresh", "claims", "extended-lifetime", "offline",
    ]
    /// What entries of a cache are found by.
    static let ofEntries: Set = ["section", "home-account-id", "environment", "client", "group"]
    /// What the removal of an account takes.
    static let ofRemoval: Set = ["account", "client", "forget", "group"]
    /// What an undo takes.
    static let ofUndo: Set = ["id", "force", "group"]
    private static let names = ofOpening.union(ofRequest).union(ofEntries).union(ofRemoval).union(ofUndo)

    private let values = Mutex<[String: [String]]>([:])

    /// Sets a value, adds it to those of an option that collects them, or takes all away.
    ///
    /// - Throws: `usage`.
    func set(_ name: String, _ value: String?) throws(KeyringError) {
        guard Self.names.contains(name) else { throw KeyringError(.usage, Self.unknown(name)) }
        guard let value else { return values.withLock { $0[name] = nil } }
        if Self.flags.contains(name), Bool(value) == nil {
            throw KeyringError(.usage, "--\(name) is \"true\" or \"false\"")
        }
        if name == "min-validity", Int64(value).map(TokenRequest.minimumValidities.contains) != true {
            throw KeyringError(.usage, "--min-validity is between 0 and 86400 seconds")
        }
        if name == "claims", let flaw = ClaimsText.flaw(value) { throw KeyringError(.usage, flaw) }
        let before = Self.lists.contains(name) ? values.withLock { $0[name] ?? [] } : []
        guard before.count < Self.countLimit else {
            throw KeyringError(.limitExceeded, "--\(name) has more than \(Self.countLimit) values")
        }
        values.withLock { $0[name] = before + [value] }
    }

    /// What is said of an option that there is not; what could not be typed as one is not repeated.
    private static func unknown(_ name: String) -> String {
        let isWord = name.utf8.count <= 40 && name.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0 | 0x20) }
        return isWord && !name.isEmpty ? "there is no option --\(name)" : "there is no option of that name"
    }

    /// The values, where a call takes those that are set.
    ///
    /// - Throws: `usage`.
    func snapshot(taking names: Set<String>) throws(KeyringError) -> Snapshot {
        let values = values.withLock { $0 }
        if let odd = values.keys.filter({ !names.contains($0) }).min() {
            throw KeyringError(.usage, "--\(odd) has no meaning for this call")
        }
        return Snapshot(values: values)
    }

    /// Options as they were when a call began.
    struct Snapshot {
        var values: [String: [String]] = [:]

        subscript(name: String) -> String? { values[name]?.last }

        func list(_ name: String) -> [String] { values[name] ?? [] }

        func flag(_ name: String) -> Bool { self[name] == "true" }

        /// What a token is asked for.
        var words: RequestWords {
            RequestWords(
                account: self["account"], scopes: list("scope"), resource: self["resource"],
                authority: self["authority"], tenant: self["tenant"], client: self["client"], url: self["url"],
                allowedHost: self["allow-host"], tool: self["tool"])
        }
    }
}

/// `keyfob_keyring`: an unlocked keyring, or an agent in its place, and the surroundings that it was opened in.
final class OpenKeyring: Sendable {
    /// Who gives tokens.
    enum Giver: Sendable {
        case keyring(Keyring)
        /// An agent, and why nothing at hand opens the keyring.
        case agent(AskedAgent, KeyringError)
    }

    private enum Held: Sendable {
        case session(KeyringSession)
        case agent(AskedAgent, KeyringError)
    }

    private let held: Mutex<Held>
    let environment: [String: String]
    private let opening: OptionValues.Snapshot
    private let process = getpid()
    /// To the process that has refreshed a token last; it ends with the keyring.
    let refreshLine = RefreshLine.Kept()

    init(_ giver: Giver, _ environment: [String: String], _ opening: OptionValues.Snapshot) {
        switch giver {
        case .agent(let agent, let reason): held = Mutex(.agent(agent, reason))
        case .keyring(let keyring):
            let session = KeyringSession(keyring) { () throws(KeyringError) in
                try Self.keyring(opening, environment)
            }
            held = Mutex(.session(session))
        }
        self.environment = environment
        self.opening = opening
    }

    var certificateFile: String? { opening["ca-file"] }

    /// What gives tokens of the vault that is there now.
    ///
    /// - Throws: As ``KeyringSession/keyring()``, where no agent has it open either.
    var giver: Giver {
        get throws(KeyringError) {
            switch held.withLock({ $0 }) {
            case .agent(let agent, let reason): return .agent(agent, reason)
            case .session(let session):
                do throws(KeyringError) {
                    return .keyring(try session.keyring())
                } catch {
                    let giver = try Self.agent(opening, environment, insteadOf: error)
                    if case .agent(let agent, let reason) = giver { held.withLock { $0 = .agent(agent, reason) } }
                    return giver
                }
            }
        }
    }

    /// Does what a call asks for, and does it anew where the vault has got other keys meanwhile.
    func call<Value>(_ body: (OpenKeyring) throws(KeyringError) -> Value) throws(KeyringError) -> Value {
        var keyring: Keyring?
        if case .session(let session) = held.withLock({ $0 }) { keyring = session.current }
        do throws(KeyringError) {
            return try body(self)
        } catch {
            guard let keyring, keyring.isOutdated(after: error) else { throw error }
        }
        return try body(self)
    }

    /// The keyring.
    ///
    /// - Throws: `locked` where an agent stands in its place.
    var keyring: Keyring {
        get throws(KeyringError) {
            switch try giver {
            case .keyring(let keyring): return keyring
            case .agent(_, let reason): throw reason
            }
        }
    }

    /// Whether this process opened it, and not the one that this was forked from.
    var isOwn: Bool { getpid() == process }

    /// - Throws: `usage` in the child of a fork.
    func requireOwn() throws(KeyringError) {
        guard isOwn else {
            throw KeyringError(.usage, "the keyring was opened before a fork", advice: .openInThisProcess)
        }
    }

    /// A variable that is set and not empty.
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// `keyfob_answer`: rows of texts by their names, of which the first may have a secret.
@safe
final class Answer: Sendable {
    private nonisolated(unsafe) let rows: [[String: UnsafeMutablePointer<CChar>]]
    private let secretName: String
    private let secret: SecretBytes?

    /// How many rows.
    let count: Int
    /// The name by which a row says which values there are.
    static let outlineName = "*"

    init(_ rows: [[String: String?]]) {
        unsafe self.rows = Self.copies(of: rows)
        count = rows.count
        secretName = ""
        secret = nil
    }

    /// One row with a secret besides.
    init(_ row: [String: String?], _ name: String, secret: borrowing SecretBytes) {
        unsafe rows = Self.copies(of: [row])
        count = 1
        secretName = name
        let size = secret.count
        self.secret = secret.withBytes { bytes in
            // The last byte is the zero that ends a string.
            SecretBytes(count: size + 1, placement: .recycled) { $0.copy(from: bytes) }
        }
    }

    deinit {
        unsafe rows.forEach { row in unsafe row.values.forEach { text in unsafe free(text) } }
    }

    /// A value, which is there as long as this is.
    func value(_ row: Int, _ name: String) -> UnsafePointer<CChar>? {
        guard row >= 0, row < count else { return nil }
        if name == secretName { return unsafe secretText }
        return unsafe rows[row][name].map { unsafe UnsafePointer($0) }
    }

    private var secretText: UnsafePointer<CChar>? {
        switch secret {
        case nil: nil
        case .some(let secret):
            unsafe secret.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
            }
        }
    }

    private static func copies(of rows: [[String: String?]]) -> [[String: UnsafeMutablePointer<CChar>]] {
        unsafe rows.map { row in
            unsafe row.compactMapValues { text in unsafe text.flatMap { unsafe strdup($0) } }
        }
    }
}

/// `keyfob_error`.
@safe
final class Failure: Sendable {
    let status: Int32
    private let texts: Answer

    init(_ error: KeyringError) {
        status = ExitStatus(error.code).rawValue
        let continuation = error.continuation
        func known(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
        texts = Answer([
            [
                "code": error.code.rawValue, "message": error.message + error.candidateText, "hint": error.hint,
                "advice": error.advice?.code, "candidates": known(error.candidates.joined(separator: "\n")),
                "action": continuation?.action.rawValue, "continuation": continuation?.id,
                "provider": known(continuation?.provider), "account": known(continuation?.account),
                "name": continuation?.name, "group": continuation?.group?.name, "tenant": continuation?.tenant,
                "clientID": continuation?.clientID,
                "scopes": continuation.map { $0.scopes.scopes.joined(separator: " ") },
                "claims": continuation?.claims, "command": continuation?.command,
            ]
        ])
    }

    func text(_ name: String) -> UnsafePointer<CChar>? { unsafe texts.value(0, name) }
}
