package import KeyfobModel

/// What doors show of something: fields by their names, in an order.
///
/// JSON documents, the agent, the library for C, and by that the module for Python are made of the definitions
/// ``AccountRecord`` and ``TokenRecord``; a field that is added there is at every door.
package struct Record: Sendable {
    /// What a value is.
    package enum Kind: Hashable, Sendable {
        case text
        case flag
        case time
        case texts
        /// Objects of texts: the name of their type, and of their fields, the first of which says which it is.
        case objects(type: String, fields: [String])
    }

    /// A value.
    package enum Value: Hashable, Sendable {
        case text(String)
        case flag(Bool)
        case time(Timestamp)
        case texts([String])
        /// The texts of each object, in the order of the fields.
        case objects([[String]])
    }

    /// One of the fields that each record of a type has.
    package struct Field<Subject>: Sendable {
        package let name: String
        package let kind: Kind
        /// Whether a record may be without it.
        package let isOptional: Bool
        /// What it means, in a line; nil where the name says it.
        package let meaning: String?
        fileprivate let read: @Sendable (Subject) -> Value?

        /// A field.
        init(
            _ name: String, _ kind: Kind, isOptional: Bool = false, _ meaning: String? = nil,
            _ read: @escaping @Sendable (Subject) -> Value?
        ) {
            (self.name, self.kind, self.isOptional, self.meaning, self.read) = (name, kind, isOptional, meaning, read)
        }

        /// A text.
        static func text(
            _ name: String, _ meaning: String? = nil, _ read: @escaping @Sendable (Subject) -> String
        ) -> Field { Field(name, .text, meaning) { .text(read($0)) } }

        /// A text that may be missing.
        static func optional(
            _ name: String, _ meaning: String? = nil, _ read: @escaping @Sendable (Subject) -> String?
        ) -> Field { Field(name, .text, isOptional: true, meaning) { read($0).map { .text($0) } } }

        /// A time that may be missing.
        static func time(
            _ name: String, _ meaning: String? = nil, _ read: @escaping @Sendable (Subject) -> Timestamp?
        ) -> Field { Field(name, .time, isOptional: true, meaning) { read($0).map { .time($0) } } }

        /// Whether something holds.
        static func flag(
            _ name: String, _ meaning: String? = nil, _ read: @escaping @Sendable (Subject) -> Bool
        ) -> Field { Field(name, .flag, meaning) { .flag(read($0)) } }

        /// Texts.
        static func texts(
            _ name: String, _ meaning: String? = nil, _ read: @escaping @Sendable (Subject) -> [String]
        ) -> Field { Field(name, .texts, meaning) { .texts(read($0)) } }
    }

    /// The fields, in their order; without a value those that this one does not have.
    package let fields: [(name: String, kind: Kind, value: Value?)]

    /// What the fields say of something.
    package init<Subject>(_ subject: Subject, _ fields: [Field<Subject>]) {
        self.fields = fields.map { ($0.name, $0.kind, $0.read(subject)) }
    }

    /// A record that somebody else has read.
    package init<Subject>(_ fields: [Field<Subject>], reading read: (_ name: String, Kind) -> Value?) {
        self.fields = fields.map { ($0.name, $0.kind, read($0.name, $0.kind)) }
    }
}

// MARK: As JSON

extension Record: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Writes the fields into an object that may have others: times by RFC 3339.
    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        for (name, kind, value) in fields {
            switch value {
            case nil: break
            case .text(let text): try object.encode(text, forKey: Name(name))
            case .flag(let flag): try object.encode(flag, forKey: Name(name))
            case .time(let time): try object.encode(time.rfc3339, forKey: Name(name))
            case .texts(let texts): try object.encode(texts, forKey: Name(name))
            case .objects(let objects): try object.encode(kind.named(objects), forKey: Name(name))
            }
        }
    }
}

extension Record.Kind {
    fileprivate func named(_ objects: [[String]]) -> [[String: String]] {
        guard case .objects(_, let names) = self else { return [] }
        return objects.map { Dictionary(zip(names, $0), uniquingKeysWith: { $1 }) }
    }
}

extension JSONWriter {
    /// Writes the fields: times by RFC 3339, and all by the order of their names; or times as seconds since 1970, and all in
    /// the record's own order.
    package mutating func members(of record: Record, isDocument: Bool) {
        for (name, kind, value) in isDocument ? record.fields.sorted(by: { $0.name < $1.name }) : record.fields {
            switch value {
            case nil: break
            case .text(let text): member(name, text)
            case .flag(let flag): member(name, flag)
            case .time(let time): if isDocument { member(name, time.rfc3339) } else { member(name, Int(time.seconds)) }
            case .texts(let texts): member(name, texts)
            case .objects(let objects):
                member(name, each: kind.named(objects)) { object, json in
                    for (name, text) in object.sorted(by: { $0.key < $1.key }) { json.member(name, text) }
                }
            }
        }
    }
}

// MARK: As a type of varlink

extension Record {
    /// The lines between the brackets of a type.
    package static func varlink<Subject>(_ fields: [Field<Subject>]) -> String {
        fields.map { "  \($0.name): \($0.isOptional ? "?" : "")\($0.kind.varlink)" }.joined(separator: ",\n")
    }

    /// The comments above a type, and the types of objects in it.
    package static func varlinkHead<Subject>(_ fields: [Field<Subject>]) -> (types: String, comments: String) {
        let types = fields.compactMap { field in
            guard case .objects(let type, let names) = field.kind else { return nil as String? }
            return "type \(type) (\n" + names.map { "  \($0): string" }.joined(separator: ",\n") + "\n)\n\n"
        }
        let comments = fields.compactMap { field in field.meaning.map { "# \(field.name): \($0).\n" } }
        return (types.joined(), comments.joined())
    }
}

extension Record.Kind {
    fileprivate var varlink: String {
        switch self {
        case .text: "string"
        case .flag: "bool"
        case .time: "int"
        case .texts: "[]string"
        case .objects(let type, _): "[]\(type)"
        }
    }
}

// MARK: As texts

extension Record.Value {
    /// One text: lists with a line for each, of objects what says which it is; nil for an empty list.
    package var text: String? {
        func lines(_ texts: [String]) -> String? { texts.isEmpty ? nil : texts.joined(separator: "\n") }
        return switch self {
        case .text(let text): text
        case .flag(let flag): "\(flag)"
        case .time(let time): time.rfc3339
        case .texts(let texts): lines(texts)
        case .objects(let objects): lines(objects.compactMap(\.first))
        }
    }
}

extension Record {
    /// What the fields are, for a program that is to tell lists and flags from texts: `NAME:KIND`, parted by spaces.
    package static func outline<Subject>(_ fields: [Field<Subject>]) -> String {
        fields.map { "\($0.name):\($0.kind.word)" }.joined(separator: " ")
    }
}

extension Record.Kind {
    fileprivate var word: String {
        switch self {
        case .text: "text"
        case .flag: "flag"
        case .time: "time"
        case .texts, .objects: "lines"
        }
    }
}
