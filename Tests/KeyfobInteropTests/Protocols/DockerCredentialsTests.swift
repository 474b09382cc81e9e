import KeyfobInterop
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("What docker asks a credential helper")
struct DockerCredentialsTests {
    private func stored(_ json: String) throws -> [String] {
        let credential = try DockerCredentials.credential(secret(json))
        return [credential.server, credential.username, text(of: credential.secret)]
    }

    @Test("what is to be stored is read, with its escapes and without the white space around names")
    func store() throws {
        #expect(
            try stored(#"{"ServerURL": " https://index.docker.io/v1/\n", "Username": "ada", "Secret": "p\"\u00e4\n "}"#)
                == ["https://index.docker.io/v1/", "ada", "p\"ä\n "])
        // The last one counts, as with docker's own.
        #expect(try stored(#"{"Secret":"a","Secret":"b","Username":"u","ServerURL":"s","More":1}"#) == ["s", "u", "b"])
    }

    @Test(
        "what is missing is said in the words that clients know",
        arguments: [
            (#"{"Username":"u","Secret":"s"}"#, .noServer),
            (#"{"ServerURL":" ","Username":"u","Secret":"s"}"#, .noServer),
            (#"{"ServerURL":"a\u0000","Username":"u","Secret":"s"}"#, .noServer),
            (#"{"ServerURL":"s","Secret":"s"}"#, .noUsername),
            (#"{"ServerURL":"s","Username":1,"Secret":"s"}"#, .noUsername),
            (#"{"ServerURL":"s","Username":"u"}"#, .noSecret),
            (#"{"ServerURL":"s","Username":"u","Secret":""}"#, .noSecret),
            ("", .notJSON), ("[]", .notJSON), (#"{"ServerURL":"s""#, .notJSON), ("\u{0}", .notJSON),
        ] as [(String, DockerCredentials.Flaw)])
    func flaws(json: String, flaw: DockerCredentials.Flaw) {
        #expect(throws: flaw) { _ = try stored(json) }
        #expect("\(DockerCredentials.Flaw.noServer)" == "no credentials server URL")
        #expect("\(DockerCredentials.Flaw.noUsername)" == "no credentials username")
    }

    @Test("every truncation is refused")
    func truncations() {
        let whole = #"{"ServerURL":"ghcr.io","Username":"ada","Secret":"pass"}"#
        for count in 0..<whole.utf8.count {
            #expect(throws: DockerCredentials.Flaw.self) { _ = try stored(String(whole.prefix(count))) }
        }
    }

    @Test("a server is the line that comes")
    func server() throws {
        #expect(try DockerCredentials.server(secret(" ghcr.io\r\n")) == "ghcr.io")
        for text in ["", "\n", "a\nb", "a\u{1B}[31m"] {
            #expect(throws: DockerCredentials.Flaw.noServer) { try DockerCredentials.server(secret(text)) }
        }
        #expect(throws: DockerCredentials.Flaw.noServer) { try DockerCredentials.server(secret([0xFF])) }
    }

    @Test("answers are JSON whatever is in them")
    func answers() {
        let answer = DockerCredentials.answer(server: "a\"b", username: "c\\d")
        #expect(answer.before + "S" + answer.after == #"{"ServerURL":"a\"b","Username":"c\\d","Secret":"S"}"# + "\n")
        #expect(DockerCredentials.list([:]) == "{}\n")
        #expect(DockerCredentials.list(["b": "x", "a": "y"]) == #"{"a":"y","b":"x"}"# + "\n")
    }
}
