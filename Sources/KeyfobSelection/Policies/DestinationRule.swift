package import KeyfobModel

/// Where the tokens of an account go: to its provider, to the hosts of its provider's services, to hosts that are bound
/// to the account, and to the one that a request allows by name for the account that it names.
///
/// Those of an account that is for one resource go there, and nowhere else.
package struct DestinationRule {
    private let url: ResourceURL
    private let isAllowed: Bool
    private let bindings: [Binding]

    /// The rule of a request; nil where it does not say where the token goes.
    package init?(_ request: TokenRequest, bindings: [Binding] = []) {
        guard let url = request.context.url else { return nil }
        self.url = url
        self.bindings = bindings
        isAllowed = request.account != nil && request.allowedHost == url.host
    }

    /// The rule for a token that is taken for whatever is at an address, which nobody but a repository names.
    init(ofRepository address: ResourceURL, bindings: [Binding]) {
        url = address
        self.bindings = bindings
        isAllowed = false
    }

    /// The host that the token is to go to.
    package var host: String { url.host }

    /// Whether the tokens of an account in a group go there.
    ///
    /// - Parameter apiHosts: What the description of its provider names, where that is not built in.
    package func allows(_ account: AccountID, in group: AccessGroup, apiHosts: [HostPattern] = []) -> Bool {
        if allows(everyoneAt: account.environment, apiHosts: apiHosts) { return true }
        guard ResourceURL(environment: account.environment) == nil else { return false }
        return isAllowed || isBound(to: account, in: group)
    }

    /// Whether the tokens of all accounts of a provider go there.
    package func allows(everyoneAt environment: String, apiHosts: [HostPattern] = []) -> Bool {
        if let resource = ResourceURL(environment: environment) { return url.isWithin(resource) }
        if EnvironmentAliases.areSame(environment, host) { return true }
        return (BuiltInHosts.apiHosts(of: environment) + apiHosts).contains { $0.matches(host) }
    }

    /// Whether the host, or the address, is bound to the account in the group where it lies, and nothing narrower to
    /// nobody.
    private func isBound(to account: AccountID, in group: AccessGroup) -> Bool {
        let own = bindings.filter { $0.origin.group == group }
        guard !own.isEmpty else { return false }
        // Neither a directory nor a tool says anything of a host.
        for step in BindingPolicy(own, for: RequestContext(url: url), groups: [group]).steps {
            if step.contains(where: { $0.target == .nobody }) { return false }
            if step.contains(where: { $0.target.account == account }) { return true }
        }
        return false
    }
}
