package import KeyfobModel

/// What a resource says of a request without a token (RFC 6750, section 3; RFC 9728, section 5.1).
package struct ResourceChallenge: Hashable, Sendable {
    /// Where the resource describes itself.
    package var metadata: String?
    /// The scopes that a token needs.
    package var scopes: ScopeSet = []

    /// The challenge in the headers of an answer: the first of `Bearer`; nothing where there is none.
    package init(_ headers: [HTTPHeader]) {
        for header in headers where Identifier.folded(header.name) == "www-authenticate" {
            guard let fields = Self.bearer(header.value) else { continue }
            metadata = fields.first { $0.name == "resource_metadata" }?.value
            scopes = ScopeSet(spaceSeparated: fields.first { $0.name == "scope" }?.value ?? "")
            return
        }
    }

    /// The fields of the challenge whose scheme is Bearer (RFC 9110, section 11.6.1), names in small letters; nil where there is
    /// none.
    private static func bearer(_ value: String) -> [(name: String, value: String)]? {
        var rest = Array(value.utf8)[...]
        var fields: [(name: String, value: String)]?
        while let word = token(&rest) {
            skipBlanks(&rest)
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                skipBlanks(&rest)
                guard let value = quoted(&rest) ?? token(&rest) else { return fields }
                fields?.append((Identifier.folded(word), value))
            } else if fields != nil {
                // The next challenge.
                return fields
            } else if Identifier.folded(word) == "bearer" {
                fields = []
            }
            while let next = rest.first, next == UInt8(ascii: ",") || next == 0x20 || next == 0x09 {
                rest = rest.dropFirst()
            }
        }
        return fields
    }

    private static func token(_ rest: inout ArraySlice<UInt8>) -> String? {
        skipBlanks(&rest)
        let word = rest.prefix { $0 > 0x20 && $0 < 0x7F && !"=,\"".utf8.contains($0) }
        guard !word.isEmpty else { return nil }
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self)
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        var index = rest.startIndex + 1
        while index < rest.endIndex, rest[index] != UInt8(ascii: "\"") {
            if rest[index] == UInt8(ascii: "\\") { index += 1 }
            guard index < rest.endIndex else { return nil }
            text.append(rest[index])
            index += 1
        }
        guard index < rest.endIndex else { return nil }
        rest = rest[(index + 1)...]
        return String(validating: text, as: UTF8.self)
    }

    private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }
}
