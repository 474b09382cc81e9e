internal import Keyfob
internal import KeyfobSodium

/// Writes a JSON document with a secret in it, which goes from guarded memory to the descriptor and is nowhere else.
struct SecretInJSON {
    private let before: String
    private let after: String

    /// A document whose member `name` is an empty string, which stands for the secret.
    ///
    /// - Throws: `fault` where there is no such member, or more than one.
    init(_ document: some JSONDocument, at name: String) throws(KeyringError) {
        // Inside of a string each quotation mark has a backslash before it, so this is a member and nothing else.
        let parts = try JSONOutput.text(document).split(
            separator: "\"\(name)\" : \"\"", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw KeyringError(.fault, "a document has no place for a secret") }
        before = "\(parts[0])\"\(name)\" : \""
        after = "\"\(parts[1])\n"
    }

    /// A document of another form: what stands before the secret, up to its quotation mark, and behind it.
    init(before: String, after: String) {
        (self.before, self.after) = (before, after)
    }

    /// Writes the document with a secret.
    ///
    /// - Parameter write: Takes one piece after the other.
    /// - Throws: `damaged` where the secret is no text.
    func write(
        _ secret: borrowing SecretBytes, to write: (RawSpan) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        try secret.withBytes { (bytes) throws(KeyringError) in
            guard bytes.isUTF8 else {
                throw KeyringError(.damaged, "the token is not text", hint: "ask for it without --json")
            }
            try Self.write(text: before, write)
            var start = 0
            for place in 0..<bytes.byteCount {
                guard let escape = Self.escape(bytes.byte(at: place)) else { continue }
                if start < place { try write(bytes.extracting(start..<place)) }
                try Self.write(text: escape, write)
                start = place + 1
            }
            if start < bytes.byteCount { try write(bytes.extracting(start..<bytes.byteCount)) }
            try Self.write(text: after, write)
        }
    }

    private static func write(
        text: String, _ write: (RawSpan) throws(KeyringError) -> Void
    ) throws(KeyringError) {
        try Array(text.utf8).withBytes(write)
    }

    private static func escape(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "\""): return "\\\""
        case UInt8(ascii: "\\"): return "\\\\"
        case 0..<0x20, 0x7F:
            let digits = String(byte, radix: 16)
            return "\\u00" + (digits.count < 2 ? "0" : "") + digits
        default: return nil
        }
    }
}
