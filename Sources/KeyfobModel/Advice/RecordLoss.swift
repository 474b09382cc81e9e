/// Something of a group that is not as its manifest tells: records that are gone, do not open, or were put there.
///
/// A repair makes the manifest fit what is left, and keeps this in the group, because nothing else tells of it any more.
public struct RecordLoss: Hashable, Sendable {
    /// What happened.
    public let change: Change
    /// What the records are; nil where that is not known.
    public let kind: Kind?
    /// How many records it is about; 0 where that is not known.
    public let count: Int
    /// Whose it is, where that is known.
    public let account: AccountID?
    /// The client that it was issued to, where that is known.
    public let clientID: String?
    /// When it was last written, where that is known.
    public let written: Timestamp?
    /// The file of `quarantine/` that holds it, or the item of the Secret Service that does.
    public let file: String?
    /// When it was noted; nil while it is only found.
    public let noted: Timestamp?

    /// What can happen to records.
    ///
    /// The raw value is stable.
    public enum Change: String, Hashable, Sendable, CaseIterable {
        /// They are gone.
        case missing
        /// One does not open.
        case unopened
        /// One of them is another version than it should be.
        case replaced
        /// Another program has put a token in the place of one's own.
        case changed
        /// They are there, and should not be.
        case added
        /// The manifest does not open: nothing says what should be there.
        case untold
    }

    /// What a record is.
    ///
    /// The raw value is stable.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case account, accessToken, refreshToken, idToken, appMetadata, foreign, setting, tombstone, clientSecret,
            journal
    }

    /// A loss as far as it is known.
    package init(
        _ change: Change, _ kind: Kind?, count: Int = 1, account: AccountID? = nil, clientID: String? = nil,
        written: Timestamp? = nil, file: String? = nil, noted: Timestamp? = nil
    ) {
        (self.change, self.kind, self.count) = (change, kind, count)
        (self.account, self.clientID, self.written) = (account, clientID, written)
        (self.file, self.noted) = (file, noted)
    }

    /// The same, put aside in a file, or noted.
    package func noted(_ time: Timestamp, in file: String? = nil) -> RecordLoss {
        RecordLoss(
            change, kind, count: count, account: account, clientID: clientID, written: written,
            file: file ?? self.file, noted: time)
    }

    /// What happened: one line, without a command.
    public var text: String {
        let isOne = count == 1
        let known =
            (written.map { ", last written \($0.rfc3339)" } ?? "") + (noted.map { " (noted \($0.rfc3339))" } ?? "")
        switch change {
        case .missing: return "\(subject) \(isOne ? "is" : "are") gone" + known
        case .unopened:
            guard let file else { return "\(subject) does not open" + known }
            return subject + (noted == nil ? " (\(file)) does not open" : " did not open and was put aside as \(file)")
                + known
        case .changed:
            return
                "another program has changed \(subject)\(file.map { ", in the item \($0)" } ?? ""); a repair takes it over as "
                + "it is"
        case .replaced:
            return "a record is another version than the group's manifest told of: an earlier one was put back" + known
        case .added:
            return
                "\(subject) \(isOne ? "is" : "are") there that the group's manifest did not tell of: put there, or put "
                + "back after \(isOne ? "it was" : "they were") deleted" + known
        case .untold:
            return "the group's manifest did not open, so that nothing tells what else is gone, or was put back" + known
        }
    }

    /// What the records are, and whose, as far as that is known: such as "an access token of ada@git.example".
    public var subject: String {
        guard let kind else { return count == 1 ? "a record" : "\(count) records" }
        if count == 1, let account {
            guard kind != .account else { return "the account \(account)" }
            let client = clientID.map { " with client \($0)" } ?? ""
            return "\(kind.words.article) \(kind.words.one) of \(account)\(client)"
        }
        return count == 1 ? "\(kind.words.article) \(kind.words.one)" : "\(count) \(kind.words.one)s"
    }
}

extension RecordLoss {
    /// A record that came back.
    package struct Returned: Hashable, Sendable {
        let kind: Kind
        let account: AccountID?
        let clientID: String?

        /// A record that came back.
        package init(_ kind: Kind, account: AccountID?, clientID: String?) {
            (self.kind, self.account, self.clientID) = (kind, account, clientID)
        }
    }

    /// What of `losses` is left once records came back: each ends one that it may be, best of the same account and client.
    package static func remaining(of losses: [RecordLoss], after returned: [Returned]) -> [RecordLoss] {
        var rest = losses
        for record in returned {
            let fits = rest.indices.filter { rest[$0].mayBe(record) }
            guard let index = fits.max(by: { rest[$0].detail < rest[$1].detail }) else { continue }
            let loss = rest[index]
            if loss.count > 1 {
                rest[index] = RecordLoss(
                    loss.change, loss.kind, count: loss.count - 1, account: loss.account, clientID: loss.clientID,
                    written: loss.written, file: loss.file, noted: loss.noted)
            } else {
                rest.remove(at: index)
            }
        }
        return rest
    }

    private func mayBe(_ record: Returned) -> Bool {
        [.missing, .unopened].contains(change) && kind == record.kind && count > 0
            && (account == nil || account == record.account) && (clientID == nil || clientID == record.clientID)
    }

    /// How much is known of what it is.
    private var detail: Int { (account == nil ? 0 : 2) + (clientID == nil ? 0 : 1) }
}

extension RecordLoss.Kind {
    fileprivate var words: (article: String, one: String) {
        switch self {
        case .account: ("an", "account")
        case .accessToken: ("an", "access token")
        case .refreshToken: ("a", "sign-in")
        case .idToken: ("an", "ID token")
        case .appMetadata: ("a", "client's description")
        case .foreign: ("an", "unknown entry")
        case .setting: ("a", "setting (binding, default, provider or the like)")
        case .tombstone: ("a", "note of a deletion")
        case .clientSecret: ("a", "client's secret")
        case .journal: ("an", "undo record")
        }
    }
}

// As text, a line for each: CHANGE KIND COUNT ACCOUNT CLIENT WRITTEN NOTED FILE, percent-encoded, `-` for what is not known.
extension RecordLoss {
    /// How long the text is at most, in bytes, but for what is counted by its kind alone.
    private static let limit = 1 << 17
    /// How many lines there are at most, and how long each is.
    private static let (lineLimit, lineLength) = (900, 4_096)

    /// Losses as text, which is bounded: what is too much is counted by its kind.
    package static func text(of losses: [RecordLoss]) -> String {
        var (text, lineCount) = ("", 0)
        var rest: [RecordLoss] = []
        for loss in losses {
            let line = loss.line
            if text.utf8.count + line.utf8.count <= limit, lineCount < lineLimit, line.utf8.count <= lineLength {
                text += line
                lineCount += 1
            } else if let index = rest.firstIndex(where: { $0.change == loss.change && $0.kind == loss.kind }) {
                rest[index] = RecordLoss(
                    loss.change, loss.kind, count: rest[index].count + loss.count, noted: rest[index].noted)
            } else {
                rest.append(RecordLoss(loss.change, loss.kind, count: loss.count, noted: loss.noted))
            }
        }
        return text + rest.map { $0.line }.joined()
    }

    /// What ``text(of:)`` gave, whoever has changed it: a line that makes no sense tells that something is gone, and no
    /// more.
    package static func losses(of text: String) -> [RecordLoss] {
        text.split(separator: "\n").prefix(lineLimit + 100).map { line in
            (line.utf8.count <= lineLength ? RecordLoss(line: line) : nil) ?? RecordLoss(.missing, nil)
        }
    }

    private var line: String {
        func seconds(_ time: Timestamp?) -> String? { time.map { String($0.seconds) } }
        let fields = [
            change.rawValue, kind?.rawValue, String(count), account?.description, clientID, seconds(written),
            seconds(noted), file,
        ]
        return fields.map { $0.flatMap { $0.isEmpty ? nil : PercentEncoding.encode($0) } ?? "-" }.joined(separator: " ")
            + "\n"
    }

    private init?(line: Substring) {
        let fields: [String?] = line.split(separator: " ").map { word in
            word == "-" ? nil : PercentEncoding.decode(word.utf8).map { String(decoding: $0, as: UTF8.self) }
        }
        guard fields.count == 8, let change = fields[0].flatMap(Change.init),
            let count = fields[2].flatMap({ Int($0) }),
            (0..<1 << 32).contains(count)
        else { return nil }
        func time(_ text: String?) -> Timestamp? { text.flatMap { Int64($0) }.map { Timestamp(seconds: $0) } }
        self.init(
            change, fields[1].flatMap(Kind.init), count: count, account: fields[3].flatMap { AccountID($0) },
            clientID: fields[4], written: time(fields[5]), file: fields[7], noted: time(fields[6]))
    }
}
