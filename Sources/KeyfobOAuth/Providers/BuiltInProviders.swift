internal import KeyfobModel

/// The providers that need no file.
package enum BuiltInProviders {
    /// All of them, made anew at each call: nothing is kept in a process that signs nobody in.
    package static var all: [ProviderDescription] {
        [
            microsoft("microsoft", "Microsoft", tenant: "common"),
            microsoft("microsoft-organizations", "Microsoft (work or school)", tenant: "organizations"),
            microsoft("microsoft-consumers", "Microsoft (personal)", tenant: "consumers"),
            cloud("us-government", "US Government", "login.microsoftonline.us"),
            cloud("china", "China", "login.partner.microsoftonline.cn"),
            cloud("france", "France", "login.sovcloud-identity.fr"),
            cloud("germany", "Germany", "login.sovcloud-identity.de"),
            cloud("singapore", "Singapore", "login.sovcloud-identity.sg"),
            ProviderDescription(
                name: "google", title: "Google", issuer: "https://accounts.google.com",
                environment: "accounts.google.com", defaultScopes: ["openid", "email", "profile"],
                flows: [.authorizationCode, .deviceAuthorization], rotation: .no, quirks: [.accessTypeOffline],
                apiHosts: BuiltInHosts.apiHosts(of: "accounts.google.com")),
            ProviderDescription(
                name: "github", title: "GitHub", issuer: nil, environment: "github.com", hasDiscovery: false,
                endpoints: endpoints([
                    .authorization: "https://github.com/login/oauth/authorize",
                    .token: "https://github.com/login/oauth/access_token",
                    .deviceAuthorization: "https://github.com/login/device/code",
                    .userInfo: "https://api.github.com/user",
                ]),
                defaultScopes: ["read:user"], flows: [.authorizationCode, .deviceAuthorization], rotation: .yes,
                quirks: [.tokensNeverExpire], apiHosts: BuiltInHosts.apiHosts(of: "github.com")),
            ProviderDescription(
                name: "gitlab", title: "GitLab", issuer: "https://gitlab.com", environment: "gitlab.com",
                endpoints: endpoints([.deviceAuthorization: "https://gitlab.com/oauth/authorize_device"]),
                defaultScopes: ["openid", "read_user"], flows: [.authorizationCode, .deviceAuthorization],
                rotation: .yes, apiHosts: BuiltInHosts.apiHosts(of: "gitlab.com")),
        ]
    }

    /// The built-in provider called `name`.
    package static func named(_ name: String) -> ProviderDescription? {
        all.first { $0.name == Identifier.folded(name) }
    }

    /// Microsoft for one tenant, or for the tenants that a word such as `common` stands for.
    package static func microsoft(
        _ name: String, _ title: String, host: String = "login.microsoftonline.com", tenant: String
    ) -> ProviderDescription {
        ProviderDescription(
            name: name, title: title, issuer: "https://\(host)/\(tenant)/v2.0", environment: host,
            defaultScopes: ["openid", "profile", "offline_access"], flows: [.authorizationCode, .deviceAuthorization],
            rotation: .yes, quirks: [.clientInfo, .tenantIssuer, .families, .toleratesReuse, .multipleResources],
            apiHosts: BuiltInHosts.apiHosts(of: host))
    }

    /// A cloud of a country, where only organisations have accounts.
    private static func cloud(_ name: String, _ title: String, _ host: String) -> ProviderDescription {
        microsoft("microsoft-" + name, "Microsoft (\(title))", host: host, tenant: "organizations")
    }

    private static func endpoints(
        _ texts: [ProviderMetadata.Endpoint: String]
    ) -> [ProviderMetadata.Endpoint: EndpointURL] {
        texts.compactMapValues { try? EndpointURL($0) }
    }
}
