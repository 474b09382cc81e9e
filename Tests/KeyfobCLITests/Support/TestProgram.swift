import Foundation
import Testing

/// A program of others' that tests run, where `Tests/programs.txt` has it, and not whatever PATH has first.
///
/// In a line for the shell its name is its path.
enum TestProgram: String, CaseIterable, CustomStringConvertible {
    case git, kubectl, skopeo, pip, aws
    case registry = "docker-registry"

    /// What `Scripts/test-programs` tells of one.
    private struct Found: Decodable, Sendable {
        let path: String?
        let version: String?
    }

    private static let found: Result<[String: Found], any Error> = Result {
        let outcome = try list("--json").expectSuccess()
        return try JSONDecoder().decode([String: Found].self, from: outcome.output)
    }

    /// Runs `Scripts/test-programs`.
    static func list(_ options: String) throws -> Outcome {
        try Workplace().run("'\(ProjectFolder.root.appending(path: "Scripts/test-programs").path)' \(options)")
    }

    private var place: Found? { try? Self.found.get()[rawValue] }

    /// Its path.
    var description: String { place?.path ?? rawValue }

    /// Its version, as numbers.
    var version: [Int] { (place?.version ?? "").split { !$0.isNumber }.compactMap { Int($0) } }

    /// Whether kubectl is of before 1.22, as Debian 12's is (1.20.2): it knows no `v1` of exec, has no option for `provideClusterInfo`,
    /// and crashes where `config set-credentials` writes a second user.
    static var hasOldKubectl: Bool { kubectl.version.lexicographicallyPrecedes([1, 22]) }
}
