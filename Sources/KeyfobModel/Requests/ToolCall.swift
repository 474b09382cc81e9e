/// A tool that asks for credentials by starting the program under a name of the tool's own.
package enum ToolCall: CaseIterable, Sendable {
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

    /// What a tool uses tokens for, where tokens differ in that; nil for any other.
    package static func purpose(ofTool tool: String?) -> SignInPurpose? {
        switch tool {
        case Self.git.tool?: .git
        case Self.docker.tool?: .packages
        default: nil
        }
    }

    /// The words that stand for the name.
    package var words: [String] { ["helper", tool] }

    /// The call by `path`, the name of the program as it was started; nil for any other.
    package init?(path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard let call = Self.allCases.first(where: { $0.program == name }) else { return nil }
        self = call
    }

    /// How the tool can start it.
    package enum Way: Hashable, Sendable {
        /// By the name that the tool looks for, which `PATH` has.
        case named
        /// By a program of that name at a path, which begins with a slash.
        case at(String)
        /// By this program at a path; it has to be told what it is to be.
        case word(of: String)
    }
}
