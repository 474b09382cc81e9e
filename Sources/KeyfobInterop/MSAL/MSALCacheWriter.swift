internal import KeyfobModel
package import KeyfobSodium

/// Writes a unified token cache piece by piece, in the form that MSAL for Python reads.
///
/// The sections come in the order of ``MSALSection``, and after them the top-level nodes that Keyfob
/// does not know; going back traps. What is written goes out in pieces of up to 64 KiB, or one entity where
/// that is longer, from guarded memory that is wiped. The output closure must not keep the bytes it
/// is given; when it throws, nothing more can be written.
package struct MSALCacheWriter: ~Copyable {
    /// How much is collected before it goes out.
    static let pieceCount = 65_536

    /// What is to go out next.
    private var piece = SecretBuffer(capacity: pieceCount)
    /// What is to follow it, and is no secret.
    private var writer = JSONWriter()
    /// How many sections have begun; one more when they are all behind.
    private var begun = 0
    /// The keys of the section at hand.
    private var keys: Set<String> = []

    /// A writer that has written nothing.
    package init() {
        writer.beginObject()
    }

    /// Begins a section; the sections before it that were left out are written empty.
    package mutating func begin(_ section: MSALSection) {
        let place = (MSALSection.allCases.firstIndex(of: section) ?? 0) + 1
        precondition(place > begun, "the sections of a cache are written in order")
        advance(to: place)
    }

    /// Writes something that Keyfob does not know into the section at hand, as it is.
    package mutating func append<Failure: Error>(
        foreignEntity key: String, json: borrowing SecretBytes, to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(begun > 0 && begun <= MSALSection.allCases.count, "an entity is written in a section")
        writer.name(unused(key))
        try send(json, as: .json, to: output)
    }

    /// Writes a top-level node that Keyfob does not know, as it is; the sections are behind then.
    package mutating func append<Failure: Error>(
        foreignNode key: String, json: borrowing SecretBytes, to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        if begun <= MSALSection.allCases.count {
            advance(to: MSALSection.allCases.count + 1)
            keys = Set(MSALSection.allCases.map(\.rawValue))
        }
        writer.name(unused(key))
        try send(json, as: .json, to: output)
    }

    /// Writes the end.
    package consuming func finish<Failure: Error>(
        to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        if begun <= MSALSection.allCases.count { advance(to: MSALSection.allCases.count + 1) }
        writer.endObject()
        try collect(to: output)
        try flush(to: output)
    }

    private mutating func advance(to place: Int) {
        while begun < place {
            if begun > 0 { writer.endObject() }
            begun += 1
            guard begun <= MSALSection.allCases.count else { return }
            writer.name(MSALSection.allCases[begun - 1].rawValue)
            writer.beginObject()
            keys.removeAll(keepingCapacity: true)
        }
    }
}

extension MSALCacheWriter {
    /// Begins an entity of a section, which must be the one at hand.
    mutating func beginEntity(_ key: String, in section: MSALSection) {
        precondition(
            begun > 0 && begun <= MSALSection.allCases.count && MSALSection.allCases[begun - 1] == section,
            "an entity is written in its section")
        writer.name(unused(key))
        writer.beginObject()
    }

    /// Writes the fields of an entity, and behind them those of `others` that are not among them.
    mutating func fields(_ fields: KeyValuePairs<String, String?>, _ others: AdditionalFields) {
        for (name, value) in fields {
            guard let value else { continue }
            writer.name(name)
            writer.string(value)
        }
        for other in others.fields where !fields.contains(where: { $0.key == other.name && $0.value != nil }) {
            writer.name(other.name)
            writer.raw(other.json)
        }
    }

    /// Writes the secret and with it the end of an entity.
    mutating func endEntity<Failure: Error>(
        secret: borrowing SecretBytes, to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        writer.name("secret")
        try send(secret, as: .text, to: output)
        writer.endObject()
    }

    /// Writes the end of an entity without a secret.
    mutating func endEntity<Failure: Error>(to output: (RawSpan) throws(Failure) -> Void) throws(Failure) {
        writer.endObject()
        try collect(to: output)
    }

    /// Collects what is written and the secret behind it.
    private mutating func send<Failure: Error>(
        _ secret: borrowing SecretBytes, as form: MSALSecretChunk.Form,
        to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        let chunk = MSALSecretChunk.chunk(writer.bytes, then: secret, as: form)
        if chunk.count > piece.capacity - piece.count { try flush(to: output) }
        if chunk.count > piece.capacity {
            try chunk.withBytes(output)
        } else {
            chunk.withBytes { piece.append($0) }
        }
        writer.removeWritten()
        writer.skipValue()
    }

    /// Collects what is written.
    private mutating func collect<Failure: Error>(
        to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        let written = writer.bytes
        if written.count > piece.capacity - piece.count { try flush(to: output) }
        if written.count > piece.capacity {
            try output(RawSpan(_elements: written.span))
        } else {
            piece.append(RawSpan(_elements: written.span))
        }
        writer.removeWritten()
    }

    /// Lets out what is collected.
    private mutating func flush<Failure: Error>(
        to output: (RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        guard piece.count > 0 else { return }
        try piece.withBytes(output)
        piece.removeAll()
    }

    /// `key`, or where the section has it already, `key` with a number: to write both is better than to
    /// lose one, and no MSAL looks at the keys when it searches.
    private mutating func unused(_ key: String) -> String {
        var unused = key
        var number = 1
        while !keys.insert(unused).inserted {
            number += 1
            unused = "\(key)-\(number)"
        }
        return unused
    }
}
