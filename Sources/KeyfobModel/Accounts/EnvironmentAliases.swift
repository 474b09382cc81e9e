/// Hosts that are one environment under several names.
///
/// Microsoft's are those that every MSAL knows without asking the network (MSAL.NET
/// `KnownMetadataProvider`, MSAL Go `known_metadata.go`). The first of each is the name used to
/// compare and to show.
public enum EnvironmentAliases {
    private static let microsoft: [[String]] = [
        ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"],
        ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"],
        ["login.microsoftonline.us", "login.usgovcloudapi.net"],
        ["login.sovcloud-identity.fr"], ["login.sovcloud-identity.de"], ["login.sovcloud-identity.sg"],
        // Closed; caches may still name them.
        ["login-us.microsoftonline.com"], ["login.microsoftonline.de"],
    ]
    /// Docker Hub's besides, for which docker asks by another name than podman and skopeo.
    private static let sets = microsoft + [["docker.io", "index.docker.io", "registry-1.docker.io"]]

    /// The one name under which `environment` and its aliases are compared, in small letters.
    public static func canonicalName(of environment: String) -> String {
        let name = Identifier.folded(environment)
        for names in sets where names.contains(name) { return names[0] }
        return name
    }

    /// The names of an environment, itself among them.
    package static func all(of environment: String) -> [String] {
        let name = Identifier.folded(environment)
        return sets.first { $0.contains(name) } ?? [name]
    }

    /// Whether both name the same environment.
    public static func areSame(_ left: String, _ right: String) -> Bool {
        canonicalName(of: left) == canonicalName(of: right)
    }

    /// Whether the environment is one of Microsoft's clouds.
    public static func isMicrosoft(_ environment: String) -> Bool {
        let name = Identifier.folded(environment)
        return microsoft.contains { $0.contains(name) }
    }
}
