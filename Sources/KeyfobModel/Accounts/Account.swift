/// One person at one identity provider.
///
/// Guest tenants are ``TenantProfile``s inside the account, not accounts of their own.
public struct Account: Hashable, Sendable, Identifiable {
    /// Who it is.
    public var id: AccountID
    /// The name the person signs in with, from the home tenant where known; may be empty, may change,
    /// and need not be unique.
    public var username: String
    /// The person's name, where the provider gave one.
    public var displayName: String?
    /// The name that the owner of the keyring gave the account.
    public var label: String?
    /// One profile for each tenant in which the account was seen, sorted by realm.
    public var tenantProfiles: [TenantProfile]
    /// The ids and user names it had before, the latest first: each finds it, unless another account is called so now.
    public var formerNames: [String]
    /// Whether somebody signed in as it here, so that a provider has said whose id it is; a name alone proves it no more.
    package var isProved = false

    /// An account.
    public init(
        id: AccountID, username: String, displayName: String? = nil, label: String? = nil,
        tenantProfiles: [TenantProfile] = [], formerNames: [String] = []
    ) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.label = label
        self.tenantProfiles = tenantProfiles
        self.formerNames = formerNames
    }

    /// The tenant the account is at home in: the part of `uid.utid` behind the last dot; nil for ids that are no such
    /// pair, as mail addresses are none.
    public var homeRealm: String? {
        guard !id.homeAccountID.contains("@"), let dot = id.homeAccountID.lastIndex(of: ".") else { return nil }
        let realm = id.homeAccountID[id.homeAccountID.index(after: dot)...]
        return realm.isEmpty ? nil : String(realm)
    }

    /// An account of which only a token is known that was stored by hand; it is called by its id unless it has a name.
    package static func knownByName(
        _ id: AccountID, called username: String? = nil, label: String? = nil, tenant: String = ""
    ) -> Account {
        let profile = TenantProfile(
            realm: tenant, localAccountID: id.homeAccountID, environment: id.environment,
            username: username ?? id.homeAccountID)
        return Account(id: id, username: profile.username, label: label, tenantProfiles: [profile])
    }

    /// Whether nothing but its user name tells who it is, as of one whose token was stored by hand.
    package var isKnownByName: Bool { Identifier.foldedName(id.homeAccountID) == Identifier.foldedName(username) }

    /// Whether it is at a server of Microsoft's making, on whatever host, whose grants are for any resource.
    package var isOfMicrosoft: Bool {
        EnvironmentAliases.isMicrosoft(id.environment)
            || tenantProfiles.contains { $0.authorityType == "MSSTS" || $0.authorityType == "ADFS" }
    }

    /// What to call the account where one name must do: its label, its user name, or its id.
    public var name: String {
        label ?? (username.isEmpty ? id.homeAccountID : username)
    }
}

/// An account as one tenant sees it; an `Account` entity of the MSAL cache.
public struct TenantProfile: Hashable, Sendable {
    /// The tenant id, or what stands in its place (`adfs`, `contoso`); may be empty.
    public var realm: String
    /// The object id of the account in this tenant; for AD FS and plain OpenID Connect the `sub`.
    public var localAccountID: String
    /// The host, as the cache that brought the profile spelt it.
    public var environment: String
    /// The user name in this tenant.
    public var username: String
    /// The person's name in this tenant.
    public var displayName: String?
    /// `MSSTS`, `ADFS`, `MSA`, …, as the cache has it.
    public var authorityType: String?
    /// The fields that Keyfob does not interpret.
    public var additionalFields: AdditionalFields

    /// A profile.
    public init(
        realm: String, localAccountID: String, environment: String, username: String,
        displayName: String? = nil, authorityType: String? = nil,
        additionalFields: AdditionalFields = AdditionalFields()
    ) {
        self.realm = realm
        self.localAccountID = localAccountID
        self.environment = environment
        self.username = username
        self.displayName = displayName
        self.authorityType = authorityType
        self.additionalFields = additionalFields
    }
}
