import ArgumentParser
import Testing

@testable import KeyfobCLI
@testable import KeyfobFront

@Suite("The help that is printed without the parser")
struct TopHelpTests {
    @Test("it is the parser's own, to the letter")
    func same() {
        let lines = HelpText.completed(KeyfobCommand.helpMessage(columns: HelpText.unbroken)).split(
            separator: "\n", omittingEmptySubsequences: false)
        let printed = TopHelp.text.split(separator: "\n", omittingEmptySubsequences: false)
        // A line that is to go from the text, or to come into it.
        for change in lines.difference(from: printed) { Issue.record("\(change)") }
    }

    @Test("the front has it as it is on a terminal that is wide enough", arguments: ["80", "200"])
    func front(columns: String) {
        #expect(Help.columns == HelpText.widest)
        let printed = HelpText.broken(TopHelp.text, Environment(variables: ["COLUMNS": columns])) + "\n"
        let lines = printed.split(separator: "\n", omittingEmptySubsequences: false)
        let known = Help.text.split(separator: "\n", omittingEmptySubsequences: false)
        for change in lines.difference(from: known) { Issue.record("Sources/KeyfobFront/Help.swift: \(change)") }
    }
}
