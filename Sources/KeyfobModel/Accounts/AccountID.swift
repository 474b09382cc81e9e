/// Who: a home account id at an identity provider's environment.
///
/// MSAL's home account id is `uid.utid`; with plain OpenID Connect it is the `sub` claim. The
/// environment is the canonical host of the issuer. Neither can be empty: an empty identifier is
/// an error where it is read, never a wildcard.
///
/// The home account id compares as names do, without regard to case, and the environment by its alias set, so one account
/// reached through `login.windows.net` and `login.microsoftonline.com` is one account.
public struct AccountID: Sendable {
    /// The account's id at its provider, as the provider spelt it.
    public let homeAccountID: String
    /// The host of the provider, as it was spelt where the account came from.
    public let environment: String
    /// Both, in the one spelling under which they are compared.
    public let canonical: String

    /// An account id, or nil when a part is empty or holds a control character.
    public init?(homeAccountID: String, environment: String) {
        guard Identifier.isAcceptable(homeAccountID), Identifier.isAcceptable(environment) else { return nil }
        self.homeAccountID = homeAccountID
        self.environment = environment
        self.canonical =
            Identifier.foldedName(homeAccountID) + "@" + EnvironmentAliases.canonicalName(of: environment)
    }
}

extension AccountID {
    /// The id that is written `<home account id>@<environment>`; the last `@` parts the two.
    public init?(_ description: String) {
        guard let at = description.lastIndex(of: "@") else { return nil }
        self.init(
            homeAccountID: String(description[..<at]),
            environment: String(description[description.index(after: at)...]))
    }
}

extension AccountID {
    /// The policy of Azure AD B2C that an account came by: its id is `<object>-<policy>.<tenant>`; nil for any other.
    package var policy: String? {
        let object = homeAccountID.prefix(36)
        guard Authority.isGUID(object), let dot = homeAccountID.lastIndex(of: ".") else { return nil }
        let rest = homeAccountID[object.endIndex..<dot]
        guard rest.utf8.first == UInt8(ascii: "-"), rest.utf8.count > 1 else { return nil }
        return String(rest.dropFirst())
    }
}

extension AccountID: Hashable, Comparable, CustomStringConvertible {
    /// Whether both name the same account.
    public static func == (left: AccountID, right: AccountID) -> Bool {
        left.canonical == right.canonical
    }

    /// Hashes the canonical spelling.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(canonical)
    }

    /// Orders by the canonical spelling.
    public static func < (left: AccountID, right: AccountID) -> Bool {
        left.canonical < right.canonical
    }

    /// The form that people see and type: `<home account id>@<environment>`.
    public var description: String { homeAccountID + "@" + EnvironmentAliases.canonicalName(of: environment) }
}
