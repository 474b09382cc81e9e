internal import KeyfobModel

// The file `hosts.yml` of gh: for each host the user, and the token unless that is in the desktop's keyring; since
// version 2.40 several users, with a copy of the active one's token above them.

extension ToolFile {
    mutating func readGitHubHosts(_ value: ToolValue, _ bytes: RawSpan) {
        for (name, host) in value.members {
            guard let url = CredentialURL(scheme: "https", host: name)?.address.host else {
                skip(.host(name), .badHost)
                continue
            }
            // Of the built-in providers GitHub alone has users of gh.
            guard let environment = PasswordToken.environment(ofProvider: url),
                environment == "github.com" || BuiltInHosts.apiHosts(of: environment).isEmpty
            else {
                skip(.host(name), .foreignHost)
                continue
            }
            readUsers(of: host, named: name, at: environment, bytes)
        }
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
