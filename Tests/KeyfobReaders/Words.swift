internal import KeyfobModel
internal import KeyfobSodium
internal import KeyfobTerminal

/// Readers of words.
enum Words {
    private static func text(_ document: [UInt8]) -> String? { String(validating: document, as: UTF8.self) }

    static func width(_ document: [UInt8]) -> String {
        text(document).map { "\(DisplayWidth.of($0))" } ?? "refused it is no UTF-8"
    }

    static func httpDate(_ document: [UInt8]) -> String {
        text(document).flatMap { CivilDate(httpDate: $0) }.map { "\($0.time.seconds)" } ?? "refused"
    }

    static func rfc3339(_ document: [UInt8]) -> String {
        text(document).flatMap { CivilDate(rfc3339: $0) }.map { "\($0.time.seconds)" } ?? "refused"
    }

    /// In the ordinary alphabet, by both decoders; and in any.
    static func base64(_ document: [UInt8]) -> String {
        let strict = Base64.standard.decode(document)
        let secret: [UInt8]? = document.withBytes { bytes in
            switch Base64.standard.decodeSecret(bytes) {
            case .some(let secret): secret.withBytes { [UInt8]($0) }
            case nil: nil
            }
        }
        guard strict == secret else { return "?" }
        let any = Base64.decodeAny(document)
        return "\(strict.map { Hex.text($0) } ?? "refused") \(any.map { Hex.text($0) } ?? "refused")"
    }
}
