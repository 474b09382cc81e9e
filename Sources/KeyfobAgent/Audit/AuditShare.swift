internal import Keyfob

/// How much of the log a program fills: what it is answered again and again is counted, so that it pushes nothing of others' out.
///
/// The first answer of each kind, about each account, is always written down at once. What is counted is counted for one program
/// alone, and written down as one line later.
struct AuditShare {
    /// What a program is answered alike.
    struct Key: Hashable {
        let kind: AuditEntry.Kind
        let account: AccountID?
        let group: AccessGroup?
        let answer: String
        /// What was given tells more than for whom; what was refused is the program's own words.
        let scopes: ScopeSet
        let clientID: String?

        fileprivate init(_ draft: AuditDraft, isExact: Bool) {
            let isExact = isExact && draft.gives
            (kind, account, group) = (draft.kind, draft.account, draft.group)
            answer = draft.answer
            (scopes, clientID) = (isExact ? draft.scopes : [], isExact ? draft.clientID : nil)
        }
    }

    /// What is to be written down now.
    struct Line {
        let draft: AuditDraft
        fileprivate let key: Key
        /// Whose share it is taken from: of the one who has it written now.
        fileprivate let payer: Program
        fileprivate let isFirst: Bool
        /// How many of those it stands for were counted before.
        fileprivate let counted: Int
    }

    fileprivate struct Count {
        /// How many more lines in a row it has for itself.
        var row = AuditShare.row
        /// When it had its last line.
        var lineAt: Timestamp
        /// The last one without a line, and how many there are.
        var pending: (draft: AuditDraft, count: Int)?
    }

    fileprivate struct Share {
        /// How many more lines it has but first ones; less than none where others' were due.
        var left: Int64
        /// Since when there is one more for each pause.
        var since: Timestamp
        /// When it was answered last.
        var last: Timestamp
        var counts: [Key: Count] = [:]

        init(_ now: Timestamp) { (left, since, last) = (AuditShare.ofProgram, now, now) }

        mutating func refill(_ now: Timestamp) {
            let passed = now.seconds - since.seconds
            if passed < 0 { since = now }
            guard passed >= AuditShare.pause else { return }
            left = min(AuditShare.ofProgram, left + passed / AuditShare.pause)
            since = now
        }
    }

    /// How many lines in a row the same answer has.
    static let row: Int64 = 10
    /// After so many seconds it has one more, and a program one more of all its answers.
    static let pause: Int64 = 60
    /// How many lines a program has besides the first of each answer, at a time.
    static let ofProgram: Int64 = 100
    /// More kinds of answers of one program are told apart by less.
    static let kinds = 256
    /// How many programs are told apart; the one that has been silent longest makes room.
    static let capacity = 10_000

    private var shares: [Program: Share] = [:]

    /// Takes note of an answer.
    ///
    /// - Returns: What is to be written down now, each in its turn; nothing where it is only counted.
    mutating func take(_ draft: AuditDraft, now: Timestamp) -> [Line] {
        let program = draft.caller.program
        var lines: [Line] = []
        if shares[program] == nil, shares.count >= Self.capacity {
            lines += makeRoom(for: program, now)
        }
        // Taken out, it is changed where it lies.
        var share = shares.removeValue(forKey: program) ?? Share(now)
        share.refill(now)
        share.last = now
        // Whoever made room was written down for it.
        share.left -= Int64(lines.count)
        var key = Key(draft, isExact: true)
        var known = share.counts[key]
        if known == nil, share.counts.count >= Self.kinds {
            key = Key(draft, isExact: false)
            known = share.counts[key]
        }
        let isFirst = known == nil
        var count = known ?? Count(lineAt: now)
        // A clock that was set back begins anew.
        let passed = now.seconds - count.lineAt.seconds
        let isDue = count.row > 0 || passed >= Self.pause || passed < 0
        // What a provider gave stands there each time: so it does at the provider.
        let isNew = draft.answer == Keyring.FoundToken.Origin.provider.rawValue
        if isFirst || isNew || isDue && share.left > 0 {
            var whole = draft
            let counted = count.pending?.count ?? 0
            whole.repeats += counted
            (count.row, count.lineAt, count.pending) = (max(0, count.row - 1), now, nil)
            if !isFirst { share.left = max(share.left - 1, -Self.ofProgram) }
            lines.append(Line(draft: whole, key: key, payer: program, isFirst: isFirst, counted: counted))
        } else {
            count.pending = (draft.forLater(now), (count.pending?.count ?? 0) + 1 + draft.repeats)
        }
        share.counts[key] = count
        shares[program] = share
        return lines
    }

    /// Forgets the program that has been silent longest, and says what it has no line for: at the cost of the one for which that is.
    private mutating func makeRoom(for payer: Program, _ now: Timestamp) -> [Line] {
        guard let oldest = shares.min(by: { $0.value.last.seconds < $1.value.last.seconds }) else { return [] }
        shares[oldest.key] = nil
        return oldest.value.counts.compactMap { key, count in Self.summary(key, count, payer: payer) }
    }

    /// Takes back that an answer was only counted, which is not given now.
    mutating func uncount(_ draft: AuditDraft) {
        let program = draft.caller.program
        for key in [Key(draft, isExact: true), Key(draft, isExact: false)] {
            guard let pending = shares[program]?.counts[key]?.pending else { continue }
            let left = pending.count - 1 - draft.repeats
            shares[program]?.counts[key]?.pending = left > 0 ? (pending.draft, left) : nil
            return
        }
    }

    /// Takes note that a line could not be written: what it stands for is counted again, of the program that it is about, also where
    /// that was forgotten meanwhile; its answer is not given.
    mutating func giveBack(_ line: Line, now: Timestamp) {
        if !line.isFirst { shares[line.payer]?.left += 1 }
        let program = line.draft.caller.program
        guard line.counted > 0 else {
            // The next one is the first again, or has the line that this one had.
            if line.isFirst {
                shares[program]?.counts[line.key] = nil
            } else {
                shares[program]?.counts[line.key]?.row += 1
            }
            return
        }
        var share = shares[program] ?? Share(now)
        var count = share.counts[line.key] ?? Count(row: 0, lineAt: now)
        var draft = line.draft.forLater(line.draft.time ?? now)
        draft.repeats = 0
        count.pending = (count.pending?.draft ?? draft, (count.pending?.count ?? 0) + line.counted)
        share.counts[line.key] = count
        shares[program] = share
    }

    /// What has no line yet and is due, and from then on has.
    ///
    /// - Parameter all: Whether everything is, since nothing may be written for long: then a program has a row of lines beforehand.
    mutating func takePending(now: Timestamp, all: Bool = false) -> [Line] {
        var lines: [Line] = []
        for program in Array(shares.keys) {
            shares[program]?.refill(now)
            for (key, count) in shares[program]?.counts ?? [:] {
                guard let share = shares[program], count.pending != nil else { continue }
                let passed = now.seconds - count.lineAt.seconds
                guard share.left > (all ? -Self.ofProgram : 0), all || passed >= Self.pause || passed < 0,
                    let line = Self.summary(key, count, payer: program)
                else { continue }
                lines.append(line)
                shares[program]?.left -= 1
                shares[program]?.counts[key]?.pending = nil
                shares[program]?.counts[key]?.lineAt = now
            }
        }
        return lines
    }

    private static func summary(_ key: Key, _ count: Count, payer: Program) -> Line? {
        guard let (last, number) = count.pending else { return nil }
        var draft = last
        draft.repeats = number - 1
        return Line(draft: draft, key: key, payer: payer, isFirst: false, counted: number)
    }
}
