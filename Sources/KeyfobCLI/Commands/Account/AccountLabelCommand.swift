internal import ArgumentParser
internal import Keyfob

struct AccountLabelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label", abstract: "Give an account a label, or take it away.",
        discussion: """
            Example:
              keyfob account label ada@contoso.example work
              keyfob account label work --none
            """)

    @OptionGroup var target: AccountArgument
    @Argument(help: "The label.") var label: String?
    @Flag(name: .long, help: "Take the label away.") var none = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func validate() throws {
        if (label == nil) != none { throw ValidationError("give a label, or --none to take it away") }
    }

    func run() throws {
        let keyring = try global.unlockedKeyring()
        let candidate = try keyring.accounts.named(target.account, in: global.groups())
        try keyring.accounts.setLabel(label, of: candidate.account.id, in: candidate.group)
        global.tellWarnings(of: keyring)
        let (id, name) = (candidate.account.id, candidate.account.username)
        let who = name.isEmpty ? candidate.account.shortSubject(among: [candidate.account]) : name
        try global.tell(.accountLabelled, label.map { "\(who) is labelled '\($0)'" } ?? "\(who) has no label now") {
            ($0.account, $0.group, $0.to) = (id.description, candidate.group.name, label)
        }
    }
}
