import Foundation
import KeyfobTestSupport
import Testing

/// Every command that there is: it changes nothing in the vault's records, it is undone, or its help says that it is not.
@Suite("Undoing every command", .waitsForPrograms)
struct UndoEverythingTests {
    /// What a command is to an undo.
    enum Kind: Sendable {
        /// It changes no record, as these lines show; without one where it needs a network, a bus or a person, and then it gets
        /// tokens anew at most.
        case changesNothing(_ lines: [String])
        /// It is not undone, and its help says so: what comes before, and the lines after which an undo refuses; without one
        /// where it needs more than one machine, a network, a bus or damage, or changes nothing here.
        case notUndone(_ before: String = "true", _ lines: [String] = [])
        /// It is undone: what comes before, and the lines that run it.
        case undone(_ before: String, _ lines: [String])
        /// It is undone, as a test of its own shows that has a provider.
        case undoneAtProvider
    }

    private static let ada = "printf t1 | keyfob add -q ada@git.example"
    private static let bob = "printf t2 | keyfob add -q bob@git.example"
    private static let provider = "keyfob provider add -q --issuer https://login.example --name mine"
    private static let client = "\(provider) && keyfob client add -q one --provider mine"
    private static let project = "printf 'account = \"ada@git.example\"\\n' > .keyfob.toml"

    static let kinds: [String: Kind] = [
        "init": .notUndone(), "status": .changesNothing(["keyfob status"]), "doctor": .notUndone(),
        "verify": .changesNothing(["keyfob verify"]),
        "unlock": .changesNothing([]), "unlock --user": .notUndone(), "lock": .changesNothing(["keyfob lock"]),
        "slot list": .changesNothing(["keyfob slot list"]),
        "slot add": .notUndone("true", ["keyfob slot add -q key-file --new second"]),
        "slot remove": .notUndone(
            "keyfob slot add -q key-file --new second; \(newestSlot)", ["keyfob slot remove -q $(cat slot)"]),
        "rekey": .notUndone(
            "true", ["keyfob rekey -q --keep-key-file key --force --recovery-file new > out"]),
        "group list": .changesNothing(["keyfob group list"]),
        "group current": .changesNothing(["keyfob group current"]),
        "group create": .undone("true", ["keyfob group create -q work"]),
        "group rename": .undone("keyfob group create -q work", ["keyfob group rename -q work other"]),
        "group remove": .notUndone("keyfob group create -q work", ["keyfob group remove -q --force work"]),
        "group grant": .notUndone(
            "keyfob group create -q work", ["keyfob group grant -q work key-file --new second"]),
        "group revoke": .notUndone(
            "keyfob group create -q work; keyfob group grant -q work key-file --new second; \(newestSlot)",
            ["keyfob group revoke -q work $(cat slot) --force"]),
        "group rotate": .notUndone("keyfob group create -q work", ["keyfob group rotate -q work"]),
        "migrate": .notUndone(), "account list": .changesNothing(["keyfob account list"]),
        "account show": .changesNothing(["keyfob account show ada"]),
        "account label": .undone(
            "\(ada) && keyfob account label -q ada old",
            ["keyfob account label -q ada new", "keyfob account label -q ada --none"]),
        "account move": .undone(
            "\(ada); keyfob group create -q work; keyfob bind -q --tool t ada; "
                + "keyfob program allow -q /bin/sh --account ada",
            ["keyfob account move -q ada --to work"]),
        "account remove": .undone(
            "\(ada); keyfob use -q ada; keyfob bind -q --tool t ada",
            ["keyfob account remove -q --force ada", "keyfob account remove -q --force --unbind ada"]),
        "account default": .undone(
            "\(ada); \(bob); keyfob account default -q ada",
            ["keyfob account default -q bob", "keyfob account default -q --none"]),
        "account refresh": .notUndone(),
        "add": .undone(
            ada,
            [
                "printf t3 | keyfob add -q ada@git.example", "printf t3 | keyfob add -q ada@git.example --scope x",
                "printf t3 | keyfob add -q cleo@git.example --label c",
                "printf t3 | keyfob add -q ada@git.example --username lovelace",
            ]),
        "token": .changesNothing(["keyfob token -a ada"]), "which": .changesNothing(["keyfob which -a ada"]),
        "pick": .changesNothing([]), "undo": .changesNothing(["keyfob undo --list", "keyfob undo --dry-run"]),
        "login": .undoneAtProvider,
        "logout": .undone(ada, ["keyfob logout -q --yes ada", "keyfob logout -q --yes --forget ada"]),
        "request": .changesNothing([]), "provider list": .changesNothing(["keyfob provider list"]),
        "provider show": .changesNothing(["keyfob provider show mine"]), "provider check": .changesNothing([]),
        "provider add": .undone("true", [provider]),
        "provider add --replace": .undone(
            provider, ["keyfob provider add -q --issuer https://login.example --name mine --title T --replace"]),
        "provider rename": .undone(provider, ["keyfob provider rename -q mine yours"]),
        "provider remove": .undone(client, ["keyfob provider remove -q --force mine"]),
        "client list": .changesNothing(["keyfob client list"]),
        "client add": .undone(
            client,
            [
                "keyfob client add -q two --provider mine --default",
                "printf s | keyfob client add -q two --provider mine --secret-fd 0",
                "keyfob client add -q one --provider mine --replace --redirect-uri http://127.0.0.1:7/",
            ]),
        "client remove": .undone(
            "\(client) && printf s | keyfob client add -q two --provider mine --secret-fd 0 --default",
            ["keyfob client remove -q --force two", "keyfob client remove -q --force one"]),
        "redirect": .changesNothing([]), "exec": .changesNothing(["keyfob exec -a ada --env TOKEN -- true"]),
        "inject": .changesNothing(["printf x | keyfob inject"]), "env": .changesNothing(["keyfob env ada"]),
        "helper git": .changesNothing(["printf 'protocol=https\\nhost=git.example\\n\\n' | keyfob helper git get"]),
        "helper docker": .undone(
            ada,
            [
                "printf '{\"ServerURL\":\"docker.example\",\"Username\":\"eve\",\"Secret\":\"p\"}' | keyfob helper docker store"
            ]),
        "helper kubectl": .changesNothing([]), "helper aws": .changesNothing([]),
        "setup git": .notUndone("true", ["keyfob setup git -q --force"]),
        "setup docker": .notUndone(
            "true",
            [
                "mkdir b; ln -s $(command -v keyfob) b/docker-credential-keyfob; "
                    + "PATH=$PWD/b:$PATH keyfob setup docker -q --host git.example --force"
            ]),
        "setup kubectl": .notUndone(), "setup aws": .notUndone(),
        "setup az": .notUndone(), "setup mail": .notUndone(),
        "setup direnv": .notUndone("true", ["keyfob setup direnv -q --force"]), "setup broker": .notUndone(),
        "setup url-scheme": .notUndone(), "setup mcp": .notUndone(), "mcp": .changesNothing([]),
        "mirror azure-cli": .notUndone(),
        "mirror msal": .notUndone("cp \(cache) c.json", ["keyfob mirror msal -q --force c.json"]),
        "mirror list": .changesNothing(["keyfob mirror list"]),
        "mirror stop": .notUndone(
            "cp \(cache) c.json; keyfob mirror msal -q --force c.json", ["keyfob mirror stop -q c.json"]),
        "agent": .changesNothing([]),
        "broker accounts": .changesNothing([]), "broker token": .changesNothing([]), "device": .changesNothing([]),
        "program list": .changesNothing(["keyfob program list"]),
        "program allow": .undone(ada, ["keyfob program allow -q /bin/sh --account ada"]),
        "program deny": .undone(
            "\(ada) && keyfob program allow -q /bin/sh --account ada", ["keyfob program deny -q /bin/sh --account ada"]),
        "program forget": .undone(
            "\(ada) && keyfob program allow -q /bin/sh --account ada", ["keyfob program forget -q /bin/sh"]),
        "log": .changesNothing(["keyfob log"]),
        "log --off": .notUndone("true", ["keyfob log -q --off", "keyfob log -q --begin-anew"]),
        "export": .changesNothing(["keyfob export -q --format msal -"]),
        "export --format": .notUndone("true", ["keyfob export -q --format msal out.json"]),
        "account remove --forever": .notUndone(
            ada, ["keyfob account remove -q --force --forever ada"]),
        "logout --forever": .notUndone(ada, ["keyfob logout -q --yes --forever ada"]),
        "undo --clear": .notUndone(
            "\(ada); keyfob account remove -q --force ada", ["keyfob undo -q --clear --force"]),
        "import": .undone(
            "\(ada); cp \(cache) c.json",
            ["keyfob import -q c.json", "keyfob import -q bundle.age --bundle-identity recovery"]),
        "backup": .changesNothing(["keyfob backup -q", "keyfob backup -q --to b.age"]),
        "restore": .undone(
            "\(ada); \(bob); keyfob backup -q --to b.age; "
                + "keyfob account remove -q --force --forever ada; keyfob account label -q bob x",
            [
                "keyfob restore -q b.age --bundle-identity recovery --account ada",
                "keyfob restore -q b.age --bundle-identity recovery --force",
            ]),
        "restore --group": .undone(
            "\(ada); keyfob group create -q work; printf t | keyfob add -q eve@git.example --group work; "
                + "keyfob backup -q --to b.age; keyfob group remove -q --force work",
            ["keyfob restore -q b.age --bundle-identity recovery --group work"]),
        "sync run": .notUndone(),
        "sync init": .notUndone("mkdir remote", ["keyfob sync init -q remote --name one > out"]),
        "sync join": .notUndone(
            "mkdir remote", ["keyfob sync join -q remote --name two > out"]), "sync approve": .notUndone(),
        "sync revoke": .notUndone(),
        "sync leave": .notUndone(
            "mkdir remote; keyfob sync init -q remote --name one > out", ["keyfob sync leave -q"]),
        "sync accept": .notUndone(),
        "sync repair": .notUndone(),
        "sync status": .changesNothing([]),
        "use": .undone("\(ada); \(bob); keyfob use -q ada", ["keyfob use -q bob", "keyfob use -q bob --here"]),
        "whoami": .changesNothing(["keyfob whoami"]),
        "bind": .undone(
            "\(ada); \(bob); keyfob bind -q --tool t ada",
            ["keyfob bind -q --tool t bob", "keyfob bind -q --tool t none", "keyfob bind -q --host git.example ada"]),
        "unbind": .undone("\(ada); keyfob bind -q --tool t ada", ["keyfob unbind -q --tool t"]),
        "bindings": .changesNothing(["keyfob bindings"]),
        "allow": .undone("\(ada); \(project)", ["keyfob allow -q"]),
        "allow --revoke": .undone("\(ada); \(project); keyfob allow -q", ["keyfob allow -q --revoke"]),
        "prompt": .changesNothing(["keyfob prompt"]),
        "passwd": .notUndone(
            "printf new > new", ["keyfob passwd -q --kdf-memory 64 --new-passphrase-fd 3 3< new"]),
        "lost": .notUndone(),
        "uninstall": .notUndone("keyfob setup git -q --force", ["keyfob uninstall -q --force > out"]),
        "history show": .changesNothing(["keyfob history show"]),
        "history clear": .notUndone("true", ["keyfob history clear -q"]),
        "completions": .changesNothing(["keyfob completions bash"]), "man": .changesNothing(["keyfob man"]),
    ]
    private static let cache = "cache.json"
    private static let newestSlot =
        "keyfob slot list --json | tr -d ' ,\"' | awk -F: '$1 == \"id\" { id = $2 } END { print id }' > slot"

    private static var lastingCases: [(command: String, before: String, line: String)] {
        kinds.sorted { $0.key < $1.key }.flatMap { command, kind in
            guard case .notUndone(let before, let lines) = kind else { return [(String, String, String)]() }
            return lines.map { (command, before, $0) }
        }
    }

    private static var cases: [(command: String, before: String, line: String)] {
        var cases: [(command: String, before: String, line: String)] = []
        for (command, kind) in kinds.sorted(by: { $0.key < $1.key }) {
            guard case .undone(let before, let lines) = kind else { continue }
            for line in lines { cases.append((command, before, line)) }
        }
        return cases
    }

    private static var harmless: [(command: String, line: String)] {
        kinds.sorted { $0.key < $1.key }.flatMap { command, kind in
            guard case .changesNothing(let lines) = kind else { return [(String, String)]() }
            return lines.map { (command, $0) }
        }
    }

    @Test("every command is known for what it is to an undo, and what is not undone says so in its help")
    func complete() throws {
        let leaves = try CommandList.all().filter(\.isLeaf).map { String($0.line.dropFirst("keyfob ".count)) }
        // Options that do another thing stand beside their command.
        #expect(Set(leaves) == Set(Self.kinds.keys.filter { !$0.contains(" --") }))
        let place = try Workplace()
        for (command, kind) in Self.kinds {
            let help = try place.run("keyfob \(command.split(separator: " --")[0]) --help").text
            let says = help.replacing("\n", with: " ").contains("'keyfob undo' does not undo this")
            let isNotUndone = if case .notUndone = kind { true } else { false }
            // Of what an option does the help says it too.
            let isMeant = Self.kinds.contains { name, other in
                guard name.hasPrefix("\(command) --"), case .notUndone = other else { return false }
                return true
            }
            #expect(command.contains(" --") ? says || !isNotUndone : says == (isNotUndone || isMeant), "\(command)")
        }
    }

    @Test("what changes nothing leaves the records as they are, and is no entry")
    func harmless() throws {
        let place = try Workplace.withVault()
        try place.run("set -e; \(Self.ada); \(Self.client); keyfob use -q ada").expectSuccess()
        let (content, entries) = (try VaultContent(place), try place.run("keyfob undo --list --json").text)
        for (command, line) in Self.harmless {
            let outcome = try place.run(line)
            #expect(line.contains("keyfob \(command)") && outcome.status == 0, "\(outcome)")
            #expect(try VaultContent(place) == content, "\(line)")
            #expect(try place.run("keyfob undo --list --json").text == entries, "\(line)")
        }
    }

    @Test("a sign-in is undone, and so is the next one of the same account", arguments: ["first", "second"])
    func signIn(which: String) throws {
        let server = try ProviderServer()
        let home = try SignInPlace(server)
        if which == "second" { try home.signIn("alice") }
        let former = try VaultContent(home.place)
        try home.signIn("alice")
        let changed = try VaultContent(home.place)
        #expect(former != changed)
        let undone = try home.run("keyfob undo --yes")
        let after = try VaultContent(home.place)
        if which == "first" {
            #expect(undone.status == 0 && after == former, "\(undone)\n\(after)\nwas\n\(former)")
        } else {
            // A refresh token that the provider may have ended for the newer one does not come back.
            #expect(after == former || undone.errors.contains("kept as it is: the refresh token"), "\(undone)")
        }
        try home.expectSound()
    }

    @Test("what is undone is as before, and the undo is undone in turn", arguments: cases)
    func undone(command: String, before: String, line: String) throws {
        let place = try Workplace.withVault()
        try place.write(Self.cache, SampleCache(people: 3).json())
        if command == "import", line.contains("bundle") {
            let other = try Workplace.withVault()
            let recipient = try place.run("keyfob slot list --json | grep -o 'age1[0-9a-z]*' | head -1").text
            try other.run(
                "\(Self.bob); keyfob group create -q team; printf t5 | keyfob add -q eve@git.example --group team; "
                    + "keyfob export -q bundle.age --to \(recipient)"
            ).expectSuccess()
            try place.run("cp \(other.path)/bundle.age .").expectSuccess()
        }
        try place.run("set -e; \(before)").expectSuccess()
        let former = try VaultContent(place)
        try place.run(line).expectSuccess()
        let changed = try VaultContent(place)
        #expect(former != changed, "it changes nothing: \(line)")
        let undone = try place.run("keyfob undo --yes").expectSuccess()
        let after = try VaultContent(place)
        // A group that came with records stays for them, empty, until the next undo.
        let isEmptied = command == "restore --group" || line.contains("bundle.age")
        func isFormer(_ content: VaultContent) -> Bool {
            content == former || isEmptied && content.groups.filter { !$0.value.isEmpty } == former.groups
        }
        #expect(isFormer(after), "\(undone)\n\(after)\nwas\n\(former)")
        #expect(undone.errors.contains("kept as it is") == isEmptied, "\(undone)")
        if let again = undone.errors.firstMatch(of: /to take that back: (keyfob undo [0-9a-f]{8})/)?.output.1 {
            let redone = try place.run(String(again)).expectSuccess()
            let after = try VaultContent(place)
            #expect(after == changed, "\(redone)\n\(after)\nwas\n\(changed)")
            try place.run("keyfob undo --list").expectSuccess()
            let third = try place.run("keyfob undo --yes").expectSuccess()
            #expect(try isFormer(VaultContent(place)), "\(third)")
        }
        if isEmptied {
            let last = try place.run("keyfob undo --yes").expectSuccess()
            #expect(try VaultContent(place) == former, "\(last)")
        }
        try place.run("keyfob verify").expectSuccess()
    }

    @Test(
        "after what cannot be undone an undo says so, leaves all older changes, and names what undoes them",
        arguments: lastingCases)
    func lasting(command: String, before: String, line: String) throws {
        let place = try Workplace.withVault()
        try place.write(Self.cache, SampleCache(people: 1).json())
        try place.run("set -e; \(before)").expectSuccess()
        try place.run("\(Self.bob); keyfob bind -q --tool t bob").expectSuccess()
        try place.run(line).expectSuccess()
        let former = try VaultContent(place)
        let name = command.split(separator: " --")[0]
        for options in ["", "--yes", "--force", "--dry-run"] {
            let refused = try place.run("keyfob undo \(options)")
            #expect(refused.status == 1 && refused.errors.contains("keyfob: '\(name)"), "\(refused)")
            #expect(refused.errors.contains(", which cannot be undone; "), "\(refused)")
            #expect(refused.errors.split(separator: "\n").count == 1, "\(refused)")
            #expect(try VaultContent(place) == former, "\(refused)")
        }
        let document = try place.run("keyfob undo --yes --json").errors
        #expect(document.contains("\"notUndoable\"") && document.contains("\"insteadOfUndo\""), "\(document)")
        for list in ["undo --list", "log"] {
            let shown = try place.run("keyfob \(list)").expectSuccess().text
            #expect(shown.contains(name), "\(list): \(shown)")
        }
        if command == "undo --clear" { return }
        let told = try place.run("keyfob undo").errors
        let way = try #require(
            told.firstMatch(of: /to undo 'bind' before it: '(keyfob undo [0-9a-f]{8})'/), "\(told)"
        ).output.1
        let undone = try place.run(String(way)).expectSuccess()
        #expect(undone.errors.contains("took away 1 binding"), "\(undone)")
        // It is in the way as before, and not what was done before it.
        #expect(try place.run("keyfob undo --yes").status == 1)
        try place.run("keyfob verify").expectSuccess()
        // What is done after it can be undone.
        try place.run("keyfob bind -q --tool later bob").expectSuccess()
        #expect(try place.run("keyfob undo --yes").expectSuccess().errors.contains("tool later"))
    }

    @Test("a new vault is what an undo stops at, and others are in nobody's way")
    func made() throws {
        let place = try Workplace.withVault()
        #expect(try place.run("keyfob undo --yes").expectError(1, "'init' at", "made the vault").status == 1)
        try place.run("keyfob init -q --vault other --new-key-file second --recovery-file new").expectSuccess()
        try place.run("keyfob undo --yes --vault other --key-file second").expectError(1, "'init' at")
        try place.run("\(Self.bob); keyfob undo --yes").expectSuccess()
        try place.run("keyfob backup -q --to b.age").expectSuccess()
        try place.run(
            "keyfob restore -q b.age --bundle-identity recovery --vault third --new-key-file k --recovery-file r"
        )
        .expectSuccess()
        try place.run("keyfob undo --yes --vault third --key-file k").expectError(1, "'restore' at", "made the vault")
    }
}
