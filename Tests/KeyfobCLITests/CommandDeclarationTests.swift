@testable import ArgumentParser
import Testing

@testable import KeyfobCLI

/// What ArgumentParser asks of a declaration, which a debug build of the command does not look at when it starts.
@Suite("A command's declaration")
struct CommandDeclarationTests {
    private static func faults(of type: any ParsableArguments.Type) -> [String] {
        let validators: [any ParsableArgumentsValidator.Type] = [
            PositionalArgumentsValidator.self, CodingKeyValidator.self, UniqueNamesValidator.self,
            NonsenseFlagsValidator.self,
        ]
        return validators.compactMap { $0.validate(type, parent: nil) }.map { "\(type): \($0)" }
    }

    /// A command and all below it.
    private static func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(all)
    }

    @Test("has names that are its own, and values that can be told apart")
    func sound() {
        let commands = Self.all(KeyfobCommand.self)
        #expect(commands.count > 50)
        #expect(commands.flatMap(Self.faults(of:)) == [])
    }

    @Test("with two options of one name is told")
    func unsound() {
        #expect(Self.faults(of: Unsound.self).count == 1)
    }

    private struct Unsound: ParsableArguments {
        @OptionGroup var first: Named
        @OptionGroup var second: Named
    }

    private struct Named: ParsableArguments {
        @Option var name = ""
    }
}
