import Foundation
@testable import Keyfob
import KeyfobLookup
import KeyfobTestSupport
import Testing

@Suite("Project files", .eachStorageInFullRun)
struct ProjectFileTests {
    private let home: KeyringHome
    private let keyring: Keyring
    private let ada: Account
    private let bob: Account
    private let work: AccessGroup
    /// The real path of the project, in which there is a folder `a/b`.
    private let root: String

    init() throws {
        home = try KeyringHome()
        keyring = home.keyring
        (ada, bob) = (try .contoso("ada"), try .contoso("bob", label: "Lab"))
        work = try AccessGroup("work")
        try keyring.groups.create(work)
        try keyring.store(.access(ada), "token", for: ada)
        try keyring.store(.access(bob), "token", for: bob, in: [work])
        try FileManager.default.createDirectory(
            atPath: home.folder.path + "/project/a/b", withIntermediateDirectories: true)
        root = try #require(DirectoryContext(at: home.folder.path + "/project").directory)
    }

    private func code(_ body: () throws -> Void) -> KeyringError.Code? {
        failure(of: KeyringError.self, body)?.code
    }

    /// Writes the project's file, or one below it.
    @discardableResult
    private func write(_ text: String, in folder: String = "") throws -> String {
        try write([UInt8](text.utf8), in: folder)
    }

    @discardableResult
    private func write(_ bytes: [UInt8], in folder: String = "") throws -> String {
        try home.folder.write("project" + folder + "/.keyfob.toml", bytes)
        return root + folder + "/.keyfob.toml"
    }

    /// What counts in a folder of the project, as another process sees it.
    private func found(
        in folder: String = "", groups: [AccessGroup]? = nil
    ) throws -> (binding: Binding?, warnings: [Warning]) {
        let other = try home.opened()
        return try other.withState { state in
            let found = try other.search.projectBindings(
                &state, directory: root + folder, groups: state.groups(groups))
            return (found.bindings.first, found.warnings)
        }
    }

    private func binding(_ account: Account?, _ group: AccessGroup, in folder: String = "") -> Binding {
        Binding(
            .directory(root + folder), to: account.map { .account($0.id) } ?? .nobody,
            from: .file(root + folder + "/.keyfob.toml", group), by: .owner)
    }

    @Test(
        "what the file says counts below it once it is allowed",
        arguments: [
            "account = \"ada\"", "# why\naccount = 'ADA@contoso.example' # who\n",
            "\"account\" = \"ada-uid.contoso\"\r\n",
            "group = \"default\"\naccount = \"ada\"\n",
        ])
    func allowed(text: String) throws {
        let path = try write(text)
        let before = try found(in: "/a/b")
        #expect(before.binding == nil)
        #expect(
            before.warnings == [
                Warning(.projectFile, "\(path) is not allowed, and does not count", advice: .allow(path: path))
            ])
        #expect(try keyring.bindings.allow(path) == binding(ada, .default))
        for folder in ["", "/a", "/a/b"] {
            let after = try found(in: folder)
            #expect(after.binding == binding(ada, .default))
            #expect(after.warnings.isEmpty)
        }
    }

    @Test("the file names the group, or the account is looked for in all")
    func groups() throws {
        try write("account = \"Lab\"")
        #expect(try keyring.bindings.allow(root) == binding(bob, work))
        #expect(try found(groups: [.default]).binding == nil)
        #expect(try found(groups: [work]).binding == binding(bob, work))
        try write("account = \"none\"\ngroup = \"work\"")
        #expect(try keyring.bindings.allow(root) == binding(nil, work))
        #expect(code { _ = try keyring.bindings.allow(root, in: [.default]) } == .usage)
        try write("account = \"none\"")
        #expect(try keyring.bindings.allow(root) == binding(nil, .default))
        // In one group only.
        #expect(try found(groups: [work]).binding == nil)
        #expect(try keyring.bindings.allowedFiles().map(\.binding) == [binding(nil, .default)])
    }

    @Test("nothing is said where there is no file")
    func none() throws {
        let nothing = try found(in: "/a/b")
        #expect(nothing.binding == nil && nothing.warnings.isEmpty)
        #expect(ProjectFile.nearest(from: root + "/a/b") == nil)
        try write("", in: "/a")
        #expect(ProjectFile.nearest(from: root + "/a/b") == root + "/a/.keyfob.toml")
        #expect(ProjectFile.nearest(from: root + "/gone") == nil)
    }

    @Test("the nearest file that is allowed wins")
    func nearest() throws {
        try write("account = \"ada\"")
        _ = try keyring.bindings.allow(root)
        let inner = try write("account = \"Lab\"", in: "/a")
        let outside = try found(in: "/a/b")
        #expect(outside.binding == binding(ada, .default))
        #expect(outside.warnings.count == 1 && outside.warnings[0].message.contains(inner))
        _ = try keyring.bindings.allow(inner)
        #expect(try found(in: "/a/b").binding == binding(bob, work, in: "/a"))
        #expect(try found().binding == binding(ada, .default))
    }

    @Test("a file that has changed, or is gone, does not count")
    func changed() throws {
        let path = try write("account = \"ada\"")
        _ = try keyring.bindings.allow(path)
        try write("account = \"ada\" ")
        let changed = try found()
        #expect(changed.binding == nil)
        #expect(
            changed.warnings == [
                Warning(.projectFile, "\(path) has changed since it was allowed", advice: .allow(path: path))
            ])
        #expect(try keyring.bindings.allowedFiles().first?.problem == changed.warnings.first)
        // What it was counts again.
        try write("account = \"ada\"")
        #expect(try found().binding != nil)
        try FileManager.default.removeItem(atPath: path)
        #expect(try found().binding == nil && found().warnings.isEmpty)
        #expect(try keyring.bindings.allowedFiles().first?.problem?.advice == .disallow(path: path))
    }

    @Test("what was allowed at one path is not at another")
    func moved() throws {
        let path = try write("account = \"ada\"")
        _ = try keyring.bindings.allow(path)
        try write("account = \"ada\"", in: "/a")
        #expect(try found(in: "/a").warnings.count == 1)
        #expect(try found(in: "/a").binding == binding(ada, .default))
    }

    @Test("an allowance can be taken back, also when file and folder are gone")
    func revoked() throws {
        let path = try write("account = \"ada\"", in: "/a/b")
        #expect(code { try keyring.bindings.disallow(path) } == .noSuchBinding)
        _ = try keyring.bindings.allow(path)
        #expect(try keyring.bindings.disallow(root + "/a/b") == path)
        #expect(try found(in: "/a/b").binding == nil)
        _ = try keyring.bindings.allow(path)
        try FileManager.default.removeItem(atPath: root + "/a")
        #expect(try keyring.bindings.disallow(path) == path)
        #expect(try keyring.bindings.allowedFiles().isEmpty)
    }

    @Test("a link, another's file, one for everybody and a large one are refused, and never count")
    func untrusted() throws {
        let path = try write("account = \"ada\"")
        func expectRefused(_ expected: KeyringError.Code, _ words: String) throws {
            #expect(code { _ = try keyring.bindings.allow(path) } == expected)
            let refused = try found()
            #expect(refused.binding == nil)
            #expect(refused.warnings.count == 1 && refused.warnings[0].message.contains(words), "\(refused.warnings)")
        }
        _ = try keyring.bindings.allow(path)
        try home.folder.setMode("project/.keyfob.toml", 0o602)
        try expectRefused(.configuration, "can be written by everybody")
        try home.folder.setMode("project/.keyfob.toml", 0o664)
        #expect(try found().binding != nil)
        try FileManager.default.moveItem(atPath: path, toPath: root + "/elsewhere")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "elsewhere")
        try expectRefused(.configuration, "symbolic link")
        try FileManager.default.removeItem(atPath: path)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        try expectRefused(.configuration, "not a regular file")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try found().warnings.first?.message.contains("not a regular file") == true)
        try FileManager.default.removeItem(atPath: path)
        try write("account = \"ada\"\n" + String(repeating: "#", count: 65_536))
        try expectRefused(.limitExceeded, "larger than 65536 bytes")
    }

    @Test("another user's file never counts", .enabled(if: geteuid() == 0, "only root can give files away"))
    func foreign() throws {
        let path = try write("account = \"ada\"")
        _ = try keyring.bindings.allow(path)
        #expect(unsafe chown(path, 4_242, 4_242) == 0)
        #expect(code { _ = try keyring.bindings.allow(path) } == .configuration)
        #expect(try found().binding == nil)
        #expect(try found().warnings.first?.message.contains("belongs to another user") == true)
    }

    @Test("a file of 64 KiB is read")
    func largest() throws {
        let line = "account = \"ada\"\n"
        try write(line + String(repeating: "#", count: 65_536 - line.utf8.count))
        #expect(try keyring.bindings.allow(root) == binding(ada, .default))
    }

    @Test(
        "what is wrong in a file is told with its line",
        arguments: [
            ("", .configuration, "the key 'account' is missing"),
            ("group = \"work\"", .configuration, "'account' is missing"),
            ("account = \"ada\"\n\nacount = 1\n", .configuration, "line 3: there is no key 'acount'"),
            ("account = \"ada\"\n[tool.x]\ny = 1", .configuration, "line 2: tables are not supported"),
            ("[[a]]", .configuration, "line 1: tables are not supported"),
            ("account = \"\"\"ada\"\"\"", .configuration, "line 1: text of several lines is not supported"),
            ("\n'\'\'account\'\'\' = 1", .configuration, "line 2: text of several lines is not supported"),
            ("account = {a = 1}", .configuration, "line 1: 'account' is not text"),
            ("account = -1", .configuration, "line 1: 'account' is not text"),
            ("account = 1979-05-27", .configuration, "line 1: 'account' is not text"),
            ("account . name = 1", .configuration, "line 1: 'account' is not text"),
            ("other.name = 1", .configuration, "line 1: there is no key 'other'"),
            ("b = 1\na = 1\naccount = \"ada\"", .configuration, "line 1: there is no key 'b'"),
            ("account = \"ada\"\n\"gr\\u006Fups\" = 1", .configuration, "there is no key 'groups'"),
            ("account = 3", .configuration, "line 1: 'account' is not text"),
            ("account = [\"ada\"]", .configuration, "line 1: 'account' is not text"),
            ("account.name = \"ada\"", .configuration, "line 1: 'account' is not text"),
            ("account = \"\"", .configuration, "line 1: 'account' is blank"),
            ("account = \"a\\u0007\"", .configuration, "line 1: 'account' is blank or holds control characters"),
            ("account = \"ada\"\ngroup = true", .configuration, "line 2: 'group' is not text"),
            ("account = \"ada\"\ngroup = \" \"", .configuration, "line 2: a group's name cannot be blank"),
            ("account = ada", .damaged, "line 1"), ("account = \"ada", .damaged, "line 1"),
            ("\n\naccount", .damaged, "line 3"), ("account = \"ada\" x", .damaged, "line 1"),
            ("account = \"a\\q\"", .damaged, "line 1"), ("account = \"a\\uD800\"", .damaged, "line 1"),
            ("account = \"a\\u00e\"", .damaged, "line 1"), ("account = \"a\\U00110000\"", .damaged, "line 1"),
            ("account = 'ada\"", .damaged, "line 1"), ("= 'ada'", .damaged, "line 1"),
            ("account = \"ada\"\r", .damaged, "line 1 holds a control character"),
            ("# \u{7F}\naccount = \"ada\"", .damaged, "line 1 holds a control character"),
            ("account = \"ada\naccount = \"bob\"", .damaged, "line 1"),
            ("account = \"ada\"\naccount = \"bob\"", .damaged, "line 2"),
            ("account = \"ada\"\n\u{0}", .damaged, "line 2 holds a control character"),
            ("{\"account\": \"ada\"}", .damaged, "line 1"), ("account = \"eve\"", .noSuchAccount, "'eve'"),
            ("account = \"ada\"\ngroup = \"nowhere\"", .noSuchGroup, "'nowhere'"),
            ("account = \"ada\"\ngroup = \"work\"", .noSuchAccount, "'ada'"),
        ] as [(String, KeyringError.Code, String)])
    func mistakes(text: String, code: KeyringError.Code, words: String) throws {
        try write(text)
        let error = failure(of: KeyringError.self) { _ = try keyring.bindings.allow(root) }
        #expect(error?.code == code)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        #expect(error?.message.contains("\n") == false)
        #expect(try found().binding == nil)
    }

    @Test("bytes that are no text are refused", arguments: [[0xFF, 0xFE, 0x00], [0x23, 0xC3]] as [[UInt8]])
    func notText(bytes: [UInt8]) throws {
        try write(bytes)
        #expect(code { _ = try keyring.bindings.allow(root) } == .damaged)
    }

    @Test(
        "what is nested deeply is refused",
        arguments: [
            ("account = ", "[", 60_000), ("account = ", "{a=", 20_000), ("", "a.", 30_000), ("[", "a.", 30_000),
            ("", "[[a]]\n", 10_000), ("account = {b.c = [\n{", "a.", 200), ("# x\n\t", "a .", 20_000),
        ])
    func nesting(start: String, part: String, count: Int) throws {
        for end in ["", "a = 1", "a]\n"] {
            try write(start + String(repeating: part, count: count) + end)
            let code = code { _ = try keyring.bindings.allow(root) }
            #expect(code == .damaged || code == .configuration)
        }
    }

    @Test("a long comment may hold dots")
    func comments() throws {
        try write("account = \"ada\"\n" + String(repeating: "  # Why...\n", count: 1_000))
        #expect(try keyring.bindings.allow(root) == binding(ada, .default))
    }

    @Test("every truncation and every flipped bit of a file is allowed or refused")
    func damaged() throws {
        let text = [UInt8]("account = \"ada\" # ü\ngroup = 'default'\n".utf8)
        for count in 0..<text.count {
            let file = try? ProjectFile(Array(text[..<count]), path: "/x")
            #expect(file?.account == nil || file?.account == "ada")
        }
        for bit in 0..<text.count * 8 {
            var flipped = text
            flipped[bit / 8] ^= 1 << (bit % 8)
            let file = try? ProjectFile(flipped, path: "/x")
            #expect(file.map { $0.account?.isEmpty != true } ?? true)
        }
    }

    @Test(
        "only a file of that name, or the folder of one, can be allowed",
        arguments: [
            ("other.toml", KeyringError.Code.usage), ("gone", .noSuchFile), ("gone/.keyfob.toml", .noSuchFile),
            ("a", .noSuchFile), (".keyfob.toml/", .noSuchFile),
        ])
    func names(name: String, expected: KeyringError.Code) throws {
        try home.folder.write("project/other.toml", [UInt8]("account = \"ada\"".utf8))
        #expect(code { _ = try keyring.bindings.allow(root + "/" + name) } == expected)
    }

    @Test("a binding of the same directory in the keyring counts before the file's")
    func precedence() throws {
        try write("account = \"ada\"")
        _ = try keyring.bindings.allow(root)
        func count() throws -> [Binding] {
            try keyring.withState { state in
                try keyring.search.decisions(&state, state.groups(nil), directory: root).bindings
            }
        }
        #expect(try count() == [binding(ada, .default)])
        try keyring.bindings.set(.directory(root), to: .account(bob.id), in: work)
        #expect(try count().map(\.target) == [.account(bob.id)])
        _ = try keyring.bindings.remove(.directory(root))
        #expect(try count() == [binding(ada, .default)])
    }

    @Test("a directory is named by its real path, and once it is gone by what that was")
    func directories() throws {
        try FileManager.default.createSymbolicLink(atPath: root + "/link", withDestinationPath: "a")
        #expect(try Binding.Subject(directoryAt: root + "/link/../a/./b/") == .directory(root + "/a/b"))
        #expect(code { _ = try Binding.Subject(directoryAt: root + "/gone") } == .noSuchFile)
        #expect(code { _ = try Binding.Subject(directoryAt: "") } == .noSuchFile)
        #expect(code { _ = try Binding.Subject(directoryAt: "", mustExist: false) } == .noSuchFile)
        try write("")
        #expect(code { _ = try Binding.Subject(directoryAt: root + "/.keyfob.toml") } == .usage)
        #expect(
            try Binding.Subject(directoryAt: root + "/link/gone/./x/", mustExist: false)
                == .directory(root + "/a/gone/x"))
        #expect(code { _ = try Binding.Subject(directoryAt: root + "/gone/../x", mustExist: false) } == .noSuchFile)
    }
}
