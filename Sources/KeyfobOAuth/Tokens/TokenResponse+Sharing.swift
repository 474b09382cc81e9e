internal import KeyfobModel
package import KeyfobSodium

extension TokenResponse {
    /// The answer as a token endpoint gives it (RFC 6749, section 5.1), with the access token and what it says of that alone.
    package borrowing func accessAnswer() -> SecretBytes {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("token_type", details.tokenType)
        writer.member("scope", details.scopes?.scopes.joined(separator: " "))
        if let seconds = details.expiresIn {
            writer.name("expires_in")
            writer.integer(seconds)
        }
        writer.endObject()
        let rest = Array(writer.bytes.dropFirst())
        var answer = SecretBuffer(capacity: 2 * accessToken.count + rest.count + 32)
        Array("{\"access_token\":\"".utf8).withBytes { answer.append($0) }
        accessToken.withBytes { token in
            for index in 0..<token.byteCount {
                let escape = JSONEscape(token.byte(at: index))
                (0..<escape.count).map { escape[$0] }.withBytes { answer.append($0) }
            }
        }
        Array("\",".utf8).withBytes { answer.append($0) }
        rest.withBytes { answer.append($0) }
        return answer.withBytes { SecretBytes(copying: $0) }
    }
}
