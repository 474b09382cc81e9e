import Foundation
import KeyfobTestSupport
import Testing

/// Items that the tools' own libraries write, or secret-tool with their attributes.
@Suite("Imports from the desktop's keyring", .waitsForPrograms)
struct DesktopImportTests {
    private static let github = "gho_" + String(repeating: "A", count: 36)
    private static let gitlab = "glpat-" + String(repeating: "x", count: 20)

    /// A desktop with a vault that a key file opens, in which tools keep what they do.
    private func desktop(_ service: SecretServiceSession.Service = .keyring) throws -> DesktopPlace {
        let desktop = try DesktopPlace(service, ["KEYFOB_KEY_FILE": "key"])
        try desktop.place.makeKey("key")
        try desktop.run("keyfob init --quiet --recovery-file recovery").expectSuccess()
        return desktop
    }

    private func keep(_ secret: String, _ attributes: String, in desktop: DesktopPlace) throws {
        try desktop.run("printf '\(secret)' | secret-tool store --label 'A label' \(attributes)").expectSuccess()
    }

    /// Keeps a cache as msal-extensions for Python does, which works with Debian's PyGObject.
    private func keepCache(_ file: String, as name: String, in desktop: DesktopPlace) throws {
        let packages = "PYTHONPATH=$(echo '\(ProjectFolder.root.path)'/.venv/lib/python3*/site-packages)"
        try desktop.run("\(packages) /usr/bin/python3 '\(PythonScript.path("other_stores"))' msal \(file) \(name)")
            .expectSuccess()
    }

    private func fill(_ desktop: DesktopPlace) throws {
        try desktop.place.write("cache.json", SampleCache(people: 1, tenants: ["t"], client: "one").json())
        try keepCache("cache.json", as: "msal.cache.nocae", in: desktop)
        // .NET and Go write the same in base64.
        let other = try SampleCache(people: 1, tenants: ["u"], client: "two", name: "net").json()
        try keep(
            other.base64EncodedString(),
            "xdg:schema msal.cache MsalClientID Microsoft.Developer.IdentityService "
                + "Microsoft.Developer.IdentityService 1.0.0.0", in: desktop)
        try keep(Self.github, "service gh:github.com username ada", in: desktop)
        try keep(Self.github, "service gh:github.com username ''", in: desktop)
        try keep("ghe-token", "service gh:ghe.example username ''", in: desktop)
        try keep(
            "at\\npassword_expiry_utc=4000000000\\noauth_refresh_token=rt",
            "xdg:schema org.git.Password protocol https server git.example user eve", in: desktop)
        try keep("hunter2", "xdg:schema org.git.Password protocol https server git.example user bob", in: desktop)
        for (service, token) in [("https://gitlab.example/", Self.gitlab), ("system", "hunter2")] {
            let words = "'\(PythonScript.interpreter)' '\(PythonScript.path("other_stores"))'"
            try desktop.run("\(words) python \(service) kim \(token)").expectSuccess()
        }
        try desktop.run("mkdir -p .config/gh").expectSuccess()
        try desktop.place.write(
            ".config/gh/hosts.yml",
            "github.com:\n    users:\n        ada:\n    user: ada\n    git_protocol: https\nghe.example:\n    user: gale\n"
        )
    }

    @Test("what MSAL's programs, gh, git's helper and Python's keyring have written is found, shown, and taken")
    func taken() throws {
        let desktop = try desktop()
        try fill(desktop)
        let all =
            "secret-tool search --all --unlock MsalClientID Microsoft.Developer.IdentityService; "
            + "secret-tool search --all protocol https; secret-tool search --all application 'Python keyring library'"
        let before = try desktop.run(all).expectSuccess()
        let shown = try desktop.run("keyfob import --keyring --dry-run").expectSuccess()
        let rows = shown.text.split(separator: "\n").dropFirst().map { line in
            let words = line.split(separator: " ").map(String.init)
            return words[1] + " " + (line.components(separatedBy: "keyring: ").last ?? "")
        }
        #expect(
            Set(rows) == [
                "person0@t.example msal.cache.nocae", "net0@u.example msal.cache", "ada gh", "gale gh", "eve git",
                "kim Python's keyring",
            ], "\(shown)")
        #expect(shown.errors.contains("git: bob at https://git.example: its password does not look like a token"))
        #expect(shown.errors.contains("git: eve at https://git.example: its refresh token names no client"))
        #expect(shown.errors.contains("Python's keyring: 1 item: what does not look like a token"))
        for secret in [Self.github, Self.gitlab, "hunter2", "token-at"] {
            #expect(!shown.text.contains(secret) && !shown.errors.contains(secret))
        }
        var documents = Documents()
        let line = "keyfob import --discover --force --json --client gcm"
        let outcome = try desktop.run(line).expectSuccess()
        documents.add("discovery", outcome.text, from: "\(outcome)")
        try documents.validate(in: desktop.place)
        #expect(!outcome.errors.contains("gh auth token"), "\(outcome)")
        #expect(try desktop.run("keyfob token --account ada@github.com").text == Self.github + "\n")
        #expect(try desktop.run("keyfob token --account gale").text == "ghe-token\n")
        #expect(try desktop.run("keyfob token --account kim").text == Self.gitlab + "\n")
        #expect(try desktop.run("keyfob token --account eve").text == "at\n")
        let accounts = try desktop.run("keyfob account list --wide").text
        #expect(accounts.contains(/person0@t\.example .* signed in/) && accounts.contains(/eve .* signed in/))
        #expect(accounts.contains(/net0@u\.example .* signed in/), "\(accounts)")
        // Read only.
        #expect(try desktop.run(all).text == before.text)
        let again = try desktop.run("keyfob import --keyring --no-input --client gcm").expectSuccess()
        #expect(again.errors.contains("there is nothing new"), "\(again)")
    }

    @Test("on a terminal the items are chosen by their numbers; what is left there is told")
    func chosen() throws {
        let desktop = try desktop()
        try keep(Self.github, "service gh:github.com username ada", in: desktop)
        try keep("not a cache", "my_attr1 foo my_attr2 bar", in: desktop)
        let run = try desktop.place.onTerminal(
            "keyfob import --keyring", [(waitFor: "just Enter for none: ", type: "1\n")])
        #expect(run.status == 0, "\(run)")
        #expect(run.screen.contains("A label is not JSON"), "\(run)")
        #expect(run.screen.contains("'gh auth logout' takes them out"), "\(run)")
        #expect(try desktop.run("keyfob token").text == Self.github + "\n")
    }

    @Test("where it is locked, hangs, or is not there, nothing waits for it and files are taken all the same")
    func unreachable() throws {
        let desktop = try desktop()
        try desktop.place.write(".git-credentials", "https://frank:\(Self.gitlab)@gitlab.com\n")
        let nobody = "env -u DBUS_SESSION_BUS_ADDRESS"
        try desktop.run("\(nobody) keyfob import --keyring").expectError(
            69, "no session bus", "in your desktop session")
        let without = try desktop.run("\(nobody) keyfob import --discover --dry-run").expectSuccess()
        #expect(without.text.contains("frank") && !without.errors.contains("keyring"), "\(without)")
        let empty = try desktop.run("keyfob import --keyring --dry-run").expectSuccess()
        #expect(empty.errors.contains("nothing was found in the desktop's keyring"), "\(empty)")
        try desktop.session.lock()
        try desktop.run("keyfob import --keyring --no-input").expectError(12, "(Secret Service) is locked")
        let locked = try desktop.run("keyfob import --discover --dry-run").expectSuccess()
        #expect(locked.text.contains("frank") && locked.errors.contains("skipped: the desktop's keyring"), "\(locked)")
        try desktop.session.freezeService()
        let start = ContinuousClock.now
        let frozen = try desktop.run("keyfob import --discover --dry-run").expectSuccess()
        #expect(frozen.text.contains("frank") && frozen.errors.contains("has not answered in time"), "\(frozen)")
        #expect(start.duration(to: .now) < .seconds(20))
        // Without a vault nobody is asked anything.
        try desktop.run("keyfob import --keyring --vault nowhere").expectError(66, "there is no vault")
    }

    @Test(
        "KeePassXC gives what it is asked for, once somebody has allowed it",
        .enabled(if: TestLength.isFull, "KeePassXC on a screen; make test-full"), arguments: [false, true])
    func keePassXC(asks: Bool) throws {
        let desktop = try desktop(.keePassXCOnScreen(asking: asks))
        try keep(Self.github, "service gh:github.com username ada", in: desktop)
        if asks {
            let unasked = try desktop.run("keyfob import --keyring --no-input --dry-run")
            #expect(unasked.errors.contains("1 item: locked, and nobody could be asked"), "\(unasked)")
        }
        // With a screen of its own, the command may have it ask.
        try desktop.run("DISPLAY=:0 keyfob import --keyring --force").expectSuccess()
        #expect(try desktop.run("keyfob token").text == Self.github + "\n")
    }
}
