import Foundation
import KeyfobTestSupport
import Testing

@Suite("Finding what other tools keep", .waitsForPrograms)
struct DiscoveryTests {
    private static let gh = "gho_" + String(repeating: "A", count: 36)
    private static let gitlab = "glpat-" + String(repeating: "x", count: 20)

    private static func kubeconfig(_ user: String, _ token: String) -> String {
        """
        kind: Config
        clusters:
        - cluster:
            server: https://\(user).example:6443
          name: c
        contexts:
        - context:
            cluster: c
            user: \(user)
          name: x
        users:
        - name: \(user)
          user:
            token: \(token)

        """
    }

    /// A home in which several tools keep tokens.
    private func home(_ variables: [String: String] = [:]) throws -> Workplace {
        let place = try Workplace.withVault(variables)
        try place.run("mkdir -p .config/gh .config/gcloud .docker .kube .azure").expectSuccess()
        try place.write(
            ".config/gh/hosts.yml",
            "github.com:\n    users:\n        ada:\n            oauth_token: \(Self.gh)\n        bob:\n"
                + "    user: ada\n    oauth_token: \(Self.gh)\n")
        try place.write(
            ".git-credentials", "https://eve:hunter2@git.example\nhttps://frank:\(Self.gitlab)@gitlab.com\n")
        try place.write(".kube/config", Self.kubeconfig("admin", "kube-token"))
        return place
    }

    @Test("what is found is shown without tokens; nothing is taken without a yes")
    func shown() throws {
        let place = try home()
        let dry = try place.run("keyfob import --discover --dry-run").expectSuccess()
        let rows = dry.text.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        }
        #expect(rows.first == ["ACCOUNT", "PROVIDER", "HOST", "TOKENS", "FILE"])
        let files = [".config/gh/hosts.yml", ".git-credentials", ".kube/config"].map { place.path + "/" + $0 }
        #expect(
            Array(rows.dropFirst()) == [
                ["1", "ada", "github", "github.com", "access", files[0]],
                ["2", "frank", "gitlab", "gitlab.com", "access", files[1]],
                ["3", "admin", "-", "admin.example:6443", "access", files[2]],
            ])
        #expect(dry.errors.contains("note: 'gh auth token --hostname github.com --user bob | keyfob add --account bob"))
        #expect(dry.errors.contains(".git-credentials: line 1: its password does not look like a token"))
        for token in [Self.gh, Self.gitlab, "kube-token", "hunter2"] {
            #expect(!dry.text.contains(token) && !dry.errors.contains(token))
        }
        let unasked = try place.run("keyfob import -q --discover --no-input")
        #expect(unasked.status == 64 && unasked.errors.contains("--force takes all of them"), "\(unasked)")
        #expect(try place.run("keyfob account list --json").text.contains("\"accounts\" : [\n\n  ]"))
    }

    @Test("on a terminal the files are chosen by their numbers")
    func chosen() throws {
        let place = try home()
        for (answer, words) in [("", "cancelled"), ("4", "there is no such file"), ("1 x", "there is no such file")] {
            let run = try place.onTerminal(
                "keyfob import --discover", [(waitFor: "just Enter for none: ", type: answer + "\n")])
            #expect(run.status == 15 && run.screen.contains(words), "\(run)")
        }
        let run = try place.onTerminal("keyfob import --discover", [(waitFor: "just Enter for none: ", type: "1, 3\n")])
        #expect(run.status == 0, "\(run)")
        let accounts = try place.run("keyfob account list --wide").text
        #expect(accounts.contains("ada@github.com") && accounts.contains("admin@admin.example:6443"))
        #expect(!accounts.contains("frank"))
    }

    @Test("what is taken is given by the helpers for its provider's hosts; the files stay, and that is said")
    func taken() throws {
        let place = try home()
        let files = [".config/gh/hosts.yml", ".git-credentials", ".kube/config"]
        let before = try files.map(place.read)
        let outcome = try place.run("keyfob import --discover --force --group default").expectSuccess()
        #expect(outcome.errors.contains("'gh auth logout' takes them out"))
        #expect(
            outcome.errors.contains(".git-credentials into group 'default'; the file still holds every token"))
        #expect(try files.map(place.read) == before)
        #expect(try place.run("keyfob token --account ada").text == Self.gh + "\n")
        let asked = "printf 'protocol=https\\nhost=gitlab.com\\n\\n' | keyfob helper git get"
        #expect(try place.run(asked).text.contains("password=\(Self.gitlab)\n"))
        #expect(try place.run("echo registry.gitlab.com | keyfob helper docker get").text.contains(Self.gitlab))
        let info =
            #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"#
            + #""interactive":false,"cluster":{"server":"https://admin.example:6443"}}}"#
        #expect(try place.run("KUBERNETES_EXEC_INFO='\(info)' keyfob helper kubectl").text.contains("kube-token"))
        let again = try place.run("keyfob import --discover --no-input").expectSuccess()
        #expect(again.errors.contains("there is nothing new") && again.text.contains("(here already)"))
        #expect(try place.run("keyfob verify").expectSuccess().errors.isEmpty)
    }

    @Test("the tools' own variables say where to look")
    func variables() throws {
        let place = try home()
        try place.run("mkdir -p a/b own/gh own/git own/containers two").expectSuccess()
        let adc =
            #"{"type": "authorized_user", "client_id": "7", "refresh_token": "1//r", "account": "g@corp.example"}"#
        try place.write("a/application_default_credentials.json", adc)
        try place.write("a/b/config.json", #"{"auths": {"ghcr.io": {"username": "dora", "password": "\#(Self.gh)"}}}"#)
        try place.write(
            "own/gh/hosts.yml", "ghe.example:\n    user: carol\n    oauth_token: t\n    git_protocol: ssh\n")
        try place.write("own/git/credentials", "https://hal:\(Self.gh)@ghe.example\n")
        try place.write(
            "own/containers/auth.json", #"{"auths": {"ghcr.io": {"username": "kim", "password": "\#(Self.gh)"}}}"#)
        for name in ["one", "two/two"] {
            try place.write(name, Self.kubeconfig(String(name.suffix(3)), "t-\(name.suffix(3))"))
        }
        try place.write("two/msal_token_cache.json", SampleCache(people: 1).json())
        var documents = Documents()
        let line = """
            HERE=$PWD; export CLOUDSDK_CONFIG=$HERE/a DOCKER_CONFIG=$HERE/a/b XDG_CONFIG_HOME=$HERE/own \
            KUBECONFIG=$HERE/one:$HERE/two/two AZURE_CONFIG_DIR=$HERE/two
            keyfob import --discover --json --force
            """
        let outcome = try place.run(line).expectSuccess()
        documents.add("discovery", outcome.text, from: "\(outcome)")
        try documents.validate(in: place)
        let found = try place.run("keyfob account list --wide").text
        for id in [
            "g@corp.example@accounts.google.com", "dora@github.com", "carol@ghe.example", "hal@ghe.example",
            "kim@github.com",
            "one@one.example:6443", "two@two.example:6443", "frank@gitlab.com", "person0",
        ] {
            #expect(found.contains(id), "\(id): \(found)")
        }
        #expect(!found.contains("ada@github.com") && !found.contains("admin@"))
        let other = try place.run("GH_CONFIG_DIR=$PWD/.config/gh keyfob import --discover --dry-run").expectSuccess()
        #expect(other.text.contains("ada"))
    }

    @Test("what is in the way is told in one line each, and the others are taken")
    func inTheWay() throws {
        let place = try home()
        try place.run(
            """
            mkfifo .azure/msal_token_cache.json && mkdir .config/git .config/git/credentials && rm .kube/config
            ln -s nowhere .kube/config && printf 'SQLite format 3' > .config/gcloud/credentials.db
            printf '\\0' >> .config/gcloud/credentials.db && printf '{"type' > .config/gcloud/application_default_credentials.json
            printf '{"psFormat": "table"}' > .docker/config.json && mkdir .config/oidc-agent
            printf '512\\n%032d\\n%024d\\n' 1 1 > .config/oidc-agent/work && echo x > .config/oidc-agent/issuer.config
            """
        ).expectSuccess()
        let outcome = try place.run("keyfob import --discover --force --json").expectSuccess()
        let document = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
        let refused = document?["refused"] as? [[String: String]] ?? []
        #expect(
            Set(refused.compactMap { $0["path"]?.split(separator: "/").last.map(String.init) }) == [
                "msal_token_cache.json", "credentials", "config", "credentials.db",
                "application_default_credentials.json",
                "work",
            ])
        for item in refused { #expect(outcome.errors.contains("skipped: \(item["reason"] ?? "?")"), "\(outcome)") }
        #expect(outcome.errors.contains("which has encrypted it; 'oidc-gen --print FILE | keyfob import -'"))
        #expect(!outcome.errors.contains("config.json") && !outcome.errors.contains("issuer.config"))
        #expect((document?["files"] as? [[String: Any]])?.count == 2)
        try place.run("rm -r .config/gh .git-credentials").expectSuccess()
        let nothing = try place.run("keyfob import --discover --force")
        #expect(nothing.status == 65 && nothing.errors.contains("no file was found"), "\(nothing)")
    }

    @Test("a file of another user is not read", .enabled(if: Privileges.isRoot, "only root can give files away"))
    func foreign() throws {
        let place = try home()
        try place.run("chown 12345 .git-credentials").expectSuccess()
        let outcome = try place.run("keyfob import --discover --force").expectSuccess()
        #expect(outcome.errors.contains(".git-credentials belongs to another user"))
        #expect(!(try place.run("keyfob account list --wide").text.contains("frank")))
    }
}
