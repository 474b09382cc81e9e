import KeyfobInterop
import KeyfobModel
import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("Items of other tools in the desktop's keyring")
struct KeyringItemTests {
    /// Items with their secrets, read as those of one tool.
    private struct Sample {
        let bytes: [UInt8]
        let file: ToolFile

        init(
            _ tool: KeyringTool, _ items: [([String: String], String)], locked: Int = 0,
            users: [String: String?] = [:], client: String? = nil
        ) {
            var bytes: [UInt8] = []
            let found = items.map { attributes, secret in
                let start = bytes.count
                bytes += Array(secret.utf8)
                return KeyringItem(
                    attributes: attributes, secret: start..<bytes.count, writtenAt: Timestamp(seconds: 7))
            }
            self.bytes = bytes
            file = bytes.withBytes {
                ToolFile(tool, found, lockedCount: locked, reading: $0, gitHubUsers: users, clientID: client)
            }
        }

        var findings: [String] { file.findings.map(\.description) }
        /// `access_token ada@github.com token` of each.
        var tokens: [String] {
            file.contents.credentials.map { item in
                let secret = bytes.withBytes { KeyfobTestSupport.text(of: item.secret.secret(in: $0)) }
                return "\(item.credential.kind.rawValue) \(item.credential.account) \(secret)"
            }
        }
    }

    private let token = ToolSample.github

    @Test("gh's are its users' at the hosts of GitHub's, and of the copy without a name only what has none")
    func gh() {
        let items: [([String: String], String)] = [
            (["service": "gh:github.com", "username": ""], token),
            (["service": "gh:github.com", "username": "Ada"], token),
            (["service": "gh:ghe.example", "username": ""], "opaque"),
            (["service": "gh:other.example", "username": ""], "opaque"),
            (["service": "gh:gitlab.com", "username": "eve"], "opaque"),
            (["service": "gh:", "username": "eve"], "opaque"),
            (["service": "gh:empty.example", "username": "eve"], ""),
        ]
        let sample = Sample(.gh, items, users: ["ghe.example": "bob", "other.example": nil])
        #expect(sample.tokens == ["access_token ada@github.com \(token)", "access_token bob@ghe.example opaque"])
        #expect(sample.file.contents.credentials.first?.credential.cachedAt == Timestamp(seconds: 7))
        #expect(
            sample.findings == [
                "eve at gitlab.com: the host is one of another provider's", "eve at : there is no such host",
                "eve at empty.example: it has no token", "other.example: it does not say whose token it is",
            ])
        #expect(
            KeyringTool.gh.searches(gitHubHosts: ["ghe.example"]) == [
                ["service": "gh:ghe.example"], ["service": "gh:github.com"],
            ])
    }

    @Test("of git's helpers, what looks like a token or ends is one, and a refresh token needs a client")
    func git() {
        func item(_ user: String, _ host: String, _ port: String? = nil) -> [String: String] {
            var attributes = ["xdg:schema": "org.git.Password", "protocol": "https", "user": user, "server": host]
            attributes["port"] = port
            return attributes
        }
        let manager = ["xdg:schema": "com.microsoft.GitCredentialManager", "account": "hal"]
        let items: [([String: String], String)] = [
            (item("ada", "github.com"), token),
            (item("bob", "git.example"), "hunter2"),
            (item("eve", "git.example", "8443"), "at\npassword_expiry_utc=1999999999\noauth_refresh_token=rt\nodd=1"),
            (item("oauth2", "gitlab.com"), ToolSample.gitlab),
            (item("kim", "api.github.com"), "at\npassword_expiry_utc=1"),
            (item("kim", "no host"), "x"),
            (["protocol": "https", "server": "page.example"], "of a browser"),
            (manager.merging(["service": "git:https://github.com"]) { $1 }, token),
            (manager.merging(["service": "other:https://github.com"]) { $1 }, token),
        ]
        let sample = Sample(.git, items)
        #expect(
            sample.tokens == [
                "access_token ada@github.com \(token)", "access_token eve@git.example:8443 at",
                "access_token hal@github.com \(token)",
            ])
        #expect(sample.file.contents.credentials[1].credential.expiresOn == Timestamp(seconds: 1_999_999_999))
        #expect(
            sample.findings == [
                "bob at https://git.example: its password does not look like a token",
                "eve at https://git.example:8443: its refresh token names no client, without which nothing redeems it",
                "oauth2 at https://gitlab.com: it does not say whose token it is",
                "kim at https://api.github.com: the host is one of another provider's",
                "kim at https://no host: there is no such host",
            ])
        let redeemed = Sample(.git, [items[2]], client: "c")
        #expect(redeemed.tokens.last == "refresh_token eve@git.example:8443 rt" && redeemed.findings.isEmpty)
        #expect(redeemed.file.contents.credentials.allSatisfy { $0.credential.clientID == "c" })
    }

    @Test("of Python's, addresses with tokens count, and the rest is told in one line")
    func python() {
        func item(_ service: String, _ user: String) -> [String: String] {
            ["application": "Python keyring library", "service": service, "username": user]
        }
        let sample = Sample(
            .python,
            [
                (item("https://gitlab.example/api", "kim"), ToolSample.gitlab), (item("github.com", "ada"), token),
                (item("github", "ada"), token), (item("system", "ada"), "hunter2"),
                (item("https://upload.pypi.org/legacy/", "__token__"), "pypi-AAAA"),
                (item("gitlab.com", "ada"), token),
            ], locked: 1)
        #expect(
            sample.tokens == [
                "access_token kim@gitlab.example \(ToolSample.gitlab)", "access_token ada@github.com \(token)",
            ])
        #expect(
            sample.findings == [
                "ada at gitlab.com: its token is not one of the provider that runs the host",
                "3 items: what does not look like a token, or is kept for no host, is left alone",
                "1 item: locked, and nobody could be asked",
            ])
    }

    @Test("a cache is JSON or base64 of it, and anything else stays what it is")
    func caches() {
        let json = #"{"AccessToken": {}}"#
        for text in [json, " " + json, Base64.standard.text(Array(json.utf8))] {
            let cache = Array(text.utf8).withBytes { KeyringTool.cache(in: $0) }
            #expect(text.hasSuffix(json) || KeyfobTestSupport.text(of: cache) == json)
            #expect((cache.withBytes { try? MSALCache(reading: $0) }) != nil, "\(text)")
        }
        for text in ["", "not a cache", "{", "AAAA\n", "===="] {
            let cache = Array(text.utf8).withBytes { KeyringTool.cache(in: $0) }
            #expect((cache.withBytes { try? MSALCache(reading: $0) }) == nil, "\(text)")
        }
        #expect(KeyringTool.msal.name(schema: "msal.cache.cae", label: "MSALCache") == "msal.cache.cae")
        #expect(KeyringTool.msal.name(schema: nil, label: "MSALCache") == "MSALCache")
        #expect(KeyringTool.msal.name(schema: "x", label: "") == "MSAL")
    }

    @Test("any secret gives an answer, never a trap")
    func odd() {
        for secret in [
            "\n", "\n\n", "password_expiry_utc=", "\npassword_expiry_utc=99999999999999999999\n",
            "a\noauth_refresh_token=",
        ] {
            let attributes = ["protocol": "https", "server": "git.example", "user": "a", "port": "-1"]
            let sample = Sample(.git, [(attributes, secret), ([:], secret)])
            #expect(sample.tokens.isEmpty, "\(secret)")
        }
    }
}
