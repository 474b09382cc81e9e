internal import Keyfob
internal import KeyfobModel

extension VarlinkParameters {
    /// The groups to look through; nil for all.
    func groups() throws(Invalid) -> [AccessGroup]? {
        guard let names = try strings("groups"), !names.isEmpty else { return nil }
        var groups: [AccessGroup] = []
        for name in names {
            guard let group = try? AccessGroup(name) else { throw Invalid(name: "groups") }
            if !groups.contains(group) { groups.append(group) }
        }
        return groups
    }

    /// What a token is asked for.
    func request() throws(Invalid) -> TokenRequest {
        for name in ["account", "client", "tenant", "provider"] {
            if let text = try string(name), !Identifier.isAcceptable(text) { throw Invalid(name: name) }
        }
        let scopes = try strings("scopes") ?? []
        guard scopes.allSatisfy(Identifier.isAcceptable) else { throw Invalid(name: "scopes") }
        var context = RequestContext()
        if let text = try string("url") {
            guard let url = try? ResourceURL(parsing: text) else { throw Invalid(name: "url") }
            context.url = url
        }
        let validity = try integer("minimumValidity") ?? TokenRequest.usualMinimumValidity
        guard (0...Int64(UInt32.max)).contains(validity) else { throw Invalid(name: "minimumValidity") }
        return TokenRequest(
            account: try string("account"), environment: try string("provider"), realm: try string("tenant"),
            clientID: try string("client"), scopes: ScopeSet(scopes), minimumValidity: validity, context: context)
    }
}

extension JSONWriter {
    /// Writes the members of an account.
    mutating func members(of candidate: Candidate) {
        let account = candidate.account
        member("id", account.id.description)
        member("username", account.username)
        member("name", account.name)
        member("label", account.label)
        member("group", candidate.group.name)
        member("tenants", candidate.realms.sorted())
        member("clients", candidate.clientIDs.sorted())
        member("state", candidate.state.name)
        member("isDefault", candidate.isDefault)
    }

    /// Writes a step of a sign-in.
    mutating func member(_ step: SignInStep) {
        name("step")
        beginObject()
        switch step {
        case .browser(let url):
            member("kind", "browser")
            member("url", url)
        case .device(let url, let code, let completeURL, let seconds):
            member("kind", "device")
            member("url", url)
            member("code", code)
            member("completeUrl", completeURL)
            member("seconds", Int(seconds))
        }
        endObject()
    }
}
