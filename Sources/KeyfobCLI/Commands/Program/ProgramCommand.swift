internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobModel

struct ProgramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "program", abstract: "What programs may do through 'keyfob agent'.",
        discussion: """
            Programs that ask the agent may do with your accounts what you let them do, and no more. To get tokens, to \
            list accounts, to sign in and to sign out are four rights; none includes another. PROGRAM is the path of \
            an executable or a script, the name of a program in PATH, or one of service:NAME.service, flatpak:ID, \
            snap:NAME, script:PATH and executable:PATH. What keyfob itself is allowed, every program gets that can \
            start it: 'keyfob token' and the helpers ask the agent while the vault is locked. Between programs that \
            run as you this is policy and no wall: they can also run 'keyfob token' while the vault is unlocked.

            Example:
              keyfob program allow ~/bin/report.py --account ada@contoso.example
              keyfob program list
            """,
        subcommands: [
            ProgramListCommand.self, ProgramAllowCommand.self, ProgramDenyCommand.self, ProgramForgetCommand.self,
        ])
}
