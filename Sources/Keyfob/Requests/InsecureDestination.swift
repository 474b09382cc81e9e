internal import KeyfobModel
internal import KeyfobOAuth

extension KeyringError {
    /// The error where a token would go to an address that is neither https nor on this machine; nil elsewhere.
    ///
    /// - Parameter url: As it was typed; what has no scheme counts as https, and what has no host is told by whoever reads it.
    package init?(insecureDestination url: String) {
        guard Identifier.folded(String(url.prefix(7))) == "http://" else { return nil }
        let host = ResourceURL.withoutUser(url).text.dropFirst(7).prefix { !#"/?#\"#.contains($0) }
        guard let name = try? HostAndPort(Array(host.utf8)[...]).host, !HostAndPort.isLoopback(name) else { return nil }
        self.init(
            .hostNotAllowed, "no token goes there: \(EndpointURL.Flaw.insecure)", advice: .useHTTPS)
    }
}
