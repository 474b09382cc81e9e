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

/// How far audits have come, and since when that is noted in the vault.
final class AuditHeads: Sendable {
    private struct State {
        /// What is not in the vault yet.
        var fresh: [AccessGroup: AuditMark] = [:]
        /// What is known; nil for nothing, as in a vault in which nothing is noted.
        var known: [AccessGroup: AuditMark?] = [:]
    }

    private let state = Mutex(State())

    /// How far the audit of a group has come at least.
    ///
    /// - Parameter isFresh: Whether the vault is asked again.
    func noted(
        _ group: AccessGroup, isFresh: Bool, _ read: () throws(KeyringError) -> String?
    ) throws(KeyringError) -> AuditHead? {
        if !isFresh, let known = state.withLock({ $0.known[group] }) { return known?.head }
        let mark = try read().flatMap { AuditMark($0) }
        state.withLock { $0.known[group] = .some(mark) }
        return mark?.head
    }

    func note(_ group: AccessGroup, _ head: AuditHead) {
        state.withLock { state in
            let mark = AuditMark(head, starts: state.known[group]??.starts ?? [])
            (state.fresh[group], state.known[group]) = (mark, .some(mark))
        }
    }

    /// Notes in the vault that a file is to begin with a line of that number, and others are to give way.
    ///
    /// - Parameter last: The line before it.
    func begin(
        _ group: AccessGroup, at number: Int, after last: AuditHead, in keyring: Keyring
    ) throws(KeyringError) {
        let mark = (state.withLock { $0.known[group] ?? nil } ?? AuditMark(last)).beginning(at: number)
        try keyring.programs.noteAuditHead(mark.text, of: group)
        state.withLock { $0.known[group] = .some(mark) }
    }

    /// Keeps them in the vault; what cannot be kept is kept the next time.
    func keep(in keyring: Keyring) {
        for (group, mark) in state.withLock({ $0.fresh }) {
            guard (try? keyring.programs.noteAuditHead(mark.text, of: group)) != nil else { continue }
            state.withLock { if $0.fresh[group] == mark { $0.fresh[group] = nil } }
        }
    }
}
