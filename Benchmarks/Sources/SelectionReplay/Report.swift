import Foundation

/// How every rule did.
struct Report {
    let choices: Int
    let rules: [Score]

    /// A table, and how the selection compares with the best of the others.
    var text: String {
        var lines = ["rule        wrong    asked    cost    first  of three   microseconds"]
        for score in rules {
            lines.append(
                score.rule.padding(toLength: 10, withPad: " ", startingAt: 0)
                    + String(
                        format: "%6.2f %%  %6.2f %%   %.4f  %5.1f %%   %5.1f %%  %9.1f", score.wrong * 100,
                        score.asked * 100, score.cost, score.firstWhenAsked * 100, score.firstThreeWhenAsked * 100,
                        score.microseconds))
        }
        if let own = rules.first, let best = rules.dropFirst().map(\.cost).min() {
            lines.append(String(format: "%d choices; keyfob costs %.3f of the best rule", choices, own.cost / best))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The same as a document.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let document = Document(
            choices: choices,
            rules: rules.map {
                Document.Rule(
                    rule: $0.rule, wrong: $0.wrong, asked: $0.asked, cost: $0.cost, firstWhenAsked: $0.firstWhenAsked,
                    firstThreeWhenAsked: $0.firstThreeWhenAsked, microseconds: $0.microseconds)
            })
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    private struct Document: Encodable {
        let formatVersion = 1
        let choices: Int
        let rules: [Rule]

        struct Rule: Encodable {
            let rule: String
            let wrong: Double
            let asked: Double
            let cost: Double
            let firstWhenAsked: Double
            let firstThreeWhenAsked: Double
            let microseconds: Double
        }
    }
}
