import Foundation
import KeyfobTestSupport
import Testing

/// Programs that ask for a token again without having been refused it, and one that was: only the server knows.
@Suite("kubectl's helper and what the server says of a token", .waitsForPrograms)
struct KubectlEvidenceTests {
    private let provider: ProviderServer
    private let server: ProviderServer
    private let home: SignInPlace

    init() throws {
        provider = try ProviderServer(ProviderServer.Settings(isSecure: true))
        server = try ProviderServer(Self.cluster(provider), isSecure: true)
        home = try SignInPlace(provider, variables: ["KUBECONFIG": "kubeconfig", "KUBECACHEDIR": "cache"])
        try home.signIn("alice")
        try home.place.write(
            "kubeconfig",
            """
            apiVersion: v1
            kind: Config
            current-context: here
            contexts: [{name: here, context: {cluster: here, user: keyfob}}]
            clusters:
            - name: here
              cluster: {server: "https://\(server.host)", certificate-authority: \(server.authorityFile ?? "")}
            users:
            - name: keyfob
              user:
                exec:
                  apiVersion: client.authentication.k8s.io/v1beta1
                  command: kubectl-keyfob
                  interactiveMode: Never
                  provideClusterInfo: true

            """)
        try home.run(
            """
            ln -s keyfob bin/kubectl-keyfob && keyfob bind -q --host \(server.host) alice
            cp \(PythonScript.path("kubectl_callers")) callers.py
            """
        ).expectSuccess()
    }

    private static func cluster(_ provider: ProviderServer, refusing refused: [String] = []) -> ProviderServer.StandIn {
        .init("kubernetes", ["issuer": provider.issuer, "trust": provider.authorityFile ?? "", "refused": refused])
    }

    private func refreshes(with sign: String) throws -> Int {
        try provider.refreshes().count { $0.refreshToken == sign }
    }

    private func call(_ kind: String, _ count: Int) throws -> Outcome {
        try home.run("\(PythonScript.interpreter) callers.py \(kind) \(TestProgram.kubectl) \(count)", deadline: 600)
    }

    @Test(
        "whoever asks twice without a refusal costs no refresh: a dispatcher that becomes kubectl, kubectl, and Python's client",
        arguments: ["dispatcher", "kubectl", "python"])
    func asked(kind: String) throws {
        let sign = try home.refreshToken(of: "alice")
        let count = TestLength.rounds(10, full: 100)
        #expect(try call(kind, count).expectSuccess().text == "\(count)\n")
        #expect(try refreshes(with: sign) == 0)
        #expect(try server.requests().allSatisfy { $0.status == 200 })
        // What was written to know the server is gone.
        #expect(try home.run("ls run/keyfob | grep pem").text.isEmpty)
    }

    @Test(
        "a token that the server refuses costs one, and the next call works",
        arguments: ["dispatcher", "kubectl", "python"])
    func refused(kind: String) throws {
        try call(kind, 1).expectSuccess()
        let sign = try home.refreshToken(of: "alice")
        try server.set(Self.cluster(provider, refusing: [home.token()]))
        _ = try call(kind, 2)
        try call(kind, 3).expectSuccess()
        #expect(try refreshes(with: sign) == 1)
    }

    @Test("a server that cannot be asked is no evidence, and no other than the one that is bound is asked")
    func silent() throws {
        let sign = try home.refreshToken(of: "alice")
        let closed = "127.0.0.1:9"
        try home.run("keyfob bind -q --host \(closed) alice").expectSuccess()
        let before = try server.requests().count
        let info = """
            {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{"server":"https://\(closed)"}}}
            """
        let outcome = try home.run(
            "export KUBERNETES_EXEC_INFO='\(info)'; kubectl-keyfob > one; kubectl-keyfob > two; cmp one two"
        ).expectSuccess()
        #expect(outcome.errors.isEmpty, "\(outcome)")
        #expect(try refreshes(with: sign) == 0 && server.requests().count == before)
    }
}
