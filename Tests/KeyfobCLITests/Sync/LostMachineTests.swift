import Foundation
import KeyfobTestSupport
import Testing

@Suite("A lost machine", .waitsForPrograms)
struct LostMachineTests {
    /// Accounts with a sign-in that all machines share, one that each makes for itself, and a token that was added by hand.
    private func machines() throws -> SyncMachines {
        let machines = try SyncMachines("one", "two", "three")
        try machines.place.write("cache.json", SampleCache(people: 1).json())
        try machines.on(
            "one",
            #"""
            printf '{"type": "authorized_user", "client_id": "7", "client_secret": "S", "refresh_token": "r"}' > adc.json
            keyfob import -q adc.json --with clients > out && keyfob import -q cache.json > out
            echo t | keyfob add -q --account ada --host github.com
            """#
        ).expectSuccess()
        try machines.settle()
        return machines
    }

    @Test(
        "what it could use, and how each ends, is what the sync gave it; it is out, and a second time changes nothing")
    func reach() throws {
        let machines = try machines()
        let before = try machines.on("one", "keyfob lost two")
        #expect(before.status == 64 && before.errors.contains("--force does it without asking"), "\(before)")
        let holdings = "jq -c '[.holdings[] | .kind] | sort'"
        let first = try machines.on("one", "keyfob lost two --force --json | tee first.json | \(holdings)")
        #expect(first.text == "[\"ownSignIn\",\"sharedSignIn\",\"tokenByHand\"]\n", "\(first)")
        let new = try machines.run("jq -c '[.isNew, .device.name, .groups]' first.json").text
        #expect(new == "[true,\"two\",[\"default\"]]\n")
        let again = try machines.on("one", "keyfob lost two --json | tee again.json | \(holdings)")
        #expect(again.text == first.text, "\(again)")
        #expect(try machines.run("jq .isNew again.json").text == "false\n")
        let status = try machines.on("two", "keyfob sync -q; keyfob sync status --json | jq -r .state").text
        #expect(["revoked\n", "shutOut\n"].contains(status), "\(status)")
        let named = try machines.on(
            "one", "keyfob lost two --vault $PWD/one/data/keyfob --json | jq -r '.steps[].command // empty'"
        ).text.split(separator: "\n")
        #expect(!named.isEmpty && named.allSatisfy { $0.hasSuffix("one/data/keyfob") }, "\(named)")
        // Each way out that is printed can be typed.
        let steps = try machines.run("jq -r '.steps[].command // empty' again.json").text
        for line in steps.split(separator: "\n") {
            try machines.on("one", "\(line) --offline --yes").expectSuccess()
        }
        let after = try machines.on("one", "keyfob lost two --json | \(holdings)").text
        // Its own token may live on.
        #expect(after == "[\"ownSignIn\",\"ownSignIn\",\"tokenByHand\"]\n", "\(after)")
    }

    @Test("what it has decided is named before the question, and of an account alone nothing is said to be known")
    func decisions() throws {
        let machines = try machines()
        try machines.on("two", "keyfob bind -q --host api.example ada@github.com").expectSuccess()
        try machines.settle()
        let told = try machines.on("three", "keyfob lost two")
        #expect(told.status == 64, "\(told)")
        let parts = told.text.split(separator: "what it decided, which is removed with it:\n")
        #expect(parts.count == 2 && parts.last?.contains("is bound to") == true, "\(told)")
        #expect(told.text.contains("a token or sign-in of its own, if any"), "\(told)")
        #expect(try machines.on("three", "keyfob lost two --force --keep nobody").status == 64)
        let outcome = try machines.on(
            "three", "keyfob lost two --force --json | jq -c '(.decisions | length), (.steps[] | .reason)'")
        #expect(outcome.text.hasPrefix("1\n") && outcome.text.contains("this vault cannot know"), "\(outcome)")
        let again = try machines.on("three", "keyfob lost two")
        #expect(again.errors.contains("this vault knows of nothing else that two can use"), "\(again)")
    }

    @Test("the answer on the terminal counts, and no leaves it in")
    func asked() throws {
        let machines = try machines()
        try machines.place.write("lost.sh", SyncMachines.home("one") + "keyfob lost two")
        let line = "sh lost.sh"
        let no = try machines.place.onTerminal(line, [("It then gets nothing new. [y/N] ", "n\n")])
        #expect(no.status == 15 && no.screen.contains("nothing was changed"), "\(no)")
        #expect(no.screen.contains("the sign-in that all machines share"), "\(no)")
        let yes = try machines.place.onTerminal(line, [("It then gets nothing new. [y/N] ", "y\n")])
        #expect(yes.status == 0 && yes.screen.contains("revoked two"), "\(yes)")
        #expect(yes.screen.contains("keyfob logout"), "\(yes)")
    }

    @Test("a name that no machine has lists those there are, and this one's own is refused")
    func names() throws {
        let machines = try SyncMachines("one", "two")
        try machines.settle()
        let unknown = try machines.on("one", "keyfob lost nobody --force")
        #expect(unknown.status == 64 && unknown.errors.contains("'nobody' (two)"), "\(unknown)")
        let own = try machines.on("one", "keyfob lost one --force")
        #expect(own.status == 64 && own.errors.contains("is this machine"), "\(own)")
    }
}
