package import KeyfobSodium

/// How mail programs send a token to a server, in a line of Base64.
package enum SASLToken: String, CaseIterable, Sendable {
    /// Google's and Microsoft's mechanism.
    case xoauth2
    /// The standard's (RFC 7628), without host and port, which servers do not need.
    case oauthbearer

    /// The line for a user's token; nil where there is no name, or the name or the token would end its field.
    package func line(user: String, _ token: borrowing SecretBytes) -> SecretBytes? {
        guard !user.isEmpty, token.isHeaderValue, user.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        let start =
            switch self {
            case .xoauth2: "user=\(user)\u{1}auth=Bearer "
            case .oauthbearer: "n,a=\(Self.saslName(user)),\u{1}auth=Bearer "
            }
        let (head, tail) = (Array(start.utf8), Array("\u{1}\u{1}".utf8))
        let message = SecretBytes(count: head.count + token.count + tail.count) { span in
            head.withBytes { span.copy(from: $0) }
            token.withBytes { span.copy(from: $0, at: head.count) }
            tail.withBytes { span.copy(from: $0, at: head.count + token.count) }
        }
        return message.withBytes { Base64.standard.encodeSecret($0) }
    }

    /// A user's name as it stands in a list (RFC 5801, section 4).
    private static func saslName(_ user: String) -> String {
        user.split(separator: "=", omittingEmptySubsequences: false).joined(separator: "=3D")
            .split(separator: ",", omittingEmptySubsequences: false).joined(separator: "=2C")
    }
}
