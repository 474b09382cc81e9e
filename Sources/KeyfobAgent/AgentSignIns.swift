public import Keyfob

/// Where a person goes in a sign-in.
public enum SignInStep: Hashable, Sendable {
    /// Opens this address in a browser of this machine.
    case browser(url: String)
    /// Types the code at the address, on any device, within so many seconds; the second address has it in it.
    case device(url: String, code: String, completeURL: String?, seconds: Int64)
}

/// Takes people through sign-ins.
public protocol AgentSignIns: Sendable {
    /// Signs somebody in, and stores the tokens.
    ///
    /// - Parameter show: Called once it is known where the person goes.
    /// - Throws: `cancelled` where nobody signed in in time, and as `Keyring.finish`.
    func signIn(
        _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
        show: @escaping @Sendable (SignInStep) async -> Void
    ) async throws(KeyringError) -> SignInReport
}
