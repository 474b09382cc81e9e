/// The hosts of the built-in providers' services, and which resource each of them means.
///
/// No record changes them. Every host here is run by the provider itself: none where customers run programs of their
/// own.
public enum BuiltInHosts {
    /// The hosts to which the tokens of an environment's accounts go, besides the environment itself; none where no
    /// provider of it is built in.
    public static func apiHosts(of environment: String) -> [HostPattern] {
        let name = EnvironmentAliases.canonicalName(of: environment)
        return services[name].map { $0.flatMap { $0.hosts } } ?? []
    }

    /// Those of them that are registries of container images.
    package static func registries(of environment: String) -> [String] {
        apiHosts(of: environment).map { $0.text }.filter(isRegistry)
    }

    /// Whether a host is a registry of container images to which the tokens of some provider's accounts go.
    package static func isRegistry(_ host: String) -> Bool { host == "ghcr.io" || host == "registry.gitlab.com" }

    /// The resource that a host means to the accounts of an environment; nil where it has none.
    static func resource(of host: String, at environment: String) -> APIResource? {
        let name = EnvironmentAliases.canonicalName(of: environment)
        guard let service = services[name]?.first(where: { $0.hosts.contains { $0.matches(host) } }) else { return nil }
        switch service.meaning {
        case .nothing: return nil
        case .resource(let resource): return resource
        case .itself: return APIResource("https://" + host)
        }
    }

    /// The environment, other than `own`, whose tokens go to a host that the pattern names, or which is that host.
    package static func environment(claiming pattern: HostPattern, besides own: String) -> String? {
        services.keys.sorted().first { environment in
            guard !EnvironmentAliases.areSame(environment, own) else { return false }
            let names = EnvironmentAliases.all(of: environment).map { HostPattern(known: $0) }
            return (names + apiHosts(of: environment)).contains(where: pattern.overlaps)
        }
    }

    /// The built-in provider's host, or that of its services, that is written almost as `host` is; nil for none.
    package static func nearest(to host: String) -> String? {
        let patterns = services.values.flatMap { $0.flatMap { $0.hosts.map { $0.text } } }
        let all = services.keys + patterns.filter { !$0.hasPrefix("*") }
        return all.contains(host) ? nil : NearestWord.of(host, among: all, differing: 2)
    }

    /// A service: where it is, and what its tokens are for.
    private struct Service {
        enum Meaning {
            case nothing
            case resource(APIResource)
            /// Each host is a resource of its own.
            case itself
        }

        let hosts: [HostPattern]
        let meaning: Meaning

        init(_ hosts: String..., meaning: Meaning = .nothing) {
            self.hosts = hosts.map { HostPattern(known: $0) }
            self.meaning = meaning
        }

        /// A service whose hosts mean a resource.
        init(_ hosts: String..., for name: String, _ aliases: String..., isImplied: Bool = false) {
            self.hosts = hosts.map { HostPattern(known: $0) }
            meaning = .resource(APIResource(name, aliases: aliases, isImplied: isImplied))
        }

        /// A service whose hosts mean a resource, and have one label where the pattern has `*`.
        init(oneLabelOf hosts: String..., for name: String) {
            self.hosts = hosts.map { HostPattern(known: $0, oneLabel: true) }
            meaning = .resource(APIResource(name))
        }
    }

    /// What the scopes of Microsoft Graph begin with where they name it by its number.
    private static let graphID = "00000003-0000-0000-c000-000000000000"
    private static let storage = "https://storage.azure.com"
    private static let devOpsID = "499b84ac-1321-427f-aa17-267ca6975798"

    private static let services: [String: [Service]] = [
        "login.microsoftonline.com": [
            Service("graph.microsoft.com", for: "https://graph.microsoft.com", graphID, isImplied: true),
            Service("graph.windows.net", for: "https://graph.windows.net"),
            Service(
                "management.azure.com", "management.core.windows.net", for: "https://management.azure.com",
                "https://management.core.windows.net"),
            Service("*.vault.azure.net", for: "https://vault.azure.net"),
            Service("*.managedhsm.azure.net", for: "https://managedhsm.azure.net"),
            Service(
                "*.blob.core.windows.net", "*.dfs.core.windows.net", "*.file.core.windows.net",
                "*.queue.core.windows.net", "*.table.core.windows.net", for: storage),
            Service("*.database.windows.net", for: "https://database.windows.net"),
            Service("dev.azure.com", "*.dev.azure.com", for: devOpsID),
            // An organization's own host, and those of its services; other names below it are other services, some of
            // which show what customers run.
            Service(
                oneLabelOf: "*.visualstudio.com", "*.vsrm.visualstudio.com", "*.vstmr.visualstudio.com",
                "*.pkgs.visualstudio.com", "*.vssps.visualstudio.com", for: devOpsID),
            Service("*.sharepoint.com", meaning: .itself),
            Service(
                "outlook.office.com", "outlook.office365.com", for: "https://outlook.office.com",
                "https://outlook.office365.com"),
            Service("*.servicebus.windows.net", for: "https://servicebus.azure.net"),
            Service("*.documents.azure.com", for: "https://cosmos.azure.com"),
            Service("api.loganalytics.io", for: "https://api.loganalytics.io"),
            Service("api.applicationinsights.io", for: "https://api.applicationinsights.io"),
            Service(
                "*.openai.azure.com", "*.cognitiveservices.azure.com", for: "https://cognitiveservices.azure.com"),
        ],
        "login.microsoftonline.us": [
            Service("graph.microsoft.us", for: "https://graph.microsoft.us", graphID, isImplied: true),
            Service("dod-graph.microsoft.us", for: "https://dod-graph.microsoft.us", graphID, isImplied: true),
            Service(
                "management.usgovcloudapi.net", "management.core.usgovcloudapi.net",
                for: "https://management.usgovcloudapi.net", "https://management.core.usgovcloudapi.net"),
            Service("*.vault.usgovcloudapi.net", for: "https://vault.usgovcloudapi.net"),
            Service(
                "*.blob.core.usgovcloudapi.net", "*.dfs.core.usgovcloudapi.net", "*.file.core.usgovcloudapi.net",
                "*.queue.core.usgovcloudapi.net", "*.table.core.usgovcloudapi.net", for: storage),
            Service("*.database.usgovcloudapi.net", for: "https://database.usgovcloudapi.net"),
            Service("*.sharepoint.us", meaning: .itself),
            Service("outlook.office365.us", for: "https://outlook.office365.us"),
        ],
        "login.partner.microsoftonline.cn": [
            Service(
                "microsoftgraph.chinacloudapi.cn", for: "https://microsoftgraph.chinacloudapi.cn", graphID,
                isImplied: true),
            Service(
                "management.chinacloudapi.cn", "management.core.chinacloudapi.cn",
                for: "https://management.chinacloudapi.cn", "https://management.core.chinacloudapi.cn"),
            Service("*.vault.azure.cn", for: "https://vault.azure.cn"),
            Service(
                "*.blob.core.chinacloudapi.cn", "*.dfs.core.chinacloudapi.cn", "*.file.core.chinacloudapi.cn",
                "*.queue.core.chinacloudapi.cn", "*.table.core.chinacloudapi.cn", for: storage),
            Service("*.database.chinacloudapi.cn", for: "https://database.chinacloudapi.cn"),
            Service("*.sharepoint.cn", meaning: .itself),
            Service("partner.outlook.cn", for: "https://partner.outlook.cn"),
        ],
        "login.sovcloud-identity.fr": [
            Service("graph.svc.sovcloud.fr", for: "https://graph.svc.sovcloud.fr", graphID, isImplied: true),
            Service("management.sovcloud-api.fr", for: "https://management.sovcloud-api.fr"),
        ],
        "login.sovcloud-identity.de": [
            Service("graph.svc.sovcloud.de", for: "https://graph.svc.sovcloud.de", graphID, isImplied: true),
            Service("management.sovcloud-api.de", for: "https://management.sovcloud-api.de"),
        ],
        "login.sovcloud-identity.sg": [
            Service("graph.svc.sovcloud.sg", for: "https://graph.svc.sovcloud.sg", graphID, isImplied: true)
        ],
        "accounts.google.com": [Service("*.googleapis.com")],
        "github.com": [Service("api.github.com", "uploads.github.com", "*.pkg.github.com", "ghcr.io")],
        "gitlab.com": [Service("registry.gitlab.com")],
    ]
}
