/// What was asked for where no account was chosen: whoever asks why has to ask for the same.
public struct SelectionQuestion: Hashable, Sendable {
    /// The account as it was named; nil for what surrounds whoever asks, such as `KEYFOB_ACCOUNT`.
    public var account: String?
    /// The host of the provider.
    public var environment: String?
    /// The tenant.
    public var tenant: String?
    /// The OAuth client.
    public var clientID: String?
    /// The scopes that the token must have.
    public var scopes: ScopeSet
    /// What the token is for.
    public var url: ResourceURL?
    /// The program that wants the token, where whoever asks has named it.
    public var tool: String?
    /// The groups to look through; none for all.
    public var groups: [AccessGroup] = []

    /// What a request asks.
    public init(_ request: TokenRequest) {
        account = request.isUsual ? nil : request.account
        (environment, tenant, clientID) = (request.environment, request.realm, request.clientID)
        (scopes, url, tool) = (request.scopes, request.context.url, request.namedTool)
    }

    /// The question that another one is, in these groups.
    package func asked(in groups: [AccessGroup]?) -> SelectionQuestion {
        var question = self
        question.groups = groups ?? []
        return question
    }
}
