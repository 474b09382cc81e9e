package import KeyfobModel
internal import KeyfobSodium

/// What a resource says of a request without a token, or with one that it does not take (RFC 6750, section 3; RFC 9728,
/// section 5.1).
package struct ResourceChallenge: Hashable, Sendable {
    /// Where the resource describes itself.
    package var metadata: String?
    /// The scopes that a token needs.
    package var scopes: ScopeSet = []
    /// Why it does not take a token, such as `invalid_token`.
    package var error: String?
    /// The `claims` that a token needs, JSON, of `insufficient_claims` (Microsoft's continuous access evaluation).
    package var claims: String?
    /// How a person has to sign in, of `insufficient_user_authentication` (RFC 9470, section 3).
    package var contexts: [String] = []
    /// How many seconds ago a person may have signed in at most, of the same.
    package var maximumAge: Int64?

    /// Whether only a person can do what is wanted: a further scope, or another or a newer sign-in.
    package var wantsPerson: Bool { error == "insufficient_scope" || error == "insufficient_user_authentication" }

    /// The challenge in the headers of an answer: the first of `Bearer` or `DPoP`, or the first that says what is wrong; nothing where
    /// there is none.
    ///
    /// That a proof lacks a nonce (RFC 9449, section 9) is no word against the token.
    package init(_ headers: [HTTPHeader]) {
        let all = headers.filter { Identifier.folded($0.name) == "www-authenticate" }.compactMap {
            Self.fields($0.value)
        }.filter { !$0.contains { $0.name == "error" && $0.value == "use_dpop_nonce" } }
        guard let fields = all.first(where: { $0.contains { $0.name == "error" } }) ?? all.first else { return }
        let value = { (name: String) in fields.first { $0.name == name }?.value }
        metadata = value("resource_metadata")
        scopes = ScopeSet(spaceSeparated: value("scope") ?? "")
        error = value("error")
        // They may stand in what a person is told to type.
        let isPlain = { (text: String) in text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
        if error == "insufficient_claims" {
            claims = value("claims").flatMap(Self.decoded).flatMap { isPlain($0) ? $0 : nil }
        }
        if error == "insufficient_user_authentication" {
            contexts = value("acr_values").map { $0.split(separator: " ").map(String.init) } ?? []
            maximumAge = value("max_age").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
        }
    }

    /// The text that is written in Base64, of either alphabet.
    private static func decoded(_ text: String) -> String? {
        Base64.decodeAny(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The fields of the first challenge whose scheme is Bearer or DPoP (RFC 9110, section 11.6.1), names in small letters; nil
    /// where there is none.
    private static func fields(_ value: String) -> [(name: String, value: String)]? {
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
            } else if ["bearer", "dpop"].contains(Identifier.folded(word)) {
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
