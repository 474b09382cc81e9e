package import KeyfobModel
package import KeyfobSodium

/// What a protected resource says of itself (RFC 9728, section 2).
package struct ResourceMetadata: Hashable, Sendable {
    /// What it calls itself, to the letter: requests name it so.
    package let resource: EndpointURL
    /// The issuers of its authorization servers, in its order.
    package let servers: [EndpointURL]
    /// The scopes that it names.
    package let scopes: ScopeSet
    /// Whether it takes no token that is not bound to a key (RFC 9449).
    package let requiresProofs: Bool

    /// The most authorization servers that are looked at.
    package static let serverLimit = 10
    /// The most scopes that are asked for because a resource names them.
    package static let scopeLimit = 64

    /// Where the resource at an address may describe itself, in order (section 3.1): for its path, then for its host.
    package static func addresses(of resource: EndpointURL) -> [EndpointURL] {
        let place = "/.well-known/oauth-protected-resource"
        let path = resource.path.hasSuffix("/") ? String(resource.path.dropLast()) : resource.path
        return (path.isEmpty ? [place] : [place + path, place]).map(resource.replacingPath)
    }

    /// Reads the document at `place` of the resource that was asked at `asked`.
    ///
    /// The resource is the one asked, or has it below its path where that says so at an address of the standard: who describes
    /// another one, or has one path of a host, would get tokens that are for that (section 3.3).
    ///
    /// - Throws: `missing`, `badValue`, `otherResource`.
    package init(
        reading document: borrowing SecretBytes, at place: EndpointURL, asked: EndpointURL
    ) throws(ProtocolViolation) {
        self = try document.withBytes { bytes throws(ProtocolViolation) in
            try Self.read(bytes, place, asked)
        }
    }

    private init(resource: EndpointURL, servers: [EndpointURL], scopes: ScopeSet, requiresProofs: Bool) {
        (self.resource, self.servers, self.scopes) = (resource, servers, scopes)
        self.requiresProofs = requiresProofs
    }

    private static func read(
        _ bytes: RawSpan, _ place: EndpointURL, _ asked: EndpointURL
    ) throws(ProtocolViolation) -> ResourceMetadata {
        let fields = try JSONFields(reading: bytes)
        guard let name = fields.string("resource", in: bytes) else { throw .missing("resource") }
        guard let resource = try? EndpointURL(name), resource.query == nil else { throw .badValue("resource") }
        guard resource.isSecure == asked.isSecure, let whole = try? ResourceURL(parsing: name),
            let part = try? ResourceURL(parsing: asked.text), part.isWithin(whole),
            part == whole || addresses(of: resource).contains(place)
        else { throw .otherResource }
        // Tokens come in a header, or in a way in which nobody here sends one.
        if let ways = fields.strings("bearer_methods_supported", in: bytes), !ways.isEmpty, !ways.contains("header") {
            throw .badValue("bearer_methods_supported")
        }
        guard let servers = fields.strings("authorization_servers", in: bytes) else {
            throw .missing("authorization_servers")
        }
        return ResourceMetadata(
            resource: resource, servers: servers.prefix(serverLimit).compactMap { try? EndpointURL($0) },
            scopes: ScopeSet(fields.strings("scopes_supported", in: bytes) ?? []),
            requiresProofs: fields.bool("dpop_bound_access_tokens_required", in: bytes) ?? false)
    }
}
