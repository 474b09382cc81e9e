/// What a sign-in could reach before it ended, or an account before it was removed.
public enum FormerReach: String, Hashable, Sendable {
    /// No more than its access tokens were for.
    case tokens
    /// What its grants named.
    case named
    /// What nobody knows.
    case any

    /// What those credentials reached.
    package init(of credentials: some Sequence<Credential>) {
        self = .tokens
        for credential in credentials where credential.kind == .refreshToken { self = joined(with: credential.reach) }
    }

    /// What several reached together.
    package func joined(with other: FormerReach) -> FormerReach {
        if self == .any || other == .any { return .any }
        return self == .named ? .named : other
    }
}

extension Credential {
    /// What this grant can reach, or could.
    fileprivate var reach: FormerReach { former?.reach ?? (scopes.isEmpty ? .any : .named) }

    /// The additional field of a grant that its person has ended, which tells what went with it.
    private static let formerField = "keyfob_former"

    /// What a grant that its person has ended could reach, and the tenants that there were access tokens for; nil for any
    /// other, and where nobody has noted that.
    package var former: (reach: FormerReach, realms: [String])? {
        guard let field = additionalFields.fields.first(where: { $0.name == Self.formerField }) else { return nil }
        let words = field.json.split(separator: "\"").first?.split(separator: " ").map { String($0) } ?? []
        guard let reach = words.first.flatMap({ FormerReach(rawValue: $0) }) else { return nil }
        return (reach, Array(words.dropFirst()))
    }

    /// Takes note of the access tokens that go with this grant: their scopes become its own.
    ///
    /// - Parameter hadGrant: Whether there was one before its person ended it.
    package mutating func remember(_ tokens: [Credential], hadGrant: Bool) {
        guard former == nil else { return }
        let reach = hadGrant ? reach : .tokens
        scopes = ScopeSet(scopes.scopes + tokens.flatMap { $0.scopes.scopes })
        // Ids and domains: none of them needs an escape.
        let realms = Set(tokens.map { $0.realm }).filter { realm in
            !realm.isEmpty && realm.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) }
        }
        let text = ([reach.rawValue] + realms.sorted()).joined(separator: " ")
        additionalFields.fields.append(AdditionalFields.Field(name: Self.formerField, json: "\"\(text)\""))
    }
}
