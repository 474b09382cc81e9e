package import KeyfobSodium

/// An authorization request that is left with the provider before anybody is asked, so that the browser's address does not say what it
/// is (RFC 9126).
package struct PushedAuthorization: Sendable {
    /// What it says.
    let fields: TokenRequests.Extra

    init(_ fields: TokenRequests.Extra) { self.fields = fields }

    /// The request that leaves it there (section 2.1).
    package func request(_ client: borrowing OAuthClient, at endpoint: EndpointURL) -> HTTPRequest {
        let isNamed = client.isNamedInBody
        return client.request(to: endpoint) { form in
            for field in fields where !isNamed || field.name != "client_id" { form.append(field.name, field.value) }
        }
    }

    /// By what name the provider knows it (section 2.2).
    package static func name(reading body: borrowing SecretBytes) throws(ProtocolViolation) -> String {
        let name = try body.withBytes { bytes throws(ProtocolViolation) in
            try JSONFields(reading: bytes).string("request_uri", in: bytes)
        }
        guard let name else { throw .missing("request_uri") }
        guard (1...1_024).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .badValue("request_uri")
        }
        return name
    }
}
