import KeyfobInterop
import KeyfobModel
import Testing

@Suite("What kubectl asks a credential plugin")
struct ExecCredentialTests {
    private func json(_ version: String, _ spec: String) -> String {
        #"{"apiVersion":"client.authentication.k8s.io/\#(version)","kind":"ExecCredential","spec":\#(spec)}"#
    }

    @Test("the answer is of the version that was asked for", arguments: ["v1", "v1beta1"])
    func versions(version: String) throws {
        let spec =
            #"{"interactive":false,"cluster":{"server":"https://api.example:6443","certificate-authority-data":"QQ=="}}"#
        let request = try ExecCredentialRequest(json(version, spec))
        #expect(request.destination == .server(try #require(CredentialURL("https://api.example:6443"))))
        let answer = request.answer(until: Timestamp(seconds: 0))
        #expect(
            answer.before + "T" + answer.after
                == #"{"apiVersion":"client.authentication.k8s.io/\#(version)","kind":"ExecCredential","status":{"expirationTimestamp":"1970-01-01T00:00:00Z","token":"T"}}"#
                + "\n")
        #expect(!request.answer(until: nil).before.contains("expirationTimestamp"))
    }

    @Test("a cluster that is not told, or whose certificate is not verified, is seen")
    func clusters() throws {
        #expect(try ExecCredentialRequest(json("v1", #"{"interactive":true}"#)).destination == .untold)
        #expect(try ExecCredentialRequest(json("v1", #"{"cluster":{"server":1}}"#)).destination == .untold)
        #expect(try ExecCredentialRequest(json("v1", #"{"cluster":{"server":"http://a"}}"#)).destination == .insecure)
        let open = #"{"cluster":{"server":"https://a","insecure-skip-tls-verify":true}}"#
        #expect(try ExecCredentialRequest(json("v1", open)).destination == .unverified(host: "a"))
    }

    @Test(
        "the cluster's certificates are those that stand there, or a file's, or none that can be read",
        arguments: [
            ("", .system), (#","certificate-authority-data":null"#, .system),
            (#","certificate-authority-data":"","certificate-authority":"""#, .system),
            (#","certificate-authority-data":"QQ==""#, .certificates([65])),
            (#","certificate-authority-data":"QU\nE=\r\n""#, .certificates([65, 65])),
            (#","certificate-authority-data":"QQ==","certificate-authority":"a""#, .certificates([65])),
            (#","certificate-authority":"../a""#, .file("../a")),
            (#","certificate-authority-data":"%","certificate-authority":"a""#, .unreadable),
            (#","certificate-authority-data":1"#, .unreadable), (#","certificate-authority":[]"#, .unreadable),
        ] as [(String, ExecCredentialRequest.Authority)])
    func authority(line: String, found: ExecCredentialRequest.Authority) throws {
        let request = try ExecCredentialRequest(json("v1", #"{"cluster":{"server":"https://a"\#(line)}}"#))
        #expect(request.authority == found)
    }

    @Test(
        "a kubeconfig that has another one answer than the server is seen",
        arguments: [
            (#""proxy-url":"http://proxy.example:3128""#, "proxy-url"),
            (#""proxy-url":"socks5://127.0.0.1:1""#, "proxy-url"),
            (#""proxy-url":"http://127.0.0.1:3128""#, nil), (#""tls-server-name":"evil.example""#, "tls-server-name"),
            (#""tls-server-name":"API.example""#, nil), (#""proxy-url":"","tls-server-name":"""#, nil),
        ] as [(String, String?)])
    func redirections(line: String, found: String?) throws {
        let request = try ExecCredentialRequest(
            json("v1", #"{"cluster":{"server":"https://api.example:6443",\#(line)}}"#))
        let host = "api.example:6443"
        let plain = ExecCredentialRequest.Destination.server(try #require(CredentialURL("https://" + host)))
        #expect(request.destination == found.map { .redirected(host: host, by: $0) } ?? plain)
    }

    @Test(
        "anything else is refused",
        arguments: [
            (nil, .missing), ("", .missing), ("x", .notJSON), ("[]", .notJSON), ("{}", .notJSON),
            (#"{"kind":"ExecCredential"}"#, .unknownVersion),
            (#"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1"}"#, .unknownVersion),
            (#"{"kind":"Pod","apiVersion":"client.authentication.k8s.io/v1"}"#, .notJSON),
            (String(repeating: "[", count: 100_000), .notJSON),
        ] as [(String?, ExecCredentialRequest.Flaw)])
    func flaws(text: String?, flaw: ExecCredentialRequest.Flaw) {
        #expect(throws: flaw) { try ExecCredentialRequest(text) }
    }
}
