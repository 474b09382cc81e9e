import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("Who commits in a directory's repository")
struct CommitterTests {
    private let folder: ScratchFolder
    private let root: String

    init() throws {
        folder = try ScratchFolder()
        root = try #require(DirectoryContext(at: folder.path).directory)
        for path in ["home/.config/git", "home/work/app/.git", "home/work/app/a", "other"] { try make(path) }
    }

    private func make(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: root + "/" + path, withIntermediateDirectories: true)
    }

    private func write(_ path: String, _ text: String) throws { try folder.write(path, [UInt8](text.utf8)) }

    private func committer(_ path: String = "home/work/app/a", _ variables: [String: String] = [:]) -> String? {
        let variables = ["HOME": root + "/home"].merging(variables) { $1 }
        return DirectoryContext(at: root + "/" + path, person: PersonalGit { variables[$0] }).committer?.description
    }

    /// Who commits with this configuration of the repository, and this one of the person.
    private func committer(own: String, personal: String = "") throws -> String? {
        try write("home/work/app/.git/config", own)
        try write("home/.gitconfig", personal)
        return committer()
    }

    private static func user(_ name: String) -> String { "[user]\n\temail = \(name)@contoso.example\n" }

    @Test(
        "the repository's own configuration says it, as git reads it",
        arguments: [
            ("[user]\nemail = Ada@contoso.example", "ada@contoso.example"),
            ("[USER] EMAIL = \"ada@contoso.example\" ; why\n", "ada@contoso.example"),
            ("[user]\nemail = a@x.example\n[core]\n[user]\nemail = b@x.example\n", "b@x.example"),
            ("[user]\nname = Ada\n", nil), ("[user \"x\"]\nemail = a@x.example\n", nil), ("email = a@x.example\n", nil),
            ("[user]\nemail\n", nil), ("[user]\nemail = \n", nil), ("[user]\nemail = nonsense\n", nil),
            ("[user]\nemail = a@x.example\nemail = \n", nil), ("[user]\nemail = a\u{0}@x.example\n", nil),
            ("[user]\nemail = \"a@x.example\nemail = b@x.example\n", nil),
            ("[user]\nemail = a@x.example\n[bro", "a@x.example"),
        ] as [(String, String?)])
    func own(text: String, expected: String?) throws {
        #expect(try committer(own: text) == expected)
    }

    @Test("an address that the person has for all repositories says nothing of one")
    func everywhere() throws {
        #expect(try committer(own: "", personal: Self.user("ada")) == nil)
        #expect(try committer(own: Self.user("eve"), personal: Self.user("ada")) == "eve@contoso.example")
        // Nor does one that is set for some, and then for all.
        try write("home/.work", Self.user("work"))
        let some = "[includeIf \"gitdir:~/work/\"]\npath = .work\n"
        #expect(try committer(own: "", personal: some + Self.user("ada")) == nil)
        #expect(try committer(own: "", personal: Self.user("ada") + some) == "work@contoso.example")
        #expect(try committer(own: "[user]\nemail = \n", personal: some) == nil)
        #expect(try committer(own: "", personal: "[include]\npath = .work\n") == nil)
    }

    @Test(
        "what the person includes for some repositories says it of these",
        arguments: [
            ("gitdir:~/work/", true), ("gitdir:~/work/app/.git", true), ("gitdir:~/work", false),
            ("gitdir:~/other/", false), ("gitdir:work/", true), ("gitdir:app/**", true), ("gitdir:./work/", true),
            ("gitdir:./other/", false), ("gitdir:~/WORK/", false), ("gitdir/i:~/WORK/", true),
            ("gitdir:ROOT/home/*/app/.git", true), ("gitdir:ROOT/*/app/.git", false),
            ("hasconfig:remote.*.url:https://git.example/team/**", true),
            ("hasconfig:remote.*.url:git@git.example:*/**", true),
            ("hasconfig:remote.*.url:https://git.example/other/**", false),
        ])
    func conditions(condition: String, holds: Bool) throws {
        try write("home/.work", Self.user("work"))
        let condition = condition.replacing("ROOT", with: root)
        let own = """
            [remote "origin"]
                url = https://git.example/team/app
            [remote "other"]
                url = git@git.example:x/y.git

            """
        let expected = holds ? "work@contoso.example" : nil
        #expect(try committer(own: own, personal: "[includeIf \"\(condition)\"]\npath = .work\n") == expected)
    }

    @Test(
        "where nobody can tell what git would take, nothing is said",
        arguments: [
            "[includeIf \"onbranch:main\"]\npath = .work\n", "[includeIf \"gitdir:[a]/\"]\npath = .work\n",
            "[includeIf \"gitdir:~eve/\"]\npath = .work\n", "[includeIf \"gitdir:~/work/\"]\npath = ~eve/.work\n",
            "[include]\npath = .gitconfig\n", "[include]\npath = ./.pipe\n", "[include]\npath = .large\n",
            "[include]\npath = work/app/config\n", "[include]\npath = .open\n", "[include]\npath = .link\n",
        ])
    func unknown(text: String) throws {
        try write("home/.work", Self.user("work"))
        let some = "[includeIf \"gitdir:~/work/\"]\npath = .work\n"
        #expect(try committer(own: "", personal: some) == "work@contoso.example")
        #expect(unsafe mkfifo(root + "/home/.pipe", 0o600) == 0)
        try write("home/.large", String(repeating: "#", count: (1 << 20) + 1))
        try write("home/.open", Self.user("mallory"))
        #expect(unsafe chmod(root + "/home/.open", 0o666) == 0)
        // What others have written lies in the working tree, by whatever name it is reached.
        try write("home/work/app/config", Self.user("mallory"))
        try FileManager.default.createSymbolicLink(
            atPath: root + "/home/.link", withDestinationPath: "work/app/config")
        #expect(try committer(own: "", personal: text + some) == nil)
        #expect(try committer(own: "", personal: some + text) == nil)
    }

    @Test("files may include others, some deep, in a circle not at all, and one that is not there is none")
    func depth() throws {
        func chain(_ count: Int) throws -> String {
            for number in 1..<count { try write("home/c\(number)", "[include]\npath = c\(number + 1)\n") }
            try write("home/c\(count)", Self.user("work"))
            return "[includeIf \"gitdir:~/work/\"]\npath = c1\n"
        }
        #expect(try committer(own: "", personal: chain(10)) == "work@contoso.example")
        #expect(try committer(own: "", personal: chain(11)) == nil)
        let some = try chain(1)
        #expect(try committer(own: "", personal: "[include]\npath = ~/none\n" + some) == "work@contoso.example")
        try write("home/x", "[include]\npath = y\n")
        try write("home/y", "[include]\npath = x\n[include]\npath = x\n")
        #expect(try committer(own: "", personal: some + "[include]\npath = x\n") == nil)
        let wide = String(repeating: "[include]\npath = c1\n", count: 40)
        #expect(try committer(own: "", personal: some + wide) == nil)
    }

    @Test("the repository's own includes are not read, and neither is what everybody can write")
    func ownIncludes() throws {
        try write("home/work/app/.gitconfig", Self.user("mallory"))
        try write("home/.work", Self.user("work"))
        let some = "[includeIf \"gitdir:~/work/\"]\npath = .work\n"
        for own in ["[include]\npath = ../.gitconfig\n", "[includeIf \"gitdir:**\"]\npath = ../.gitconfig\n"] {
            #expect(try committer(own: own, personal: some) == nil)
            #expect(try committer(own: Self.user("ada") + own, personal: some) == nil)
        }
        #expect(try committer(own: Self.user("ada"), personal: some) == "ada@contoso.example")
        #expect(unsafe chmod(root + "/home/work/app/.git/config", 0o666) == 0)
        #expect(committer() == nil)
    }

    @Test("a worktree has its own address where git has one for it, and its own place")
    func worktrees() throws {
        try make("home/work/app/.git/worktrees/tree")
        try make("tree")
        try write("home/work/app/.git/worktrees/tree/commondir", "../..\n")
        try write("tree/.git", "gitdir: \(root)/home/work/app/.git/worktrees/tree\n")
        try write("home/work/app/.git/worktrees/tree/config.worktree", Self.user("tree"))
        let some = "[includeIf \"gitdir:**/worktrees/**\"]\npath = .work\n"
        try write("home/.work", Self.user("work"))
        #expect(try committer(own: Self.user("ada")) == "ada@contoso.example")
        #expect(committer("tree") == "ada@contoso.example")
        #expect(try committer(own: "", personal: some) == nil)
        #expect(committer("tree") == "work@contoso.example")
        #expect(try committer(own: Self.user("ada") + "[extensions]\nworktreeConfig = true\n") == "ada@contoso.example")
        #expect(committer("tree") == "tree@contoso.example")
        try write("home/work/app/.git/worktrees/tree/config.worktree", "[include]\npath = x\n")
        #expect(committer("tree") == nil)
    }

    @Test("the person's files are where the environment says")
    func places() throws {
        try write("home/work/app/.git/config", "")
        func some(_ path: String, _ name: String) throws {
            try write(path, "[includeIf \"gitdir:app/\"]\npath = \(root)/\(name)\n")
            try write(name, Self.user(name))
        }
        try some("home/.config/git/config", "a")
        #expect(committer() == "a@contoso.example")
        try some("home/.gitconfig", "b")
        #expect(committer() == "b@contoso.example")
        try some("other/gitconfig", "c")
        #expect(committer("home/work/app", ["GIT_CONFIG_GLOBAL": root + "/other/gitconfig"]) == "c@contoso.example")
        #expect(committer("home/work/app", ["GIT_CONFIG_GLOBAL": ""]) == nil)
        #expect(committer("home/work/app", ["HOME": ""]) == nil)
        try make("other/git")
        try some("other/git/config", "d")
        #expect(committer("home/work/app", ["HOME": "", "XDG_CONFIG_HOME": root + "/other"]) == "d@contoso.example")
        #expect(committer("other") == nil)
        #expect(DirectoryContext(at: root + "/home/work/app").committer == nil)
    }

    @Test("what belongs to somebody else says nothing", .enabled(if: geteuid() == 0, "only root can give files away"))
    func foreign() throws {
        let some = "[includeIf \"gitdir:~/work/\"]\npath = .work\n"
        try write("home/.work", Self.user("work"))
        for path in ["home/.work", "home/.gitconfig"] {
            #expect(try committer(own: "", personal: some) == "work@contoso.example")
            #expect(unsafe chown(root + "/" + path, 4_242, 4_242) == 0)
            #expect(committer() == nil)
            #expect(unsafe chown(root + "/" + path, 0, 0) == 0)
        }
        #expect(try committer(own: Self.user("ada")) == "ada@contoso.example")
        #expect(unsafe chown(root + "/home/work/app/.git/config", 4_242, 4_242) == 0)
        #expect(committer() == nil)
    }

    @Test("every truncation of a configuration is read")
    func truncations() throws {
        let text =
            "[includeIf \"gitdir:~/wo\\\"rk/\"] path = \"x\\t\" \\\n # a\n[include]\npath = ~/y ; z\n" + Self.user("a")
        for count in 0...text.utf8.count {
            _ = try committer(own: "", personal: String(decoding: text.utf8.prefix(count), as: UTF8.self))
        }
    }
}
