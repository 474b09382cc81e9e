internal import KeyfobModel

/// Where ADAL got a token: the host and the tenant of `https://login.microsoftonline.com/contoso`.
struct ADALAuthority: Hashable {
    /// The host, with its port where it has one.
    let host: String
    /// The first part of the path; empty where there is none.
    let tenant: String

    /// Names that stand for whichever tenant the person is at home in.
    private static let generic: Set<String> = ["", "common", "organizations", "consumers"]

    /// The tenant, or nil where the authority names none in particular.
    var ownTenant: String? { Self.generic.contains(Identifier.folded(tenant)) ? nil : tenant }
    /// Whether it is a server of Active Directory Federation Services.
    var isADFS: Bool { Identifier.folded(tenant) == "adfs" }

    init?(_ text: String) {
        let scheme = "https://"
        guard Identifier.isAcceptable(text), Identifier.folded(String(text.prefix(scheme.count))) == scheme else {
            return nil
        }
        let parts = text.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard let host = parts.first, (try? HostAndPort(Array(host.utf8)[...])) != nil else { return nil }
        self.host = String(host)
        self.tenant = parts.count > 1 ? String(parts[1].prefix { $0 != "?" && $0 != "#" }) : ""
    }
}
