import Foundation
import KeyfobTestSupport
import Testing

/// Real git in all kinds of places, where two accounts are at one host: the token is always that of the right one.
@Suite("git's context decides whose token it gets", .waitsForPrograms)
struct GitContextTests {
    private let server: GuestServer
    private let home: SignInPlace

    /// What is done in a folder of its own, and whose token the server sees at each clone, fetch and push of it.
    struct Situation: CustomTestStringConvertible {
        let name: String
        let line: String
        let steps: [String]

        init(_ name: String, _ line: String, _ steps: String...) {
            (self.name, self.line, self.steps) = (name, line, steps)
        }

        /// Whether the steps are at once, and come in any order.
        var isAtOnce: Bool { line.contains("--jobs") }

        var testDescription: String { name }
    }

    // Below ~/work alice is bound, below ~/lab bob. $P is anybody's, $A alice's, $B bob's; ~/lab/app is a clone of $P.
    private static let situations = [
        Situation("a clone into a folder below a bound one", "git clone -q $P ~/lab/c1", "bob"),
        Situation("a clone from one bound folder into another", "cd ~/work && git clone -q $P ~/lab/c2", "bob"),
        Situation("a clone whose destination climbs", "cd ~/work && git clone -q $P ../lab/c3", "bob"),
        Situation("a worktree elsewhere", "git -C ~/lab/app worktree add -q $PWD/w && cd w && git fetch -q", "bob"),
        Situation(
            "a worktree of a worktree's repository, pushed",
            "git -C ~/lab/app worktree add -q $PWD/v && git -C v push -q origin HEAD:v", "bob"),
        Situation("GIT_DIR elsewhere", "cd ~/work && GIT_DIR=$HOME/lab/app/.git git fetch -q", "bob"),
        Situation("a relative GIT_DIR", "cd ~/work && GIT_DIR=../lab/app/.git git fetch -q", "bob"),
        Situation(
            "--git-dir and --work-tree", "cd ~/work && git --git-dir ~/lab/app/.git --work-tree . fetch -q", "bob"),
        Situation(
            "GIT_WORK_TREE",
            "cd ~/work && GIT_DIR=$HOME/lab/app/.git GIT_WORK_TREE=$HOME/work git fetch -q", "bob"),
        Situation("git -C", "cd ~/work && git -C ~/lab/app fetch -q", "bob"),
        Situation("a path with ..", "git -C ~/work/../lab/app fetch -q", "bob"),
        Situation("a symbolic link to the folder", "ln -s ~/lab/app link && cd link && git fetch -q", "bob"),
        Situation(
            "a folder in the working tree", "mkdir -p ~/lab/app/deep && cd ~/lab/app/deep && git fetch -q", "bob"),
        Situation(
            "a bare repository", "git clone -q --bare $P ~/lab/b.git && cd ~/work && git -C ~/lab/b.git fetch -q",
            "bob", "bob"
        ),
        Situation("a mirror", "git clone -q --mirror $P ~/lab/m.git && git -C ~/lab/m.git remote update", "bob", "bob"),
        Situation(
            "a submodule of another owner",
            "git clone -q $A s && cd s && git submodule --quiet add $B sub && git -C sub fetch -q", "alice", "bob",
            "bob"),
        Situation(
            "a submodule where the project's committer is somebody",
            "git init -q s && cd s && git config user.email $ALICE && git submodule --quiet add $B sub", "bob"),
        Situation(
            "a clone with submodules",
            """
            git clone -q $A s && cd s && git submodule --quiet add $B sub && git commit -qm x && git push -q origin HEAD:sub
            cd .. && git clone -q --recurse-submodules -b sub $A t
            """, "alice", "bob", "alice", "alice", "bob"),
        Situation(
            "pull --recurse-submodules",
            "git clone -q --recurse-submodules -b sub $A s && git -C s pull -q --recurse-submodules", "alice", "bob",
            "alice", "bob"),
        Situation(
            "submodule update of one that was left out",
            "git clone -q -b sub $A s && git -C s submodule --quiet update --init", "alice", "bob"),
        Situation(
            "submodule foreach",
            "git clone -q --recurse-submodules -b sub $A s && git -C s submodule --quiet foreach 'git fetch -q'",
            "alice", "bob", "bob"),
        Situation(
            "pre-commit",
            "cd ~/work && git -C ~/lab/app -c core.hooksPath=$HOME/hooks commit -q --allow-empty -m x", "bob"),
        Situation(
            "a hook that goes elsewhere, with GIT_DIR",
            "git -C ~/lab/app -c core.hooksPath=$HOME/hooks checkout -q -B elsewhere", "bob"),
        Situation("prefetch", "cd ~/work && git -C ~/lab/app maintenance run --task=prefetch", "bob"),
        Situation("includeIf while it is cloned", "git clone -q $P ~/bobs/c1", "bob"),
        Situation("includeIf afterwards", "git -C ~/bobs/c1 fetch -q", "bob"),
        Situation(
            "includeIf by the remote",
            "git init -q r && cd r && git remote add origin $URL/private/two.git && git fetch -q", "alice"),
        Situation(
            "user.email of the repository",
            "git init -q r && cd r && git config user.email $BOB && git remote add origin $P && git fetch -q", "bob"),
        Situation("insteadOf", "git -c url.$URL/bob/.insteadOf=b: clone -q b:app.git", "bob"),
        Situation(
            "pushInsteadOf",
            "git clone -q $A a && git -C a -c url.$URL/bob/.pushInsteadOf=$URL/alice/ push -q origin HEAD:i", "alice",
            "bob"),
        Situation(
            "remotes by ssh beside https",
            "git init -q r && cd r && git remote add origin git@127.0.0.1:alice/app.git && git remote add b $B && git fetch -q b",
            "bob"),
        Situation(
            "a second remote of another owner",
            "git clone -q $A a && cd a && git remote add b $B && git push -q b HEAD:second", "alice", "bob"),
        Situation("a fetch of another owner's address", "git clone -q $A a && git -C a fetch -q $B", "alice", "bob"),
        Situation(
            "remote update",
            "git init -q r && cd r && git remote add a $A && git remote add b $B && git remote update", "alice", "bob"),
        Situation(
            "fetch --all at once",
            "git init -q r && cd r && git remote add a $A && git remote add b $B && git fetch -q --all --jobs 2",
            "alice", "bob"),
        Situation(
            "a partial clone that fetches later",
            "git clone -q --filter=blob:none -n $URL/private/two.git ~/lab/p && cd ~/work && git -C ~/lab/p checkout -q",
            "bob", "bob"),
        Situation(
            "a sparse clone that grows",
            """
            git clone -q --filter=blob:none --sparse $URL/private/two.git ~/lab/q
            cd ~/work && git -C ~/lab/q sparse-checkout add folder && test -f ~/lab/q/folder/file
            """, "bob", "bob", "bob"),
        Situation(
            "a shallow clone that grows",
            """
            git clone -q --depth 1 $URL/private/two.git ~/lab/d && test -f ~/lab/d/.git/shallow
            git -C ~/lab/d fetch -q --unshallow && test ! -f ~/lab/d/.git/shallow
            """, "bob", "bob"),
        Situation("alternates", "git clone -q --reference ~/lab/app $A a && git -C a fetch -q", "alice", "alice"),
        Situation("a user in the address", "cd ~/work && git clone -q http://bob@$HOST/private/app.git", "bob"),
        Situation("credential.username", "git -c credential.username=bob clone -q $P", "bob"),
        Situation(
            "credential.username of an address", "cd ~/work && git -c credential.$URL.username=bob ls-remote -q $P",
            "bob"),
        Situation("KEYFOB_ACCOUNT", "cd ~/work && KEYFOB_ACCOUNT=bob git clone -q $P named", "bob"),
        Situation(
            "no path in the question: two owners",
            "git config --global credential.useHttpPath false && git clone -q $A a && git clone -q $B b; git -C b fetch -q",
            "alice", "bob", "bob"),
        Situation("no path in the question: a folder", "git clone -q $P ~/lab/c4", "bob"),
        Situation(
            "no path in the question: a second remote",
            """
            git clone -q $A a && cd a && git remote add b $B && git push -q b HEAD:third
            git config --global credential.useHttpPath true
            """, "alice", "bob"),
        Situation("ls-remote outside of any repository", "git ls-remote -q $B", "bob"),
        Situation("ls-remote of another owner inside", "cd ~/bobs/c1 && git ls-remote -q $A", "alice"),
        Situation(
            "GIT_CEILING_DIRECTORIES",
            "cd ~/lab/app && mkdir -p in && cd in && GIT_CEILING_DIRECTORIES=$HOME/lab/app git ls-remote -q $P", "bob"),
        Situation("archive --remote, which http has not", "! git archive --remote=$B HEAD"),
        Situation("a redirection at the host", "git clone -q $URL/moved/bob/app.git", "bob"),
        Situation(
            "a repository that is moved", "git clone -q $P ~/work/x && mv ~/work/x ~/lab/x && git -C ~/lab/x fetch -q",
            "alice", "bob"),
        Situation(
            "a folder of git's elsewhere, afterwards",
            "git clone -q $P ~/lab/s && git init -q --separate-git-dir $PWD/g ~/lab/s && git -C ~/lab/s fetch -q",
            "bob", "bob"
        ),
        Situation(
            "no path in the question: insteadOf at the same host",
            "git -c credential.useHttpPath=false -c url.$URL/bob/.insteadOf=$URL/alice/ clone -q $A i", "bob"),
        Situation(
            "hooks that are installed in a cache, from a bound folder",
            called(from: "work", "git clone -q $P hook && git -C hook fetch -q"), "alice", "alice"),
        Situation(
            "packages that are built elsewhere, from a folder in a bound one",
            called(from: "lab/app", "git clone -q $P package"), "bob"),
        Situation(
            "the nearest of several bound folders",
            called(from: "lab", "cd ~/work && sh -c 'cd $HERE && git ls-remote -q $P; exit'"), "alice"),
        Situation("a bound folder below which it is cloned", called(from: "work", "git clone -q $P ~/lab/c5"), "bob"),
        Situation(
            "a worktree elsewhere of a bound repository",
            "git -C ~/lab/app worktree add -q ~/tree; " + called(from: "tree", "git clone -q $P hook"), "bob"),
        Situation("GIT_DIR in a bound folder", called(from: "work", "GIT_DIR=$HOME/lab/app/.git git fetch -q"), "bob"),
        Situation("an owner, from a bound folder", called(from: "work", "git ls-remote -q $B"), "bob"),
        Situation(
            "user.email of the repository, from a bound folder",
            called(from: "work", "git init -q r && cd r && git config user.email $BOB && git fetch -q $P"), "bob"),
        Situation(
            "a user in the address, from a bound folder",
            called(from: "work", "git ls-remote -q http://bob@$HOST/private/app.git"), "bob"),
        Situation(
            "KEYFOB_ACCOUNT, from a bound folder", called(from: "work", "KEYFOB_ACCOUNT=bob git ls-remote -q $P"), "bob"
        ),
    ]

    /// A line that a program runs here, which was called in another folder and is still there.
    private static func called(from folder: String, _ line: String) -> String {
        "export HERE=$PWD LINE='\(line.replacingOccurrences(of: "'", with: "'\\''"))'; cd ~/\(folder) && "
            + "sh -c 'cd \"$HERE\" && eval \"$LINE\"; exit'"
    }

    init() throws {
        let provider = try ProviderServer.shared()
        server = try .git(provider, owners: "private", "alice", "bob")
        let url = "http://\(server.host)"
        let address = "users.noreply.\(provider.host)"
        home = try SignInPlace(
            provider, options: "--api-host \(server.host)",
            variables: [
                "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@x",
                "GIT_COMMITTER_NAME": "x",
                "GIT_COMMITTER_EMAIL": "x@x", "URL": url, "HOST": server.host, "P": "\(url)/private/app.git",
                "A": "\(url)/alice/app.git", "B": "\(url)/bob/app.git", "ALICE": "1+alice@\(address)",
                "BOB": "2+bob@\(address)",
            ])
        for user in ["alice", "bob"] { try home.signIn(user) }
        try home.run(
            """
            ln -s keyfob bin/git-credential-keyfob && mkdir work lab bobs hooks
            git config --global credential.helper '!git-credential-keyfob' && git config --global credential.useHttpPath true
            git config --global includeIf."gitdir:~/bobs/".path .bob && git config -f .bob user.email $BOB
            git config --global includeIf."hasconfig:remote.*.url:$URL/private/two.git".path .alice
            git config -f .alice user.email $ALICE
            keyfob bind -q --directory work alice && keyfob bind -q --directory lab bob
            git clone -q $P lab/app
            printf '#!/bin/sh\\ngit fetch -q origin\\n' > hooks/pre-commit
            printf '#!/bin/sh\\nexport GIT_DIR=$(git rev-parse --absolute-git-dir)\\ncd ~/work && git fetch -q origin\\n' \\
                > hooks/post-checkout && chmod 755 hooks/*
            cd \(server.folder)/repos/private && git clone -q --bare app.git two.git && git -C two.git config uploadpack.allowFilter 1
            git clone -q two.git "$HOME/fill" 2> /dev/null && cd "$HOME/fill" && mkdir folder && echo x > folder/file && echo y > file
            git add . && git commit -qm second && git push -q
            """
        ).expectSuccess()
        try server.move(to: url)
    }

    @Test("some sixty places and ways to call, and no wrong account in any")
    func context() throws {
        for (number, situation) in Self.situations.enumerated() {
            let before = try server.requests().count
            let outcome = try home.run("mkdir s\(number) && cd s\(number) && set -e; \(situation.line)")
            let requests = try server.requests().dropFirst(before)
            let steps = requests.filter { $0.hasPrefix("200 ") && $0.hasSuffix("/info/refs") }.map {
                String($0.split(separator: " ")[2])
            }
            #expect(outcome.status == 0, "\(situation.name): \(outcome)")
            #expect(
                (situation.isAtOnce ? steps.sorted() : steps) == situation.steps,
                "\(situation.name): \(outcome) \(requests)")
            #expect(!requests.contains { $0.hasPrefix("403") }, "\(situation.name): \(requests)")
        }
    }

    @Test(
        "where nothing tells whose token it is, the line that is named can be typed, and decides",
        arguments: [
            "git clone -q $P open", "git -c credential.useHttpPath=false clone -q $P open",
            "git clone -q --separate-git-dir $PWD/g $P ~/open",
        ])
    func open(line: String) throws {
        let outcome = try home.run(line)
        #expect(outcome.status == 128, "\(outcome)")
        let words = try #require(outcome.errors.split(separator: "'").first { $0.hasPrefix("keyfob bind ") })
        try home.run("rm -rf open g && \(words) && \(line)").expectSuccess()
    }

    @Test("a folder from which git's caller was called counts only where nothing nearer does")
    func caller() throws {
        try FrontProgram.install(in: home.place)
        var answers: [String] = []
        func answer(_ line: String = "sh -c 'cd /; git ls-remote -q $P; exit'") throws {
            let front = "git config --global credential.helper '!\(home.place.path)/one/bin/keyfob helper git'"
            for helper in ["git config --global credential.helper keyfob", front] {
                let before = try server.requests().count
                let outcome = try home.run("\(helper) && cd ~/work && \(line)")
                let users = try server.requests().dropFirst(before).compactMap { request in
                    request.hasPrefix("200 ") && request.hasSuffix("/info/refs")
                        ? String(request.split(separator: " ")[2]) : nil
                }
                answers.append(outcome.status == 0 ? users.joined(separator: " ") : "\(outcome.status)")
            }
        }
        try answer()
        #expect(answers == ["alice", "alice"])
        let which = "cd ~/work && sh -c 'cd /; keyfob which --json --url $P --tool git; exit'"
        let told = try home.run(which).expectSuccess().text
        #expect(told.contains("calledFrom") && told.contains("/work, is bound to it"), "\(told)")
        // A process that gets another token is confined by then.
        answers = []
        let renewing = "git config --global credential.helper '!keyfob helper git --force-refresh'"
        try answer("\(renewing) && sh -c 'cd /; git ls-remote -q $P; exit'")
        #expect(answers == ["alice", "alice"])

        // Whoever leads a session, and who is above, is not asked.
        answers = []
        try answer("setsid -w sh -c 'cd /; git ls-remote -q $P; exit'")
        #expect(answers == ["128", "128"])
        // A program that is called nearer, in a folder that is bound to none.
        answers = []
        try home.run("mkdir open && keyfob bind -q --directory open none").expectSuccess()
        try answer("sh -c 'cd ~/open; sh -c \"cd /; git ls-remote -q $P; exit\"; exit'")
        #expect(answers == ["128", "128"])
        answers = []
        for subject in ["--url $P", "--tool git", "--host $HOST"] {
            try home.run("keyfob bind -q \(subject) bob").expectSuccess()
            try answer()
            try home.run("keyfob unbind -q \(subject)").expectSuccess()
        }
        #expect(answers == Array(repeating: "bob", count: 6))
        // An account of another provider that the folder is bound to as well is not in question; alone it is nobody's.
        answers = []
        try home.place.add("octo", token: "gho_octo", "--host github.com")
        try home.run("keyfob bind -q --directory work octo").expectSuccess()
        try answer()
        try home.run("keyfob unbind -q --directory work && keyfob bind -q --directory work octo").expectSuccess()
        try answer()
        #expect(answers == ["alice", "alice", "128", "128"])
    }

    /// What git is answered of hosts that nobody serves here.
    @Test("hosts, ports and letters are told apart as the hosts do it")
    func hosts() throws {
        try home.place.add("alice", token: "gho_alice", "--host github.com")
        try home.place.add("octo", token: "gho_octo", "--host github.com")
        try home.place.add("octo", token: "ghe_octo", "--host ghe.example")
        try home.run(
            """
            keyfob bind -q --url https://github.com/contoso octo@github.com
            keyfob bind -q --host '[::1]:8443' octo@ghe.example && keyfob bind -q --host git.example:8443 alice@github.com
            """
        ).expectSuccess()
        for (address, token) in [
            // One name at two hosts.
            ("https://github.com/alice/app", "gho_alice"), ("https://ghe.example/alice/app", "ghe_octo"),
            ("https://github.com/contoso/app.git", "gho_octo"), ("https://github.com/CONTOSO/App.git", "gho_octo"),
            ("https://GitHub.com/Contoso/app", "gho_octo"), ("https://github.com/ALICE/app", "gho_alice"),
            ("https://github.com/contoso/app.git/info/lfs", "gho_octo"),
            ("https://github.com:443/contoso/app", "gho_octo"),
            ("https://[::1]:8443/any/app", "ghe_octo"), ("https://git.example:8443/any/app", "gho_alice"),
            // Nobody's: git goes on.
            ("https://github.com:8443/contoso/app", nil), ("https://git.example/any/app", nil),
            ("https://[::1]:8444/any/app", nil), ("https://ghe.example.evil.example/octo/app", nil),
            ("http://github.com/contoso/app", nil),
        ] as [(String, String?)] {
            let outcome = try home.run("printf 'url=\(address)\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill")
            let password = outcome.text.split(separator: "\n").first { $0.hasPrefix("password=") }
            #expect(password.map(String.init) == token.map { "password=" + $0 }, "\(address): \(outcome)")
            #expect(!outcome.errors.contains("told us to quit"), "\(address): \(outcome)")
        }
    }
}
