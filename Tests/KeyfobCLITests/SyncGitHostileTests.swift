import Foundation
import KeyfobTestSupport
import Testing

@testable import Keyfob

/// A bare repository, and what its owner has done in it so that somebody else's git runs `$MARK`.
struct HostileRepository: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// What is done in the repository; the place that is named is `../far` from there.
    let setup: String
    /// Whether git, used by itself, runs the program.
    var isRunByGit = true

    init(_ name: String, _ setup: String, isRunByGit: Bool = true) {
        (testDescription, self.setup, self.isRunByGit) = (name, setup, isRunByGit)
    }

    private static let worktree = """
        git config core.bare false; git config core.worktree $PWD/../files; mkdir ../files
        git symbolic-ref HEAD refs/heads/keyfob-sync; git config receive.denyCurrentBranch updateInstead
        git --work-tree=../files reset -q --hard; \

        """
    private static let unborn = worktree + "git update-ref -d HEAD; rm -rf index ../files; mkdir ../files; "
    /// Takes a file away that git then fetches from elsewhere, where it does that at all.
    private static let missing = """
        blob=$(git rev-parse keyfob-sync:devices/aaaaaaaaaaaaaaaaaaaaaaaa/request)
        rm -f objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)
        git config remote.o.promisor true; git config remote.o.url $PWD/../other; git init -q --bare ../other; \

        """
    private static let hooksElsewhere =
        "mkdir x; ln -s $MARK x/update; printf '[core]\\nhooksPath=%s/x\\n' $PWD > more; "

    static let all =
        [
            "pre-receive", "update", "post-receive", "post-update", "reference-transaction",
        ].map { HostileRepository("hook \($0)", "ln -s $MARK hooks/\($0)") } + [
            .init("hook proc-receive", "ln -s $MARK hooks/proc-receive; git config receive.procReceiveRefs refs"),
            .init(
                "hook pre-auto-gc",
                """
                ln -s $MARK hooks/pre-auto-gc; git config gc.auto 1; git config gc.autoDetach false; mkdir -p objects/17
                for i in 1 2 3 4 5; do cp $(find objects -type f | head -1) objects/17/$(printf '%038x' $i); done
                """),
            .init("hook push-to-checkout", worktree + "ln -s $MARK hooks/push-to-checkout"),
            .init("link to hooks", "rm -rf hooks; mkdir ../hooks; ln -s $PWD/../hooks hooks; ln -s $MARK hooks/update"),
            .init("core.hooksPath", hooksElsewhere + "git config core.hooksPath $PWD/x"),
            .init("include.path", hooksElsewhere + "git config include.path $PWD/more"),
            .init("includeIf", hooksElsewhere + "git config includeIf.gitdir:/**.path $PWD/more"),
            .init(
                "config.worktree", hooksElsewhere + "mv more config.worktree; git config extensions.worktreeConfig true"
            ),
            .init(
                "alternates",
                "git init -q --bare ../o; echo $PWD/../o/objects > objects/info/alternates; git config core.alternateRefsCommand $MARK"
            ),
            .init("updateInstead and core.fsmonitor", worktree + "git config core.fsmonitor $MARK"),
            .init(
                "updateInstead and a filter",
                unborn + "git config filter.x.smudge $MARK; mkdir -p info; echo '* filter=x' > info/attributes"),
            .init(
                "updateInstead and .gitattributes",
                unborn + """
                    git config filter.x.smudge $MARK; cd ../made; echo '* filter=x' > .gitattributes; git add .
                    git commit -q -m x
                    """),
            .init(".git folder", "cd ..; mv far real; mkdir far; mv real far/.git; ln -s $MARK far/.git/hooks/update"),
            .init(
                ".git file",
                "cd ..; mv far real; mkdir far; echo gitdir: $PWD/real > far/.git; ln -s $MARK real/hooks/update"),
            .init(
                "worktree",
                """
                git worktree add -q ../files keyfob-sync; git config receive.denyCurrentBranch ignore; cd ..; mv far real
                sed -i 's,/far/,/real/,' files/.git; ln -s real/worktrees/files far; ln -s $MARK real/hooks/update
                """),
            .init("promisor with a program", missing + "git config remote.o.uploadpack $MARK", isRunByGit: false),
            .init("partial clone", missing + "git config extensions.partialClone o", isRunByGit: false),
            .init(
                "promisor over ssh", missing + "git config remote.o.url ssh://x/y; git config core.sshCommand $MARK",
                isRunByGit: false),
            .init(
                "promisor over ext::",
                missing + "git config remote.o.url \"ext::$MARK x\"; git config protocol.ext.allow always",
                isRunByGit: false),
            .init(
                "promisor over git://",
                missing + "git config remote.o.url git://x.invalid/y; git config core.gitProxy $MARK",
                isRunByGit: false),
            .init(
                "configured hook", "git config hook.a.command $MARK; git config hook.a.event update", isRunByGit: false),
            .init("packObjectsHook", "git config uploadpack.packObjectsHook $MARK", isRunByGit: false),
            .init(
                "gc.recentObjectsHook", "git config gc.recentObjectsHook $MARK; git config gc.auto 1", isRunByGit: false
            ),
        ]
}

@Suite("A git repository that means harm", .waitsForPrograms)
struct SyncGitHostileTests {
    private let place: Workplace
    private static let device = "devices/" + String(repeating: "b", count: 24)

    init() throws {
        place = try Workplace()
        let mark = "#!/bin/sh\necho $0 $* >> \(place.path)/ran\n"
        try Data(mark.utf8).write(to: URL(filePath: place.path + "/mark"))
        try place.run("chmod +x mark").expectSuccess()
    }

    private func hasRun() -> Bool { FileManager.default.fileExists(atPath: place.path + "/ran") }

    private func transport(_ address: String) throws -> SyncGitTransport {
        var access = SyncAccess { () throws(KeyringError) in throw KeyringError(.usage, "no network") }
        access.programSeconds = 20
        access.environment["GIT_SSH"] = "/bin/false"
        return try SyncGitTransport(address, in: place.path + "/state", access)
    }

    /// Reads all, and writes a file.
    private func use(_ address: String) throws {
        let transport = try transport(address)
        try transport.fetch()
        let folder = transport.folder + "/" + Self.device
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: folder + "/request"))
        #expect(try transport.deliver(Self.device))
        try transport.fetch()
    }

    /// Makes a repository `far` with the branch of a sync.
    private func makeRepository(in folder: String = ".", then setup: String = "") throws {
        let made = """
            export MARK=$PWD/mark GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x \
            GIT_COMMITTER_EMAIL=x
            mkdir -p \(folder) && cd \(folder) || exit
            git init -q --bare far && git init -q made && cd made && mkdir -p devices/aaaaaaaaaaaaaaaaaaaaaaaa
            echo z > devices/aaaaaaaaaaaaaaaaaaaaaaaa/request && git add . && git commit -q -m x &&
            git push -q ../far HEAD:refs/heads/keyfob-sync && cd ../far || exit

            """
        try place.run(made + setup).expectSuccess()
    }

    @Test("runs nothing on this machine", arguments: HostileRepository.all)
    func programs(repository: HostileRepository) throws {
        try makeRepository(in: "a", then: repository.setup)
        try? FileManager.default.removeItem(atPath: place.path + "/ran")
        let far = place.path + "/a/far"
        // Some are refused by name, some are used like any other.
        for address in [far, "file://" + far] { try? use(address) }
        #expect(!hasRun(), "\(String(describing: try? String(contentsOfFile: place.path + "/ran", encoding: .utf8)))")
        try makeRepository(in: "b", then: repository.setup)
        try? FileManager.default.removeItem(atPath: place.path + "/ran")
        _ = try place.run(
            """
            export GIT_CONFIG_GLOBAL=/dev/null
            cd b/made; echo y > y; git add y; git -c user.name=x -c user.email=x commit -q -m y
            git fetch -q $PWD/../far keyfob-sync; git push -q -f $PWD/../far HEAD:refs/heads/keyfob-sync; true
            """)
        #expect(hasRun() == repository.isRunByGit)
    }

    @Test("is used without its settings, and only where it is a bare one")
    func settings() throws {
        try makeRepository(then: "git config core.hooksPath $PWD/x; git config core.sharedRepository group")
        try use(place.path + "/far")
        let listed = try place.run("git -C far ls-tree -r --name-only keyfob-sync").expectSuccess().text
        #expect(listed.split(separator: "\n").count == 2)
        // Who shares it still can write: the files have the group's mode.
        try place.run("find far/objects -mindepth 1 -type d -perm -g+w | grep -q .").expectSuccess()
        try place.run("git clone -q far worked").expectSuccess()
        for (address, words) in [
            (place.path + "/worked", "name a bare one"), (place.path + "/nothing", "there is no repository"),
        ] {
            let error = #expect(throws: KeyringError.self) { try use(address) }
            #expect(error?.message.contains(words) == true)
        }
    }

    @Test(
        "starts no program to reach another machine but those that git has for that",
        arguments: ["ext::", "fd::", "x::"])
    func helpers(scheme: String) throws {
        let address = scheme + place.path + "/mark x"
        try place.run("ln -s $PWD/mark git-remote-x").expectSuccess()
        let error = #expect(throws: KeyringError.self) { try use(address) }
        #expect(error?.message.contains("not allowed") == true && !hasRun(), "\(String(describing: error))")
    }

    @Test("that was put into the state folder is made anew")
    func mirror() throws {
        try place.run(
            """
            mkdir -p -m 700 state && git init -q --bare state/repository && cd state/repository && ln -s $PWD/../../mark hooks/x
            git config core.sshCommand $PWD/../../mark; git config protocol.ext.allow always
            git config url.ext::$PWD/../../mark.insteadOf ssh://
            git init -q --bare ../../other && echo $PWD/../../other/objects > objects/info/alternates
            """
        ).expectSuccess()
        #expect(throws: KeyringError.self) { try use("ssh://host.invalid/x") }
        #expect(!hasRun())
        try place.run("cd state/repository && ! grep -q ssh config && ! ls hooks objects/info/alternates")
            .expectSuccess()
        try place.run("cd state && GIT_SSH=/bin/false git --git-dir=repository config core.sshCommand $PWD/../mark")
            .expectSuccess()
        _ = try place.run("GIT_SSH=/bin/false git --git-dir=state/repository ls-remote ssh://host.invalid/x")
        #expect(hasRun())
    }

    @Test(
        "leads git to no file outside of it",
        arguments: ["refs", "refs/heads", "objects", "objects/pack", "objects/info"])
    func links(name: String) throws {
        try makeRepository()
        try place.run("mkdir -p elsewhere && cp -r far/\(name) elsewhere/it && rm -r far/\(name)").expectSuccess()
        try place.run("ln -s $PWD/elsewhere/it far/\(name) && find elsewhere -type f | sort > before").expectSuccess()
        let error = #expect(throws: KeyringError.self) { try use(place.path + "/far") }
        #expect(error?.message.contains("/\(name) is no folder") == true)
        try place.run("find elsewhere -type f | sort | cmp - before").expectSuccess()
    }

    @Test("is not fetched into a state folder in which others write", arguments: ["go+w state", "o+w state/tree"])
    func stateFolder(mode: String) throws {
        try makeRepository()
        try place.run("mkdir -p -m 700 state/tree/devices && chmod \(mode)").expectSuccess()
        let error = #expect(throws: KeyringError.self) { try use(place.path + "/far") }
        #expect(error?.message.contains("others can write there") == true)
    }
}
