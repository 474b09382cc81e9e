import KeyfobInterop
import KeyfobModel
import KeyfobTestSupport
import Testing

@Suite("Setup's user in a kubeconfig")
struct KubectlSetupTests {
    private static let setup = KubectlSetup(
        user: "keyfob", .named, options: ["--scope=https://api/.default", "--account=Ada: 'x' #1"])

    private static let lines = """
        - name: keyfob
          user:
            exec:
              apiVersion: client.authentication.k8s.io/v1beta1
              args:
              - --scope=https://api/.default
              - '--account=Ada: ''x'' #1'
              command: kubectl-keyfob
              env: null
              interactiveMode: Never
              provideClusterInfo: true

        """

    static let files: [String] = [
        "apiVersion: v1\nkind: Config\n", "apiVersion: v1", "users: []", "users: []\n", "users: null\nkind: Config\n",
        "users:\n", "users:", "users:\nkind: Config\n", "---\napiVersion: v1\nusers:\n- name: ada\n  user: {}\n",
        "# mine\nkind: Config\nusers:\n- name: ada\n  user:\n    token: secret\n# the end",
        "kind: Config\nusers:\n  - name: ada\n    user:\n      token: 'secret'\n  - user: {token: x}\n    name: \"bob\"\ncontexts: []\n",
        "kind: Config\r\nusers:\r\n- name: ada\r\n  user: {}\r\nclusters: null\r\n", "kind: Config\r\nusers: []\r\n",
        "\n\nkind: Config",
        "clusters:\n- cluster:\n    certificate-authority-data: LS0tLS1CRUdJTg==\n    server: https://x:6443\n  name: \"c: 'd'\"\n"
            + "contexts:\n- context:\n    cluster: c\n    user: ada\n  name: c\ncurrent-context: \"\"\nkind: Config\n"
            + "preferences: {}\nusers:\n- name: ada\n  user:\n    exec:\n      args:\n      - x\n      installHint: |\n        users:\n"
            + "        - name: keyfob\n\n        x\n      command: y\n\n\n",
        "kind: Config\nusers:\n# a remark\n\n- name: ada\n  user: {}\n",
        // As others write it.
        "\"users\": []\n", "users : []\n", "'users' :\n- name: ada\n  user: {}\n", "users: [] # none\n",
        "users: null  \n",
        "users:   # who\n- {name: ada, user: {token: x}}\nkind: Config\n", "\u{FEFF}users: # none\nkind: Config\n",
        "users:\n- name: |-\n    ada\n  user: {}\n", "users:\n- user: {}\n  name: \"a\\x64a\"\n...\n",
        "note: \"users:\n  - name: keyfob\"\nusers:\n- name: 'ada\n    b'\n",
        "preferences:\n  note: >\n    users:\n\n    - name: keyfob\ncurrent-context: a\n",
        "contexts: [{name: a, context: {user: ada,\n  cluster: c}}]\nkind: Config\n",
    ]

    private func back(_ text: [UInt8], _ former: FormerEntries) throws -> [UInt8] {
        try KubectlSetup.removing("keyfob", from: text, former: former).edit.applied(to: text)
    }

    @Test("it comes and goes without a trace", arguments: files)
    func roundTrip(file: String) throws {
        let text = Array(file.utf8)
        for setup in [
            Self.setup, KubectlSetup(user: "keyfob", .word(of: "/o p/keyfob"), options: []),
            KubectlSetup(user: "keyfob", .at("/opt/kubectl-keyfob"), options: []),
        ] {
            let plan = try setup.adding(to: text)
            let after = plan.edit.applied(to: text)
            #expect(try KubectlSetup.users(in: after) == ["keyfob"])
            #expect(try setup.adding(to: after).edit.isEmpty)
            #expect(try back(after, plan.former) == text, "\(String(decoding: after, as: UTF8.self))")
            // Two of them.
            let other = KubectlSetup(user: "no", .named, options: [])
            let both = try other.adding(to: after).edit.applied(to: after)
            let left = try KubectlSetup.removing("no", from: both, former: plan.former).edit.applied(to: both)
            #expect(left == after)
        }
        #expect(try KubectlSetup.removing("keyfob", from: text, former: .some).edit.isEmpty)
    }

    @Test("a file that is not there is made, and says nothing without it")
    func new() throws {
        let plan = try Self.setup.adding(to: [])
        let text = plan.edit.applied(to: [])
        #expect(String(decoding: text, as: UTF8.self) == "apiVersion: v1\nkind: Config\nusers:\n" + Self.lines)
        #expect(KubectlSetup.isBlank(try back(text, plan.former)))
    }

    @Test("where it is the last that is left, an empty list is")
    func last() throws {
        let text = Array(("kind: Config\nusers:\n# who\n" + Self.lines + "# end\n").utf8)
        #expect(String(decoding: try back(text, .some), as: UTF8.self) == "kind: Config\nusers: []\n# who\n# end\n")
        #expect(String(decoding: try back(text, .null), as: UTF8.self) == "kind: Config\nusers: null\n# who\n# end\n")
        // What kubectl of before 1.22 leaves of it.
        let old = Array(("users:\n" + Self.lines.replacing("      interactiveMode: Never\n", with: "")).utf8)
        #expect(try Self.setup.adding(to: old).edit.isEmpty && back(old, .nothing).isEmpty)
    }

    @Test("a user who is not setup's, or was changed since, stays")
    func foreign() throws {
        for (old, new) in [
            ("env: null", "env: []"), ("kubectl-keyfob", "other"), ("true", "false"), ("v1beta1", "v1"),
            ("- --scope=https://api/.default", "- exec"), ("      env: null\n", ""),
        ] {
            let text = Array(("users:\n" + Self.lines.replacing(old, with: new)).utf8)
            #expect(throws: SetupFlaw.changed(line: 2)) { _ = try back(text, .some) }
            #expect(throws: SetupFlaw.taken("keyfob")) { _ = try Self.setup.adding(to: text) }
            #expect(try KubectlSetup.users(in: text).isEmpty)
        }
        // Its lines are all there, but with a remark among them, or in other lines.
        for (old, new) in [("env: null", "env: null # mine"), ("    exec:\n", "    exec:\n    # mine\n")] {
            let text = Array(("users:\n" + Self.lines.replacing(old, with: new)).utf8)
            #expect(throws: SetupFlaw.changed(line: 2), "\(new)") { _ = try back(text, .some) }
        }
        // Of setup, but for something else.
        let other = Array(("users:\n" + Self.lines.replacing("api/", with: "other/")).utf8)
        #expect(throws: SetupFlaw.taken("keyfob")) { _ = try Self.setup.adding(to: other) }
        #expect(try KubectlSetup.users(in: other) == ["keyfob"])
        // Otherwise quoted it is the same.
        let quoted = Array(("users:\n" + Self.lines.replacing("name: keyfob", with: "name: \"keyfob\"")).utf8)
        #expect(try Self.setup.adding(to: quoted).edit.isEmpty && back(quoted, .nothing).isEmpty)
        let used = Array(("contexts:\n- context:\n    user: keyfob\n  name: c\nusers:\n" + Self.lines).utf8)
        let plan = try KubectlSetup.removing("keyfob", from: used, former: .some)
        #expect(plan.remarks.count == 1 && plan.remarks[0].hasPrefix("line 3 "))
    }

    @Test(
        "what kubectl does not write so is left alone",
        arguments: [
            "{\"kind\": \"Config\"}", "users: *all\n", "users: [{name: x}]\n", "users: {}\n", "  users: []\n",
            "users:  []\n",
            "users:\n  []\n", "users: ~\n", "users: a\n", "- users: []\n", "kind: Config\rusers: []\r",
            "users: !!seq []\n",
            "a: \"b\nusers:\n- name: x\"\n", "a: 'b''\nusers: []\n", "a: \"b\\\"\nusers: []\n", "a: {\nusers: []}\n",
            "a: [\nusers: []]\n",
            "users: []\nusers: []\n", "kind: Config\n---\nkind: Config\n", "users:\n- ada\n",
            "users:\n-\tname: x\n", "users:\n- name: [x]\n", "users:\n- name:\n",
            "users:\n- name: a\n  name: b\n", "# nothing\n", "\n", "kind: Config\n\tx: y\n",
            "? users\n: []\n", "%YAML 1.2\n---\nusers: []\n",
            "users:\n- name: &x a\n",
        ])
    func refused(text: String) {
        #expect(throws: SetupFlaw.self, "\(text)") { _ = try Self.setup.adding(to: Array(text.utf8)) }
    }

    @Test("bytes that are no text are refused, and every change of a bit is refused or comes back")
    func damaged() throws {
        #expect(throws: SetupFlaw.self) { _ = try Self.setup.adding(to: [0xFF, 0x0A]) }
        let text = Array("kind: Config\nusers:\n- name: ada\n  user:\n    token: 'x'\nextra: {}\n".utf8)
        for position in text.indices {
            for bit in 0..<8 {
                var flipped = text
                flipped[position] ^= 1 << bit
                guard let plan = try? Self.setup.adding(to: flipped) else { continue }
                #expect(try back(plan.edit.applied(to: flipped), plan.former) == flipped)
            }
        }
    }
}
