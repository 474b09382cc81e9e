public import Keyfob
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium
internal import Synchronization

/// The audits of a vault's groups in the folder for state: what programs asked an agent for, and what it answered.
///
/// Of a group there are a file for what a person let each program have, and one that programs share for all else.
///
/// Whoever has no key of the group can take whole files away, or lines from the end that came after the head which the agent
/// notes in the vault from time to time; they cannot change a line, leave one out, or add one. Who has the group's key can.
public struct AuditFiles: AuditTrail {
    private let folder: String
    private let heads = AuditHeads()

    /// The audits in `state`, the folder for state of a keyring.
    public init(state: String) { folder = state + "/audit" }

    /// Writes an entry down; one about no group in that of new items.
    public func append(_ entry: AuditEntry, _ keyring: Keyring) throws(KeyringError) {
        let group = if let group = entry.group { group } else { try keyring.groups.forNewItems() }
        let place = try AuditPlace(of: entry, in: group, keyring)
        let log = place.log(in: folder)
        var (head, before) = (AuditHead(number: 0, hash: ""), AuditHead(number: 0, hash: ""))
        do {
            let gaveWay = try log.append(beforeGivingWay: {
                // The vault knows first which lines give way: nobody else can say that those are to be missing.
                try heads.begin(place, at: head.number, after: before, in: keyring)
            }) { last in
                let noted = try heads.noted(place, after: last.last) { () throws(KeyringError) in
                    try keyring.programs.auditHeads(of: group)
                }
                let (number, previous) = Self.place(after: last, noted)
                before = AuditHead(number: number - 1, hash: previous)
                let content = AuditLine.content(number, entry, previous: previous)
                guard let code = try keyring.programs.auditCode(of: content, in: group) else {
                    throw KeyringError(.fault, "the group has no key for its audit")
                }
                let line = AuditLine.sealed(content, code.code, by: code.key)
                // How many more it stands for makes no line too long that was not.
                guard line.count <= Self.longest + (entry.repeats > 0 ? Self.countRoom : 0) else {
                    throw KeyringError(.limitExceeded, "the request is longer than what is written down of one")
                }
                head = AuditHead(number: number, hash: AuditLine.hash(line))
                return line
            }
            heads.note(place, head, at: entry.time)
            if gaveWay { heads.keep(in: keyring) }
        } catch {
            throw Self.failure(error, "what programs ask for cannot be written down in \(log.path)")
        }
    }

    /// Notes in the vault how far the audits have come.
    public func noteHeads(in keyring: Keyring) { heads.keep(in: keyring) }

    /// Notes in the vault how far the audits of groups have come as they stand, before the groups get other keys, by which no
    /// earlier line can be proved.
    ///
    /// One in which something is not as it was written stays as it is, and so does one that cannot be read.
    public func noteAsTheyStand(_ groups: [AccessGroup], in keyring: Keyring) {
        for group in groups {
            for part in (try? parts(of: group, keyring)) ?? [] {
                guard let stored = try? stored(part, keyring), stored.reading.findings.isEmpty,
                    let last = stored.lines.last, let number = AuditLine(last)?.number
                else { continue }
                let head = AuditHead(number: number, hash: AuditLine.hash(last))
                let mark = AuditMark(head, starts: part.mark?.starts ?? [])
                try? keyring.programs.noteAuditHead(mark.text, of: group, part: part.place.part)
            }
        }
    }

    /// The entries of a group, the oldest first, and what of them is not as it was written.
    ///
    /// - Throws: `groupNotGranted`, `noSuchGroup`, `inputOutput`.
    public func read(_ group: AccessGroup, _ keyring: Keyring) throws(KeyringError) -> AuditReading {
        var whole = AuditReading()
        for part in try parts(of: group, keyring) { whole.add(try stored(part, keyring).reading) }
        return whole
    }

    /// A part of an audit, and what the vault knows of it.
    private typealias Part = (place: AuditPlace, mark: AuditMark?)

    private func parts(of group: AccessGroup, _ keyring: Keyring) throws(KeyringError) -> [Part] {
        let heads = try keyring.programs.auditHeads(of: group)
        do {
            return try AuditPlace(group, keyring).parts(in: folder, known: heads.keys).map { place in
                (place, heads[place.part].flatMap { AuditMark($0) })
            }
        } catch {
            throw Self.failure(error, "the log cannot be read in \(folder)")
        }
    }

    /// The lines of a part, and what they say.
    private func stored(
        _ part: Part, _ keyring: Keyring
    ) throws(KeyringError) -> (lines: [[UInt8]], reading: AuditReading) {
        let lines: [[UInt8]]
        let log = part.place.log(in: folder)
        do { lines = try log.lines() } catch { throw Self.failure(error, "the log cannot be read in \(log.path)") }
        let isOwn = !part.place.part.isEmpty
        let reading = try AuditReading(lines, mark: part.mark, isOwn: isOwn) { (content, key) throws(KeyringError) in
            try keyring.programs.auditCode(of: content, in: part.place.group, by: key)?.code
        }
        return (lines, reading)
    }

    /// Puts the log of a group aside: the next entry begins a new one.
    ///
    /// - Returns: What its files are called now; none where there was none.
    /// - Throws: `groupNotGranted`, `noSuchGroup`, and what writing can throw.
    public func beginAnew(_ group: AccessGroup, _ keyring: Keyring) throws(KeyringError) -> [String] {
        var names: [String] = []
        for part in try parts(of: group, keyring) {
            let log = part.place.log(in: folder)
            do {
                names += try log.putAside().map { [$0] } ?? []
            } catch {
                throw Self.failure(error, "the log cannot be put aside in \(log.path)")
            }
            try keyring.programs.noteAuditHead(nil, of: group, part: part.place.part)
        }
        return names
    }

    /// An error with what failed and why; the words for the vault would be wrong here.
    private static func failure(_ error: any Error, _ what: String) -> KeyringError {
        let plain = KeyringError(error)
        guard case .inputOutput(let number)? = error as? StoreError, number != 0 else {
            return plain.saying("\(what): \(plain.message)", advice: plain.advice)
        }
        return plain.saying("\(what): \(KeyringError.text(ofErrno: number))", advice: nil)
    }

    /// No line is longer, in bytes, but for how many others it stands for.
    private static let longest = 8 << 10
    private static let countRoom = 32

    /// The number of the next line and the hash of the last one.
    ///
    /// - Parameter noted: How far the audit has come at least: where its end was cut off, the numbers go on behind that, and the
    ///   gap stays.
    private static func place(after last: [[UInt8]], _ noted: AuditHead?) -> (number: Int, previous: String) {
        // What a crash has cut short has no number, and is counted all the same.
        let whole = last.lastIndex { AuditLine($0) != nil }
        let number = (whole.flatMap { AuditLine(last[$0])?.number } ?? 0) + last.count - (whole ?? -1)
        if let noted, noted.number >= number { return (noted.number + 1, noted.hash) }
        return (number, last.last.map(AuditLine.hash) ?? "")
    }
}
