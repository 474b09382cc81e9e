package import Keyfob
internal import KeyfobModel
internal import Synchronization

/// What a socket was made for: tokens of one account, for whoever can connect to it.
///
/// Who can is decided by who reaches the socket's file: a container into which it is mounted, a machine to which it is forwarded.
/// Which program asks, and of which user, is not looked at.
package struct Delegation: Sendable {
    /// What the log and permissions call whoever asks.
    let program: Program
    /// The account, and its group.
    let account: AccountID
    let group: AccessGroup
    /// For which scopes tokens may be asked; empty for any.
    ///
    /// What a provider adds to them is in the token all the same.
    let scopes: ScopeSet
    /// For which hosts tokens may be asked; empty for wherever the account's go.
    let hosts: [HostPattern]

    /// - Parameter program: Of kind `socket`.
    package init(
        _ program: Program, account: AccountID, in group: AccessGroup, scopes: ScopeSet, hosts: [HostPattern]
    ) {
        (self.program, self.account, self.group) = (program, account, group)
        (self.scopes, self.hosts) = (scopes, hosts)
    }

    /// Who asks over the socket.
    func caller(_ peer: PeerProcess) -> AgentCaller {
        AgentCaller(program, process: peer.number, user: peer.user, door: .socket) { nil }
    }

    /// What is asked for, no wider than the socket was made for; what it says of other accounts and scopes is refused later.
    ///
    /// - Throws: `notPermitted` for another host.
    func narrowed(_ acquisition: TokenAcquisition) throws(KeyringError) -> TokenAcquisition {
        var narrowed = acquisition
        narrowed.groups = [group]
        if narrowed.request.account == nil { narrowed.request.account = account.description }
        if narrowed.request.scopes.isEmpty { narrowed.request.scopes = scopes }
        // Where tokens go is the owner's decision alone.
        narrowed.request.allowedHost = nil
        guard !hosts.isEmpty else { return narrowed }
        let names = hosts.map(\.text).joined(separator: ", ")
        guard let url = acquisition.request.context.url else {
            throw KeyringError(
                .notPermitted,
                "the socket '\(program.name)' gives tokens for \(names) alone: say with --url where this one goes",
                advice: nil)
        }
        guard hosts.contains(where: { $0.matches(url.host) }) else {
            throw KeyringError(
                .notPermitted, "the socket '\(program.name)' gives tokens for \(names) alone, and not for \(url.host)",
                advice: nil)
        }
        return narrowed
    }
}

extension AgentDesk {
    /// Lets whoever asks over a socket have what it was made for, until the agent ends.
    package func delegate(_ delegation: Delegation) {
        let caller = AgentCaller(delegation.program, process: 0, user: 0, door: .socket) { nil }
        session.withLock { session in
            session.allow(
                caller, to: .usual, delegation.account, in: delegation.group, delegation.scopes, nil, digest: nil)
        }
    }

    /// Writes down that a token was refused before it was looked for.
    ///
    /// - Returns: What is told.
    func refused(
        _ request: TokenRequest, for caller: AgentCaller, with error: KeyringError
    ) async -> KeyringError {
        do throws(KeyringError) {
            return try await answering(AuditDraft(.token, caller, request)) {
                (_, _) throws(KeyringError) -> KeyringError in throw error
            }
        } catch {
            return error
        }
    }
}
