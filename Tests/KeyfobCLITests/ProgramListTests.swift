import Foundation
import KeyfobTestSupport
import Testing

@Suite("The programs of others that tests run", .waitsForPrograms)
struct ProgramListTests {
    @Test("each is the one of the list, and none a script in its place")
    func list() throws {
        let outcome = try TestProgram.list("--check")
        #expect(outcome.status == 0, "\(outcome)")
        let told = try TestProgram.list("").expectSuccess().text
        for program in TestProgram.allCases {
            #expect(program.description.hasPrefix("/") && !program.version.isEmpty, "\(program.rawValue): \(told)")
        }
    }

    @Test("git, which calls the helpers by PATH, is the one of the list there too")
    func path() throws {
        let found = try Workplace().run("readlink -f $(command -v git)").expectSuccess().text
        let wanted = try Workplace().run("readlink -f \(TestProgram.git)").expectSuccess().text
        #expect(found == wanted)
    }
}
