/// A mail address, as far as it tells people apart: in small letters.
public struct MailAddress: Hashable, Sendable {
    /// The longest address that is read, in bytes of UTF-8.
    public static let maximumCount = 254

    /// What stands before the `@`.
    public let name: String
    /// What stands behind it: `contoso.example`.
    public let domain: String

    /// The address that `text` is; nil for what is none, and for one whose domain has no dot.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumCount, Identifier.isAcceptable(text) else { return nil }
        let folded = Identifier.foldedName(text)
        guard let at = folded.utf8.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        name = String(folded[..<at])
        domain = String(folded[folded.utf8.index(after: at)...])
        let labels = domain.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard !name.isEmpty, labels.count > 1, !labels.contains(where: { $0.isEmpty }),
            !folded.utf8.contains(UInt8(ascii: " ")), !domain.utf8.contains(UInt8(ascii: "@"))
        else { return nil }
    }

    /// The user names at `environment` that the address can stand for, where it is one of those that its provider gives
    /// people who hide their own: `ada@users.noreply.github.com`, `4711+ada@…`, and at GitLab `4711-ada@…`.
    package func hiddenLogins(at environment: String) -> [String] {
        domain == Self.hidden + EnvironmentAliases.canonicalName(of: environment) ? hiddenLogins : []
    }

    /// The same at whichever provider; none for any other address.
    package var hiddenLogins: [String] {
        guard domain.hasPrefix(Self.hidden) else { return [] }
        let digits = name.utf8.prefix { (0x30...0x39).contains($0) }
        let rest = name.utf8[digits.endIndex...]
        guard !digits.isEmpty, rest.count > 1, rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") else {
            return [name]
        }
        return [name, String(Substring(rest.dropFirst()))]
    }

    private static let hidden = "users.noreply."
}

extension MailAddress: CustomStringConvertible {
    /// `ada@contoso.example`.
    public var description: String { name + "@" + domain }
}

extension Account {
    /// The address that it signs in with; nil where its user name is none.
    package var mailAddress: MailAddress? { MailAddress(username) }
}
