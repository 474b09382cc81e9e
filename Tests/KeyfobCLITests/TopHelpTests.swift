import ArgumentParser
import Testing

@testable import KeyfobCLI

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
}
