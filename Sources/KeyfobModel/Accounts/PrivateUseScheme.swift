/// A URI scheme of an app's own, by which a desktop brings the answer of a sign-in to it (RFC 8252, section 7.1), such as
/// `io.keyfob`: a name of a domain in reverse; or `msal` and a client id, as Microsoft makes them for apps.
package struct PrivateUseScheme: Hashable, Sendable, CustomStringConvertible {
    /// The scheme, in small letters, without the colon.
    package let description: String

    /// The longest scheme, in bytes.
    package static let limit = 64
    /// The longest address, in bytes.
    package static let addressLimit = 2_048
    /// Keyfob's own.
    package static let own = "io.keyfob"

    /// The scheme that `text` is; nil for one that others may have a meaning for (it has no period), and for text that is none.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.limit, text.utf8.allSatisfy(Self.isAllowed),
            text.utf8.first.map({ (0x61...0x7A).contains($0) }) ?? false
        else { return nil }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1 ? !labels.contains("") : Self.isMicrosofts(text) else { return nil }
        description = text
    }

    /// The scheme of a redirect address: it is followed by `:/`, and has no query and no fragment, which the answer brings.
    package init?(ofRedirectURI text: String) {
        guard text.utf8.count <= Self.addressLimit, let colon = text.firstIndex(of: ":"),
            text[colon...].hasPrefix(":/"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#""<>\^`{|}?#"#.utf8.contains($0) })
        else { return nil }
        self.init(String(text[..<colon]))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
    }

    /// Whether it is `msal` and a UUID.
    private static func isMicrosofts(_ text: String) -> Bool {
        guard text.hasPrefix("msal") else { return false }
        let parts = text.dropFirst(4).split(separator: "-", omittingEmptySubsequences: false)
        let hexadecimal = parts.joined().utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return hexadecimal && parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
    }
}
