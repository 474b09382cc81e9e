/// What a person signs in for.
///
/// Each provider has scopes of its own for it.
public enum SignInPurpose: String, Hashable, Sendable, CaseIterable {
    /// Cloning and pushing repositories over HTTPS.
    case git
    /// Pulling and pushing packages and container images.
    case packages
    /// The provider's API, changes included.
    case api
    /// Who somebody is, and nothing else.
    case read

    /// The scopes to ask for; nil where no scopes of the provider are known for it.
    ///
    /// - Parameter environment: The provider's, such as `github.com`.
    public func scopes(at environment: String) -> ScopeSet? { needs(at: environment)?.asked }

    /// Whether a token with these scopes surely does not do.
    ///
    /// A token that is known by no scopes may do, and so may one of a provider whose scopes are not known.
    package func isBeyond(_ granted: ScopeSet, at environment: String) -> Bool {
        guard !granted.isEmpty, let enough = needs(at: environment)?.enough, !enough.isEmpty else { return false }
        return !granted.intersects(ScopeSet(enough))
    }

    /// What is asked for, and which single scopes do for a part of the purpose at least.
    private struct Needs {
        let asked: ScopeSet
        let enough: [String]
    }

    private func needs(at environment: String) -> Needs? {
        let name = EnvironmentAliases.canonicalName(of: environment)
        return switch name {
        case "github.com": gitHub
        case "gitlab.com": gitLab
        case "accounts.google.com": google
        case _ where EnvironmentAliases.isMicrosoft(name): microsoft
        default: nil
        }
    }

    // https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
    private var gitHub: Needs {
        switch self {
        case .git: Needs(asked: ["repo"], enough: ["repo", "public_repo"])
        case .packages: Needs(asked: ["write:packages"], enough: ["write:packages", "read:packages"])
        case .api: Needs(asked: ["repo", "read:org", "gist"], enough: ["repo"])
        case .read: Needs(asked: ["read:user"], enough: ["read:user", "user"])
        }
    }

    // https://docs.gitlab.com/integration/oauth_provider/#view-all-authorized-applications
    private var gitLab: Needs {
        switch self {
        case .git:
            Needs(
                asked: ["read_repository", "write_repository"], enough: ["read_repository", "write_repository", "api"])
        case .packages:
            Needs(asked: ["read_registry", "write_registry"], enough: ["read_registry", "write_registry", "api"])
        case .api: Needs(asked: ["api"], enough: ["api"])
        case .read: Needs(asked: ["read_user"], enough: ["read_user", "api"])
        }
    }

    // https://developers.google.com/identity/protocols/oauth2/scopes
    private var google: Needs {
        let platform = "https://www.googleapis.com/auth/cloud-platform"
        return switch self {
        case .git, .packages, .api: Needs(asked: [platform], enough: [platform])
        case .read: Needs(asked: ["openid", "email", "profile"], enough: ["openid", "email", "profile"])
        }
    }

    // Azure DevOps has repositories and packages, Microsoft Graph the rest. A token's scopes do not tell what it may do
    // there: that is the client's.
    private var microsoft: Needs? {
        switch self {
        case .git, .packages: Needs(asked: ["499b84ac-1321-427f-aa17-267ca6975798/.default"], enough: [])
        case .api: Needs(asked: ["https://graph.microsoft.com/.default"], enough: [])
        case .read: Needs(asked: ["https://graph.microsoft.com/User.Read"], enough: [])
        }
    }
}

extension Credential {
    /// Whether its scopes may do for a purpose; those of a token that was not got by signing in say nothing.
    package func mayServe(_ purpose: SignInPurpose) -> Bool {
        clientID == Self.noClient || !purpose.isBeyond(scopes, at: account.environment)
    }
}
