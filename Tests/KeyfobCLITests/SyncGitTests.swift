import Foundation
import KeyfobTestSupport
import Testing

@testable import Keyfob

@Suite("A git repository that nobody vouches for", .waitsForPrograms)
struct SyncGitTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.run("git init -q --bare remote.git").expectSuccess()
        for name in ["one", "two"] {
            try place.run(
                "mkdir -p -m 700 \(name)/run && head -c 32 /dev/urandom > \(name)/key && chmod 600 \(name)/key"
            ).expectSuccess()
            try on(name, "keyfob init --quiet --recovery-file \(name)/recovery").expectSuccess()
        }
    }

    private func on(_ name: String, _ line: String) throws -> Outcome {
        try place.run(
            """
            export XDG_DATA_HOME=$PWD/\(name)/data XDG_STATE_HOME=$PWD/\(name)/state XDG_RUNTIME_DIR=$PWD/\(name)/run \
            KEYFOB_KEY_FILE=$PWD/\(name)/key

            """ + line)
    }

    private func begin() throws {
        try on("one", "keyfob sync init -q remote.git --name one > one/words").expectSuccess()
        try on("two", "keyfob sync join -q remote.git $(cat one/words) --name two > two/words").expectSuccess()
        try on("one", "keyfob sync approve -q $(cat two/words)").expectSuccess()
        try on("two", "keyfob sync -q").expectSuccess()
    }

    @Test("on a path runs none of its programs, and learns nothing of where the keys are")
    func programs() throws {
        let program = place.path + "/program"
        try Data("#!/bin/sh\nenv > \(place.path)/ran\n".utf8).write(to: URL(filePath: program))
        try place.run(
            """
            chmod +x program
            for hook in pre-receive update post-receive post-update reference-transaction proc-receive; do
                ln -s $PWD/program remote.git/hooks/$hook
            done
            git -C remote.git config core.alternateRefsCommand $PWD/program
            git init -q --bare other.git && echo $PWD/other.git/objects > remote.git/objects/info/alternates
            """
        ).expectSuccess()
        try begin()
        try on("one", "echo t | keyfob add -q --account a --host git.example && keyfob sync -q").expectSuccess()
        try on("two", "keyfob sync -q && keyfob account list --json | grep -q git.example").expectSuccess()
        #expect(!FileManager.default.fileExists(atPath: place.path + "/ran"))
        // They would have run: the same by git itself.
        try place.run(
            "git clone -q remote.git clone -b keyfob-sync && cd clone && git push -q origin HEAD:refs/heads/x"
        )
        .expectSuccess()
        #expect(FileManager.default.fileExists(atPath: place.path + "/ran"))
    }

    @Test("that shows a wrong file for a while does no lasting harm, and odd entries none at all")
    func wrongFile() throws {
        try begin()
        let list = "git -C remote.git ls-tree -r --name-only keyfob-sync | grep -v head | sort"
        try place.run("\(list) > before").expectSuccess()
        try on("one", "echo t | keyfob add -q --account a --host git.example && keyfob sync -q").expectSuccess()
        try place.run(
            """
            set -e
            export GIT_DIR=$PWD/remote.git GIT_INDEX_FILE=$PWD/index GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x \
            GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x
            git rev-parse keyfob-sync > good
            git read-tree keyfob-sync
            # Both what is new and the whole that it is in, where there is one.
            for file in $(git ls-tree -r --name-only keyfob-sync | grep -v head | sort | comm -13 before -); do
                head -c $(git cat-file -s keyfob-sync:$file) /dev/urandom > bad
                bad=$(git hash-object -w bad)
                git update-index --add --cacheinfo 100644,$bad,$file
            done
            git update-index --add --cacheinfo 120000,$bad,devices/111111111111111111111111/head.age
            git update-index --add --cacheinfo 100644,$bad,devices/222222222222222222222222
            git update-ref refs/heads/keyfob-sync $(git commit-tree $(git write-tree) -m x)
            """
        ).expectSuccess()
        let outcome = try on("two", "keyfob sync")
        #expect(outcome.status == 65 && outcome.errors.contains("is not the one that it signed"), "\(outcome)")
        try place.run("git -C remote.git update-ref refs/heads/keyfob-sync $(cat good)").expectSuccess()
        try on("two", "keyfob sync accept -q one && keyfob sync -q").expectSuccess()
        try on("two", "keyfob account list --json | grep -q git.example").expectSuccess()
    }

    @Test("gives no more than fits: heads first, one file of each name, and no folder that is no device's")
    func plan() throws {
        let id = String(repeating: "a", count: 24)
        func line(_ mode: String, _ kind: String, _ size: String, _ path: String) -> String {
            "\(mode) \(kind) \(String(repeating: "0", count: 40)) \(size)\t\(path)\0"
        }
        let top =
            line("040000", "tree", "-", "devices/\(id)") + line("040000", "tree", "-", "devices/x")
            + line("100644", "blob", "3", "devices/\(String(repeating: "b", count: 24))") + "nonsense\0"
        #expect(SyncGitPlan.folders(Data(top.utf8)) == ["devices/\(id)"])
        func name(_ number: Int) -> String { "devices/\(id)/1-" + String(repeating: "\(number)", count: 32) + ".age" }
        let big = "\(SyncChoice.totalLimit / 2)"
        let files = SyncGitPlan.files(
            Data(
                ([line("100644", "blob", big, name(1)), line("120000", "blob", "3", name(2))]
                    + (3...5).map { line("100644", "blob", big, name($0)) }
                    + [
                        line("100644", "blob", "8", name(1)), line("100644", "blob", "8", "devices/\(id)/head.age"),
                        line("100644", "blob", "\(3 << 20)", "devices/\(id)/request"),
                    ]).joined().utf8))
        #expect(files.count == 6)
        let chosen = SyncGitPlan.chosen(files)
        #expect(chosen.map(\.path) == ["devices/\(id)/head.age", name(1)])
    }
}
