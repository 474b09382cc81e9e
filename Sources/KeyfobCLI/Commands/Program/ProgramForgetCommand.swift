internal import ArgumentParser
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobModel

struct ProgramForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Take back what was decided about a program.",
        discussion: """
            It is as if the program had never asked: the next time somebody is asked, or it gets nothing. An agent that runs takes \
            back too what you have let the program have until you log out.

            Example:
              keyfob program forget ~/bin/report.py
            """)

    @Argument(help: "The program; its file may be gone.", completion: .file()) var program: String
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    func run() throws {
        let names = try NamedProgram.names(program)
        let place = try AgentPlace(global.location())
        // With keys at hand no connection is made any more.
        let agent: AgentClient? =
            if let place, place.hasAgent { try AgentClient(place.socket) } else { nil }
        let keyring = try global.unlockedKeyring(reaching: .files())
        let groups = try global.groups()
        let decided = Set(try keyring.programs.permissions(in: groups).map(\.program)).intersection(names)
        // As the list has it, it is this one alone, wherever its path leads now.
        let exact = Program(program).flatMap { !program.hasPrefix("/") && decided.contains($0) ? $0 : nil }
        let programs = exact.map { [$0] } ?? names
        let named = programs.first(where: decided.contains) ?? programs[0]
        var (count, nothing) = (0, nil as KeyringError?)
        do throws(KeyringError) {
            count = try keyring.programs.forgetPermissions(of: programs, in: groups)
        } catch {
            guard error.code == .noSuchBinding else { throw error }
            nothing = error
        }
        // After the vault: nothing that still stands there is given for the session anew.
        if let agent { count += try forget(programs, groups, by: agent) }
        if count == 0, let nothing { throw nothing }
        global.tellWarnings(of: keyring)
        try global.tell(.programForgotten, "took back \(Quantity.of(count, "permission")) of \(named)") {
            ($0.subject, $0.count) = (ChangeDocument.Subject(program: named), count)
        }
    }

    /// Has an agent take back what it has let programs have until it ends; how many permissions there were.
    private func forget(
        _ programs: [Program], _ groups: [AccessGroup]?, by agent: borrowing AgentClient
    ) throws(KeyringError) -> Int {
        do throws(KeyringError) {
            return try agent.forget(programs, in: groups)
        } catch {
            throw error.saying(
                "what the vault had of it is taken back, but not what the agent may have let it have until it ends: \(error.message)",
                advice: error.advice)
        }
    }
}
