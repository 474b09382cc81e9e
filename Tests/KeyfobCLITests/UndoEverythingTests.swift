import Foundation
import KeyfobTestSupport
import Testing

/// Every command that there is: it changes nothing in the vault's records, it is undone, or its help says that it is not.
@Suite("Undoing every command", .waitsForPrograms)
struct UndoEverythingTests {
    /// What a command is to an undo.
    enum Kind: Sendable {
        /// It changes no record, or only gets tokens anew.
        case changesNothing
        /// It is not undone, and its help says so.
        case notUndone
        /// It is undone: what comes before, and the lines that run it.
        case undone(_ before: String, _ lines: [String])
    }

    private static let ada = "printf t1 | keyfob add -q ada@git.example"
    private static let bob = "printf t2 | keyfob add -q bob@git.example"
    private static let provider = "keyfob provider add -q --issuer https://login.example --name mine"
    private static let client = "\(provider) && keyfob client add -q one --provider mine"
    private static let project = "printf 'account = \"ada@git.example\"\\n' > .keyfob.toml"

    static let kinds: [String: Kind] = [
        "init": .notUndone, "status": .changesNothing, "doctor": .changesNothing, "verify": .changesNothing,
        "unlock": .changesNothing, "lock": .changesNothing, "slot list": .changesNothing, "slot add": .notUndone,
        "slot remove": .notUndone, "rekey": .notUndone, "group list": .changesNothing,
        "group current": .changesNothing,
        "group create": .undone("true", ["keyfob group create -q work"]),
        "group rename": .undone("keyfob group create -q work", ["keyfob group rename -q work other"]),
        "group remove": .notUndone, "group grant": .notUndone, "group revoke": .notUndone, "group rotate": .notUndone,
        "migrate": .notUndone, "account list": .changesNothing, "account show": .changesNothing,
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
        "account refresh": .notUndone,
        "add": .undone(
            ada,
            [
                "printf t3 | keyfob add -q ada@git.example", "printf t3 | keyfob add -q ada@git.example --scope x",
                "printf t3 | keyfob add -q cleo@git.example --label c",
                "printf t3 | keyfob add -q ada@git.example --username lovelace",
            ]),
        "token": .changesNothing, "which": .changesNothing, "pick": .changesNothing, "undo": .changesNothing,
        // What they do at a provider has tests of its own.
        "login": .changesNothing,
        "logout": .undone(ada, ["keyfob logout -q --yes ada", "keyfob logout -q --yes --forget ada"]),
        "request": .changesNothing, "provider list": .changesNothing, "provider show": .changesNothing,
        "provider add": .undone("true", [provider]),
        "provider rename": .undone(provider, ["keyfob provider rename -q mine yours"]),
        "provider remove": .undone(client, ["keyfob provider remove -q --force mine"]),
        "client list": .changesNothing,
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
        "redirect": .changesNothing, "exec": .changesNothing, "inject": .changesNothing, "env": .changesNothing,
        "helper git": .changesNothing,
        "helper docker": .undone(
            ada,
            [
                "printf '{\"ServerURL\":\"docker.example\",\"Username\":\"eve\",\"Secret\":\"p\"}' | keyfob helper docker store"
            ]),
        "helper kubectl": .changesNothing, "helper aws": .changesNothing,
        "setup git": .notUndone, "setup docker": .notUndone, "setup kubectl": .notUndone, "setup aws": .notUndone,
        "setup az": .notUndone, "setup mail": .notUndone, "setup direnv": .notUndone, "setup broker": .notUndone,
        "setup url-scheme": .notUndone, "setup mcp": .notUndone, "mcp": .changesNothing, "mirror azure-cli": .notUndone,
        "mirror msal": .notUndone,
        "mirror list": .changesNothing, "mirror stop": .notUndone, "agent": .changesNothing,
        "broker accounts": .changesNothing, "broker token": .changesNothing, "device": .changesNothing,
        "program list": .changesNothing,
        "program allow": .undone(ada, ["keyfob program allow -q /bin/sh --account ada"]),
        "program deny": .undone(
            "\(ada) && keyfob program allow -q /bin/sh --account ada", ["keyfob program deny -q /bin/sh --account ada"]),
        "program forget": .undone(
            "\(ada) && keyfob program allow -q /bin/sh --account ada", ["keyfob program forget -q /bin/sh"]),
        "log": .changesNothing, "export": .changesNothing,
        "import": .undone(
            "\(ada); cp \(cache) c.json",
            ["keyfob import -q c.json", "keyfob import -q bundle.age --bundle-identity recovery"]),
        "backup": .changesNothing,
        "restore": .undone(
            "\(ada); \(bob); keyfob backup -q --to b.age; "
                + "keyfob account remove -q --force --forever ada; keyfob account label -q bob x",
            [
                "keyfob restore -q b.age --bundle-identity recovery --account ada",
                "keyfob restore -q b.age --bundle-identity recovery --force",
            ]),
        "sync run": .notUndone, "sync init": .notUndone, "sync join": .notUndone, "sync approve": .notUndone,
        "sync revoke": .notUndone, "sync leave": .notUndone, "sync accept": .notUndone, "sync status": .changesNothing,
        "use": .undone("\(ada); \(bob); keyfob use -q ada", ["keyfob use -q bob", "keyfob use -q bob --here"]),
        "whoami": .changesNothing,
        "bind": .undone(
            "\(ada); \(bob); keyfob bind -q --tool t ada",
            ["keyfob bind -q --tool t bob", "keyfob bind -q --tool t none", "keyfob bind -q --host git.example ada"]),
        "unbind": .undone("\(ada); keyfob bind -q --tool t ada", ["keyfob unbind -q --tool t"]),
        "bindings": .changesNothing,
        "allow": .undone("\(ada); \(project)", ["keyfob allow -q"]),
        "history show": .changesNothing, "history clear": .notUndone, "completions": .changesNothing,
        "man": .changesNothing,
    ]
    private static let cache = "cache.json"

    private static var cases: [(command: String, before: String, line: String)] {
        var cases: [(command: String, before: String, line: String)] = []
        for (command, kind) in kinds.sorted(by: { $0.key < $1.key }) {
            guard case .undone(let before, let lines) = kind else { continue }
            for line in lines { cases.append((command, before, line)) }
        }
        return cases
    }

    @Test("every command is known for what it is to an undo, and what is not undone says so in its help")
    func complete() throws {
        let leaves = try CommandList.all().filter(\.isLeaf).map { String($0.line.dropFirst("keyfob ".count)) }
        #expect(Set(leaves) == Set(Self.kinds.keys))
        let place = try Workplace()
        for (command, kind) in Self.kinds {
            let help = try place.run("keyfob \(command) --help").text
            let says = help.replacing("\n", with: " ").contains("'keyfob undo' does not undo this")
            if case .notUndone = kind {
                #expect(says, "\(command)")
            } else {
                #expect(!says, "\(command)")
            }
        }
    }

    @Test("what is undone is as before, and the undo is undone in turn", arguments: cases)
    func undone(command: String, before: String, line: String) throws {
        let place = try Workplace.withVault()
        try place.write(Self.cache, SampleCache(people: 3).json())
        if command == "import", line.contains("bundle") {
            let other = try Workplace.withVault()
            let recipient = try place.run("keyfob slot list --json | grep -o 'age1[0-9a-z]*' | head -1").text
            try other.run("\(Self.bob); keyfob export -q bundle.age --to \(recipient)").expectSuccess()
            try place.run("cp \(other.path)/bundle.age .").expectSuccess()
        }
        try place.run("set -e; \(before)").expectSuccess()
        let former = try VaultContent(place)
        try place.run(line).expectSuccess()
        let changed = try VaultContent(place)
        #expect(former != changed, "it changes nothing: \(line)")
        let undone = try place.run("keyfob undo --yes").expectSuccess()
        let after = try VaultContent(place)
        #expect(after == former, "\(undone)\n\(after)\nwas\n\(former)")
        if let again = undone.errors.firstMatch(of: /to take that back: (keyfob undo [0-9a-f]{8})/)?.output.1 {
            let redone = try place.run(String(again)).expectSuccess()
            let after = try VaultContent(place)
            #expect(after == changed, "\(redone)\n\(after)\nwas\n\(changed)")
            try place.run("keyfob undo --list").expectSuccess()
            let third = try place.run("keyfob undo --yes").expectSuccess()
            #expect(try VaultContent(place) == former, "\(third)")
        }
        try place.run("keyfob verify").expectSuccess()
    }
}
