internal import FoundationEssentials
internal import Keyfob
internal import KeyfobFiles

/// The environment variables that the command looks at.
struct Environment {
    let variables: [String: String]

    /// The process's own.
    static let current = Environment(variables: ProcessInfo.processInfo.environment)

    /// A variable that is set and not empty.
    subscript(name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whose own git configuration tells who commits where.
    var person: PersonalGit { PersonalGit { variables[$0] } }
}

extension SearchPath {
    /// The program that a shell would start by a name.
    static func program(_ name: String, _ environment: Environment = .current) -> String? {
        program(name, in: environment["PATH"])
    }
}
