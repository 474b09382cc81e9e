import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import Testing

@Suite("Kubeconfigs, and accounts of oidc-agent")
struct KubeconfigTests {
    private func jwt(_ claims: String) -> String { "e30.\(Base64.url.text(Array(claims.utf8))).c2ln" }

    private func file(_ user: String, server: String = "https://api.cluster.example:6443") -> String {
        """
        apiVersion: v1
        clusters:
        - cluster:
            certificate-authority-data: LS0tLS1CRUdJTg==
            server: \(server)
          name: work
        contexts:
        - context: {}
          name: empty
        - context:
            cluster: work
            namespace: default
            user: admin
          name: work
        current-context: work
        kind: Config
        preferences: {}
        users:
        - name: admin
          user:
        \(user.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))

        """
    }

    @Test("a token is for the cluster with which contexts take its user, until its end")
    func token() throws {
        let opaque = try ToolSample(file("token: opaque-token"))
        #expect(opaque.format == .kubeconfig)
        #expect(opaque.tokens == ["access_token admin@api.cluster.example:6443 opaque-token"])
        #expect(opaque.credentials.first?.expiresOn == nil)
        let bound = try ToolSample(file("token: '\(jwt(#"{"exp": 2000000000, "sub": "x"}"#))'"))
        #expect(bound.credentials.first?.expiresOn == Timestamp(seconds: 2_000_000_000))
        #expect(bound.accounts.map(\.id.description) == ["admin@api.cluster.example:6443"])
    }

    @Test("JSON is read as YAML is")
    func json() throws {
        let sample = try ToolSample(
            """
            {"kind": "Config", "clusters": [{"name": "c", "cluster": {"server": "https://k.example"}}],
             "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
             "users": [{"name": "u", "user": {"token": "t\\u002d1"}}, {"name": "unused", "user": {"token": "t2"}}]}
            """)
        #expect(sample.tokens == ["access_token u@k.example t-1"])
        #expect(sample.findings == ["user 'unused': no context says for which cluster its token is"])
    }

    @Test("what kubectl got of an OpenID provider is that provider's, whoever it is")
    func provider() throws {
        let idToken = jwt(#"{"sub": "4711", "email": "ada@corp.example", "exp": 2000000000}"#)
        let sample = try ToolSample(
            file(
                """
                auth-provider:
                  config:
                    client-id: kube
                    client-secret: s3cret
                    id-token: \(idToken)
                    idp-issuer-url: https://IDP.corp.example/realms/a
                    refresh-token: rt
                  name: oidc
                """))
        #expect(
            sample.tokens == ["id_token 4711@idp.corp.example \(idToken)", "refresh_token 4711@idp.corp.example rt"])
        #expect(sample.accounts.map(\.username) == ["ada@corp.example"])
        #expect(sample.clients == ["kube idp.corp.example s3cret"])
    }

    @Test(
        "what brings no token is told",
        arguments: [
            ("client-certificate-data: LS0t\nclient-key-data: LS0t", "it signs in by a certificate"),
            ("tokenFile: /var/run/token", "its token is in a file of its own, which others replace"),
            ("{}", "it has no token"),
            (
                "exec:\n  command: plugin\n  installHint: Get it from\n    https://plugin.example, and\n    install it",
                "a program brings its tokens, and goes on doing so"
            ),
            ("auth-provider:\n  name: gcp", "a program brings its tokens, and goes on doing so"),
            (
                "auth-provider:\n  config:\n    idp-issuer-url: http://idp.example\n    refresh-token: r",
                "its issuer is not an https address, or is that of a service"
            ),
            (
                "auth-provider:\n  config:\n    idp-issuer-url: https://graph.microsoft.com\n    refresh-token: r",
                "its issuer is not an https address, or is that of a service"
            ),
        ])
    func leftOut(user: String, reason: String) throws {
        let text = user == "{}" ? file("").replacing("user:\n\n", with: "user: {}\n") : file(user)
        let sample = try ToolSample(text)
        #expect(sample.tokens.isEmpty)
        #expect(sample.findings == ["user 'admin': \(reason)"])
    }

    @Test("a cluster at a provider's host gets no account there, and plain http none")
    func hosts() throws {
        for host in ["github.com", "api.github.com", "login.microsoftonline.com", "x.vault.azure.net"] {
            let sample = try ToolSample(file("token: t", server: "https://\(host)"))
            #expect(sample.tokens.isEmpty && sample.accounts.isEmpty)
            #expect(sample.findings == ["user 'admin': the host is one of another provider's"])
        }
        let plain = try ToolSample(file("token: t", server: "http://k.example"))
        #expect(plain.findings == ["user 'admin': the token is for plain http"])
    }

    @Test("an account of oidc-agent is read once it is decrypted")
    func agent() throws {
        let sample = try ToolSample(
            """
            {"name": "work", "issuer_url": "https://idp.example/", "client_id": "c", "client_secret": "s",
             "refresh_token": "rt", "scope": "openid offline_access", "redirect_uris": ["http://localhost:4242"]}
            """)
        #expect(sample.format == .oidcAgent)
        #expect(sample.tokens == ["refresh_token work@idp.example rt"])
        #expect(sample.credentials.first?.scopes == ["openid", "offline_access"])
        #expect(sample.clients == ["c idp.example s"])
        let encrypted =
            "512\n\(String(repeating: "A", count: 32))\n\(String(repeating: "B", count: 22))==\n24:16:16:32\n"
        #expect(throws: ToolFileError.encrypted(.oidcAgent)) { try ToolSample(encrypted) }
    }
}
