import KeyfobModel
import Testing

@Suite("Authorities")
struct AuthorityTests {
    private static let tenant = "0f7a3c52-1111-4222-8333-abcdefabcdef"

    @Test(
        "of every kind are told apart by host and path, and say where their description is",
        arguments: [
            (
                "https://login.microsoftonline.com/common", .entra, "common",
                "https://login.microsoftonline.com/common/v2.0"
            ),
            (
                "https://LOGIN.microsoftonline.us:443/contoso.example/v2.0/", .entra, "contoso.example",
                "https://login.microsoftonline.us/contoso.example/v2.0"
            ),
            ("https://login.sovcloud-identity.fr", .entra, "", "https://login.sovcloud-identity.fr/common/v2.0"),
            (
                "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_susi/", .b2c(policy: "B2C_1_susi"),
                "contoso.onmicrosoft.com", "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_susi/v2.0"
            ),
            (
                "https://contoso.b2clogin.com/contoso.onmicrosoft.com/signup/v2.0", .b2c(policy: "signup"),
                "contoso.onmicrosoft.com", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/signup/v2.0"
            ),
            (
                "https://id.contoso.example/\(tenant)/b2c_1a_edit", .b2c(policy: "b2c_1a_edit"), tenant,
                "https://id.contoso.example/\(tenant)/b2c_1a_edit/v2.0"
            ),
            (
                "https://id.contoso.example/tfp/\(tenant)/edit", .b2c(policy: "edit"), tenant,
                "https://id.contoso.example/tfp/\(tenant)/edit/v2.0"
            ),
            ("https://fs.contoso.example/ADFS/", .adfs, "adfs", "https://fs.contoso.example/adfs"),
            ("https://fs.contoso.example:8443/adfs", .adfs, "adfs", "https://fs.contoso.example:8443/adfs"),
            (
                "https://contoso.ciamlogin.com/", .ciam, "contoso.onmicrosoft.com",
                "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0"
            ),
            ("https://contoso.ciamlogin.com/\(tenant)", .ciam, tenant, "https://contoso.ciamlogin.com/\(tenant)/v2.0"),
            (
                "https://id.contoso.example/contoso.onmicrosoft.com/v2.0", .ciam, "contoso.onmicrosoft.com",
                "https://id.contoso.example/contoso.onmicrosoft.com/v2.0"
            ),
            ("https://sso.example/realms/staff", .other, "realms", "https://sso.example/realms"),
            ("https://sso.example", .other, "", "https://sso.example"),
        ] as [(String, Authority.Kind, String, String)])
    func kinds(text: String, kind: Authority.Kind, tenant: String, address: String) throws {
        let authority = try Authority(text)
        #expect(authority.kind == kind && authority.tenant == tenant && authority.address == address)
    }

    @Test(
        "that are none are refused, each for its own reason",
        arguments: [
            ("http://login.microsoftonline.com/common", .insecure), ("HTTP://x/adfs", .insecure),
            ("https://ada:pw@login.microsoftonline.com/common", .credentials),
            ("https://login.microsoftonline.com/common?a=b", .query),
            ("https://login.microsoftonline.com/common#x", .query), ("https://a?b/adfs", .query),
            ("login.microsoftonline.com/common", .notAnAddress), ("https:/x", .notAnAddress), ("", .notAnAddress),
            ("ftp://x/y", .notAnAddress), ("https:///common", .notAnAddress), ("https://x:0/common", .notAnAddress),
            ("https://x//common", .notAnAddress), ("https://x/..", .notAnAddress), ("https://x/a%2Fb", .notAnAddress),
            ("https://x/a b", .notAnAddress), ("https://x\u{1B}/a", .notAnAddress),
            ("https://login.microsoftonline.com/contoso/more", .unknownPath),
            ("https://login.microsoftonline.com/adfs", .unknownPath), ("https://fs.example/adfs/ls", .unknownPath),
            ("https://a.b2clogin.com/tfp/t/p/more", .unknownPath), ("https://a.ciamlogin.com/t/more", .unknownPath),
            ("https://a.b2clogin.com", .missingPolicy), ("https://a.b2clogin.com/tfp/t", .missingPolicy),
            ("https://login.microsoftonline.com/tfp/t/b2c_1_x", .formerB2C),
            ("https://login.microsoftonline.com/t/B2C_1_x", .formerB2C), ("https://x.example/dstsv2/common", .dsts),
        ] as [(String, Authority.Flaw)])
    func flaws(text: String, flaw: Authority.Flaw) {
        #expect(throws: flaw) { try Authority(text) }
    }

    @Test("of many tenants have no tenant of their own", arguments: ["common", "Organizations", "consumers", ""])
    func words(tenant: String) throws {
        #expect(try Authority("https://login.windows.net/" + tenant).ownTenant == nil)
    }

    @Test("of B2C are told from an account's id")
    func policies() {
        func policy(_ id: String) -> String? {
            AccountID(homeAccountID: id, environment: "contoso.b2clogin.com").flatMap(\.policy)
        }
        #expect(policy("\(Self.tenant)-b2c_1_susi.\(Self.tenant)") == "b2c_1_susi")
        #expect(policy("\(Self.tenant)-my-policy.\(Self.tenant)") == "my-policy")
        for id in ["\(Self.tenant).\(Self.tenant)", "ada", "\(Self.tenant)-.x", "\(Self.tenant)-b2c", "a-b2c_1.x"] {
            #expect(policy(id) == nil, "\(id)")
        }
    }

    @Test("of sovereign clouds stand apart, each with its Graph")
    func clouds() {
        for (host, graph) in [
            ("login.sovcloud-identity.fr", "graph.svc.sovcloud.fr"), ("login.usgovcloudapi.net", "graph.microsoft.us"),
            ("login.sovcloud-identity.de", "graph.svc.sovcloud.de"),
            ("login.sovcloud-identity.sg", "graph.svc.sovcloud.sg"),
            ("login.chinacloudapi.cn", "microsoftgraph.chinacloudapi.cn"),
        ] {
            #expect(EnvironmentAliases.isMicrosoft(host))
            #expect(!EnvironmentAliases.areSame(host, "login.microsoftonline.com"))
            #expect(BuiltInHosts.apiHosts(of: host).contains { $0.matches(graph) }, "\(host)")
            #expect(!BuiltInHosts.apiHosts(of: host).contains { $0.matches("graph.microsoft.com") })
        }
    }
}
