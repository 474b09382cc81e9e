internal import Glibc
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles
internal import KeyfobTerminal
internal import Synchronization

/// An agent of one socket that answers for what that was made for, and holds no keys between two calls: once nothing at hand opens
/// the vault, it gives nothing.
struct DelegatedAgent {
    let global: GlobalOptions
    let network: NetworkOptions
    /// The socket's path, and its name in the log.
    let (path, program): (String, Program)
    let account: String
    let scopes: ScopeSet
    let hosts: [HostPattern]

    /// After so many milliseconds it is noted in the vault again how far the log has come.
    private static let pause: Int64 = 60_000

    /// Nobody is asked about what it was not made for.
    private struct NobodyThere: ProgramQuestions {
        func ask(_ question: ProgramQuestion) async -> ProgramAnswer { .nobodyThere }
        func chooseAccount(_ question: ProgramQuestion) async -> AccountAnswer { .nobodyThere }
    }

    /// Signs nobody in.
    private struct NoSignIns: AgentSignIns {
        func signIn(
            _ request: SignInRequest, in groups: [AccessGroup]?, _ keyring: Keyring,
            show: @escaping @Sendable (SignInStep) async -> Void
        ) async throws(KeyringError) -> SignInReport {
            throw KeyringError(.notPermitted, "nobody signs in over this socket", advice: nil)
        }
    }

    /// Answers until a signal comes, or nobody has asked for `idle` milliseconds.
    func run(_ location: KeyringLocation, idle: Int64?) throws(KeyringError) {
        let audit = AuditFiles(state: location.state)
        let id = try LockedKeyring(at: location).vaultID
        let noted = Mutex(VarlinkServer.uptime())
        let vault = AgentVault(
            open: { [global] () throws(KeyringError) in
                guard try LockedKeyring(at: location).vaultID == id else {
                    throw KeyringError(
                        .unknownVault, "another vault is at \(location.vault) than the one that the socket was made for"
                    )
                }
                switch try global.opening(reaching: .everything) {
                case .opened(let keyring): return keyring
                case .shut(let error): throw error
                }
            },
            closing: { keyring in
                let now = VarlinkServer.uptime()
                let isDue = noted.withLock { last in
                    defer { if now - last > Self.pause { last = now } }
                    return now - last > Self.pause
                }
                if isDue { audit.noteHeads(in: keyring) }
            })
        let keyring = try vault.keyring()
        // What it does with keys starts no program.
        Reach.network.confine(keyring)
        let delegation = try delegation(keyring)
        vault.lock()
        let turn = try AgentSocket.Turn(at: path, of: VaultPlace(location).path)
        // Whoever comes next makes it anew.
        defer { try? POSIXFile.remove(path + ".lock") }
        let socket = try AgentSocket(at: path, turn)
        let signals = try SignalPipe.ofEnd()
        let desk = AgentDesk(
            vault, audit: audit, questions: NobodyThere(),
            network: { [network] () throws(KeyringError) in try network.network() }, writesPendingOnceClosing: false)
        let keys = AgentKeys(
            unlock: { (_, _, _) throws(KeyringError) in }, lock: { false },
            status: {
                AgentKeys.Status(
                    place: VaultPlace(location), isOpen: (try? vault.keyring()) != nil, id: nil, until: nil)
            })
        let door = SocketDoor(
            to: desk, signIns: NoSignIns(), keys: keys, changes: VaultChanges(), delegation: delegation, hint: \.hint)
        let underWay = Mutex(0)
        let server = VarlinkServer(
            listener: socket.descriptor, limits: .ofThisProcess, busy: SocketDoor.busy(),
            unanswered: SocketDoor.unanswered(),
            peer: { try? PeerProcess.connected(to: $0, owner: nil) },
            answer: { call, peer, replies in
                underWay.withLock { $0 += 1 }
                // Each call opens the vault anew, or finds what one that came later has opened.
                vault.lock()
                await door.answer(call, peer, replies)
                let isLast = underWay.withLock { count in
                    count -= 1
                    return count == 0
                }
                if isLast { vault.lock() }
            })
        guard let server else { throw KeyringError(.unavailable, "there are no file descriptors left") }
        global.say("listening at \(path), for \(program)")
        var idleSince = VarlinkServer.uptime()
        while true {
            let rest = idle.map { max(1, idleSince + $0 - VarlinkServer.uptime()) } ?? 60_000
            let ready = server.step(waiting: min(rest, 60_000), or: [signals.descriptor])
            if !server.isIdle || desk.isBusy { idleSince = VarlinkServer.uptime() }
            let isOver = idle.map { VarlinkServer.uptime() - idleSince >= $0 } ?? false
            if isOver || ready.contains(signals.descriptor) && signals.next() != nil || !socket.isInPlace { break }
        }
        finish(server, desk, signals)
        if let keyring = try? vault.keyring() {
            desk.writePending(keyring)
            audit.noteHeads(in: keyring)
        }
        vault.lock()
        while vault.isClosing { usleep(20_000) }
        _ = consume turn
    }

    /// What the socket is made for.
    private func delegation(_ keyring: Keyring) throws(KeyringError) -> Delegation {
        let candidate = try keyring.accounts.named(account, in: global.groups())
        return Delegation(program, account: candidate.account.id, in: candidate.group, scopes: scopes, hosts: hosts)
    }

    /// Answers what it has begun to answer; a second signal does not wait.
    private func finish(_ server: VarlinkServer, _ desk: AgentDesk, _ signals: borrowing SignalPipe) {
        desk.retire()
        server.dismiss()
        let end = VarlinkServer.uptime() + 30_000
        while desk.isBusy || !server.isIdle, VarlinkServer.uptime() < end {
            let ready = server.step(waiting: 50, or: [signals.descriptor])
            if ready.contains(signals.descriptor), signals.next() != nil { return }
        }
    }
}
