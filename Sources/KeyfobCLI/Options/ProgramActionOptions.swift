internal import ArgumentParser
internal import Keyfob

/// What a program may do, or never.
struct ProgramActionOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The action; repeatable: token, list, sign-in or sign-out. A right to one includes no other.",
            valueName: "action"),
        completion: .list(ProgramAction.allCases.map(\.rawValue)), transform: Self.parsed)
    var action: [ProgramAction] = []

    /// Those that are named; nil for none.
    var named: Set<ProgramAction>? { action.isEmpty ? nil : Set(action) }

    @Sendable private static func parsed(_ word: String) throws -> ProgramAction {
        guard let action = ProgramAction(rawValue: word) else {
            throw ValidationError("--action takes \(ProgramAction.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return action
    }
}
