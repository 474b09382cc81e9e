public import Keyfob
internal import KeyfobModel

/// What stands in an audit, and what of it is not as it was written.
public struct AuditReading: Hashable, Sendable {
    /// An entry with the number of its line.
    public struct Line: Hashable, Sendable {
        /// Its number in its part of the log, from 1.
        public let number: Int
        /// What stands in it.
        public let entry: AuditEntry
    }

    /// Something that is not as it was written.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// What.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// The line was changed, or written by somebody without the group's key.
            case changed
            /// Lines before this one are missing, or stand elsewhere.
            case missing
            /// The line was cut short: the machine stopped while it was written.
            case cutShort
            /// Lines after this one, which the vault knows of, are missing.
            case endMissing
        }

        /// What.
        public let kind: Kind
        /// The line: where it stands in what there is of that part of the log, from 1.
        public let line: Int
        /// Whose part of the log it is; nil for the part that programs share, and where no line says whose it is.
        public var program: Program?
        /// Whether it is in a program's own part.
        var isOwn = false

        /// In words.
        public var description: String {
            let place = "line \(line)" + (program.map { " of what \($0) was given" } ?? "")
            return switch kind {
            case .changed: "\(place) was changed"
            case .missing: "lines before \(place) are missing, or in another order"
            case .cutShort: "\(place) was cut short"
            case .endMissing where line == 0: isOwn ? "what a program was given is gone" : "it is gone"
            case .endMissing: "lines after \(place) are missing"
            }
        }
    }

    /// The entries, the oldest first.
    public private(set) var lines: [Line] = []
    /// What is not as it was written.
    public private(set) var findings: [Finding] = []

    /// Nothing.
    init() {}

    /// Adds what stands in another part of the same audit.
    mutating func add(_ part: AuditReading) {
        findings += part.findings
        lines =
            lines.isEmpty ? part.lines : (lines + part.lines).sorted { $0.entry.time.seconds < $1.entry.time.seconds }
    }

    /// What stands in a part of an audit.
    ///
    /// - Parameters:
    ///   - mark: What the vault knows of it.
    ///   - isOwn: Whether it is a program's own part.
    ///   - code: The code that a content has under a key; nil where that key is gone.
    init(
        _ lines: [[UInt8]], mark: AuditMark?, isOwn: Bool,
        code: ([UInt8], String) throws(KeyringError) -> [UInt8]?
    ) throws(KeyringError) {
        let (head, first) = (mark?.head, mark?.first ?? 1)
        var hashes: Set<AuditHead> = []
        var (hash, number): (String?, Int) = (nil, 0)
        var provenUntil = -1
        var unproven: [Int] = []
        /// The numbers of lines that are there, and were changed: what follows such a line does not fit it any more.
        var changed: Set<Int> = []
        for (index, bytes) in lines.enumerated() {
            let here = index + 1
            defer {
                let own = AuditLine.hash(bytes)
                hash = own
                hashes.insert(AuditHead(number: number, hash: own))
                // What the vault knows of is true, whatever key it has.
                if AuditHead(number: number, hash: own) == head { provenUntil = index }
            }
            guard let line = AuditLine(bytes), let content = AuditLine.signedPart(of: bytes) else {
                // A true line behind it shows that it stood there when it was cut short.
                findings.append(Finding(kind: .cutShort, line: here))
                continue
            }
            self.lines.append(Line(number: line.number, entry: line.entry))
            // The first one has nothing before it, but where others have given way.
            let follows =
                if let hash { line.previous == hash } else {
                    line.number <= first && (line.number > 1 || line.previous.isEmpty)
                }
            if !follows, !(changed.contains(number) && line.number == number + 1) {
                findings.append(Finding(kind: .missing, line: here))
            }
            number = line.number
            if let expected = try code(content, line.key) {
                if Hexadecimal.text(expected) == line.code {
                    provenUntil = index
                } else {
                    findings.append(Finding(kind: .changed, line: here))
                    changed.insert(number)
                }
            } else {
                unproven.append(index)
            }
        }
        // Without their key only a true line behind them shows that they are.
        findings += unproven.filter { $0 > provenUntil }.map { Finding(kind: .changed, line: $0 + 1) }
        // One that is older than all there are gave way.
        if let head, !hashes.contains(head), !changed.contains(head.number),
            head.number >= self.lines.first?.number ?? 0
        {
            findings.append(Finding(kind: .endMissing, line: lines.count))
        }
        findings.sort { $0.line < $1.line }
        guard isOwn else { return }
        let program = self.lines.first?.entry.program
        for index in findings.indices { (findings[index].program, findings[index].isOwn) = (program, true) }
    }
}
