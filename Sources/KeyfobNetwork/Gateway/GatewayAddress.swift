internal import Glibc
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// Where a gateway listens: `http://127.0.0.1:PORT/SECRET`, behind which host and path of a service stand.
package struct GatewayAddress: Hashable, Sendable {
    let port: Int
    let secret: String

    /// The address, without a slash at its end.
    package var text: String { "\(origin)/\(secret)" }

    /// Scheme, host and port.
    package var origin: String { "http://\(authority)" }

    /// The address that stands for `https://` and what follows.
    package func text(for place: String) -> String { text + "/" + place }

    /// What the `Host` of requests is.
    var authority: String { "127.0.0.1:\(port)" }

    /// Where a request is to go, by its path here.
    func place(of path: String) throws(GatewayRefusal) -> (host: String, path: RequestPath, url: EndpointURL) {
        guard path.hasPrefix("/") else { throw .malformed }
        let rest = path.dropFirst()
        let given = rest.prefix { $0 != "/" }
        guard ConstantTime.areEqual(Array(given.utf8), Array(secret.utf8)) else { throw .unknown }
        let place = rest[given.endIndex...].dropFirst()
        let name = place.prefix { $0 != "/" }
        guard !["https:", "http:"].contains(Identifier.folded(String(name))) else { throw .withScheme }
        guard !name.isEmpty, let host = try? HostAndPort(Array(name.utf8)[...]) else { throw .badPlace }
        guard let path = RequestPath(place[name.endIndex...]) else { throw .ambiguous }
        let authority = host.host + (host.port.map { ":\($0)" } ?? "")
        do {
            let url = try EndpointURL("https://" + authority + path.text)
            return (url.environment, path, url)
        } catch {
            throw error == .tooLong ? .longPath : .badPlace
        }
    }

    /// A path here as it is told: without what nobody is to know of the address, and without a user's name and password.
    func shown(_ path: String) -> String {
        var text = path[...]
        if path.hasPrefix("/") {
            let given = path.dropFirst().prefix { $0 != "/" }
            let isOwn = ConstantTime.areEqual(Array(given.utf8), Array(secret.utf8))
            text = isOwn ? path[given.endIndex...].dropFirst() : "…" + path[given.endIndex...]
        }
        let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let authority = text[start...].prefix { $0 != "/" }
        if let at = authority.lastIndex(of: "@") { text.removeSubrange(start...at) }
        return text.count > Self.shownLimit ? text.prefix(Self.shownLimit) + "…" : String(text)
    }

    /// How many characters of a path are told.
    private static let shownLimit = 200
}

/// The socket at which a gateway is reached, open from when this is made.
package final class GatewayDoor: Sendable {
    /// The socket, readable where somebody has come.
    package let descriptor: CInt
    /// Where it is.
    package let address: GatewayAddress

    /// Opens one on a free port of this machine, below a path that nobody can guess.
    package init() throws(LoopbackError) {
        guard let descriptor = try LoopbackSocket.listen(isIPv6: false, port: 0) else { throw .unavailable }
        self.descriptor = descriptor
        address = GatewayAddress(
            port: LoopbackSocket.port(of: descriptor), secret: Base64.url.text(Randomness.bytes(32)))
    }

    /// Sends away who has come, where nobody is behind it any more.
    package func sendAway() {
        while let connection = LoopbackSocket.accept(descriptor) { close(connection) }
    }

    deinit { close(descriptor) }
}
