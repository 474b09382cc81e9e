internal import KeyfobModel
internal import KeyfobSodium

/// Fields of a provider's own in an authorization request: `audience` (Auth0), `token_access_type` (Dropbox), `duration` (Reddit).
package enum AuthorizationParameters {
    /// The most fields.
    package static let limit = 16
    /// The longest name, and the longest value, in bytes.
    package static let (nameLimit, valueLimit) = (64, 1_024)

    /// What is sent by itself, or would make another request of it: no field of these names is taken from anybody.
    private static let reserved: Set<String> = [
        "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
        "code", "code_challenge", "code_challenge_method", "code_verifier", "grant_type", "device_code",
        "refresh_token", "prompt", "login_hint", "domain_hint", "claims", "resource", "request", "request_uri",
        "client_assertion", "client_assertion_type", "client_info", "instance_aware", "dpop_jkt", "id_token_hint",
        "acr_values", "max_age",
    ]

    /// What is wrong with such fields; nil where nothing is.
    ///
    /// It holds no value.
    package static func problem(of parameters: [String: String]) -> String? {
        guard parameters.count <= limit else { return "there are more than \(limit) parameters" }
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            guard (1...nameLimit).contains(name.utf8.count), name.utf8.allSatisfy(isOfName) else {
                return "a parameter's name is not made of at most \(nameLimit) letters, digits, '.', '-' and '_'"
            }
            if reserved.contains(Identifier.folded(name)) {
                return "'\(name)' is no parameter of a provider's own: sign-ins send it as OAuth means it"
            }
            guard Identifier.isAcceptable(value), value.utf8.count <= valueLimit else {
                return "the value of '\(name)' is blank, longer than \(valueLimit) bytes, or holds control characters"
            }
        }
        return nil
    }

    /// The fields as a JSON object.
    package static func json(_ parameters: [String: String]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { writer.member(name, value) }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The fields in a JSON object; nil where it is none, or some may not be sent.
    package static func read(_ json: String) -> [String: String]? {
        let read = Array(json.utf8).withBytes { bytes -> [String: String]? in
            (try? JSONFields(reading: bytes))?.texts(in: bytes)
        }
        return read.flatMap { problem(of: $0) == nil ? $0 : nil }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }
}

extension JSONFields {
    /// The members where all are strings.
    func texts(in bytes: RawSpan) -> [String: String]? {
        var texts: [String: String] = [:]
        for name in names(in: bytes) {
            guard let text = string(name, in: bytes) else { return nil }
            texts[name] = text
        }
        return texts
    }
}
