internal import FoundationEssentials
internal import KeyfobModel
internal import KeyfobOAuth

/// Where a sync lies in etcd: `etcd+https://[USER@]HOST[:PORT][,HOST[:PORT]…][/PREFIX]`.
///
/// Several endpoints are members of one cluster, and any of them will do. http goes to this machine alone.
package struct EtcdAddress: Hashable, Sendable {
    /// How such an address begins.
    static let marks = ["etcd+https://", "etcd+http://"]
    private static let port = 2_379
    private static let usualPrefix = "keyfob"

    /// The members, each without a path.
    let endpoints: [EndpointURL]
    /// Who signs in; nil for a cluster without users.
    let user: String?
    /// What all keys begin with, without a slash at either end.
    let prefix: String

    /// The address as it is kept.
    let text: String

    /// - Throws: `usage`, with what is wrong.
    init(_ text: String) throws(KeyringError) {
        guard let mark = Self.marks.first(where: text.hasPrefix) else {
            throw KeyringError(.usage, "an address of etcd is meant")
        }
        let scheme = mark.dropFirst("etcd+".count)
        var authority = text.dropFirst(mark.count).prefix { $0 != "/" }
        let path = text.dropFirst(mark.count).dropFirst(authority.count)
        var user: String?
        if let at = authority.lastIndex(of: "@") {
            let name = String(authority[..<at])
            guard name.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil else {
                throw KeyringError(
                    .usage, "a user of etcd is named by letters and digits, and without a password",
                    advice: .giveEtcdPassword)
            }
            user = name
            authority = authority[authority.index(after: at)...]
        }
        var endpoints: [EndpointURL] = []
        for host in authority.split(separator: ",", omittingEmptySubsequences: false) {
            let bare = host.hasSuffix("]") || !host.contains(":")
            do {
                endpoints.append(try EndpointURL(scheme + host + (bare ? ":\(Self.port)" : "")))
            } catch {
                let shown = String(host).onOneLine
                throw KeyringError(
                    .usage,
                    error == .insecure
                        ? "etcd at \(shown) is reached by https; http is for this machine alone"
                        : "'\(shown)' is no host of etcd: \(error)")
            }
        }
        let parts = path.split(separator: "/")
        guard parts.allSatisfy({ $0.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil }) else {
            throw KeyringError(.usage, "a prefix in etcd has letters, digits, '.', '_', '-' and '/'")
        }
        prefix = parts.isEmpty ? Self.usualPrefix : parts.joined(separator: "/")
        (self.endpoints, self.user) = (endpoints, user)
        let hosts = endpoints.map { $0.host + ":\($0.port ?? Self.port)" }.joined(separator: ",")
        self.text = mark + (user.map { $0 + "@" } ?? "") + hosts + "/" + prefix
    }

    /// The members as a person reads them.
    var hosts: String { endpoints.map { $0.host + ":\($0.port ?? Self.port)" }.joined(separator: ", ") }
}
