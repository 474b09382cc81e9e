internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobSodium

/// The git that is installed here, asked what it does.
struct GitProgram {
    private let environment: Environment

    /// Nil where none is installed.
    init?(_ environment: Environment = .current) {
        guard SearchPath.program("git", environment) != nil else { return nil }
        self.environment = environment
    }

    /// Its credential helpers, where it is called from; nil where it does not tell.
    func chain() -> GitCredentialChain? {
        guard let output = run(["git"] + GitCredentialChain.arguments, "") else { return nil }
        // It ends with 1 where there are no such lines.
        guard output.end == .status(0) || output.end == .status(1) else { return nil }
        return GitCredentialChain(output.bytes.withBytes { [UInt8]($0) })
    }

    /// Whose credential git takes for an address.
    enum Answer {
        /// Keyfob's.
        case keyfobs
        /// Another one, or none, although Keyfob has one.
        case another
        /// Keyfob has none.
        case none
    }

    /// Has git fill in a credential, as for a request, and looks whose it is.
    func answer(at address: String) -> Answer {
        guard let own = FileAccess.link("/proc/self/exe") else { return .none }
        let scheme = address.prefix { $0 != ":" }
        let question = "protocol=\(scheme)\nhost=\(address.dropFirst(scheme.count + 3))\n"
        guard let given = secret([own] + ToolCall.git.words + ["get"], question) else { return .none }
        guard let taken = secret(["git", "credential", "fill"], question) else { return .another }
        return taken.isEqual(to: given) ? .keyfobs : .another
    }

    private func secret(_ words: [String], _ question: String) -> SecretBytes? {
        guard let output = run(words, question) else { return nil }
        guard output.end == .status(0), var request = try? GitCredentialRequest(reading: output.bytes) else {
            return nil
        }
        return request.secret.take()
    }

    private func run(_ words: [String], _ input: String) -> QuietProgram.Output? {
        // An empty one is no program, and comes before what else git would ask by.
        QuietProgram.output(
            of: words, reading: input, environment, ["GIT_ASKPASS": "", "GIT_TERMINAL_PROMPT": "0"])
    }
}
