import Foundation
import KeyfobTestSupport
import Testing

/// What the messages cost, not how long they take: each is a round trip, and each secret may be asked about.
@Suite("Messages on the session bus", .waitsForPrograms)
struct BusMessageTests {
    /// How often a line of the shell calls each method of the Secret Service.
    private func calls(_ line: String, in desktop: DesktopPlace) throws -> [String: Int] {
        let words = "'\(PythonScript.interpreter)' '\(PythonScript.path("counted_bus"))'"
        let outcome = try desktop.run("\(words) '\(line)'").expectSuccess()
        let counts = outcome.text.split(separator: "\n").map { $0.split(separator: " ") }
        // The bus's own come and go with the connection.
        let ours = counts.filter { !["Hello", "AddMatch", "RemoveMatch", "GetNameOwner"].contains($0[0]) }
        return Dictionary(ours.map { (String($0[0]), Int($0[1]) ?? 0) }) { $1 }
    }

    @Test("a lookup, a new token and a token in the place of another send as many with one account as with twenty")
    func delegated() throws {
        let desktop = try DesktopPlace.withRecords()
        let ada = "keyfob add -q ada@git.example --scope repo"
        for round in 0..<2 {
            let added = try calls("printf token | keyfob add -q new\(round)@git.example --scope repo", in: desktop)
            #expect(
                added == ["OpenSession": 1, "SearchItems": 7, "GetSecrets": 3, "CreateItem": 1],
                "\(added)")
            try desktop.run("printf token | \(ada)").expectSuccess()
            let found = try calls("keyfob token --account ada@git.example", in: desktop)
            #expect(
                found == ["OpenSession": 1, "SearchItems": 2, "Get": 1, "GetSecrets": 2], "\(found)")
            // The token that gives way is kept for an undo, among what is kept of the twenty others from the second round on.
            var replaced = try calls("printf token\(round) | \(ada)", in: desktop)
            let gets = replaced.removeValue(forKey: "Get") ?? 0
            #expect(
                gets == (round == 0 ? 4 : 6)
                    && replaced == [
                        "OpenSession": 1, "SearchItems": 7, "GetSecrets": 5, "CreateItem": 1, "Set": 1, "SetSecret": 1,
                    ], "\(gets) \(replaced)")
            if round == 0 {
                let line = "printf t | keyfob add -q p$i@git.example --scope repo"
                try desktop.run("for i in $(seq 20); do \(line); done").expectSuccess()
            }
        }
    }

    @Test("a vault that a slot's item opens needs one search and one secret")
    func slot() throws {
        let desktop = try DesktopPlace.withVault()
        let found = try calls("keyfob token", in: desktop)
        #expect(
            found == ["ReadAlias": 1, "OpenSession": 1, "Get": 1, "SearchItems": 1, "GetSecrets": 1], "\(found)"
        )
    }
}
