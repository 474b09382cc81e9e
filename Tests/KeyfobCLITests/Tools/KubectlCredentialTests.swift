import Foundation
import KeyfobTestSupport
import Testing

/// Real kubectl with kubectl-keyfob, against an API server (`Tests/Provider/standins/kubernetes.py`) that asks the provider whose token
/// it got.
@Suite("kubectl with kubectl-keyfob", .waitsForPrograms)
struct KubectlCredentialTests {
    private let provider: ProviderServer
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        // kubectl sends no token over http.
        provider = try ProviderServer(ProviderServer.Settings(isSecure: true))
        server = try ProviderServer(Self.cluster(provider), isSecure: true)
        home = try SignInPlace(provider, variables: ["KUBECONFIG": "kubeconfig", "KUBECACHEDIR": "cache"])
        try home.signIn("alice")
        try home.run("ln -s keyfob bin/kubectl-keyfob").expectSuccess()
    }

    /// A cluster where the provider's tokens are good, but for those that are refused.
    private static func cluster(_ provider: ProviderServer, refusing refused: [String] = []) -> ProviderServer.StandIn {
        .init("kubernetes", ["issuer": provider.issuer, "trust": provider.authorityFile ?? "", "refused": refused])
    }

    /// Refuses tokens from now on; "*" is all.
    private func refuse(_ tokens: String...) throws { try server.set(Self.cluster(provider, refusing: tokens)) }

    private func configure(_ version: String, cluster: String? = nil, tellsCluster: Bool = true) throws {
        let trust = "certificate-authority: \(server.authorityFile ?? "")"
        try home.place.write(
            "kubeconfig",
            """
            apiVersion: v1
            kind: Config
            current-context: here
            contexts: [{name: here, context: {cluster: here, user: keyfob}}]
            clusters: [{name: here, cluster: {server: "https://\(server.host)", \(cluster ?? trust)}}]
            users:
            - name: keyfob
              user:
                exec:
                  apiVersion: client.authentication.k8s.io/\(version)
                  command: kubectl-keyfob
                  interactiveMode: Never
                  provideClusterInfo: \(tellsCluster)

            """)
    }

    @Test("a token comes while it is accepted, in each version", arguments: ["v1", "v1beta1"])
    func token(version: String) throws {
        try configure(TestProgram.hasOldKubectl ? "v1beta1" : version)
        let unbound = try home.run("\(TestProgram.kubectl) get --raw /version")
        #expect(unbound.status != 0 && unbound.errors.contains("do not go to \(server.host)"), "\(unbound)")
        try home.run("keyfob bind -q --host \(server.host) alice").expectSuccess()
        let sign = try home.refreshToken(of: "alice")
        for _ in 0..<2 {
            #expect(try home.run("\(TestProgram.kubectl) get --raw /version").expectSuccess().text.contains("minor"))
        }
        let answered = try server.requests()
        #expect(answered.count >= 2 && answered.allSatisfy { $0.status == 200 && $0.person == "alice" }, "\(answered)")
        #expect(answered.allSatisfy { $0.scheme == "Bearer" }, "\(answered)")
        #expect(try provider.refreshes().count { $0.refreshToken == sign } == 0)
    }

    @Test("a token that is refused is replaced, once however often the server refuses")
    func refused() throws {
        try configure("v1beta1")
        try home.run("keyfob bind -q --host \(server.host) alice").expectSuccess()
        try home.run("\(TestProgram.kubectl) get --raw /version").expectSuccess()
        let first = try home.refreshToken(of: "alice")
        try refuse(try home.token())
        // The client asks again with the command that is refused, or with the next.
        _ = try home.run("\(TestProgram.kubectl) get pods")
        try home.run("\(TestProgram.kubectl) get --raw /version").expectSuccess()
        #expect(try provider.refreshes().count { $0.refreshToken == first } == 1)

        try refuse("*")
        let second = try home.refreshToken(of: "alice")
        let outcome = try home.run("\(TestProgram.kubectl) get pods")
        #expect(outcome.status != 0, "\(outcome)")
        #expect(try server.requests().count { $0.status == 401 } > 1)
        // Within a minute there is no other one for a server that refuses the last.
        #expect(try provider.refreshes().count { $0.refreshToken == second } == 0)
        #expect(try home.refreshToken(of: "alice") == second)
        try home.expectSound()
    }

    @Test("without the server's address, or where its certificate is not verified, no token goes")
    func unverified() throws {
        try home.run("keyfob bind -q --host \(server.host) alice").expectSuccess()
        try configure("v1beta1", tellsCluster: false)
        let silent = try home.run("\(TestProgram.kubectl) get --raw /version")
        #expect(silent.status != 0 && silent.errors.contains("provideClusterInfo: true"), "\(silent)")
        try configure("v1beta1", cluster: "insecure-skip-tls-verify: true")
        let open = try home.run("\(TestProgram.kubectl) get --raw /version")
        #expect(open.status != 0 && open.errors.contains("insecure-skip-tls-verify"), "\(open)")
        #expect(try server.requests().allSatisfy { $0.scheme == "-" })
    }

    @Test("what is no request is one line and a status")
    func bad() throws {
        let head = #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/"#
        for (text, status, words) in [
            ("", 64, "KUBERNETES_EXEC_INFO is not set"), ("x", 64, "not an ExecCredential object"),
            (head + #"v1alpha1"}"#, 64, "another version"), (head + #"v1"}"#, 77, "provideClusterInfo"),
            (head + #"v1","spec":{"cluster":{"server":"http://evil.example"}}}"#, 77, "not https"),
            (head + #"v1","spec":{"cluster":{"server":"https://evil.example"}}}"#, 77, "do not go to evil.example"),
            (
                head + #"v1","spec":{"cluster":{"server":"https://a.example","tls-server-name":"b.example"}}}"#, 77,
                "the kubeconfig has tls-server-name"
            ),
        ] {
            try home.run("KUBERNETES_EXEC_INFO='\(text)' keyfob helper kubectl").expectError(Int32(status), words)
        }
        let outcome = try home.run(
            "KUBERNETES_EXEC_INFO=$(head -c 100000 /dev/zero | tr '\\0' x) keyfob helper kubectl --account alice")
        outcome.expectError(64, "not an ExecCredential object")
    }
}
