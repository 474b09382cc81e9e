internal import Keyfob
internal import KeyfobModel

extension SelectionQuestion {
    /// The command that answers it, with all that was asked, as it is typed within a message.
    var command: String {
        let options =
            [
                ("--account", account), ("--authority", environment), ("--tenant", tenant), ("--client", clientID),
                ("--url", url.map { "https://\($0)" }), ("--tool", tool),
            ].compactMap { name, value in value.map { (name, $0) } }
            + scopes.scopes.map { ("--scope", $0) } + groups.map { ("--group", $0.name) }
        return (["keyfob which"] + options.map { "\($0) \(ShellWord.inMessage($1))" }).joined(separator: " ")
    }
}
