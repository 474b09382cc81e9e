/// What the gate asks the process with the keys: for which request of a program.
struct ProxyQuestion {
    /// The method, as the program has it.
    let method: String
    /// The address, without its query.
    let address: String
    /// What the service wants to find in the next proof of a key; nil where it has not said.
    let nonce: String?

    init(method: String, address: String, nonce: String?) {
        (self.method, self.address, self.nonce) = (method, address, nonce)
    }

    /// The question in a message.
    init(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        address = lines[0]
        method = lines.count > 1 ? lines[1] : ""
        nonce = lines.count > 2 && !lines[2].isEmpty ? lines[2] : nil
    }

    /// The message: address, method and nonce, a line for each.
    var text: String { [address, method, nonce ?? ""].joined(separator: "\n") }
}
