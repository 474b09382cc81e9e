package import KeyfobModel
package import KeyfobSodium

/// A reply to a call, with the zero that ends it.
package enum VarlinkMessage: Sendable {
    /// One with no secret in it.
    case plain([UInt8])
    /// One with no secret in it that others follow.
    case part([UInt8])
    /// One with a secret in it.
    case guarded(GuardedText)

    /// Whether others follow.
    var continues: Bool { if case .part = self { true } else { false } }

    /// A text with a secret in it.
    package final class GuardedText: Sendable {
        let bytes: SecretBytes

        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    /// How many bytes it has.
    var count: Int {
        switch self {
        case .plain(let bytes), .part(let bytes): bytes.count
        case .guarded(let text): text.bytes.count
        }
    }

    /// Calls `body` with its bytes.
    package func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        switch self {
        case .plain(let bytes), .part(let bytes): bytes.withBytes(body)
        case .guarded(let text): text.bytes.withBytes(body)
        }
    }

    /// A reply, of which `write` writes the parameters.
    ///
    /// - Parameter continues: Whether others follow.
    package static func reply(
        continues: Bool = false, _ write: (inout JSONWriter) -> Void = { _ in }
    ) -> VarlinkMessage {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("parameters")
        writer.beginObject()
        write(&writer)
        writer.endObject()
        if continues { writer.member("continues", true) }
        writer.endObject()
        return continues ? .part(writer.bytes + [0]) : .plain(writer.bytes + [0])
    }

    /// A last reply with a secret besides the parameters that `write` writes; nil where the secret is no text.
    package static func reply(
        _ name: String, _ secret: borrowing SecretBytes, _ write: (inout JSONWriter) -> Void
    ) -> VarlinkMessage? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("parameters")
        writer.beginObject()
        write(&writer)
        writer.name(name)
        let (before, after) = (writer.bytes + [0x22], Array("\"}}\0".utf8))
        return secret.withBytes { secret in
            guard secret.isUTF8 else { return nil }
            let count = before.count + JSONEscape.count(of: secret) + after.count
            let text = SecretBytes(count: count, placement: .recycled) { span in
                before.withBytes { span.copy(from: $0) }
                JSONEscape.write(secret, into: &span, at: before.count)
                after.withBytes { span.copy(from: $0, at: count - after.count) }
            }
            return .guarded(GuardedText(text))
        }
    }

    /// An error, of which `write` writes the parameters.
    package static func error(_ name: String, _ write: (inout JSONWriter) -> Void = { _ in }) -> VarlinkMessage {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", name)
        writer.name("parameters")
        writer.beginObject()
        write(&writer)
        writer.endObject()
        writer.endObject()
        return .plain(writer.bytes + [0])
    }
}
