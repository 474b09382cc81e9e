import KeyfobInterop
import Testing

@Suite("YAML as tools write it")
struct YAMLToolTests {
    /// By kubectl 1.32, with odd names and tokens.
    static let kubeconfig = """
        apiVersion: v1
        clusters:
        - cluster:
            server: https://k8s.example:6443
          name: 'c: "d"'
        contexts:
        - context:
            cluster: 'c: "d"'
            user: 'ada: #1'
          name: x
        - context:
            cluster: 'c: "d"'
            user: "yes"
          name: y
        - context:
            cluster: 'c: "d"'
            user: long
          name: z
        current-context: x
        kind: Config
        preferences: {}
        users:
        - name: 'ada: #1'
          user:
            token: gh'o "x" \\ é
        - name: e
          user:
            exec:
              apiVersion: client.authentication.k8s.io/v1
              args:
              - -a
              command: x
              env:
              - name: A
                value: b
              provideClusterInfo: false
        - name: long
          user:
            token: 'word word word word word word word word word word word word word word
              word word word word word word word word '
        - name: "yes"
          user:
            token: "123"

        """
    private static let words = String(repeating: "word ", count: 22)

    @Test("a kubeconfig of kubectl's gives each token as it was", arguments: ["\n", "\r\n"])
    func kubectl(ending: String) throws {
        let sample = try ToolSample(Self.kubeconfig.replacing("\n", with: ending))
        #expect(
            sample.tokens == [
                "access_token ada: #1@k8s.example:6443 gh'o \"x\" \\ é",
                "access_token long@k8s.example:6443 \(Self.words)",
                "access_token yes@k8s.example:6443 123",
            ])
        #expect(sample.findings == ["user 'e': a program brings its tokens, and goes on doing so"])
    }

    private static func users(_ user: String) -> String {
        kubeconfig.prefix(upTo: kubeconfig.firstRange(of: "users:")?.lowerBound ?? kubeconfig.endIndex) + user
    }

    @Test(
        "however people write a token, it is the token",
        arguments: [
            "users :\n- name: long\n  user:\n    token: secret\n",
            "\"users\":\n- name: long\n  user: {token: secret}\n", "users: [{name: long, user: {token: secret}}]\n",
            "users:\n  - user :\n      token : \"sec\\x72et\"\n    name : 'long' # c\n",
            "users:\n- name: long\n  user:\n    token: >-\n      secret\n",
            "users:\n-\n  name: long\n  user:\n    token: |-\n      secret\n",
            "users:\n- name: long\n  user:\n    token:\n      secret\n",
            "users:\n- name: long\n  user:\n    token: \"sec\\\n      ret\"\nnote: \"a long text: with a colon that a\n  tool has folded\"\n",
            "? users\n: - name: long\n    user:\n      token: secret\n...\n",
            "users: # \"\n- {\"name\":\"long\",\"user\":{\"token\":\"secret\"}}\n",
        ])
    func spellings(user: String) throws {
        #expect(try ToolSample(Self.users(user)).tokens == ["access_token long@k8s.example:6443 secret"], "\(user)")
    }

    @Test("a number that programs read differently is no token, and one in quotation marks is")
    func numbers() throws {
        #expect(
            try ToolSample(Self.users("users:\n- name: long\n  user: {token: 1_000}\n")).findings == [
                "user 'long': it has no token"
            ])
        #expect(try ToolSample(Self.users("users:\n- name: long\n  user: {token: '1_000'}\n")).tokens.count == 1)
    }

    @Test(
        "a file of gh's is read however it is written",
        arguments: [
            "github.com:\n    user: ada\n    oauth_token : TOKEN\n    git_protocol: https\n",
            "github.com :\n    user: ada\n    oauth_token: TOKEN\n",
            "github.com:\n    user : ada\n    oauth_token: TOKEN\n",
            "\"github.com\":\n    \"user\": \"ada\" # me\n    \"oauth_token\": 'TOKEN'\n",
            "github.com: {user: ada, oauth_token: TOKEN}\n",
            "{\"github.com\": {\"user\": \"ada\", \"oauth_token\": \"TOKEN\"}}\n",
            "{github.com: {user: ada, oauth_token: TOKEN}}",
            "github.com:\r\n    user: ada\r\n    oauth_token: TOKEN\r\n",
            "github.com:\n- user: ada\n  oauth_token: TOKEN\n  protocol: https\n",
            "github.com:\n    git_protocol: https\n    users:\n        ada:\n            oauth_token: TOKEN\n    user: ada\n    oauth_token: TOKEN\n",
            "\u{FEFF}---\ngithub.com:\n  user: >-\n    ada\n  oauth_token: TOKEN\n",
        ])
    func gh(text: String) throws {
        let sample = try ToolSample(text.replacing("TOKEN", with: ToolSample.github))
        #expect(sample.format == .gh)
        #expect(sample.tokens == ["access_token ada@github.com \(ToolSample.github)"], "\(text)")
        #expect(sample.findings.isEmpty)
    }

    @Test("what az, gcloud and kubectl print as YAML is read")
    func printed() {
        // az account list -o yaml, and gcloud auth list --format=yaml.
        #expect(
            YAMLValue.reading(
                "- cloudName: AzureCloud\n  isDefault: true\n  managedByTenants: []\n  name: 'Pay: as you go'\n  user:\n    name: ada@contoso.example\n    type: user\n"
            )
                == "[{cloudName: AzureCloud, isDefault: true, managedByTenants: [], name: Pay: as you go, user: {name: ada@contoso.example, type: user}}]"
        )
        #expect(
            YAMLValue.reading("---\naccount: ada@contoso.example\nstatus: ACTIVE\n")
                == "{account: ada@contoso.example, status: ACTIVE}")
        #expect(
            YAMLValue.reading("key: \"\\u65E5\\\n  \\ \\\n  x\"\n? \"long\"\n: !!binary |\n  YQ==\n")
                == "refused tag in 5")
    }

    @Test("a file that was cut off, or changed by a bit, gives the tokens or says what is wrong")
    func damage() throws {
        let text = Array(Self.kubeconfig.utf8)
        let whole = try ToolSample(text).tokens
        for count in text.indices {
            guard let part = try? ToolSample(Array(text[..<count])) else { continue }
            // A text that goes on in the next line passes for whole where it was cut off behind its first.
            #expect(part.tokens.allSatisfy { token in whole.contains(token) }, "\(count)")
        }
        for place in text.indices {
            var changed = text
            changed[place] ^= 1 << (place % 8)
            _ = try? ToolSample(changed).tokens
        }
    }
}
