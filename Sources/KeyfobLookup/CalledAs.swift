internal import KeyfobModel

/// The names by which other tools call the program, each for one of its helpers.
package enum CalledAs: CaseIterable, Sendable {
    case git, docker, kubectl

    /// The name that the tool looks for.
    package var program: String {
        switch self {
        case .git: "git-credential-keyfob"
        case .docker: "docker-credential-keyfob"
        case .kubectl: "kubectl-keyfob"
        }
    }

    /// What the tool is called where accounts are chosen.
    package var tool: String {
        switch self {
        case .git: RequestContext.git
        case .docker: "docker"
        case .kubectl: "kubectl"
        }
    }

    /// The words that stand for it.
    package var words: [String] {
        ["helper", tool]
    }

    /// The helper that is called by `path`, the name of the program as it was started; nil for any other.
    package init?(path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard let helper = Self.allCases.first(where: { $0.program == name }) else { return nil }
        self = helper
    }
}
