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
        // Nobody but the kubeconfig trusts the server.
        try home.run("! openssl verify -CAfile $KEYFOB_CA_FILE \(server.folder)/server.pem").expectSuccess()
        try server.set(Self.cluster(provider, refusing: [home.token()]))
        _ = try call(kind, 2)
        try call(kind, 3).expectSuccess()
        #expect(try refreshes(with: sign) == 1)
    }

    @Test(
        "a server that refuses every token costs one, however many programs ask, and takes the last when it does again")
    func refusing() throws {
        try call("kubectl", 1).expectSuccess()
        let sign = try home.refreshToken(of: "alice")
        try server.set(Self.cluster(provider, refusing: ["*"]))
        for _ in 0..<6 { _ = try call("kubectl", 1) }
        #expect(try refreshes(with: sign) == 1)
        try server.set(Self.cluster(provider))
        try call("kubectl", 1).expectSuccess()
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

    /// Asks twice for the token for another server, whose certificate is of `own.pem`, where `cluster.pem` is another's: whether
    /// that server was asked what it says of the token.
    private func isAsked(
        _ cluster: String, _ options: String = "", before lines: String = "", apart: String = ""
    ) throws -> Bool {
        let other = try ProviderServer(Self.cluster(provider), isSecure: true)
        let authorities = [provider, other].map { $0.authorityFile ?? "" }
        try home.run(
            """
            cp \(authorities[1]) own.pem && keyfob bind -q --host \(other.host) alice
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 2 -subj /CN=cluster -out cluster.pem \\
                -keyout cluster.key 2> /dev/null
            cat \(authorities[0]) own.pem > trusted.pem
            """
        ).expectSuccess()
        let server = #"\"server\":\"https://\#(other.host)\""#
        let spec = #"\"spec\":{\"cluster\":{\#(server)\#(cluster.replacing("\"", with: #"\""#))}}"#
        let version = #"\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\""#
        try home.place.write(
            "script",
            """
            set -e
            \(lines)
            export KUBERNETES_EXEC_INFO="{\(version),\(spec)}"
            kubectl-keyfob \(options) > one
            kubectl-keyfob \(options) > two
            cmp one two
            """)
        let outcome = try home.run("\(apart) sh script").expectSuccess()
        #expect(outcome.errors.isEmpty, "\(outcome)")
        #expect(try home.run("ls run/keyfob | grep pem").text.isEmpty)
        return try other.requests().contains { $0.path == "/version" }
    }

    @Test(
        "a server is asked by a certificate of the cluster's own authority alone, whoever else is trusted here",
        arguments: [
            ("", true), (#","certificate-authority-data":"$(base64 -w 0 own.pem)""#, true),
            (#","certificate-authority":"own.pem""#, true), (#","certificate-authority":"$PWD/own.pem""#, true),
            (#","certificate-authority-data":"$(base64 -w 0 cluster.pem)""#, false),
            (#","certificate-authority":"cluster.pem""#, false), (#","certificate-authority":"gone.pem""#, false),
            (#","certificate-authority":1"#, false), (#","certificate-authority-data":"%""#, false),
            (#","certificate-authority-data":"QQ==""#, false),
            (#","certificate-authority-data":"%","certificate-authority":"own.pem""#, false),
        ])
    func authority(cluster: String, isAsked: Bool) throws {
        #expect(try self.isAsked(cluster, before: "export KEYFOB_CA_FILE=$PWD/trusted.pem") == isAsked)
        #expect(try self.isAsked(cluster, "--ca-file trusted.pem") == isAsked)
    }

    @Test(
        "nor is one that the system trusts", .enabled(if: Privileges.canMount, Privileges.whyNoMount),
        arguments: [("", true), (#","certificate-authority-data":"$(base64 -w 0 cluster.pem)""#, false)])
    func system(cluster: String, isAsked: Bool) throws {
        let lines = """
            mkdir certs && cp own.pem certs/own.pem && cp own.pem certs/ca-certificates.crt && openssl rehash certs 2> rehashed
            mount --bind certs /etc/ssl/certs
            export KEYFOB_CA_FILE=
            """
        #expect(try self.isAsked(cluster, before: lines, apart: "unshare --mount") == isAsked)
    }
}
