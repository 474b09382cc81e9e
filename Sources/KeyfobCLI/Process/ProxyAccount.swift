internal import Keyfob
internal import KeyfobModel

/// What the process with the keys tells of the account whose tokens a program's requests get.
struct ProxyAccount: Hashable {
    /// The hosts of which it is known that its tokens go there.
    let hosts: [String]
    /// What it is called before the host in an address: its user name, that without what stands behind `@`, and its label.
    let logins: [String]

    /// An account, and its hosts.
    init(_ account: Account, hosts: [String]) {
        self.hosts = hosts
        let names = [account.username, String(account.username.prefix { $0 != "@" }), account.label ?? ""]
        logins = names.enumerated().filter { index, name in
            Identifier.isAcceptable(name) && !names[..<index].contains(name)
        }.map(\.element)
    }

    /// The account in a message.
    init(text: String) {
        let lists = text.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "").map {
            $0.map(String.init)
        }
        (hosts, logins) = (lists.first ?? [], lists.dropFirst().first ?? [])
    }

    /// The message: the hosts, an empty line, and the names.
    var text: String { (hosts + [""] + logins).joined(separator: "\n") }
}
