internal import KeyfobModel

/// A provider's sentence for people, made harmless: one short line without anything that could be a secret.
///
/// Words longer than 40 bytes, which tokens and codes are, and the queries of addresses become `…`.
package struct ProviderText: Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    package let description: String

    /// The longest sentence, in characters.
    package static let maximumCount = 240

    /// What may be shown of `text`, or nil where nothing is left.
    package init?(_ text: String) {
        var words: [String] = []
        let firstLine = text.unicodeScalars.prefix { $0 != "\n" && $0 != "\r" }
        for word in String(String.UnicodeScalarView(firstLine)).split(separator: " ") {
            var shown = String(word.unicodeScalars.filter { Self.isShown($0) }.map(Character.init))
            if let query = shown.firstIndex(where: { $0 == "?" }), query != shown.indices.last {
                shown = String(shown[...query]) + "…"
            }
            words.append(shown.utf8.count > 40 || Self.looksLikeQuery(shown) ? "…" : shown)
        }
        let line = words.joined(separator: " ")
        guard !line.isEmpty else { return nil }
        self.description = line.count > Self.maximumCount ? String(line.prefix(Self.maximumCount)) + "…" : line
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && scalar.value != 0x7F && Identifier.isAcceptable("x" + String(scalar))
    }

    /// `code=…`, `token=…`: a name and a value without a blank.
    private static func looksLikeQuery(_ word: String) -> Bool {
        guard let equals = word.firstIndex(of: "=") else { return false }
        return equals != word.startIndex && word.index(after: equals) != word.endIndex
    }
}

/// A word of a protocol that a provider sent (`invalid_grant`, `bad_token`), or nothing.
enum ProtocolWord {
    /// `text`, if it is at most 64 bytes of small letters, digits, `_`, `-` and `.`.
    static func accept(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= 64 else { return nil }
        let isWord = text.utf8.allSatisfy { $0.isASCIISmallLetter || $0.isASCIIDigit || "_-.".utf8.contains($0) }
        return isWord ? text : nil
    }
}
