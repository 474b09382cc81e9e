internal import ArgumentParser
internal import Keyfob

struct UseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Use an account from now on, everywhere or in this directory.",
        discussion: """
            Makes the account the default of its group: it is taken where several fit and nothing else decides. With \
            --here it is bound to the current directory and what is below it, which comes first. 'keyfob whoami' says \
            who counts; 'keyfob unbind' and 'keyfob account default --none' take it back.

            Example:
              keyfob use ada@contoso.example
              keyfob use work --here
            """)

    @OptionGroup var named: AccountArgument
    @Flag(name: .long, help: "In the current directory, and below it.") var here = false
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let subject = here ? try Binding.Subject(directoryAt: ".", mustExist: true) : nil
        let keyring = try global.unlockedKeyring(reaching: .files())
        let candidate = try keyring.accounts.named(named.account, in: global.groups())
        let replaced: String?
        if let subject {
            let former = try keyring.bindings.set(subject, to: .account(candidate.account.id), in: candidate.group)
            replaced = ReplacedText.text(former, keyring)
        } else {
            let former = try keyring.accounts.setDefault(candidate.account.id, in: candidate.group)
            replaced = ReplacedText.text(former, in: candidate.group, keyring)
        }
        let name = keyring.accounts.shownName(of: candidate.account)
        global.tellWarnings(of: keyring)
        if let subject {
            try candidate.tellBinding(of: subject, as: name, global)
            if !global.json, let replaced { global.say(replaced) }
        } else {
            try candidate.tellDefault(as: name, global)
            if !global.json, let replaced { global.say(replaced) }
            makeCount(candidate, keyring)
        }
    }

    /// Has the account count in this directory too where another was chosen before, and tells where something else decides.
    private func makeCount(_ candidate: Candidate, _ keyring: Keyring) {
        let id = candidate.account.id
        guard let here = try? AccountsHere(keyring, in: nil), !here.isChosen(id) else { return }
        if here.isLearned { keyring.accounts.remember(id, in: candidate.group, for: here.request, by: .person) }
        guard let now = try? AccountsHere(keyring, in: nil), !now.isChosen(id) else { return }
        global.say("in this directory it is not taken: \(now.text)")
    }
}
