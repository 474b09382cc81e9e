import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("The context of a directory")
struct DirectoryContextTests {
    private let folder: ScratchFolder
    private let root: String

    init() throws {
        folder = try ScratchFolder()
        root = try #require(DirectoryContext(at: folder.path).directory)
    }

    private func make(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: root + "/" + path, withIntermediateDirectories: true)
    }

    private func write(_ path: String, _ text: String) throws {
        try folder.write(path, [UInt8](text.utf8))
    }

    private func remote(_ path: String = "") -> String? {
        DirectoryContext(at: root + "/" + path).remote?.description
    }

    /// The remote of a repository with this configuration.
    private func remote(configuration: String) throws -> String? {
        try make(".git")
        try write(".git/config", configuration)
        return remote()
    }

    @Test("symbolic links are resolved, and the repository is found upwards")
    func upwards() throws {
        try make("repo/.git")
        try make("repo/a/b")
        try write("repo/.git/config", "[remote \"origin\"]\n\turl = git@git.example:contoso/app.git\n")
        try FileManager.default.createSymbolicLink(atPath: root + "/link", withDestinationPath: "repo/a/b")
        let context = DirectoryContext(at: root + "/link")
        #expect(context.directory == root + "/repo/a/b")
        #expect(context.remote?.description == "git.example/contoso/app")
        let request = RequestContext(workingDirectory: root + "/link", tool: "gh")
        #expect(request.directory == context.directory && request.remote == context.remote && request.tool == "gh")
    }

    @Test("the repository with which git works counts, wherever that is")
    func gitFolder() throws {
        for name in [
            "repo/.git", "repo/.git/modules/sub", "repo/.git/worktrees/tree", "bare.git", "other/.git", "tree",
        ] {
            try make(name)
            try write(name + "/HEAD", "ref: refs/heads/main\n")
        }
        try write("repo/.git/config", "[remote \"origin\"]\n\turl = https://git.example/contoso/app\n")
        try write("repo/.git/worktrees/tree/commondir", "../..\n")
        try write("repo/.git/worktrees/tree/gitdir", root + "/tree/.git\n")
        try write("tree/.git", "gitdir: \(root)/repo/.git/worktrees/tree\n")
        func directory(_ path: String, _ folder: String?) -> String? {
            DirectoryContext(at: root + "/" + path, gitFolder: folder).directory.map {
                String($0.dropFirst(root.count))
            }
        }
        #expect(directory("other", root + "/repo/.git") == "/repo")
        #expect(directory("other", root + "/repo/.git/modules/sub") == "/repo")
        #expect(directory("other", root + "/bare.git") == "/bare.git")
        #expect(directory("other", root + "/repo/.git/worktrees/tree") == "/repo")
        #expect(directory("other", root + "/other/.git") == "/other" && directory("other", root + "/gone") == "/other")
        #expect(DirectoryContext(at: root + "/other", gitFolder: root + "/repo/.git").remote?.owner == "contoso")
        let tree = DirectoryContext(at: root + "/tree", gitFolder: root + "/repo/.git/worktrees/tree")
        #expect(
            tree.directory == root + "/tree" && tree.repository == root + "/repo" && tree.remote?.owner == "contoso")
        #expect(DirectoryContext(at: root + "/repo").repository == nil)

        // What came with a folder says that it belongs to another repository, which knows nothing of it.
        try make("evil/git")
        try write("evil/git/HEAD", "ref: refs/heads/main\n")
        try write("evil/git/commondir", "../../repo/.git\n")
        try write("evil/git/gitdir", root + "/evil/.git\n")
        for pointed in ["git", "../repo/.git/worktrees/tree", "../repo/.git"] {
            try write("evil/.git", "gitdir: \(pointed)\n")
            let evil = DirectoryContext(at: root + "/evil")
            #expect(evil.directory == root + "/evil" && evil.repository == nil)
        }
        #expect(directory("other", root + "/evil/git") == "/evil/git")
    }

    @Test("who commits counts for the owners of the repository's remotes, and not for others at their host")
    func otherOwner() throws {
        try make("repo/.git")
        try write("repo/.git/HEAD", "ref: refs/heads/main\n")
        try write(
            "repo/.git/config",
            """
            [user]
            \temail = ada@contoso.example
            [remote "origin"]
            \turl = https://github.com/Contoso/app
            [remote "other"]
            \turl = git@github.com:fabrikam/app

            """)
        func committer(_ url: String) throws -> String? {
            RequestContext(workingDirectory: root + "/repo", url: try ResourceURL(parsing: url)).committer?.name
        }
        #expect(try committer("https://github.com/contoso/other") == "ada")
        #expect(try committer("https://github.com/fabrikam/x") == "ada")
        #expect(try committer("https://github.com/ada/app") == nil)
        #expect(try committer("https://git.example/ada/app") == "ada" && committer("https://github.com") == "ada")
    }

    @Test(
        "a directory that is gone, a file and nonsense tell nothing",
        arguments: ["gone", "file", "gone/../x", "a\u{0}b"])
    func nothing(path: String) throws {
        try write("file", "")
        #expect(DirectoryContext(at: root + "/" + path) == DirectoryContext(at: ""))
        #expect(DirectoryContext(at: "").directory == nil)
    }

    @Test("a directory without a repository has no remote")
    func noRepository() {
        #expect(DirectoryContext(at: "/").directory == "/")
        #expect(remote() == nil)
    }

    @Test("a worktree has the remote of its repository, a submodule its own")
    func pointers() throws {
        for path in ["repo/.git/worktrees/tree", "repo/.git/modules/sub", "tree/deep", "repo/sub"] { try make(path) }
        try write("repo/.git/config", "[remote \"origin\"]\n\turl = https://git.example/main\n")
        try write("repo/.git/modules/sub/config", "[remote \"origin\"]\n\turl = https://git.example/sub\n")
        try write("repo/.git/worktrees/tree/commondir", "../..\n")
        try write("tree/.git", "gitdir: \(root)/repo/.git/worktrees/tree\n")
        try write("repo/sub/.git", "gitdir: ../.git/modules/sub\n")
        #expect(remote("tree/deep") == "git.example/main")
        #expect(remote("repo/sub") == "git.example/sub")
        #expect(remote("repo") == "git.example/main")
    }

    @Test(
        "a .git file that leads nowhere ends the search",
        arguments: ["", "gitdir: ", "gitdir: /nonexistent", "gitdir: .git", "nonsense", "gitdir: \u{0}", "gitdir:/x"])
    func brokenPointer(text: String) throws {
        try make("sub/.git-elsewhere")
        try make(".git")
        try write(".git/config", "[remote \"origin\"]\n\turl = https://git.example/outer\n")
        try write("sub/.git", text)
        #expect(remote("sub") == nil)
    }

    @Test(
        "the configuration is read as git reads it",
        arguments: [
            ("[remote \"origin\"]\nurl=https://h/a", "h/a"), ("[remote \"origin\"] url = https://h/a\n", "h/a"),
            ("[REMOTE \"origin\"]\n  URL = https://h/a  # why\n", "h/a"),
            ("[remote \"origin\"]\nurl = \"https://h/a\"", "h/a"),
            ("[remote \"origin\"]\r\n\turl = https://h/a\r\n", "h/a"),
            ("# x\n; y\n[core]\n\tbare\n[remote \"origin\"]\n\turl = https://h/a ; why", "h/a"),
            ("[remote \"origin\"]\nurl = https://h/\\\n  a\n", nil),
            ("[remote \"origin\"]\nurl = https://h/\\\na\n", "h/a"),
            ("[remote \"origin\"]\nurl = https://h/a\nurl = https://h/b\n", "h/a"),
            ("[remote \"up\"]\nurl = https://h/up\n[remote \"origin\"]\nurl = https://h/a\n", "h/a"),
            ("[remote \"up\"]\nurl = https://h/up\n", "h/up"), ("[remote \"u\\\"p\"]\nurl = https://h/up\n", "h/up"),
            ("[remote \"up\"]\nurl = https://h/up\n[remote \"down\"]\nurl = https://h/down\n", nil),
            ("[remote \"Origin\"]\nurl = https://h/1\n[remote \"origin\"]\nurl = https://h/2\n", "h/2"),
            ("[remote \"origin\"]\nfetch = +refs/*\npushurl = https://h/push\n", nil),
            ("[branch \"origin\"]\nurl = https://h/a\n", nil), ("[remote]\nurl = https://h/a\n", nil),
            ("[remote \"origin\"]\nurl = /srv/app.git\n", nil), ("[remote \"origin\"]\nurl = \n", nil),
            ("[remote \"origin\"]\nurl = https://ada:secret@h/a\n", "h/a"), ("url = https://h/a\n", nil),
            ("[remote \"origin\"\nurl = https://h/a\n", nil), ("[remote \"origin]\nurl = https://h/a\n", nil),
            ("[remote \"origin\"]\nurl = \"https://h/a\n", nil), ("[remote \"origin\"]\nurl = https://h/\\q\n", nil),
            ("[remote \"origin\"]\n= x\nurl = https://h/a\n", nil),
            ("\u{FEFF}[remote \"origin\"]\nurl = https://h/a", "h/a"),
            ("[include]\n\tpath = other\n", nil), ("", nil),
        ] as [(String, String?)])
    func configurations(text: String, expected: String?) throws {
        try make(".git")
        try write(".git/other", "[remote \"origin\"]\nurl = https://h/included\n")
        #expect(try remote(configuration: text) == expected)
    }

    @Test("every truncation of a configuration is read")
    func truncations() throws {
        let text =
            "[core]\n\tbare = false\n[remote \"or\\\"igin\"]\n\turl = \"https://h/\\t\" \\\n # a\n\turl = b:c ; x\n"
        for count in 0...text.utf8.count {
            _ = try remote(configuration: String(decoding: text.utf8.prefix(count), as: UTF8.self))
        }
        #expect(remote() == nil)
    }

    @Test("a configuration of more than 1 MiB, a pipe in its place and bytes that are no text tell nothing")
    func unsuitable() throws {
        let entry = "[remote \"origin\"]\nurl = https://h/a\n"
        #expect(try remote(configuration: entry + String(repeating: "#", count: (1 << 20) - entry.utf8.count)) == "h/a")
        #expect(try remote(configuration: entry + String(repeating: "#", count: 1 << 20)) == nil)
        try folder.write(".git/config", Array("[remote \"origin\"]\nurl = https://h/".utf8) + [0xFF, 0xFE])
        #expect(remote() == nil)
        try FileManager.default.removeItem(atPath: root + "/.git/config")
        #expect(remote() == nil)
        #expect(unsafe mkfifo(root + "/.git/config", 0o600) == 0)
        #expect(remote() == nil)
    }

    @Test("a repository of somebody else tells nothing", .enabled(if: geteuid() == 0, "only root can give files away"))
    func foreign() throws {
        #expect(try remote(configuration: "[remote \"origin\"]\nurl = https://h/a\n") == "h/a")
        #expect(unsafe chown(root + "/.git", 4_242, 4_242) == 0)
        #expect(remote() == nil)
        #expect(unsafe chown(root + "/.git", 0, 0) == 0)
        #expect(unsafe chown(root + "/.git/config", 4_242, 4_242) == 0)
        #expect(remote() == nil)
    }
}
