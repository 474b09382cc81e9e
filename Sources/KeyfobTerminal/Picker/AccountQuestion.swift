/// Lets a person choose an account by its number, where the terminal cannot be drawn on.
package enum AccountQuestion {
    /// How often a number that is none is asked for again.
    private static let attempts = 3

    /// Shows the items, best first, and returns the one that was chosen.
    ///
    /// - Parameters:
    ///   - subject: For what it offers to remember the choice; nil where it does not.
    ///   - limit: How long an answer is waited for; nil for as long as nobody answers.
    /// - Throws: `nothingChosen` when the person leaves without an answer, `nothingTyped`, `absent`, `noChoices`, `unwanted`,
    ///   `unanswered`.
    package static func choose(
        among items: [PickerItem], purpose: String, remembering subject: String? = nil,
        until limit: QuestionLimit? = nil
    ) throws(TerminalFailure) -> PickedItem {
        guard !items.isEmpty else { throw .noChoices }
        guard let terminal = Terminal() else { throw .absent }
        var table = Table(header: [], columns: terminal.columns)
        for (index, item) in items.enumerated() {
            let name = item.details.map { "\(item.title) (\($0))" } ?? item.title
            table.add(["  \(index + 1)", name, item.group, item.reason])
        }
        let place = purpose.isEmpty ? "" : " " + TerminalText.line(purpose)
        terminal.show("Which account\(place)?\n\(table.text)")
        for _ in 0..<attempts {
            let good = subject.map { ", with ! always for \(TerminalText.line($0))" } ?? ""
            let answer = try terminal.line(after: "Its number, 1 to \(items.count)\(good): ", until: limit)
            guard !answer.isEmpty else { break }
            let isForGood = subject != nil && answer.hasSuffix("!")
            if let number = Int(isForGood ? answer.dropLast() : answer[...]), items.indices.contains(number - 1) {
                return PickedItem(index: number - 1, isForGood: isForGood)
            }
        }
        throw .nothingChosen
    }
}
