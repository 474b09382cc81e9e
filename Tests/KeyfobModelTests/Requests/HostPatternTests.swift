@testable import KeyfobModel
import Testing

@Suite("Hosts that a provider names")
struct HostPatternTests {
    @Test(
        "a pattern means one host, or what lies below one",
        arguments: [
            ("api.git.example", ["api.git.example"], ["git.example", "api.git.example:8443", "x.api.git.example"]),
            ("git.example:8443", ["git.example:8443"], ["git.example"]),
            (
                "*.git.example", ["a.git.example", "a.b.git.example"],
                ["git.example", "evilgit.example", "a.git.example:8443", ".git.example", "a.git.example.evil"]
            ),
            ("[::1]:8443", ["[::1]:8443"], ["[::1]"]),
        ])
    func matches(text: String, inside: [String], outside: [String]) throws {
        let pattern = try #require(HostPattern(text))
        for host in inside { #expect(pattern.matches(host), "\(host)") }
        for host in outside { #expect(!pattern.matches(host), "\(host)") }
    }

    @Test(
        "what is no host in small letters is no pattern",
        arguments: [
            "", "*", "*.", "*.example", "a.*.example", "*.*.example", "*.git.example:8443", "Git.Example",
            "https://git.example", "git.example/x", "git.example?x", "git.example.", "ada@git.example", "git example",
            "git.example:443", "git.example:0", "*.0.1", "*.git..example", "*git.example", "gıt.example",
        ])
    func refused(text: String) {
        #expect(HostPattern(text) == nil)
    }

    @Test("two patterns overlap where one host can be both's")
    func overlaps() throws {
        let (wide, narrow) = (try #require(HostPattern("*.git.example")), try #require(HostPattern("*.eu.git.example")))
        let (one, other) = (try #require(HostPattern("a.eu.git.example")), try #require(HostPattern("a.example")))
        for (left, right) in [(wide, narrow), (wide, one), (narrow, one), (one, one)] {
            #expect(left.overlaps(right) && right.overlaps(left), "\(left) \(right)")
        }
        for pattern in [wide, narrow, one] { #expect(!pattern.overlaps(other) && !other.overlaps(pattern)) }
    }

    @Test(
        "every host of a built-in provider is well formed, and belongs to one provider alone",
        arguments: [
            "login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn",
            "accounts.google.com", "github.com", "gitlab.com",
        ])
    func builtIn(environment: String) {
        let hosts = BuiltInHosts.apiHosts(of: environment)
        #expect(!hosts.isEmpty)
        for host in hosts {
            #expect(HostPattern(host.text)?.text == host.text)
            #expect(BuiltInHosts.environment(claiming: host, besides: environment) == nil, "\(host)")
            #expect(BuiltInHosts.environment(claiming: host, besides: "git.example") == environment)
        }
    }

    @Test(
        "a host means a resource, as Azure CLI has it",
        arguments: [
            ("graph.microsoft.com", "https://graph.microsoft.com"),
            ("management.azure.com", "https://management.azure.com"),
            ("contoso.vault.azure.net", "https://vault.azure.net"),
            ("contoso.blob.core.windows.net", "https://storage.azure.com"),
            ("contoso.database.windows.net", "https://database.windows.net"),
            ("dev.azure.com", "499b84ac-1321-427f-aa17-267ca6975798"),
            ("contoso.visualstudio.com", "499b84ac-1321-427f-aa17-267ca6975798"),
            ("contoso.vsrm.visualstudio.com", "499b84ac-1321-427f-aa17-267ca6975798"),
            ("contoso.sharepoint.com", "https://contoso.sharepoint.com"),
            ("a.contoso.visualstudio.com", nil), ("app.online.visualstudio.com", nil), ("visualstudio.com", nil),
            ("a.b.vsrm.visualstudio.com", nil), ("graph.microsoft.us", nil), ("git.example", nil),
            ("login.microsoftonline.com", nil),
        ])
    func resources(host: String, name: String?) {
        let request = TokenRequest(context: RequestContext(url: ResourceURL(host: host)))
        #expect(request.resource(at: "login.windows.net")?.name == name)
        #expect(request.resource(at: "git.example") == nil)
        let scoped = TokenRequest(scopes: ["x"], context: request.context)
        #expect(scoped.resource(at: "login.windows.net") == nil)
        let elsewhere = TokenRequest(context: RequestContext(remote: ResourceURL(host: host)))
        #expect(elsewhere.resource(at: "login.windows.net") == nil)
    }

    @Test(
        "scopes mean a resource by their beginning, and Graph's are written without one as well",
        arguments: [
            ("https://graph.microsoft.com/User.Read", ["graph.microsoft.com"]),
            ("openid profile User.Read", ["graph.microsoft.com"]),
            ("00000003-0000-0000-c000-000000000000/.default", ["graph.microsoft.com"]),
            ("https://management.core.windows.net//user_impersonation", ["management.azure.com"]),
            ("openid https://vault.azure.net/user_impersonation", ["a.vault.azure.net"]),
            ("499b84ac-1321-427f-aa17-267ca6975798/vso.code", ["dev.azure.com"]),
            ("https://graph.microsoft.com.evil.example/User.Read", []),
            ("", ["graph.microsoft.com", "management.azure.com", "a.vault.azure.net", "dev.azure.com"]),
        ])
    func scopes(text: String, hosts: [String]) throws {
        for host in ["graph.microsoft.com", "management.azure.com", "a.vault.azure.net", "dev.azure.com"] {
            let request = TokenRequest(context: RequestContext(url: ResourceURL(host: host)))
            let resource = try #require(request.resource(at: "login.microsoftonline.com"))
            #expect(resource.isMeant(by: ScopeSet(spaceSeparated: text)) == hosts.contains(host), "\(host)")
        }
    }
}
