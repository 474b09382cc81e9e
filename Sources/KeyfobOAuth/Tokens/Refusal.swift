internal import KeyfobModel
internal import KeyfobSodium

/// What a provider said when it refused (RFC 6749, section 5.2), without anything secret.
package struct Refusal: Hashable, Sendable, CustomStringConvertible {
    /// The status code; 0 for what came by redirect.
    package var status: Int
    /// The error's name; nil where the body was empty or named none.
    package var error: String?
    /// Microsoft's finer name.
    package var suberror: String?
    /// Microsoft's numbers (`AADSTS…`).
    package var codes: [Int64]
    /// The sentence for people.
    package var text: ProviderText?
    /// By which the provider finds the request in its logs.
    package var correlationID: String?
    /// The `claims` that a sign-in is to ask for (Microsoft's Conditional Access): a JSON object.
    package var claims: String?

    /// A refusal.
    package init(
        status: Int, error: String? = nil, suberror: String? = nil, codes: [Int64] = [],
        text: ProviderText? = nil, correlationID: String? = nil, claims: String? = nil
    ) {
        self.status = status
        self.error = error
        self.suberror = suberror
        self.codes = codes
        self.text = text
        self.correlationID = correlationID
        self.claims = claims
    }

    /// The longest `claims` that are taken, in bytes.
    private static let claimsLimit = 4_096

    /// Microsoft's numbers, with that of the sentence where no list has it: what comes by redirect has the sentence alone.
    var allCodes: [Int64] {
        let head = "AADSTS"
        guard let text = text?.description, text.hasPrefix(head),
            let told = Int64(text.dropFirst(head.count).prefix { $0.isASCII && $0.isNumber }), !codes.contains(told)
        else { return codes }
        return codes + [told]
    }

    /// A text that is a JSON object of no more than some size, and nothing else.
    private static func claims(_ text: String?) -> String? {
        guard let text, text.utf8.count <= claimsLimit,
            let tape = try? Array(text.utf8).withBytes({ try JSONTape(reading: $0) }),
            tape.kind(of: tape.root) == .object,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { return nil }
        return text
    }

    /// What an error body says, or nil where it names no error.
    static func reading(_ fields: JSONFields, status: Int, in bytes: RawSpan) -> Refusal? {
        guard fields.has("error", in: bytes) else { return nil }
        return Refusal(
            status: status, error: ProtocolWord.accept(fields.string("error", in: bytes)) ?? "unreadable",
            suberror: ProtocolWord.accept(fields.string("suberror", in: bytes)),
            codes: Array(fields.integers("error_codes", in: bytes).prefix(8)),
            text: fields.string("error_description", in: bytes).flatMap { ProviderText($0) },
            correlationID: fields.string("correlation_id", in: bytes).flatMap { id in
                let isID = id.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil || $0 == UInt8(ascii: "-") }
                return isID && (1...36).contains(id.utf8.count) ? id : nil
            }, claims: claims(fields.string("claims", in: bytes)))
    }

    package var description: String {
        let name = [error, suberror].compactMap { $0 }.joined(separator: "/")
        let head = name.isEmpty ? "the provider refused without a reason" : "the provider refused: \(name)"
        return head + (status > 0 ? " (status \(status))" : "") + (text.map { ": \($0)" } ?? "")
    }
}
