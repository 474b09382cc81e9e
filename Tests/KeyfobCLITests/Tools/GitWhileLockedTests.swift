import Foundation
import KeyfobTestSupport
import Testing

/// git's helper where the vault is locked for it and an agent has it open, and two accounts fit.
@Suite("git's helper while the vault is locked", .waitsForPrograms)
struct GitWhileLockedTests {
    /// A vault of the accounts ada and bob at a host, of which keyfob may have those.
    private func home(allowing accounts: [String]) throws -> Workplace {
        let place = try Workplace(["CI": "", "TERM": "xterm", "DISPLAY": "", "WAYLAND_DISPLAY": ""])
        try place.makeKey("key")
        try place.run("keyfob init -q --key-file key --recovery-file recovery").expectSuccess()
        for name in ["ada", "bob"] {
            try place.run(
                "keyfob add -q --key-file key --account \(name) --host git.example", text: "token-of-\(name)"
            ).expectSuccess()
        }
        for account in accounts {
            try place.run("keyfob program allow -q keyfob --account \(account) --key-file key").expectSuccess()
        }
        return place
    }

    private static let question = #"printf 'protocol=https\nhost=git.example\npath=contoso/app.git\n\n' > asked"#
    private static let agent = Workplace.agent(variables: "KEYFOB_KEY_FILE=$PWD/key DISPLAY= WAYLAND_DISPLAY=")

    private func script(_ place: Workplace, _ lines: String) throws {
        try place.write("script", "\(Self.question)\n\(Self.agent)\n\(lines)\n")
    }

    @Test("the one account that keyfob may have is not taken where others fit, and the line that is named decides")
    func unasked() throws {
        let place = try home(allowing: ["ada"])
        try script(place, "keyfob helper git get < asked")
        let outcome = try place.run("setsid -w sh script")
        #expect(outcome.status == 11 && outcome.text == "quit=1\n", "\(outcome)")
        let line = try #require(outcome.errors.split(separator: "'").first { $0.hasPrefix("keyfob bind ") })
        #expect(line.hasPrefix("keyfob bind --url https://git.example/contoso ada@git.example"), "\(line)")
        try place.run("\(line) --key-file key").expectSuccess()
        let bound = try place.run("setsid -w sh script").expectSuccess()
        #expect(bound.text.contains("password=token-of-ada"), "\(bound)")
    }

    @Test("where one fits alone it is taken")
    func sole() throws {
        let place = try home(allowing: ["ada"])
        try place.run("keyfob bind -q --host git.example ada --key-file key").expectSuccess()
        try script(place, "keyfob helper git get < asked")
        #expect(try place.run("setsid -w sh script").expectSuccess().text.contains("password=token-of-ada"))
    }

    @Test("the folder from which git's caller was called counts")
    func caller() throws {
        let place = try home(allowing: ["ada", "bob"])
        try place.run("mkdir lab && keyfob bind -q --directory lab bob --key-file key").expectSuccess()
        let line = "(cd lab && sh -c 'cd / && keyfob helper git get < \"$ASKED\"; exit'; exit)"
        try script(place, "export ASKED=$PWD/asked\n\(line)")
        let outcome = try place.run("setsid -w sh script").expectSuccess()
        #expect(outcome.text.contains("password=token-of-bob"), "\(outcome)")
    }

    @Test("a binding to an account that was removed is told, and git stops, whether the vault is open or an agent's")
    func removed() throws {
        let place = try home(allowing: ["ada", "bob"])
        try place.run(
            """
            keyfob bind -q --url https://git.example/contoso bob --key-file key
            keyfob account remove -q --force bob --key-file key
            """
        ).expectSuccess()
        for line in ["keyfob helper git get < asked", "KEYFOB_KEY_FILE=$PWD/key keyfob helper git get < asked"] {
            try script(place, line)
            let outcome = try place.run("setsid -w sh script")
            #expect(outcome.status != 0 && outcome.text == "quit=1\n", "\(line) \(outcome)")
            #expect(outcome.errors.contains("git.example/contoso"), "\(line) \(outcome)")
        }
    }

    @Test("at a terminal the accounts that keyfob may have are offered, and what remembers the choice is said")
    func asked() throws {
        let place = try home(allowing: ["ada", "bob"])
        try script(place, "keyfob helper git get < asked > out 2> err")
        let run = try place.onTerminal("sh script", [("2/2", "bob\r")])
        let told = try place.run("cat err").text
        #expect(run.status == 0 && run.screen.contains("git waits for it"), "\(run) \(told)")
        #expect(try place.run("cat out").text.contains("password=token-of-bob"), "\(told)")
        #expect(told.contains("'keyfob bind --url https://git.example/contoso bob"), "\(told)")
    }
}
