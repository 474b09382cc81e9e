internal import Keyfob
internal import KeyfobAgent

/// What an agent needs besides a vault and a door: made before keys are opened, because some of it starts programs.
struct AgentParts {
    /// Where it writes down what it was asked.
    let audit: any AuditTrail
    /// Who asks the person.
    let questions: any ProgramQuestions
    /// Who takes the person through sign-ins.
    let signIns: any AgentSignIns

    /// Those of this machine.
    static func make(_ global: GlobalOptions, _ network: NetworkOptions) throws(KeyringError) -> AgentParts {
        AgentParts(audit: NoTrail(), questions: NobodyThere(), signIns: NoSignIns())
    }
}

/// Writes nothing down.
private struct NoTrail: AuditTrail {
    func append(_ entry: AuditEntry, _ keyring: Keyring) {}
}

/// There is nobody to ask.
private struct NobodyThere: ProgramQuestions {
    func ask(_ question: ProgramQuestion) async -> ProgramAnswer { .nobodyThere }
}

/// Nobody can sign in by way of the agent.
private struct NoSignIns: AgentSignIns {
    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport {
        throw KeyringError(
            .unavailable, "the agent takes nobody through a sign-in", hint: "'keyfob login' does, at a terminal")
    }
}
