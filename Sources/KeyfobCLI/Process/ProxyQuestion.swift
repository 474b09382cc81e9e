/// What the gate asks the process with the keys: for which request of a program.
struct ProxyQuestion {
    /// The method, as the program has it.
    let method: String
    /// The address, without its query.
    let address: String
    /// What the service wants to find in the next proof of a key; nil where it has not said.
    let nonce: String?
    /// The claims that the service wants a token to be asked for with; nil where it wants none.
    let claims: String?

    init(method: String, address: String, nonce: String?, claims: String?) {
        (self.method, self.address, self.nonce, self.claims) = (method, address, nonce, claims)
    }

    /// The question in a message.
    init(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        address = lines[0]
        method = lines.count > 1 ? lines[1] : ""
        nonce = lines.count > 2 && !lines[2].isEmpty ? lines[2] : nil
        // They are JSON, in which lines may end.
        let rest = lines.dropFirst(3).joined(separator: "\n")
        claims = rest.isEmpty ? nil : rest
    }

    /// The message: address, method and nonce, a line for each, and the claims.
    var text: String { [address, method, nonce ?? "", claims ?? ""].joined(separator: "\n") }
}
