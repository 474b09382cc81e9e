import KeyfobModel
import KeyfobOAuth
import KeyfobSodium
import Testing

@Suite("Discovery documents") struct DiscoveryTests {
    static let full = """
        {"issuer":"https://idp.example/o","authorization_endpoint":"https://idp.example/o/authorize",\
        "token_endpoint":"https://idp.example/o/token","revocation_endpoint":"https://idp.example/o/revoke",\
        "jwks_uri":"https://keys.example/jwks","code_challenge_methods_supported":["plain","S256"],\
        "id_token_signing_alg_values_supported":["RS256"],"authorization_response_iss_parameter_supported":true,\
        "scopes_supported":["openid"],"claims_supported":["sub","email"],"unknown":null}
        """

    static func read(_ json: String, issuer: String = "https://idp.example/o", template: Bool = false) throws
        -> ProviderMetadata
    {
        try ProviderMetadata(reading: secret(json), issuer: issuer, rule: template ? .tenants : .exact)
    }

    @Test("gives the endpoints, and configured ones count in their place")
    func endpoints() throws {
        let metadata = try Self.read(Self.full)
        #expect(metadata.namesIssuerInAnswers)
        #expect(metadata.idTokenAlgorithms == ["RS256"] && metadata.claims == ["sub", "email"])
        #expect(throws: DiscoveryFailure.endpointMissing(.deviceAuthorization)) {
            try metadata.require(.deviceAuthorization)
        }
        let device = try EndpointURL("https://idp.example/device")
        let token = try EndpointURL("https://idp.example/token2")
        let overridden = metadata.overridden(by: [.deviceAuthorization: device, .token: token])
        #expect(try overridden.require(.deviceAuthorization) == device)
        #expect(try overridden.require(.token) == token)
        #expect(try overridden.require(.revocation).text == "https://idp.example/o/revoke")
    }

    @Test(
        "is refused for another issuer",
        arguments: [
            "https://idp.example/o/", "https://idp.example", "https://IDP.example/o", "http://idp.example/o", "",
        ])
    func otherIssuer(issuer: String) {
        #expect(throws: DiscoveryFailure.badDocument(.otherIssuer)) { try Self.read(Self.full, issuer: issuer) }
    }

    @Test(
        "takes Microsoft's template where that is allowed",
        arguments: [
            ("{tenantid}", "common", true), ("9188040d-6c67-4c5b-b112-36a304b66dad", "consumers", true),
            ("common", "common", true), ("contoso.example", "common", false), ("{tenantid}", "common", false),
        ])
    func template(found: String, asked: String, isTaken: Bool) throws {
        let json = #"{"issuer":"https://login.microsoftonline.com/\#(found)/v2.0"}"#
        let issuer = "https://login.microsoftonline.com/\(asked)/v2.0"
        let isAllowed = isTaken || found == "contoso.example"
        if isTaken {
            #expect(try Self.read(json, issuer: issuer, template: isAllowed).issuer?.contains(found) == true)
        } else {
            #expect(throws: DiscoveryFailure.badDocument(.otherIssuer)) {
                try Self.read(json, issuer: issuer, template: isAllowed)
            }
        }
    }

    @Test(
        "is refused where it is wrong",
        arguments: [
            ("{}", ProtocolViolation.missing("issuer")),
            (
                #"{"issuer":"https://idp.example/o","token_endpoint":"http://idp.example/t"}"#,
                .badValue("token_endpoint")
            ),
            (
                #"{"issuer":"https://idp.example/o","token_endpoint":"http://127.0.0.1:8080/t"}"#,
                .badValue("token_endpoint")
            ),
            (#"{"issuer":"https://idp.example/o","token_endpoint":7}"#, .badValue("token_endpoint")),
            (#"{"issuer":"https://idp.example/o","issuer":"https://idp.example/o"}"#, .repeatedName), ("", .empty),
        ])
    func wrong(json: String, violation: ProtocolViolation) {
        #expect(throws: DiscoveryFailure.badDocument(violation)) { try Self.read(json) }
    }

    @Test(
        "has no endpoint that cannot be used, where a sign-in can do without it",
        arguments: [#""http://localhost/keys""#, #""/keys""#, #""""#, "7", #""https://a b/""#])
    func optional(url: String) throws {
        let json = #"{"issuer":"https://idp.example/o","token_endpoint":"https://idp.example/t","jwks_uri":\#(url)}"#
        let metadata = try Self.read(json)
        #expect(metadata.endpoints[.keys] == nil && metadata.endpoints[.token] != nil)
    }

    @Test(
        "says whether it is one of OpenID Connect, also where it is kept",
        arguments: [
            ("", false), (#","scopes_supported":["api"]"#, false), (#","scopes_supported":["api","openid"]"#, true),
            (#","id_token_signing_alg_values_supported":["RS256"]"#, true),
        ])
    func openID(members: String, isOpenID: Bool) throws {
        let metadata = try Self.read(#"{"issuer":"https://idp.example/o"\#(members)}"#)
        #expect(metadata.isOpenID == isOpenID)
        #expect(try Self.read(metadata.document) == metadata)
    }

    @Test(
        "names where clients with a certificate ask, of what there is and may be named, and keeps it",
        arguments: [
            (#""https://mtls.example/t""#, "https://mtls.example/t"), (#""http://localhost/t""#, nil), (#""/t""#, nil),
            ("7", nil),
        ])
    func aliases(url: String, expected: String?) throws {
        let json =
            #"{"issuer":"https://idp.example/o","token_endpoint":"https://idp.example/t","tls_client_certificate_bound_access_tokens":true,"#
            + #""mtls_endpoint_aliases":{"token_endpoint":\#(url),"userinfo_endpoint":"https://mtls.example/u"}}"#
        let metadata = try Self.read(json)
        #expect(metadata.mutualEndpoints[.token]?.text == expected && metadata.mutualEndpoints[.userInfo] == nil)
        #expect(metadata.bindsTokensToCertificates)
        #expect(try Self.read(metadata.document) == metadata)
        // What a person has configured is not led elsewhere.
        let own = metadata.overridden(by: [.token: try EndpointURL("https://own.example/t")])
        #expect(own.mutualEndpoints[.token] == nil)
    }

    @Test(
        "of an issuer out there names nothing of this machine or its network, where people or tokens would be sent",
        arguments: ["https://10.0.0.1/x", "https://router.lan/x", "https://localhost/x", "https://[::1]/x"])
    func internals(url: String) throws {
        let start = #"{"issuer":"https://idp.example/o","token_endpoint":"https://idp.example/t","#
        #expect(throws: DiscoveryFailure.badDocument(.badValue("authorization_endpoint"))) {
            try Self.read(start + #""authorization_endpoint":"\#(url)"}"#)
        }
        let metadata = try Self.read(
            start + #""revocation_endpoint":"\#(url)","mtls_endpoint_aliases":{"token_endpoint":"\#(url)"}}"#)
        #expect(metadata.endpoints[.revocation] == nil && metadata.unusableEndpoints == [.revocation])
        #expect(metadata.mutualEndpoints.isEmpty)
        let own = #"{"issuer":"https://sso.lan/o","token_endpoint":"\#(url)"}"#
        #expect(try Self.read(own, issuer: "https://sso.lan/o").endpoints[.token]?.text == url)
    }

    @Test("of an issuer on this machine may name plain http, and https", arguments: ["http", "https"])
    func thisMachine(scheme: String) throws {
        let json = #"{"issuer":"http://[::1]:80/o","token_endpoint":"\#(scheme)://[::1]:81/t"}"#
        #expect(try Self.read(json, issuer: "http://[::1]:80/o").require(.token).text.hasPrefix(scheme + ":"))
    }

    @Test("is refused at every truncation", arguments: 0..<full.utf8.count)
    func truncated(count: Int) {
        #expect(throws: DiscoveryFailure.self) { try Self.read(String(Self.full.prefix(count))) }
    }

    @Test(
        "is looked for where both standards put it",
        arguments: [
            ("https://idp.example", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"),
            ("https://idp.example/", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"),
            (
                "https://idp.example:8443/o/p", "/o/p/.well-known/openid-configuration",
                "/.well-known/oauth-authorization-server/o/p"
            ),
        ])
    func wellKnown(issuer: String, first: String, second: String) throws {
        let addresses = try WellKnown.addresses(of: issuer)
        #expect(addresses.prefix(2).map(\.url.path) == [first, second])
        #expect(addresses.map(\.isOpenID).prefix(2) == [true, false])
        // RFC 8414, section 5.
        let inserted = addresses.dropFirst(2).map(\.url.path)
        #expect(inserted == (first.hasPrefix("/o") ? ["/.well-known/openid-configuration/o/p"] : []))
    }

    @Test("is looked for under no issuer with a query", arguments: ["https://idp.example/?a=b", "http://idp.example"])
    func noWellKnown(issuer: String) {
        #expect(throws: EndpointURL.Flaw.self) { try WellKnown.addresses(of: issuer) }
    }
}

@Suite("Provider descriptions") struct ProviderDescriptionTests {
    @Test("survive the way through a document", arguments: BuiltInProviders.all)
    func roundTrip(provider: ProviderDescription) throws {
        var provider = provider
        provider.clientIDs = ["a-client", "another"]
        let document = provider.json.withBytes { SecretBytes(copying: $0) }
        #expect(try ProviderDescription(reading: document) == provider)
    }

    @Test("are found by name")
    func named() {
        #expect(BuiltInProviders.named("GitHub")?.quirks == [.tokensNeverExpire])
        #expect(BuiltInProviders.named("microsoft")?.tokenFields.map(\.name) == ["client_info"])
        #expect(BuiltInProviders.named("google")?.authorizationFields.map(\.value) == ["offline"])
        #expect(BuiltInProviders.named("nobody") == nil)
        #expect(Set(BuiltInProviders.all.map(\.name)).count == BuiltInProviders.all.count)
    }

    @Test("give every flow of a provider without discovery its endpoints")
    func endpoints() throws {
        for provider in BuiltInProviders.all where !provider.hasDiscovery {
            #expect(try !provider.configuredMetadata.require(.token).text.isEmpty)
            if provider.flows.contains(.deviceAuthorization) {
                #expect(try !provider.configuredMetadata.require(.deviceAuthorization).text.isEmpty)
            }
        }
    }

    @Test(
        "are refused where they are wrong",
        arguments: [
            "{}", #"{"formatVersion":2,"name":"a","title":"A","environment":"e"}"#,
            #"{"formatVersion":1,"title":"A","environment":"e"}"#,
            #"{"formatVersion":1,"name":"a","title":"A","environment":"e","flow":[]}"#,
            #"{"formatVersion":1,"name":"a","title":"A","environment":"e","flows":["implicit"]}"#,
            #"{"formatVersion":1,"name":"a","title":"A","environment":"e","rotation":"often"}"#,
            #"{"formatVersion":1,"name":"a","title":"A","environment":"e","discovery":true}"#,
            #"{"formatVersion":1,"name":"a","title":"A","environment":"e","issuer":"http://e"}"#,
            #"{"formatVersion":1,"name":"a","title":"A","environment":"e","endpoints":{"tokens":"https://e.example"}}"#,
            #"{"formatVersion":1,"name":"a","title":"A","environment":"e","endpoints":{"token_endpoint":"http://e.example"}}"#,
            #"{"formatVersion":1,"name":"a","title":"A","environment":"e","issuer":"HTTPS://e","endpoints":{"token_endpoint":"http://127.0.0.1"}}"#,
        ])
    func refused(json: String) {
        #expect(throws: ProtocolViolation.self) { _ = try ProviderDescription(reading: secret(json)) }
    }
}
