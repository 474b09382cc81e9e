/// What is known of a client at an environment; an `AppMetadata` entity of the MSAL cache.
public struct AppMetadata: Hashable, Sendable {
    /// The OAuth client id.
    public var clientID: String
    /// The host of the provider.
    public var environment: String
    /// The family the client belongs to.
    public var family: Family
    /// The fields that Keyfob does not interpret.
    public var additionalFields: AdditionalFields

    /// Metadata of a client.
    public init(
        clientID: String, environment: String, family: Family,
        additionalFields: AdditionalFields = AdditionalFields()
    ) {
        self.clientID = clientID
        self.environment = environment
        self.family = family
        self.additionalFields = additionalFields
    }

    /// Which clients may redeem each other's refresh tokens.
    public enum Family: Hashable, Sendable {
        /// Nobody has said; a family's refresh token may be tried.
        case unknown
        /// Known to belong to none; no family's refresh token is tried.
        case none
        /// A member of the family with this id, usually `1`.
        case member(String)
    }
}
