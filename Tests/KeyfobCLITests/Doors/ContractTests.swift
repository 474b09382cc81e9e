import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@Suite("Every door says the same", .waitsForPrograms)
struct ContractTests {
    @Test("of accounts and tokens: the same fields, codes, messages, advice, candidates and continuations")
    func questions() async throws {
        let house = try House()
        // One that was stored for a second has expired.
        try await Task.sleep(for: .milliseconds(1_100))
        let path = house.home.place.path
        var (count, differences) = (0, [String]())
        var (codes, advice): (Set<String>, Set<String>) = ([], [])
        func compare(_ said: DoorAnswer?, with expected: DoorAnswer, _ question: Question, _ who: String) {
            count += 1
            let difference = said.map { $0.difference(from: expected, question) } ?? "nothing"
            if let difference { differences.append("\(question): \(who): \(difference)") }
        }
        for situation in Self.situations {
            try situation.prepare(house)
            let questions = situation.questions
            let answers = try await house.answers(questions, by: situation.doors) { door in
                situation.variables.mapValues {
                    $0.replacing("PLACE", with: path).replacing("DOOR", with: door.rawValue)
                }
            }
            // What the command says, where it is asked.
            let reference = situation.doors.contains(.command) ? .command : situation.doors[0]
            let expected = try #require(answers[reference])
            for (index, question) in questions.enumerated() where question.kind != .shell {
                let first = try #require(expected.count > index ? expected[index] : nil)
                if let code = first.code { codes.insert(code) }
                if let name = first.advice { advice.insert(name) }
                for door in situation.doors where door != reference && question.without[door] == nil {
                    let said = answers[door].flatMap { $0.count > index ? $0[index] : nil }
                    compare(said, with: first, question, "\(situation.name), \(door.rawValue)")
                }
            }
            guard situation.name == "usual" else { continue }
            // What has no key, and asks an agent that has it, is answered the same.
            let indices = questions.indices.filter { questions[$0].without[.agent] == nil && !questions[$0].isRenewed }
            let others = try await house.answersThroughAgent(indices.map { questions[$0] }, by: [.c, .python])
            for (door, said) in others {
                for (position, index) in indices.enumerated() {
                    compare(
                        said.count > position ? said[position] : nil, with: expected[index], questions[index],
                        "through an agent, \(door.rawValue)")
                }
            }
        }
        #expect(count > 400, "\(count)")
        #expect(differences.isEmpty, "\(differences.count):\n\(differences.joined(separator: "\n"))")
        #expect(codes == Self.codes, "the codes of the answers")
        #expect(advice == Self.advice, "the advice of the answers: \(advice.symmetricDifference(Self.advice).sorted())")
        let others = Set(KeyringError.Code.allCases.map(\.rawValue)).subtracting(Self.codes)
        #expect(others == Self.codesOfOthers, "each code is asked for, or named as one that these requests do not have")
        try house.home.expectSound()
    }

    @Test("an account and a token have the fields of their definition in the schemas and in Python's types")
    func fields() throws {
        let (account, token) = (AccountRecord.fields.map(\.name), TokenRecord.fields.map(\.name))
        #expect(try Self.properties("account-list", "account") == Set(account))
        #expect(try Self.properties("token", nil) == Set(token + ["formatVersion", "token"]))
        let python = try Workplace(LibraryFile.variables).run(
            "$PYTHON -c 'import keyfob; print(*keyfob.Account.__annotations__, end=\"\")'")
        #expect(Set(python.text.split(separator: " ").map(String.init)) == Set(account), "\(python)")
    }

    /// The names that a schema has for an object, or for a part of it.
    private static func properties(_ schema: String, _ part: String?) throws -> Set<String> {
        let file = ProjectFolder.root.appending(path: "Schemas/\(schema).schema.json")
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let parts = document?["$defs"] as? [String: Any]
        let object = part.map { parts?[$0] as? [String: Any] } ?? document
        return Set(try #require(object?["properties"] as? [String: Any]).keys)
    }
}
