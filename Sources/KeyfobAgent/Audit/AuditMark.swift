internal import Keyfob
internal import KeyfobFiles
internal import Synchronization

/// The last line of an audit: its number, and its hash.
struct AuditHead: Hashable, Sendable {
    let number: Int
    let hash: String

    /// No audit has more lines: whoever writes another number means harm.
    static let numbers = 1..<1 << 53
}

/// What the vault knows of an audit: how far it has come, and where its files began.
struct AuditMark: Hashable, Sendable {
    let head: AuditHead
    /// The numbers of the lines with which the last files began that others gave way to, one more than there are of those.
    private(set) var starts: [Int] = []

    init(_ head: AuditHead, starts: [Int] = []) { (self.head, self.starts) = (head, starts) }

    /// A line with which an audit may begin: all of lower numbers may have given way, none of higher ones.
    var first: Int { starts.count > LineLog.kept ? starts[0] : 1 }

    /// The same once a file begins with a line of that number.
    func beginning(at number: Int) -> AuditMark {
        // Planned before, and then not done.
        if starts.last == number { return self }
        return AuditMark(head, starts: (starts + [number]).suffix(LineLog.kept + 1))
    }

    /// As it is kept in the vault: number, hash and starts, with a blank between, and commas between the starts.
    var text: String {
        ([String(head.number), head.hash] + (starts.isEmpty ? [] : [starts.map(String.init).joined(separator: ",")]))
            .joined(separator: " ")
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        let listed = parts.count == 3 ? parts[2].split(separator: ",", omittingEmptySubsequences: false) : []
        let starts = listed.map { Int($0) ?? 0 }
        guard (2...3).contains(parts.count), let number = Int(parts[0]), AuditHead.numbers.contains(number),
            starts.count <= LineLog.kept + 1, starts.allSatisfy(AuditHead.numbers.contains)
        else { return nil }
        self.init(AuditHead(number: number, hash: String(parts[1])), starts: starts)
    }
}

/// A group's audit: that of another vault or group of the same name is another one.
struct AuditPlace: Hashable, Sendable {
    let group: AccessGroup
    private let vault: String
    private let id: String

    /// - Throws: `groupNotGranted`, `noSuchGroup`.
    init(_ group: AccessGroup, _ keyring: Keyring) throws(KeyringError) {
        self.group = group
        (vault, id) = try keyring.programs.auditName(of: group)
    }

    /// The file, in the folder for audits.
    func log(in folder: String) -> LineLog { LineLog(path: "\(folder)/\(vault)/\(id).jsonl") }
}

/// How far audits have come, and since when that is noted in the vault.
final class AuditHeads: Sendable {
    private struct State {
        /// What is not in the vault yet.
        var fresh: [AuditPlace: AuditMark] = [:]
        /// What is known; nil for nothing, as in a vault in which nothing is noted.
        var known: [AuditPlace: AuditMark?] = [:]
    }

    private let state = Mutex(State())

    /// How far the audit of a group has come at least.
    ///
    /// - Parameter isFresh: Whether the vault is asked again.
    func noted(
        _ place: AuditPlace, isFresh: Bool, _ read: () throws(KeyringError) -> String?
    ) throws(KeyringError) -> AuditHead? {
        if !isFresh, let known = state.withLock({ $0.known[place] }) { return known?.head }
        let mark = try read().flatMap { AuditMark($0) }
        state.withLock { $0.known[place] = .some(mark) }
        return mark?.head
    }

    func note(_ place: AuditPlace, _ head: AuditHead) {
        state.withLock { state in
            let mark = AuditMark(head, starts: state.known[place]??.starts ?? [])
            (state.fresh[place], state.known[place]) = (mark, .some(mark))
        }
    }

    /// Notes in the vault that a file is to begin with a line of that number, and others are to give way.
    ///
    /// - Parameter last: The line before it.
    func begin(
        _ place: AuditPlace, at number: Int, after last: AuditHead, in keyring: Keyring
    ) throws(KeyringError) {
        let mark = (state.withLock { $0.known[place] ?? nil } ?? AuditMark(last)).beginning(at: number)
        try keyring.programs.noteAuditHead(mark.text, of: place.group)
        state.withLock { $0.known[place] = .some(mark) }
    }

    /// Keeps them in the vault; what cannot be kept is kept the next time.
    func keep(in keyring: Keyring) {
        for (place, mark) in state.withLock({ $0.fresh }) {
            // Where the vault or the group has given way to another, it is nothing that this one knows.
            guard (try? AuditPlace(place.group, keyring)) == place,
                (try? keyring.programs.noteAuditHead(mark.text, of: place.group)) != nil
            else { continue }
            state.withLock { if $0.fresh[place] == mark { $0.fresh[place] = nil } }
        }
    }
}
