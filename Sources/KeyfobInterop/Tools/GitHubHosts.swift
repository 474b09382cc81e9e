internal import KeyfobModel

// The file `hosts.yml` of gh: for each host the user, and the token unless that is in the desktop's keyring; since
// version 2.40 several users, with a copy of the active one's token above them. hub's file has a list of users instead.

extension ToolFile {
    mutating func readGitHubHosts(_ value: ToolValue, _ bytes: RawSpan) {
        for (name, host) in value.members {
            do throws(ToolFinding.Reason) {
                let environment = try Self.gitHubEnvironment(ofHost: name)
                for entry in Self.gitHubEntries(of: host) { readUsers(of: entry, named: name, at: environment, bytes) }
            } catch {
                skip(.host(name), error)
            }
        }
    }

    /// The environment of the users that gh has at a host.
    static func gitHubEnvironment(ofHost name: String) throws(ToolFinding.Reason) -> String {
        guard let host = CredentialURL(scheme: "https", host: name)?.address.host else { throw .badHost }
        // Of the built-in providers GitHub alone has users of gh.
        guard let environment = PasswordToken.environment(ofProvider: host),
            environment == github || BuiltInHosts.apiHosts(of: environment).isEmpty
        else { throw .foreignHost }
        return environment
    }

    static let github = "github.com"

    /// What a file has of a host: one entry of gh's, or those of hub's list.
    static func gitHubEntries(of host: ToolValue) -> [ToolValue] { host.elements.isEmpty ? [host] : host.elements }

    /// The hosts that a `hosts.yml` names, each with the user whose token gh uses there, where it says so; none where the
    /// bytes are no such file.
    package static func gitHubUsers(_ bytes: RawSpan) -> [String: String?] {
        guard case .value(let value, .gh)? = try? ToolFileShape(bytes) else { return [:] }
        return Dictionary(value.members.map { ($0.name, gitHubEntries(of: $0.value)[0]["user"]?.name(bytes)) }) { $1 }
    }

    private mutating func readUsers(of host: ToolValue, named name: String, at environment: String, _ bytes: RawSpan) {
        let active = host["user"]?.name(bytes)
        let activeToken = host["oauth_token"]?.secret
        var users = host["users"]?.members ?? []
        let isOldLayout = users.isEmpty
        if let active, !users.contains(where: { $0.name == active }) { users.append((active, .other)) }
        guard !users.isEmpty else { return skip(.host(name), activeToken == nil ? .noToken : .nobody) }
        for (user, entry) in users {
            let token = entry["oauth_token"]?.secret ?? (user == active ? activeToken : nil)
            guard let token else {
                let whose = isOldLayout ? [] : ["--user", user]
                skip(
                    .account(user, host: name),
                    .inKeyring(command: ["gh", "auth", "token", "--hostname", name] + whose))
                continue
            }
            guard !GitCredentialRequest.isPlaceholder(user), let account = account(user, at: environment) else {
                skip(.host(name), .nobody)
                continue
            }
            add(.accessToken, token, of: account)
        }
    }
}
