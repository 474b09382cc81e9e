internal import Keyfob
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium
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

    /// The later of both, where another agent has noted one too.
    func with(_ other: AuditMark?) -> AuditMark {
        guard let other else { return self }
        return AuditMark(
            head.number >= other.head.number ? head : other.head,
            starts: (starts.last ?? 0) >= (other.starts.last ?? 0) ? starts : other.starts)
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

/// A part of a group's audit: that of another vault or group of the same name is another one.
///
/// What a person let a program have stands in a part of its own, so that no other program pushes it out; all else in one that
/// programs share.
struct AuditPlace: Hashable, Sendable {
    let group: AccessGroup
    /// The name of the part, 16 hexadecimal digits; empty for the one that programs share.
    let part: String
    private let vault: String
    private let id: String

    /// The part that programs share.
    ///
    /// - Throws: `groupNotGranted`, `noSuchGroup`.
    init(_ group: AccessGroup, _ keyring: Keyring) throws(KeyringError) {
        (self.group, part) = (group, "")
        (vault, id) = try keyring.programs.auditName(of: group)
    }

    /// The part in which an entry stands.
    ///
    /// - Throws: `groupNotGranted`, `noSuchGroup`.
    init(of entry: AuditEntry, in group: AccessGroup, _ keyring: Keyring) throws(KeyringError) {
        let shared = try AuditPlace(group, keyring)
        let name = Array(entry.program.description.utf8)
        self =
            entry.isGiven
            ? shared.part(Hexadecimal.text(name.withBytes { BLAKE2b.hash($0, count: 32) }.prefix(8))) : shared
    }

    private init(_ group: AccessGroup, _ part: String, vault: String, id: String) {
        (self.group, self.part, self.vault, self.id) = (group, part, vault, id)
    }

    /// Another part of the same audit.
    func part(_ name: String) -> AuditPlace { AuditPlace(group, name, vault: vault, id: id) }

    /// All parts of the same audit of which there are files, or of which the vault knows.
    func parts(in folder: String, known: some Sequence<String>) throws(StorageFailure) -> [AuditPlace] {
        let start = id + "."
        let found = try POSIXFile.names(in: "\(folder)/\(vault)").compactMap { name -> String? in
            guard name.hasPrefix(start) else { return nil }
            let part = name.dropFirst(start.count).prefix { $0 != "." }
            let isPart = part.count == 16 && part.allSatisfy { $0.isHexDigit && !$0.isUppercase }
            return isPart && name.dropFirst(start.count + part.count).hasPrefix(".jsonl") ? String(part) : nil
        }
        return Set(found).union(known).union([""]).sorted().map(part)
    }

    /// The file, in the folder for audits.
    func log(in folder: String) -> LineLog {
        let name = "\(folder)/\(vault)/\(id)"
        return part.isEmpty
            ? LineLog(path: name + ".jsonl") : LineLog(path: "\(name).\(part).jsonl", limit: Self.limitOfPart)
    }

    /// How many bytes a file of a program's own part has before it gives way: with the five before it some 1,600 lines, which are read
    /// within a moment.
    static let limitOfPart = 1 << 17
}

/// How far audits have come, and since when that is noted in the vault.
final class AuditHeads: Sendable {
    private struct State {
        /// What is not in the vault yet.
        var fresh: [AuditPlace: AuditMark] = [:]
        /// What is known, and is in the vault or in ``fresh``.
        var known: [AuditPlace: Known] = [:]
        /// Of which audits all is known that the vault notes of their parts.
        var asked: Set<AuditPlace> = []
    }

    /// How far a part has come, and when its last line was written, as far as this one has written it.
    private struct Known {
        let mark: AuditMark
        let time: Timestamp?

        /// Whether somebody has begun anew since: nothing is there or noted, or what is there is younger and has lower numbers.
        func isOver(_ last: [UInt8]?, hasNote: Bool) -> Bool {
            guard let last else { return !hasNote }
            guard let line = AuditLine(last), let time, line.number < mark.head.number else { return false }
            return line.entry.time.seconds > time.seconds
        }
    }

    private let state = Mutex(State())

    /// How far a part of an audit has come at least.
    ///
    /// The vault is asked where somebody else may have written, cut or begun anew: where the last line is not the one that this one
    /// has written last.
    ///
    /// - Parameters:
    ///   - last: The last line; nil where there is none.
    ///   - read: What the vault notes of all parts; it may have to wait for others.
    func noted(
        _ place: AuditPlace, after last: [UInt8]?, _ read: () throws(KeyringError) -> [String: String]
    ) throws(KeyringError) -> AuditHead? {
        let whole = place.part("")
        let (isAsked, known) = state.withLock { ($0.asked.contains(whole), $0.known[place]) }
        if isAsked, known?.mark.head.hash == last.map(AuditLine.hash) { return known?.mark.head }
        let marks = try read().compactMapValues { AuditMark($0) }
        return state.withLock { state in
            if state.asked.insert(whole).inserted {
                for (part, mark) in marks { state.known[place.part(part)] = Known(mark: mark, time: nil) }
            }
            var known = marks[place.part].map { Known(mark: $0, time: nil) }
            // What this one has written and nobody notes yet, unless somebody has begun anew since.
            if let own = state.known[place], !own.isOver(last, hasNote: known != nil) {
                known = Known(mark: own.mark.with(known?.mark), time: own.time)
            }
            state.known[place] = known
            return known?.mark.head
        }
    }

    func note(_ place: AuditPlace, _ head: AuditHead, at time: Timestamp) {
        state.withLock { state in
            let mark = AuditMark(head, starts: state.known[place]?.mark.starts ?? [])
            (state.fresh[place], state.known[place]) = (mark, Known(mark: mark, time: time))
        }
    }

    /// Notes in the vault that a file is to begin with a line of that number, and others are to give way; as soon as the vault can
    /// be written.
    ///
    /// - Parameter last: The line before it.
    func begin(
        _ place: AuditPlace, at number: Int, after last: AuditHead, in keyring: Keyring
    ) throws(KeyringError) {
        let known = state.withLock { $0.known[place] }
        var mark = known?.mark ?? AuditMark(last)
        do {
            try keyring.programs.noteAuditHead(of: place.group, part: place.part) { noted in
                mark = mark.with(noted.flatMap { AuditMark($0) }).beginning(at: number)
                return mark.text
            }
        } catch  where error.code == .inputOutput {
            // While the vault can only be read, it is noted later, so that nobody is refused a stored token for that.
            mark = mark.beginning(at: number)
            state.withLock { $0.fresh[place] = mark }
        }
        state.withLock { $0.known[place] = Known(mark: mark, time: known?.time) }
    }

    /// Keeps them in the vault; what cannot be kept is kept the next time.
    func keep(in keyring: Keyring) {
        for (place, mark) in state.withLock({ $0.fresh }) {
            // Where the vault or the group has given way to another, it is nothing that this one knows.
            guard (try? AuditPlace(place.group, keyring).part(place.part)) == place,
                // Another agent of the same vault may have noted more.
                (try? keyring.programs.noteAuditHead(
                    of: place.group, part: place.part, { mark.with($0.flatMap { AuditMark($0) }).text })) != nil
            else { continue }
            state.withLock { if $0.fresh[place] == mark { $0.fresh[place] = nil } }
        }
    }
}
