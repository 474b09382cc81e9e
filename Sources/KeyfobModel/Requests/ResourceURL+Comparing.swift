// How addresses are compared: as their hosts compare them.

extension ResourceURL {
    /// The hosts to which the names of owners and repositories, and what else stands in their addresses, are the same in
    /// capitals and in small letters.
    private static let caseless = [
        "github.com", "*.github.com", "ghcr.io", "*.ghe.com", "gitlab.com", "*.gitlab.com", "bitbucket.org",
        "*.bitbucket.org",
    ].map { HostPattern(known: $0) }

    private static let azureDevOps = ["dev.azure.com", "*.dev.azure.com", "*.visualstudio.com"].map {
        HostPattern(known: $0)
    }

    /// Whether the host does not tell capitals from small letters in a path.
    package var isCaseless: Bool { isOfAzureDevOps || Self.caseless.contains { $0.matches(host) } }

    /// Whether the host is one of Azure DevOps.
    private var isOfAzureDevOps: Bool { Self.azureDevOps.contains { $0.matches(host) } }

    /// The address in the one spelling in which it is compared: its path in small letters where the host does not tell them
    /// from capitals, and nothing encoded that need not be (RFC 3986, section 6.2.2).
    package var compared: ResourceURL { ResourceURL(host: host, path: path.map(compared)) }

    private func compared(_ component: String) -> String {
        let text = component.utf8.contains(UInt8(ascii: "%")) ? Self.plain(component) : component
        return isCaseless ? Identifier.folded(text) : text
    }

    /// A component of a path without encodings of what stands for itself; the digits of others are capitals.
    private static func plain(_ component: String) -> String {
        let bytes = Array(component.utf8)
        var plain: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = Hexadecimal.value(of: bytes[index + 1]), let low = Hexadecimal.value(of: bytes[index + 2])
            else {
                plain.append(bytes[index])
                index += 1
                continue
            }
            let byte = high << 4 | low
            if PercentEncoding.isUnreserved(byte) {
                plain.append(byte)
            } else {
                plain += [UInt8(ascii: "%"), PercentEncoding.digit(high), PercentEncoding.digit(low)]
            }
            index += 3
        }
        return String(decoding: plain, as: UTF8.self)
    }

    /// Whether the address is `prefix` or lies below it, by whole components, as the host compares them.
    public func isWithin(_ prefix: ResourceURL) -> Bool {
        guard host == prefix.host, path.count >= prefix.path.count else { return false }
        return zip(path, prefix.path).allSatisfy { $0 == $1 || compared($0) == compared($1) }
    }

    /// Whoever owns what the address names, without encoding.
    package var ownerName: String? {
        owner.map { owner in PercentEncoding.decode(owner.utf8).map { String(decoding: $0, as: UTF8.self) } ?? owner }
    }

    /// Whether whoever owns what the address names is called so, as the host compares names.
    package func isOwned(by name: String) -> Bool {
        guard let ownerName else { return false }
        // Swift's own comparison takes canonical equivalents for the same.
        return ownerName == name || isCaseless && Identifier.foldedName(ownerName) == Identifier.foldedName(name)
    }
}

// A user in an address, such as `https://ada@git.example/contoso/app`.
extension ResourceURL {
    /// By these user names services take any token, so that they are nobody's.
    private static let placeholders: Set<String> = [
        "oauth2", "git", "token", "x-access-token", "x-token-auth", "x-bitbucket-api-token-auth", "x-oauth-basic",
        "oauth2accesstoken", "personalaccesstoken", "__token__",
    ]

    /// Whether services take any token by this user name.
    package static func isPlaceholder(_ user: String) -> Bool { placeholders.contains(Identifier.folded(user)) }

    /// Whom a user in this address means; nil where that is nobody: a name by which any token is taken, or the
    /// organisation that addresses of Azure DevOps have in that place.
    package func login(_ user: String?) -> String? {
        guard let user, !user.isEmpty else { return nil }
        if Self.isPlaceholder(user) { return nil }
        guard isOfAzureDevOps else { return user }
        // The host or the path says which one it is. Without a path, as git tells it, what is no mail address may be one.
        if host.hasPrefix(Identifier.folded(user) + ".") || isOwned(by: user) { return nil }
        return path.isEmpty && !user.utf8.contains(UInt8(ascii: "@")) ? nil : user
    }

    /// An address and the user that it names, whom it is then without.
    ///
    /// A password is no part of an address: with one, none is taken out.
    package static func withoutUser(_ text: String) -> (text: String, user: String?) {
        let bytes = Array(text.utf8)
        let start = authority(in: bytes)
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")), at > start,
            !bytes[start..<at].contains(UInt8(ascii: ":")),
            let decoded = PercentEncoding.decode(bytes[start..<at]),
            let user = String(validating: decoded, as: UTF8.self), Identifier.isAcceptable(user)
        else { return (text, nil) }
        return (String(decoding: bytes[..<start] + bytes[(at + 1)...], as: UTF8.self), user)
    }

    /// An address as it is typed without what may be secret in it: user, password, query and fragment; nil where the rest is
    /// none.
    package static func withoutSecrets(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let start = authority(in: bytes)
        let authorityEnd = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let host = bytes[start..<authorityEnd].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
        let end = bytes[host...].firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
        let rest = String(decoding: bytes[..<start] + bytes[host..<end], as: UTF8.self)
        return (try? ResourceURL(parsing: rest)).map { _ in rest }
    }

    /// Where the part begins that has user and host.
    private static func authority(in bytes: [UInt8]) -> Int {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return 0
        }
        return colon + 3
    }
}
