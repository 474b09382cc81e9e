import KeyfobTestSupport
import Testing

@Suite("What keyfob says alone on a terminal", .waitsForPrograms)
struct OverviewTests {
    private static func told(_ place: Workplace, _ screen: Screen) throws -> String {
        let run = try place.onTerminal("keyfob", on: screen)
        #expect(run.status == 0, "\(run)")
        // What is broken at the terminal's width reads as one.
        return screen.expectKept(run).joined(separator: " ").replacing(/\ +/, with: " ")
    }

    @Test("where one stands and what to type next, on every terminal", arguments: Screen.all)
    func steps(screen: Screen) throws {
        let place = try Workplace.withVault(screen.locale.variables)
        #expect(try Self.told(place, screen).contains("keyfob import --discover"))
        try place.run("printf t | keyfob add -q --account ada --host git.example").expectSuccess()
        let one = try Self.told(place, screen)
        #expect(one.contains("account ada (group default): ") && one.contains("keyfob whoami"), "\(one)")
        #expect(one.contains("warning there is no complete backup"), "\(one)")
        try place.run("printf t | keyfob add -q --account bob --host git.example").expectSuccess()
        let two = try Self.told(place, screen)
        #expect(two.contains("2 accounts fit") && two.contains("keyfob use NAME --here"), "\(two)")
        let none = try Self.told(try Workplace(screen.locale.variables), screen)
        #expect(none.contains("there is no vault at") && none.contains("keyfob init"), "\(none)")
        #expect(none.contains("keyfob --help"))
    }

    @Test("what is no terminal gets the help") func piped() throws {
        let outcome = try Workplace().run("keyfob | cat").expectSuccess()
        #expect(outcome.text.hasPrefix("OVERVIEW: "))
    }
}
