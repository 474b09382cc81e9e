import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("What git asks a credential helper")
struct GitCredentialTests {
    private let account = AccountID("ada@git.example")

    /// The address that a request is about; nil where no token goes.
    private func url(_ lines: String) throws -> String? {
        try GitCredentialRequest(reading: secret(lines)).url?.text
    }

    /// The whole answer to a request, with `TOKEN` as the token; nil where there is none.
    private func answer(
        _ lines: String, at host: String = "git.example", until end: Int64? = nil, client: String = "app",
        called name: String = "Ada"
    ) throws -> String? {
        let request = try GitCredentialRequest(reading: secret("protocol=https\nhost=\(host)\n" + lines))
        let account = try #require(account)
        let credential = Credential(
            kind: .accessToken, account: account, clientID: client, cachedAt: Timestamp(seconds: 0),
            expiresOn: end.map(Timestamp.init(seconds:)))
        let answer = GitCredentialAnswer(to: request, with: credential, of: .knownByName(account, called: name))
        return answer.map { $0.before + text(of: secret("TOKEN").withBytes($0.value)) + $0.after }
    }

    @Test(
        "a token goes to https, and to http on this machine",
        arguments: [
            ("protocol=https\nhost=git.example\n", "https://git.example"),
            (
                "protocol=HTTPS\nhost=Git.Example:8443\npath=contoso/app.git\n\n",
                "https://Git.Example:8443/contoso/app.git"
            ),
            ("protocol=http\nhost=127.0.0.1:8080\n", "http://127.0.0.1:8080"),
            ("protocol=http\nhost=localhost\n", "http://localhost"),
            ("protocol=http\nhost=[::1]:80\n", "http://[::1]:80"),
            ("protocol=http\nhost=git.example\n", nil), ("protocol=http\nhost=127.0.0.1.evil.example\n", nil),
            ("protocol=smtp\nhost=smtp.example:587\n", nil), ("protocol=cert\nhost=\npath=/k.pem\n", nil),
            ("protocol=https\nhost=\n", nil), ("protocol=https\n", nil), ("host=git.example\n", nil), ("", nil),
            ("\nprotocol=https\nhost=git.example\n", nil),
            ("protocol=https\nhost=good.example@evil.example\n", nil),
            ("protocol=https\nhost=good.example/x\n", nil), ("protocol=https\nhost=good.example#.evil.example\n", nil),
            ("protocol=https\nhost=good.example?.evil.example\n", nil), ("protocol=https\nhost=a b\n", nil),
            // The last one counts, as in git.
            ("protocol=https\nhost=evil.example\nhost=git.example\n", "https://git.example"),
            ("protocol=https\nhost=git.example\nurl=https://evil.example\n", "https://git.example"),
        ] as [(String, String?)])
    func urls(lines: String, expected: String?) throws {
        #expect(try url(lines) == expected)
    }

    @Test(
        "a path is taken as git has decoded it, and none that means several things",
        arguments: [
            ("contoso/my app", "/contoso/my%20app"), ("contoso/a%20b?c#d", "/contoso/a%2520b%3Fc%23d"),
            ("contoso//app", "/contoso/app"), ("/contoso/app/", "/contoso/app"),
            ("contoso/../evil/app", nil), ("./contoso", nil), ("contoso/..", nil), (#"contoso\..\evil"#, nil),
        ] as [(String, String?)])
    func paths(path: String, expected: String?) throws {
        let lines = "protocol=https\nhost=git.example\npath=\(path)\n"
        #expect(try url(lines) == expected.map { "https://git.example" + $0 })
    }

    @Test(
        "what is no request is refused with its line",
        arguments: [
            ("protocol\n", .notAPair(line: 1)), ("protocol=https\n=x\n", .notAPair(line: 2)),
            ("host=a\0b\n", .forbiddenCharacter(line: 1)), ("ho\0st=a\n", .forbiddenCharacter(line: 1)),
            ("host=a\r\n", .forbiddenCharacter(line: 1)), ("password=a\0b\n", .forbiddenCharacter(line: 1)),
            ("unknown=\u{1B}[31m\n", .forbiddenCharacter(line: 1)),
            ("a=b\nusername=" + String(repeating: "x", count: 65_527), .tooLong(line: 2)),
        ] as [(String, GitCredentialRequest.Flaw)])
    func flaws(lines: String, flaw: GitCredentialRequest.Flaw) {
        #expect(throws: flaw) { try GitCredentialRequest(reading: secret(lines)).login }
        #expect(!"\(flaw)".contains("https"))
    }

    @Test("bytes that are no text are refused, and what is behind the empty line does not count")
    func bytes() throws {
        #expect(throws: GitCredentialRequest.Flaw.forbiddenCharacter(line: 1)) {
            try GitCredentialRequest(reading: secret([0x68, 0x3D, 0xFF, 0x0A])).login
        }
        #expect(try url("protocol=https\nhost=git.example\n\nhost=evil.example\nnonsense") == "https://git.example")
        for (text, isWhole) in [("", false), ("\n", true), ("a=b\n", false), ("a=b\n\n", true), ("a=b", false)] {
            #expect([UInt8](text.utf8).withBytes(GitCredentialRequest.isWhole) == isWhole)
        }
    }

    @Test("every truncation is a request or refused, and names no other host")
    func truncations() throws {
        let whole = "protocol=https\nhost=git.example\nwwwauth[]=Bearer realm=x\nusername=ada\npassword=secret\n\n"
        for count in 0...whole.utf8.count {
            let part = secret(Array(whole.utf8.prefix(count)))
            guard let request = try? GitCredentialRequest(reading: part) else { continue }
            if let host = request.url?.address.host { #expect("git.example".hasPrefix(host)) }
        }
    }

    @Test(
        "the user in an address means an account, but for those that mean any token",
        arguments: [
            ("", "git.example", nil), ("ada", "git.example", "ada"), ("ada", "git.example/contoso/app", "ada"),
            ("ada", "git.example/Ada/app", "ada"), ("oauth2", "git.example", nil),
            ("X-Access-Token", "git.example/contoso/app", nil), ("contoso", "dev.azure.com/Contoso/app/_git/app", nil),
            ("contoso", "dev.azure.com", nil), ("ada", "dev.azure.com/contoso/app/_git/app", "ada"),
        ] as [(String, String, String?)])
    func logins(username: String, address: String, expected: String?) throws {
        let parts = address.split(separator: "/", maxSplits: 1)
        let lines =
            "protocol=https\nhost=\(parts[0])\nusername=\(username)\npath=\(parts.count > 1 ? parts[1] : "")\n"
        #expect(try GitCredentialRequest(reading: secret(lines)).login == expected)
    }

    @Test("a git that knows no schemes, or a server that says nothing, is given a password")
    func password() throws {
        let plain = "username=oauth2\npassword=TOKEN\n"
        #expect(try answer("") == plain)
        #expect(try answer("wwwauth[]=Bearer realm=x\n") == plain)
        #expect(try answer("capability[]=authtype\n") == plain)
        #expect(try answer("wwwauth[]=Basic realm=x\n") == plain)
        #expect(try answer("username=ada\n", until: 17) == "username=ada\npassword=TOKEN\npassword_expiry_utc=17\n")
        #expect(
            try answer("capability[]=state\n")
                == "capability[]=state\nusername=oauth2\npassword=TOKEN\nstate[]=keyfob:ada@git.example\n")
    }

    @Test("a token that somebody has brought for the server goes with the user's name, which it may look at")
    func brought() throws {
        for client in [Credential.noClient, "docker"] {
            #expect(try answer("", client: client) == "username=Ada\npassword=TOKEN\n")
            #expect(try answer("username=git\n", client: client) == "username=git\npassword=TOKEN\n")
            for name in ["", "ada\nquit=1", "ada\u{2028}quit=1"] {
                #expect(try answer("", client: client, called: name) == "username=oauth2\npassword=TOKEN\n")
            }
            #expect(try answer("", at: "other.example", client: client) == "username=oauth2\npassword=TOKEN\n")
        }
    }

    @Test("a server that takes a password alone is sent one that no other helper keeps")
    func basic() throws {
        let challenge = "capability[]=authtype\nwwwauth[]=Basic realm=\"GitHub\"\n"
        func expected(_ credential: String) -> String {
            "capability[]=authtype\nauthtype=Basic\ncredential=\(credential)\nephemeral=1\n"
        }
        // oauth2:TOKEN, ada:TOKEN
        #expect(try answer(challenge) == expected("b2F1dGgyOlRPS0VO"))
        #expect(try answer(challenge + "username=ada\n") == expected("YWRhOlRPS0VO"))
        #expect(
            try answer(challenge + "username=a:b\n", until: 17)
                == "username=a:b\npassword=TOKEN\npassword_expiry_utc=17\n")
    }

    @Test("a server that takes a bearer token is sent one, whatever realm and scope it names")
    func bearer() throws {
        let capable = "capability[]=authtype\ncapability[]=state\n"
        let whole = """
            capability[]=authtype
            capability[]=state
            authtype=Bearer
            credential=TOKEN
            ephemeral=1
            password_expiry_utc=17
            state[]=keyfob:ada@git.example

            """
        for challenge in [
            "Bearer", "bearer realm=\"https://evil.example\", scope=\"everything\"", "Bearer,x",
        ] {
            #expect(try answer(capable + "wwwauth[]=Basic realm=x\nwwwauth[]=\(challenge)\n", until: 17) == whole)
        }
        // What stands before an empty one does not count.
        #expect(
            try answer("capability[]=authtype\nwwwauth[]=Bearer\nwwwauth[]=\nwwwauth[]=Basic x\n")?.hasPrefix(
                "capability[]=authtype\nauthtype=Basic\n") == true)
    }

    @Test("a server that takes neither is given nothing")
    func others() throws {
        for scheme in ["Negotiate", "NTLM", "Digest realm=x", "BearerX"] {
            #expect(try answer("capability[]=authtype\nwwwauth[]=\(scheme)\n") == nil)
        }
    }

    @Test("what git has used, and whose it was, come back")
    func erased() throws {
        var request = try GitCredentialRequest(
            reading: secret("state[]=other:x\nstate[]=keyfob:ada@git.example\npassword=old\ncredential=to=ken\n"))
        #expect(request.account == "ada@git.example")
        if let used = request.secret.take() { #expect(text(of: used) == "to=ken") } else { Issue.record("no secret") }
        #expect(try GitCredentialRequest(reading: secret("state[]=other:x\n")).account == nil)
        // oauth2:to:ken, and what is none.
        for (credential, expected) in [("b2F1dGgyOnRvOmtlbg==", "to:ken"), ("b2F1dGgy", nil), ("%", nil)] {
            for lines in ["authtype=Basic\ncredential=\(credential)\n", "credential=\(credential)\nauthtype=basic\n"] {
                var request = try GitCredentialRequest(reading: secret(lines))
                let found = if let used = request.secret.take() { text(of: used) } else { nil as String? }
                #expect(found == expected)
            }
        }
    }
}
