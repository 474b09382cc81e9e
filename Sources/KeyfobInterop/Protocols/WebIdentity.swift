package import KeyfobModel
package import KeyfobSodium

/// Credentials of AWS for a while, which its Security Token Service gives for a token (AssumeRoleWithWebIdentity).
package struct WebIdentityCredentials: ~Copyable, Sendable {
    /// The id of the access key, which is not secret.
    package let accessKeyID: String
    /// The key that requests are signed with.
    package let secretAccessKey: SecretBytes
    /// What has to go with each request.
    package let sessionToken: SecretBytes
    /// Until when they are valid.
    package let expiresOn: Timestamp

    /// What an answer lacks that is no answer with credentials.
    package struct Lack: Error, Hashable, Sendable {
        /// The name of an element.
        package let field: String
    }

    /// Reads the answer of the service, an XML document: each of the four elements must be there once, and be plain.
    ///
    /// The alphabets of keys, tokens and dates have no character that XML or JSON would write as another.
    package init(reading document: borrowing SecretBytes) throws(Lack) {
        self = try document.withBytes { bytes throws(Lack) in
            guard let key = FlatXML.word("AccessKeyId", in: bytes) else { throw Lack(field: "AccessKeyId") }
            guard let secret = FlatXML.place(of: "SecretAccessKey", in: bytes) else {
                throw Lack(field: "SecretAccessKey")
            }
            guard let token = FlatXML.place(of: "SessionToken", in: bytes) else {
                throw Lack(field: "SessionToken")
            }
            guard let date = FlatXML.word("Expiration", in: bytes).flatMap(Self.date) else {
                throw Lack(field: "Expiration")
            }
            return WebIdentityCredentials(
                accessKeyID: key, secretAccessKey: SecretBytes(copying: bytes.extracting(secret)),
                sessionToken: SecretBytes(copying: bytes.extracting(token)), expiresOn: date)
        }
    }

    private init(
        accessKeyID: String, secretAccessKey: consuming SecretBytes, sessionToken: consuming SecretBytes,
        expiresOn: Timestamp
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiresOn = expiresOn
    }

    /// What a credential_process answers; no value has a character that JSON would write as another.
    package borrowing func answer() -> SecretBytes {
        var buffer = SecretBuffer(capacity: 512 + secretAccessKey.count + sessionToken.count)
        func append(_ text: String) { Array(text.utf8).withBytes { buffer.append($0) } }
        append("{\"Version\":1,\"AccessKeyId\":\"\(accessKeyID)\",\"SecretAccessKey\":\"")
        secretAccessKey.withBytes { buffer.append($0) }
        append("\",\"SessionToken\":\"")
        sessionToken.withBytes { buffer.append($0) }
        append("\",\"Expiration\":\"\(expiresOn.rfc3339)\"}\n")
        return buffer.withBytes { SecretBytes(copying: $0) }
    }

    /// A date in UTC; fractions of a second are left out.
    private static func date(_ text: String) -> Timestamp? {
        let seconds = text.prefix { $0 != "." }
        return CivilDate(rfc3339: seconds.count < text.count ? seconds + "Z" : text)?.time
    }
}

/// What the service says instead of giving credentials.
package struct WebIdentityRefusal: Hashable, Sendable {
    /// What kind of error: `AccessDenied`, `ExpiredTokenException`, `InvalidIdentityToken`.
    package let code: String
    /// The sentence for people as it came; nil where none did.
    package let message: String?

    /// Reads the service's answer; nil where it is none of its errors.
    package init?(reading document: borrowing SecretBytes) {
        let found = document.withBytes { bytes in
            FlatXML.word("Code", in: bytes).map { ($0, FlatXML.text("Message", in: bytes)) }
        }
        guard let found else { return nil }
        (code, message) = found
    }

    /// Whether another token of the same account may be taken where this one was not.
    package var isAboutToken: Bool { ["ExpiredTokenException", "InvalidIdentityToken"].contains(code) }
    /// Whether the same request may be answered later.
    package var isPassing: Bool { ["IDPCommunicationError", "Throttling", "RequestLimitExceeded"].contains(code) }
}

/// Elements of an XML document that are there once, and hold no others.
private enum FlatXML {
    /// What an element holds, where that is a word of letters, digits and `+ / = _ - . :`.
    static func word(_ name: String, in bytes: RawSpan) -> String? {
        place(of: name, in: bytes).map { range in String(decoding: range.map { bytes.byte(at: $0) }, as: UTF8.self) }
    }

    /// Where that word is.
    static func place(of name: String, in bytes: RawSpan) -> Range<Int>? {
        guard let range = content(of: name, in: bytes), !range.isEmpty,
            range.allSatisfy({ isPlain(bytes.byte(at: $0)) })
        else { return nil }
        return range
    }

    /// The text of an element, with the characters that XML writes as names.
    static func text(_ name: String, in bytes: RawSpan) -> String? {
        guard let range = content(of: name, in: bytes) else { return nil }
        guard let written = String(validating: range.map { bytes.byte(at: $0) }, as: UTF8.self),
            !written.utf8.contains(where: { $0 < 0x20 && !"\t\n\r".utf8.contains($0) }), !written.contains("]]>")
        else { return nil }
        let parts = written.split(separator: "&", omittingEmptySubsequences: false)
        var text = String(parts[0])
        for part in parts.dropFirst() {
            guard let end = part.firstIndex(of: ";"), let character = character(part[..<end]) else { return nil }
            text.unicodeScalars.append(character)
            text += part[part.index(after: end)...]
        }
        return text
    }

    /// The character that a name or a number between `&` and `;` stands for.
    private static func character(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case "amp": return "&"
        default:
            let isHexadecimal = name.hasPrefix("#x")
            guard name.hasPrefix("#"), name.utf8.last.map({ Hexadecimal.value(of: $0) != nil }) == true else {
                return nil
            }
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            guard digits.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil }) else { return nil }
            let value = UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
            return value.flatMap { $0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0) ? $0 : nil }
        }
    }

    private static func content(of name: String, in bytes: RawSpan) -> Range<Int>? {
        let (opening, closing) = (Array("<\(name)>".utf8), Array("</\(name)>".utf8))
        guard let start = places(of: opening, in: bytes).only.map({ $0 + opening.count }),
            let end = places(of: closing, in: bytes).only,
            start <= end, !(start..<end).contains(where: { bytes.byte(at: $0) == UInt8(ascii: "<") })
        else { return nil }
        return start..<end
    }

    private static func places(of word: [UInt8], in bytes: RawSpan) -> [Int] {
        guard bytes.byteCount >= word.count else { return [] }
        return (0...bytes.byteCount - word.count).filter { start in
            word.indices.allSatisfy { bytes.byte(at: start + $0) == word[$0] }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || "+/=_-.:".utf8.contains(byte) }
}

extension Array {
    fileprivate var only: Element? { count == 1 ? first : nil }
}
