internal import Keyfob
internal import KeyfobModel

/// What a program asks of the broker, read.
struct BrokerRequest: Equatable, Sendable {
    /// The client that it says it is.
    var clientID: String
    /// Where it wants to sign in.
    var authority: Authority
    /// What the token is for, without the scopes that every sign-in has.
    var scopes: ScopeSet = []
    /// Whose token; nil where it does not say.
    var account: AccountID?
    /// The user name to fill in.
    var username: String?
    /// A claims request, JSON.
    var claims: String?
    /// Whether the stored access token is the one that it has, and will not do.
    var isForced = false

    /// The scopes that MSAL asks for with every token.
    private static let usualScopes: Set<String> = ["openid", "profile", "offline_access"]
    private static let usualAuthority = "https://login.microsoftonline.com/common"

    /// Reads the JSON document of a method.
    init(_ method: BrokerMethod, _ bytes: RawSpan) throws(BrokerRefusal) {
        let request = try BrokerFields(reading: bytes)
        let needsParameters = method == .acquireTokenSilently || method == .acquireTokenInteractively
        let given = try request.object("authParameters", bytes)
        guard given != nil || !needsParameters else { throw .malformed("'authParameters' is missing") }
        let parameters = given ?? request
        let (inner, outer) = (try parameters.name("clientId", bytes), try request.name("clientId", bytes))
        guard let clientID = inner ?? outer else { throw .malformed("'clientId' is missing") }
        self.clientID = clientID
        let text = try parameters.name("authority", bytes) ?? Self.usualAuthority
        guard let authority = try? Authority(text), authority.kind == .entra else {
            throw BrokerRefusal(.untrustedAuthority, "the authority is none of Microsoft's clouds")
        }
        self.authority = authority
        // Another kind of token would be bound to a key that is not here.
        guard !parameters.has("popParams", bytes) else { throw .needsDevice }
        scopes = ScopeSet(
            try parameters.names("requestedScopes", bytes).flatMap { $0.split(separator: " ").map(String.init) }
                .filter { !Self.usualScopes.contains(Identifier.folded($0)) })
        username = try parameters.name("username", bytes)
        claims = try parameters.text("decodedClaims", bytes)
        if let claims, !Self.isObject(claims) { throw .malformed("'decodedClaims' is no JSON object") }
        isForced = parameters.has("accessTokenToRenew", bytes)
        let (own, other) = (try parameters.object("account", bytes), try request.object("account", bytes))
        guard let named = own ?? other else { return }
        guard let home = try named.name("homeAccountId", bytes) else {
            throw .malformed("'homeAccountId' of 'account' is missing")
        }
        let environment = try named.name("environment", bytes) ?? authority.host
        guard EnvironmentAliases.isMicrosoft(environment) else {
            throw BrokerRefusal(.untrustedAuthority, "the account is at none of Microsoft's clouds")
        }
        account = AccountID(homeAccountID: home, environment: environment)
    }

    private static func isObject(_ text: String) -> Bool {
        Array(text.utf8).withBytes { (bytes: RawSpan) in
            guard let tape = try? JSONTape(reading: bytes, limits: JSONLimits(size: 64 << 10, depth: 16, nodes: 4_096))
            else { return false }
            return tape.kind(of: tape.root) == .object
        }
    }

    /// The request for a token.
    var acquisition: TokenAcquisition {
        var request = TokenRequest(
            account: account?.description ?? username, environment: authority.host, realm: authority.ownTenant,
            clientID: clientID, scopes: scopes)
        // A tenant by its domain is known to the provider alone.
        if let realm = request.realm, !Authority.isGUID(realm) { request.realm = account == nil ? nil : realm }
        return TokenAcquisition(request, options: SilentOptions(forcesRefresh: isForced, claims: claims))
    }

    /// The request for a token of who has signed in.
    func acquisition(after report: SignInReport) -> TokenAcquisition {
        var acquisition = acquisition
        acquisition.options = SilentOptions()
        acquisition.groups = [report.group]
        (acquisition.request.account, acquisition.request.clientID) = (report.account.id.description, report.clientID)
        if let realm = acquisition.request.realm, !Authority.isGUID(realm) { acquisition.request.realm = nil }
        return acquisition
    }

    /// Whether somebody at home where an account is can sign in at the authority, as far as its name says.
    func admits(_ account: Account) -> Bool {
        let isPersonal = account.homeRealm.map { Identifier.folded($0) == Self.personalTenant }
        return switch Identifier.folded(authority.tenant) {
        case "consumers": isPersonal ?? false
        case "organizations": !(isPersonal ?? false)
        default: true
        }
    }

    /// Microsoft's tenant of all personal accounts.
    private static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

    /// The request for a sign-in.
    var signIn: SignInRequest {
        var request = SignInRequest(provider: authority.address)
        request.clientID = clientID
        request.scopes = scopes
        request.loginHint = username
        request.claims = claims
        request.account = account
        return request
    }
}
