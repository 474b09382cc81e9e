internal import Keyfob

/// The variables of the environment that decided what an error is about.
enum VariableText {
    /// A variable, the options in whose place it stands, and the errors that it can be the cause of.
    private struct Variable {
        let name: String
        let options: [String]
        /// Those whose message names its value.
        let named: Set<KeyringError.Code>
        var isPath = false
        /// Those of which it is a cause whatever they say, of commands that ask for a token.
        var always: Set<KeyringError.Code> = []
    }

    private static let variables = [
        Variable(
            name: "KEYFOB_VAULT", options: ["--vault"], named: [.noVault, .configuration],
            isPath: true),
        Variable(name: "KEYFOB_GROUP", options: ["--group"], named: [.noSuchGroup, .groupNotGranted, .usage]),
        Variable(
            name: "KEYFOB_ACCOUNT", options: ["--account", "-a"], named: [.noSuchAccount, .ambiguous, .usage],
            always: [.noSuchAccount, .ambiguous, .signInNeeded, .hostNotAllowed, .scopesDeclined, .policyNotMet]),
        Variable(
            name: "KEYFOB_CA_FILE", options: ["--ca-file"], named: [.configuration, .untrustedCertificate],
            isPath: true),
    ]

    /// The commands that take the account of the variable where none is named.
    private static let requests: Set = ["token", "request", "which", "whoami", "pick"]

    /// The error, with the variables that decided.
    ///
    /// - Parameter arguments: The words behind the program's name.
    static func naming(
        _ error: KeyringError, of arguments: [String], _ environment: Environment = .current
    ) -> KeyringError {
        let words = arguments.prefix { $0 != "--" }
        var said = variables.filter { variable in
            guard let value = environment[variable.name], !error.message.contains(variable.name),
                !words.contains(where: { word in word == value || variable.options.contains { Self.is($0, word) } })
            else { return false }
            if variable.always.contains(error.code), let command = words.first, requests.contains(command) {
                return true
            }
            return variable.named.contains(error.code) && names(value, of: variable, in: error.message)
        }.map { "named by \($0.name)" }
        let missing: Set<KeyringError.Code> = [.noSuchAccount, .noSuchBinding, .noSuchProvider, .noSuchClient]
        if missing.contains(error.code), let group = environment["KEYFOB_GROUP"],
            !words.contains(where: { Self.is("--group", $0) })
        {
            said.append("looked for in group '\(group)' alone, by KEYFOB_GROUP")
        }
        guard !said.isEmpty else { return error }
        return error.saying("\(error.message) (\(said.joined(separator: "; ")))", advice: error.advice)
    }

    /// Whether a message is about a variable's value, a path or a name between quotes.
    private static func names(_ value: String, of variable: Variable, in message: String) -> Bool {
        message.contains(variable.isPath ? value : "'\(value)'")
    }

    private static func `is`(_ option: String, _ word: String) -> Bool {
        word == option || word.hasPrefix(option + "=")
    }
}
