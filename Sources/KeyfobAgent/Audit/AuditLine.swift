internal import Keyfob
internal import KeyfobModel
internal import KeyfobSodium

/// A line of an audit: a JSON object with an entry, its number, the hash of the line before, and a code that only somebody with
/// the group's key can make.
///
/// The hash of a line covers all of it, so that a line that is known to be true shows the same of all before it, also where
/// their keys are gone.
struct AuditLine {
    let number: Int
    let entry: AuditEntry
    /// The hash of the line before; empty for the first one.
    let previous: String
    /// Which of the group's keys the code was made with.
    let key: String
    let code: String

    private static let hashCount = 32

    /// The hash of a line: BLAKE2b, 64 hexadecimal digits.
    static func hash(_ line: [UInt8]) -> String {
        Hexadecimal.text(line.withBytes { BLAKE2b.hash($0, count: hashCount) })
    }

    /// What the code is made of: the line without it.
    static func content(_ number: Int, _ entry: AuditEntry, previous: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("number", number)
        writer.member("time", entry.time.rfc3339)
        writer.member("kind", entry.kind.rawValue)
        writer.member("program", entry.program.description)
        writer.member("process", Int(entry.process))
        writer.member("door", entry.door.rawValue)
        writer.member("account", entry.account?.description)
        writer.member("group", entry.group?.name)
        writer.member("scopes", entry.scopes.scopes)
        writer.member("clientID", entry.clientID)
        writer.member("reason", entry.reason)
        writer.member("permission", entry.permission?.rawValue)
        writer.member("answer", entry.answer)
        if entry.repeats > 0 { writer.member("repeats", entry.repeats) }
        writer.member("previous", previous)
        writer.endObject()
        return writer.bytes
    }

    /// The line with its code.
    static func sealed(_ content: [UInt8], _ code: [UInt8], by key: String) -> [UInt8] {
        content.dropLast() + Array(#","key":"\#(key)","code":"\#(Hexadecimal.text(code))"}"#.utf8)
    }

    /// The line in some bytes; nil where they are none.
    init?(_ line: [UInt8]) {
        let read = line.withBytes {
            bytes -> (number: Int, entry: AuditEntry, previous: String, key: String, code: String)? in
            guard let tape = try? JSONTape(reading: bytes), tape.kind(of: tape.root) == .object else { return nil }
            func text(_ name: String) -> String? {
                tape.member(name, of: tape.root, in: bytes).flatMap { tape.string(of: $0, in: bytes) }
            }
            func integer<Number: FixedWidthInteger>(_ name: String) -> Number? {
                tape.member(name, of: tape.root, in: bytes).flatMap { Number(tape.raw($0, in: bytes)) }
            }
            guard let number: Int = integer("number"), AuditHead.numbers.contains(number), let key = text("key"),
                let code = text("code"),
                let previous = text("previous"), let time = text("time").flatMap({ CivilDate(rfc3339: $0) })?.time,
                let kind = text("kind").flatMap(AuditEntry.Kind.init(rawValue:)),
                let program = text("program").flatMap({ Program($0) }), let process: Int32 = integer("process"),
                let door = text("door").flatMap(AgentCaller.Door.init(rawValue:)), let answer = text("answer")
            else { return nil }
            var scopes: [String] = []
            if let array = tape.member("scopes", of: tape.root, in: bytes), tape.kind(of: array) == .array {
                var elements = tape.elements(of: array)
                while let element = elements.next() { scopes += tape.string(of: element, in: bytes).map { [$0] } ?? [] }
            }
            var entry = AuditEntry(
                time: time, kind: kind, program: program, process: process, door: door,
                account: text("account").flatMap { AccountID($0) },
                group: text("group").flatMap { try? AccessGroup($0) },
                scopes: ScopeSet(scopes), clientID: text("clientID"), reason: text("reason"),
                permission: text("permission").flatMap(AuditEntry.Permission.init(rawValue:)), answer: answer)
            entry.repeats = integer("repeats") ?? 0
            return (number, entry, previous, key, code)
        }
        guard let read else { return nil }
        (number, entry, previous, key, code) = read
    }

    /// The bytes of `line` that its code is about.
    static func signedPart(of line: [UInt8]) -> [UInt8]? {
        let mark = Array(#","key":"#.utf8)
        // Nothing in a text can look like it: a quotation mark in one has a backslash before it.
        guard line.count > mark.count,
            let start = (0...(line.count - mark.count)).last(where: { line[$0..<$0 + mark.count].elementsEqual(mark) })
        else { return nil }
        return Array(line[..<start]) + [UInt8(ascii: "}")]
    }
}
