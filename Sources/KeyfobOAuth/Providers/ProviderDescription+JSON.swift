internal import KeyfobModel
package import KeyfobSodium

extension ProviderDescription {
    /// The version of the document's format.
    package static let formatVersion: Int64 = 1

    /// The members that a document may have.
    package static let members = [
        "formatVersion", "name", "title", "issuer", "environment", HostPattern.member, "resource", "discovery",
        "endpoints",
        "clientIDs", "defaultScopes", "flows", "rotation", "quirks", "caFile", "parameters", "bindsTokens",
    ]

    /// Reads a description from a JSON document; a member, flow or quirk that is not known is refused, so that a
    /// misspelling is seen.
    ///
    /// - Throws: `missing` or `badValue` with the member's name.
    package init(reading document: borrowing SecretBytes) throws(ProtocolViolation) {
        self = try document.withBytes { bytes throws(ProtocolViolation) in try Self.read(bytes) }
    }

    private static func read(_ bytes: RawSpan) throws(ProtocolViolation) -> ProviderDescription {
        let fields = try JSONFields(reading: bytes)
        if fields.names(in: bytes).contains(where: { !members.contains($0) }) { throw .badValue("member") }
        guard fields.integer("formatVersion", in: bytes) == formatVersion else { throw .badValue("formatVersion") }
        func text(_ name: String) throws(ProtocolViolation) -> String {
            guard let text = fields.string(name, in: bytes) else { throw .missing(name) }
            guard Identifier.isAcceptable(text) else { throw .badValue(name) }
            return text
        }
        func list(_ name: String) throws(ProtocolViolation) -> [String] {
            guard fields.has(name, in: bytes) else { return [] }
            guard let list = fields.strings(name, in: bytes), list.allSatisfy(Identifier.isAcceptable) else {
                throw .badValue(name)
            }
            return list
        }
        func values<Value: RawRepresentable>(
            _ name: String, _ type: Value.Type
        ) throws(ProtocolViolation) -> [Value] where Value.RawValue == String {
            var values: [Value] = []
            for word in try list(name) {
                guard let value = Value(rawValue: word) else { throw .badValue(name) }
                values.append(value)
            }
            return values
        }
        var hosts: [HostPattern] = []
        for text in try list(HostPattern.member) {
            guard let host = HostPattern(text) else { throw .badValue(HostPattern.member) }
            hosts.append(host)
        }
        let issuer = fields.has("issuer", in: bytes) ? try text("issuer") : nil
        if let issuer, (try? EndpointURL(issuer)) == nil { throw .badValue("issuer") }
        let resource = fields.has("resource", in: bytes) ? try text("resource") : nil
        let rotation = fields.has("rotation", in: bytes) ? fields.string("rotation", in: bytes) : "unknown"
        guard let rotation = rotation.flatMap(Rotation.init(rawValue:)) else { throw .badValue("rotation") }
        if fields.has("discovery", in: bytes), fields.bool("discovery", in: bytes) == nil {
            throw .badValue("discovery")
        }
        var description = ProviderDescription(
            name: try text("name"), title: try text("title"), issuer: issuer, environment: try text("environment"),
            hasDiscovery: fields.bool("discovery", in: bytes) ?? (issuer != nil),
            clientIDs: try list("clientIDs"), defaultScopes: ScopeSet(try list("defaultScopes")),
            flows: Set(try values("flows", Flow.self)), rotation: rotation,
            quirks: Set(try values("quirks", Quirk.self)))
        // What is built in can be narrower than its text says.
        let builtIn = BuiltInHosts.apiHosts(of: description.environment)
        description.apiHosts = hosts.map { host in builtIn.first { $0.text == host.text } ?? host }
        description.resource = resource
        description.certificateFile = fields.has("caFile", in: bytes) ? try text("caFile") : nil
        if description.hasDiscovery, issuer == nil { throw .missing("issuer") }
        if fields.has("bindsTokens", in: bytes) {
            guard let bindsTokens = fields.bool("bindsTokens", in: bytes) else { throw .badValue("bindsTokens") }
            description.bindsTokens = bindsTokens
        }
        if fields.has("parameters", in: bytes) {
            guard let texts = fields.object("parameters", in: bytes)?.texts(in: bytes) else {
                throw .badValue("parameters")
            }
            description.parameters = texts
        }
        guard fields.has("endpoints", in: bytes) else { return description }
        guard let endpoints = fields.object("endpoints", in: bytes) else { throw .badValue("endpoints") }
        for name in endpoints.names(in: bytes) {
            guard let endpoint = ProviderMetadata.Endpoint(rawValue: name),
                let url = endpoints.string(name, in: bytes).flatMap({ try? EndpointURL($0) }),
                url.mayServe(issuer: issuer)
            else { throw .badValue("endpoints") }
            description.endpoints[endpoint] = url
        }
        return description
    }

    /// The description as a JSON document.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("formatVersion")
        writer.integer(Self.formatVersion)
        writer.member("name", name)
        writer.member("title", title)
        writer.member("issuer", issuer)
        writer.member("environment", environment)
        writer.member(HostPattern.member, apiHosts.map(\.text))
        writer.member("resource", resource)
        writer.name("discovery")
        writer.bool(hasDiscovery)
        writer.name("endpoints")
        writer.beginObject()
        for endpoint in ProviderMetadata.Endpoint.allCases {
            writer.member(endpoint.rawValue, endpoints[endpoint]?.text)
        }
        writer.endObject()
        writer.member("clientIDs", clientIDs)
        writer.member("defaultScopes", defaultScopes.scopes)
        writer.member("flows", Flow.allCases.filter(flows.contains).map(\.rawValue))
        writer.member("rotation", rotation.rawValue)
        writer.member("quirks", Quirk.allCases.filter(quirks.contains).map(\.rawValue))
        writer.member("caFile", certificateFile)
        if bindsTokens { writer.member("bindsTokens", true) }
        if !parameters.isEmpty {
            writer.name("parameters")
            writer.beginObject()
            for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { writer.member(name, value) }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }
}
