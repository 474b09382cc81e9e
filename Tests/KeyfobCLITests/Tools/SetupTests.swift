import Foundation
import KeyfobTestSupport
import Testing

/// What `keyfob setup` writes, held against the tools themselves.
@Suite("Setup of other tools", .waitsForPrograms)
struct SetupTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.run("for name in git-credential docker-credential kubectl; do ln -s keyfob bin/$name-keyfob; done")
            .expectSuccess()
    }

    private func link(_ name: String, to target: String) throws {
        try place.run("ln -s \(target) \(name)").expectSuccess()
    }

    /// What there is: kinds, modes, owners and links, and what the files hold.
    private func state() throws -> String {
        let there = "find . -path ./io -prune -o -printf '%y %m %U %G %p %l\\n' | sort"
        return try place.run("\(there); find . -path ./io -prune -o -type f -print0 | sort -z | xargs -0 sha256sum")
            .text
    }

    /// Sets a tool up and back again, and looks that nothing is another than before.
    private func expectRoundTrip(
        _ tool: String, _ options: String = "", naming entry: String = "", between check: () throws -> Void
    ) throws {
        let before = try state()
        try place.run("keyfob setup \(tool) \(entry) \(options) --force").expectSuccess()
        try check()
        // A second time changes nothing.
        let after = try state()
        try place.run("keyfob setup \(tool) \(entry) \(options) --force").expectSuccess()
        #expect(try state() == after)
        try place.run("keyfob setup \(tool) \(entry) --undo --force && rm -r state").expectSuccess()
        #expect(try state() == before)
    }

    @Test(
        "git asks Keyfob first, and has the same file as before afterwards",
        arguments: [
            nil, "", "[user]\n\tname = Ada", "[credential]\n\thelper = store\n",
            "[credential]\n\thelper = a\n\thelper =\n\thelper = store",
            "[user]\r\n\tname = Ada\r\n", "[user]\n\tname = \u{FEFF}ä\u{0085}\n",
        ])
    func git(content: String?) throws {
        if let content { try place.write(".gitconfig", content) }
        try expectRoundTrip("git") {
            let helpers = try place.run("git config --global --get-all credential.helper").expectSuccess().text
            let asked = helpers.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let effective = asked[(asked.lastIndex(of: "").map { $0 + 1 } ?? 0)...]
            #expect(
                effective.first == "!git-credential-keyfob"
                    && effective.contains("store") == content?.contains("store") ?? false)
            #expect(try place.run("git config --global --type=bool credential.useHttpPath").text == "true\n")
            let name = try place.run("git config --global user.name").text
            #expect(content?.contains("Ada") != true || name == "Ada\n")
        }
    }

    @Test("git's file is where git has it, and a link stays one")
    func gitPlaces() throws {
        try place.run("mkdir -p .config/git dots").expectSuccess()
        try place.write(".config/git/config", "[user]\n\tname = Ada\n")
        try expectRoundTrip("git") { () throws in
            #expect(try place.read(".config/git/config").starts(with: Data("# keyfob".utf8)))
        }
        try place.write("dots/gitconfig", "[user]\n\tname = Ada\n")
        try place.run("chmod 644 dots/gitconfig").expectSuccess()
        try link(".gitconfig", to: "dots/gitconfig")
        try expectRoundTrip("git") { () throws in
            #expect(try place.read("dots/gitconfig").starts(with: Data("# keyfob".utf8)))
        }
        let other = try Workplace(["GIT_CONFIG_GLOBAL": "else"])
        try other.run("ln -s keyfob bin/git-credential-keyfob; keyfob setup git --force").expectSuccess()
        #expect(try other.run("git config --global credential.helper").text == "!git-credential-keyfob\n")
        #expect(try other.run("test -e .gitconfig").status == 1)
        try other.run("cp else there; keyfob setup git --undo --force").expectSuccess()
        #expect(try other.run("test -e else").status == 1)
        // It was brought to this machine from another: nothing is noted of it here.
        try other.run("mv there else; rm -r state; keyfob setup git --undo --force && test -e else && test ! -s else")
            .expectSuccess()
    }

    @Test("where the helper is not in PATH, git gets its path, and calls it")
    func absolute() throws {
        let path = "PATH=/usr/bin:/bin"
        let program = try place.run("readlink -f bin/keyfob").text.trimmingCharacters(in: .newlines)
        let outcome = try place.run("\(path) bin/keyfob setup git --force").expectSuccess()
        #expect(outcome.errors.contains("git-credential-keyfob is not in PATH"))
        #expect(try place.run("git config --global credential.helper").text.hasSuffix("\(program) helper git\n"))
        let answer = try place.run(
            "printf 'url=https://github.com\\n\\n' | \(path) GIT_TERMINAL_PROMPT=0 git credential fill")
        // There is no vault: it was asked.
        #expect(answer.errors.contains("keyfob: there is no vault"), "\(answer)")
        // As installed: the front's folder has the helper.
        try place.run("mkdir -p 'o p/bin' 'o p/libexec/keyfob' && cp \(program) 'o p/libexec/keyfob/keyfob'")
            .expectSuccess()
        try place.run("cd 'o p/bin' && ln -s ../libexec/keyfob/keyfob git-credential-keyfob").expectSuccess()
        try place.run("rm .gitconfig; \(path) 'o p/libexec/keyfob/keyfob' setup git --force").expectSuccess()
        #expect(
            try place.run("git config --global credential.helper").text
                == "!'\(place.path)/o p/bin/git-credential-keyfob'\n")
        let again = try place.run(
            "printf 'url=https://github.com\\n\\n' | \(path) GIT_TERMINAL_PROMPT=0 git credential fill")
        #expect(again.errors.contains("keyfob: there is no vault"), "\(again)")
        try place.run("keyfob setup git --undo --force && test ! -e .gitconfig").expectSuccess()
        try place.run("\(path) bin/keyfob setup docker --host ghcr.io --force -q").expectError(78, "by PATH alone")
    }

    @Test(
        "docker's client for Python reads what was written, and the file is the same as before afterwards",
        arguments: [
            nil, "", "{}", "{\n\t\"auths\": {\n\t\t\"quay.io\": {\n\t\t\t\"auth\": \"YTpi\"\n\t\t}\n\t}\n}",
            #"{"credHelpers":{"gcr.io":"gcr"},"credsStore":"pass"}"#, "{\r\n  \"credHelpers\": {}\r\n}\r\n",
        ])
    func docker(content: String?) throws {
        if let content {
            try place.run("mkdir .docker").expectSuccess()
            try place.write(".docker/config.json", content)
        }
        try place.write(
            "load.py",
            """
            from docker.auth import load_config
            loaded = load_config()
            assert loaded.cred_helpers["ghcr.io"] == "keyfob" and loaded.cred_helpers["r.example:5000"] == "keyfob", loaded
            assert ("gcr.io" in loaded.cred_helpers) == (\(content?.contains("gcr") == true ? "True" : "False"))
            assert ("quay.io" in loaded.auths) == (\(content?.contains("quay") == true ? "True" : "False"))
            """)
        try expectRoundTrip("docker", "--host ghcr.io --host r.example:5000") {
            try place.run("$PYTHON load.py").expectSuccess()
        }
    }

    @Test("without names, the registries of the accounts' providers are taken, and what docker writes between stays")
    func registries() throws {
        let place = try Workplace.withVault()
        try place.run("ln -s keyfob bin/docker-credential-keyfob").expectSuccess()
        try place.run("keyfob setup docker --force").expectError(78, "none of the accounts", "--host")
        try place.add("octo", token: "gho_octo", "--host github.com")
        try place.run("keyfob bind -q --host api.example octo").expectSuccess()
        let outcome = try place.run("keyfob setup docker --force").expectSuccess()
        #expect(outcome.errors.contains("unless --host names them: api.example"), "\(outcome)")
        #expect(
            try place.read(".docker/config.json")
                == Data("{\n\t\"credHelpers\": {\n\t\t\"ghcr.io\": \"keyfob\"\n\t}\n}".utf8))
        // As docker writes it anew.
        try place.write(
            ".docker/config.json", "{\n\t\"auths\": {},\n\t\"credHelpers\": {\n\t\t\"ghcr.io\": \"keyfob\"\n\t}\n}")
        try place.run("keyfob setup docker --undo --force").expectSuccess()
        #expect(try place.read(".docker/config.json") == Data("{\n\t\"auths\": {}\n}".utf8))
        try place.run("unset KEYFOB_KEY_FILE; keyfob setup docker --force").expectError(12, "--host")
        // Written by hand: not what setup takes out, unless it is named.
        try place.write(".docker/config.json", #"{"credHelpers":{"x":"keyfob"}}"#)
        #expect(
            try place.run("keyfob setup docker --undo --force").expectSuccess().errors.contains("for x Keyfob is named")
        )
        try place.run("keyfob setup docker --undo --force --host x").expectSuccess()
        #expect(try place.read(".docker/config.json") == Data(#"{"credHelpers":{}}"#.utf8))
    }

    @Test("kubectl reads the user, writes the file anew with it, and has the same file as before afterwards")
    func kubectl() throws {
        let options = "--scope https://api/.default --account 'Ada: #1'"
        try expectRoundTrip("kubectl", options) {}
        try place.run("\(TestProgram.kubectl) config set-cluster c --server=https://c.example:6443").expectSuccess()
        try expectRoundTrip("kubectl", options) {
            let json = try place.run("\(TestProgram.kubectl) config view -o json").expectSuccess().output
            let view = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
            let users = try #require(view["users"] as? [[String: Any]])
            let exec = try #require((users.first?["user"] as? [String: Any])?["exec"] as? [String: Any])
            #expect(
                users.count == 1 && users[0]["name"] as? String == "keyfob"
                    && exec["command"] as? String == "kubectl-keyfob")
            #expect(exec["args"] as? [String] == ["--scope=https://api/.default", "--account=Ada: #1"])
            #expect(exec["provideClusterInfo"] as? Bool == true)
        }
        // What follows needs one that can write the file anew.
        guard !TestProgram.hasOldKubectl else { return }
        try place.run("\(TestProgram.kubectl) config set-credentials other --token=secret").expectSuccess()
        let added = try place.run("keyfob setup kubectl mine \(options) --force").expectSuccess()
        let undo = try #require(added.errors.firstMatch(of: /'(keyfob setup kubectl [^']*)'/)?.1)
        // kubectl sorts, and writes all of it anew.
        try place.run(
            "\(TestProgram.kubectl) config set-context c --cluster=c --user=other && \(TestProgram.kubectl) config use-context c"
        )
        .expectSuccess()
        let outcome = try place.run("\(undo) --force").expectSuccess()
        #expect(!outcome.errors.contains("secret"))
        let text = String(decoding: try place.read(".kube/config"), as: UTF8.self)
        #expect(!text.contains("keyfob") && text.contains("token: secret"), "\(text)")
        #expect(try place.run("\(TestProgram.kubectl) config view -o jsonpath='{.users[*].name}'").text == "other")
    }

    @Test("after kubectl has written the file anew, setup, --undo and uninstall still know the user")
    func kubectlRewritten() throws {
        let kubectl = TestProgram.kubectl
        try place.run(
            """
            \(kubectl) config set-cluster c --server=https://c.example:6443
            \(kubectl) config set-context c --cluster=c && \(kubectl) config use-context c && cp .kube/config before
            keyfob setup kubectl --force
            \(kubectl) config set-context --current --user=keyfob
            """
        ).expectSuccess()
        #expect(try place.run("grep -c 'args: null' .kube/config").text == "1\n")
        let again = try place.run("keyfob setup kubectl --force").expectSuccess()
        #expect(again.errors.contains("already"), "\(again)")
        #expect(try place.run("keyfob setup --json").expectSuccess().text.contains("keyfob"))
        try place.run("keyfob setup kubectl --undo --force").expectSuccess()
        #expect(try place.run("grep kubectl-keyfob .kube/config").text.isEmpty)
        // As kubectl 1.20 leaves it, Debian 12's.
        try place.run(
            """
            cp before .kube/config && keyfob setup kubectl --force && cp .kube/config whole
            sed -i '/interactiveMode/d; s/^  user:/&\\n    as-user-extra: null/' .kube/config && ! cmp -s .kube/config whole
            """
        ).expectSuccess()
        #expect(try place.run("keyfob setup kubectl --force").expectSuccess().errors.contains("already"))
        try place.run("keyfob setup kubectl --undo --force && cmp .kube/config before").expectSuccess()
    }

    @Test("what is not in kubectl's own form is left alone, and the command is told that does it")
    func refusedKubectl() throws {
        try place.run("mkdir .kube").expectSuccess()
        try place.write(".kube/config", "{\"kind\": \"Config\", \"apiVersion\": \"v1\"}\n")
        let outcome = try place.run("keyfob setup kubectl --scope 'a b' --force")
        outcome.expectError(78, "not as kubectl writes it", "kubectl config set-credentials keyfob")
        // The command is one of today's kubectl.
        guard !TestProgram.hasOldKubectl else { return }
        let command = outcome.errors.split(separator: "type ").last ?? ""
        try place.run(String(command)).expectSuccess()
        #expect(
            try place.run("\(TestProgram.kubectl) config view -o jsonpath='{.users[0].user.exec.args[0]}'").text
                == "--scope=a b")
    }

    @Test(
        "aws calls what was written, and has the same file as before afterwards",
        arguments: [nil, "", "[default]\nregion = eu-central-1", "[profile x]\r\nregion = y\r\n"])
    func aws(content: String?) throws {
        if let content {
            try place.run("mkdir .aws").expectSuccess()
            try place.write(".aws/config", content)
        }
        let role = "arn:aws:iam::123456789012:role/reader"
        try expectRoundTrip("aws", "--role-arn \(role) --scope 'a b'", naming: "reader") { () throws in
            let asked = try place.run("\(TestProgram.aws) configure get profile.reader.credential_process").text
            #expect(asked == "keyfob helper aws --role-arn=\(role) '--scope=a b'\n")
            // There is no vault: it was asked.
            let called = try place.run("\(TestProgram.aws) s3 ls --profile reader")
            #expect(called.errors.contains("there is no vault"), "\(called)")
        }
        try place.run("mkdir -p .aws; printf '[profile reader]\\n' > .aws/config").expectSuccess()
        try place.run("keyfob setup aws reader --role-arn \(role) --force").expectError(
            73, "'reader'", "aws configure set profile.reader.credential_process")
        try place.run("rm .aws/config; printf '[reader]\\nx = 1\\n' > .aws/credentials").expectSuccess()
        let told = try place.run("keyfob setup aws reader --role-arn \(role) --force").expectSuccess()
        #expect(told.errors.contains("has keys of a profile 'reader' too"), "\(told)")
    }

    @Test("mail programs get their lines, and have the same files as before afterwards")
    func mail() throws {
        try place.write(".msmtprc", "account work\nhost smtp.example\nfrom a@example\n")
        try place.write(".mbsyncrc", "IMAPAccount work\nHost imap.example\nUser ada\n")
        try place.run("chmod 600 .msmtprc .mbsyncrc").expectSuccess()
        for program in ["msmtp", "mbsync"] {
            try expectRoundTrip("mail", "--account ada --scope s", naming: "\(program) work") { () throws in
                let command = "keyfob token --no-input --scope=s --account=ada"
                #expect(try place.run("grep -c '\(command)' .\(program)rc").text == "1\n")
            }
        }
        try expectRoundTrip("mail", "--account ada", naming: "neomutt") { () throws in
            #expect(try place.run("grep -c 'keyfob token' .config/neomutt/neomuttrc").text == "2\n")
        }
        try place.run("keyfob setup mail msmtp home --account ada --force").expectError(78, "no account 'home'")
        try place.run("keyfob setup mail msmtp --account ada --force").expectError(64, "name the account")
        try place.run("keyfob setup mail mbsync work --force").expectError(64, "--account")
    }

    @Test("direnv gets the function that is installed too, which asks keyfob")
    func direnv() throws {
        try expectRoundTrip("direnv") { () throws in
            // There is no vault: it was asked.
            let called = try place.run("bash -c '. .config/direnv/lib/use_keyfob.sh && use_keyfob ada'")
            #expect(called.status != 0 && called.errors.contains("there is no vault"), "\(called)")
        }
        let installed = try place.run("cat \(ProjectFolder.root.path)/Packaging/direnv/use_keyfob.sh").expectSuccess()
            .text
        try place.run("keyfob setup direnv --force --quiet").expectSuccess()
        let lines = try place.run("grep -v '^#' .config/direnv/lib/use_keyfob.sh").text
        #expect(installed.hasSuffix(lines))
        // Linked by hand: nothing to do.
        try place.run(
            "rm .config/direnv/lib/*; ln -s \(ProjectFolder.root.path)/Packaging/direnv/use_keyfob.sh .config/direnv/lib/"
        )
        .expectSuccess()
        #expect(try place.run("keyfob setup direnv --force").expectSuccess().errors.contains("already"))
    }

    @Test("it asks, and does nothing without a yes")
    func asking() throws {
        try place.write(".gitconfig", "[user]\n")
        let no = try place.onTerminal("keyfob setup git", [("Write it? [y/N] ", "\n")])
        #expect(no.status == 15 && no.screen.contains("+     helper = !git-credential-keyfob"), "\(no)")
        #expect(try place.read(".gitconfig") == Data("[user]\n".utf8))
        let yes = try place.onTerminal("keyfob setup git", [("Write it? [y/N] ", "y\n")])
        #expect(yes.status == 0 && yes.screen.contains("has the lines; nothing was tried"), "\(yes)")
        let undone = try place.onTerminal("keyfob setup git --undo", [("Take it out? [y/N] ", "yes\n")])
        #expect(undone.status == 0 && undone.screen.contains("-     helper = !git-credential-keyfob"), "\(undone)")
        #expect(try place.read(".gitconfig") == Data("[user]\n".utf8))
        let refused = try place.onTerminal("keyfob setup git --no-input", [])
        #expect(refused.status == 64 && refused.screen.contains("type keyfob setup git --force"), "\(refused)")
        // Somebody else writes while it asks.
        let late = try place.onTerminal(
            "keyfob setup git", steps: [["Write it? [y/N] ", "y\n", "printf '[core]\\n' >> .gitconfig"]])
        #expect(late.status == 75 && late.screen.contains("was changed meanwhile"), "\(late)")
        #expect(try place.read(".gitconfig") == Data("[user]\n[core]\n".utf8))
    }

    @Test("a file that cannot be written so stays as it is, and that is told")
    func unsuitable() throws {
        func expectRefused(_ status: Int32, _ words: String, location: SourceLocation = #_sourceLocation) throws {
            let outcome = try place.run("keyfob setup git --force --quiet")
            outcome.expectError(status, words, location: location)
        }
        try place.write("real", "[user]\n")
        try link(".gitconfig", to: "nothing")
        try expectRefused(78, "a link to nothing")
        try place.run("rm .gitconfig; mkdir .gitconfig").expectSuccess()
        try expectRefused(78, "is not a regular file")
        try place.run("rmdir .gitconfig; ln real .gitconfig").expectSuccess()
        try expectRefused(78, "hard links")
        try place.run("rm real; touch .gitconfig.lock").expectSuccess()
        try expectRefused(75, ".gitconfig.lock is there")
        try place.run("rm .gitconfig.lock; git config --global user.name ada").expectSuccess()
        try place.write(".gitconfig", "{}")
        try expectRefused(78, "the tool cannot read it; nothing was changed; 'git config --global --list' says where")
        try place.write(".gitconfig", "# keyfob setup: begin\n[user]\n")
        try expectRefused(78, "from line 1 on is not as setup writes it")
        try place.run("keyfob setup git --undo --force").expectError(78, "# keyfob setup: end")
        #expect(try place.read(".gitconfig") == Data("# keyfob setup: begin\n[user]\n".utf8))
        try place.run("head -c 17000000 /dev/zero > .gitconfig").expectSuccess()
        try expectRefused(65, "16777216 bytes")
    }

    @Test("a file that its mode or its folder protects is not written")
    func readOnly() throws {
        let keyfob =
            (Privileges.isRoot ? "setpriv --inh-caps=-dac_override --bounding-set=-dac_override " : "") + "keyfob"
        try place.write(".gitconfig", "[user]\n")
        try place.run("chmod 400 .gitconfig").expectSuccess()
        try place.run("\(keyfob) setup git --force --quiet").expectError(74, "cannot be written")
        try place.run("chmod 600 .gitconfig; mkdir dots; mv .gitconfig dots; ln -s dots/.gitconfig; chmod 500 dots")
            .expectSuccess()
        try place.run("\(keyfob) setup git --force --quiet").expectError(74, "cannot be written")
        try place.run("chmod 700 dots").expectSuccess()
        #expect(try place.read("dots/.gitconfig") == Data("[user]\n".utf8))
    }

    @Test("a file with an access control list stays as it is")
    func accessList() throws {
        try place.run("mkdir .docker && echo '{}' > .docker/config.json").expectSuccess()
        try place.run("setfacl -m u:65534:r .docker/config.json").expectSuccess()
        let before = try place.run("getfacl .docker/config.json").text
        try place.run("keyfob setup docker --host ghcr.io --force -q").expectError(78, "access control list")
        #expect(try place.run("getfacl .docker/config.json").text == before)
    }

    @Test("where no note can be written, it is said what has become of the file")
    func unnoted() throws {
        try place.run("keyfob setup git --force; rm state/keyfob/setup && mkdir state/keyfob/setup").expectSuccess()
        try place.run("keyfob setup git --undo --force -q").expectError(
            74, "state/keyfob/setup", "is changed all the same")
        #expect(try place.run("grep -c keyfob .gitconfig").text == "0\n")
        try place.run("keyfob setup git --force -q").expectError(74, "nothing was changed")
        #expect(try place.run("grep -c keyfob .gitconfig").text == "0\n")
    }

    @Test("a file of another user's stays theirs", .enabled(if: Privileges.isRoot, "only root can give files away"))
    func owner() throws {
        try place.write(".gitconfig", "[user]\n")
        try place.run("chown 4711:4712 .gitconfig; chmod 640 .gitconfig").expectSuccess()
        try expectRoundTrip("git") { () throws in
            #expect(try place.run("stat -c %u:%g:%a .gitconfig").text == "4711:4712:640\n")
        }
    }

    @Test("killed at any moment, the file is what it was or what it was to be, and the next one works")
    func killed() throws {
        let before = "[user]\n\tname = Ada\n"
        try place.write(".gitconfig", before)
        try place.run(
            "keyfob setup git --force --quiet && cp .gitconfig after && keyfob setup git --undo --force --quiet"
        ).expectSuccess()
        for round in 0..<TestLength.rounds(10, full: 60) {
            _ = try place.run(
                "keyfob setup git --force --quiet & sleep \(Double(round % 20) * 0.006); kill -9 $!; wait")
            let now = try place.read(".gitconfig")
            #expect(try now == Data(before.utf8) || now == place.read("after"))
            try place.run(
                "keyfob setup git --force --quiet && cmp .gitconfig after && git config --global user.name > out"
            )
            .expectSuccess()
            try place.run("keyfob setup git --undo --force --quiet").expectSuccess()
            #expect(try place.read(".gitconfig") == Data(before.utf8))
        }
        #expect(try place.run("ls -A | grep -E 'lock|new'").text.isEmpty)
    }
}
