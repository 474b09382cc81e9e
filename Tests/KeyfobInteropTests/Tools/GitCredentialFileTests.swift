import KeyfobInterop
import Testing

@Suite("The file of git-credential-store")
struct GitCredentialFileTests {
    @Test("tokens of GitHub and GitLab are taken for their hosts, decoded")
    func tokens() throws {
        let encoded = "glpat%2D" + String(repeating: "x", count: 19) + "%5f"
        let sample = try ToolSample(
            """
            https://Ada:\(ToolSample.github)@github.com

            https://bob%40corp.example:\(encoded)@gitlab.com/
            https://carol:\(ToolSample.github)@ghe.example%3
            https://carol:\(ToolSample.github)@ghe.example:8443
            https://dan:\(ToolSample.classic)@github.com
            \("")
            """)
        #expect(sample.format == .gitCredentials)
        #expect(
            sample.tokens == [
                "access_token ada@github.com \(ToolSample.github)",
                "access_token bob@corp.example@gitlab.com glpat-\(String(repeating: "x", count: 19))_",
                "access_token carol@ghe.example:8443 \(ToolSample.github)",
                "access_token dan@github.com \(ToolSample.classic)",
            ])
        #expect(sample.findings == ["line 4: there is no such host"])
    }

    @Test(
        "passwords stay where they are, and so does what is nobody's or another's",
        arguments: [
            ("https://ada:hunter2@github.com", "its password does not look like a token"),
            ("https://ada:\(ToolSample.classic)@git.example", "its password does not look like a token"),
            ("https://ada:\(ToolSample.gitlab)@github.com", "its token is not one of the provider that runs the host"),
            (
                "https://ada:\(ToolSample.github)@dev.azure.com",
                "its token is not one of the provider that runs the host"
            ),
            ("https://oauth2:\(ToolSample.gitlab)@gitlab.com", "it does not say whose token it is"),
            ("https://\(ToolSample.github):\(ToolSample.github)@github.com", "it does not say whose token it is"),
            ("https://\(ToolSample.github):x-oauth-basic@github.com", "its password does not look like a token"),
            ("http://ada:\(ToolSample.gitlab)@git.example", "the token is for plain http"),
            ("https://ada:ghp_%@github.com", "it is not an address with a user and a password"),
            ("https://github.com", "it is not an address with a user and a password"),
        ])
    func leftOut(line: String, reason: String) throws {
        let sample = try ToolSample("https://eve:pw@git.example\n\(line)\n")
        #expect(sample.tokens.isEmpty && sample.accounts.isEmpty)
        #expect(sample.findings == ["line 1: its password does not look like a token", "line 2: \(reason)"])
        #expect(!sample.findings.joined().contains("gh"), "no finding repeats what stands there")
    }

    @Test("a line that was cut off, and a second token of an account, are left out")
    func cutOff() throws {
        let sample = try ToolSample(
            """
            https://ada:\(ToolSample.github)@github.com
            https://ada:\(ToolSample.classic)@github.com
            https://bob:\(ToolSample.github)@github.c
            """)
        #expect(sample.tokens == ["access_token ada@github.com \(ToolSample.github)"])
        #expect(
            sample.findings == [
                "ada at github.com: another token of the account stands before this one",
                "line 3: it does not end; if a program was writing the file, try again",
            ])
    }
}
