internal import Keyfob
internal import Synchronization

extension AgentDesk {
    /// Replaces the tokens that programs asked for lately before they expire, until the task is cancelled: one that is being
    /// replaced then still is, and ``isBusy`` until it is stored and written down.
    ///
    /// - Parameter wait: Waits for so many seconds, and throws where the task was cancelled.
    public func keepTokensFresh(
        waiting wait: @Sendable (Int64) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) async {
        while !Task.isCancelled {
            if let keyring = vault.current { writePending(keyring) }
            await replaceDueTokens()
            do { try await wait(upkeep.withLock { $0.seconds(from: clock.now) }) } catch { return }
        }
    }

    /// Replaces those that are due now.
    func replaceDueTokens() async {
        let due = upkeep.withLock { $0.due(clock.now) }
        guard !due.isEmpty else { return }
        begin()
        defer { end() }
        // Keys are not held all the time; where nothing at hand opens the vault, nothing is kept fresh.
        guard (try? vault.keyring()) != nil else { return upkeep.withLock { $0.forgetAll() } }
        for (key, kept) in due where !Task.isCancelled {
            do throws(KeyringError) {
                let expiry = try await replace(kept)
                upkeep.withLock { $0.isRenewed(key, until: expiry, now: clock.now) }
            } catch {
                switch error.code {
                case .offline, .throttled, .busy, .providerFailed, .inputOutput, .diskFull:
                    upkeep.withLock { $0.isRefused(key, now: clock.now) }
                // Somebody has to sign in, or the program may not have it any more: it hears so when it asks.
                default: upkeep.withLock { $0.forget(key) }
                }
            }
        }
    }

    private func replace(_ kept: TokenUpkeep.Kept) async throws(KeyringError) -> Timestamp? {
        let keyring = try vault.keyring()
        let candidate = try keyring.accounts.named(kept.request.account ?? "", in: [kept.group])
        var draft = AuditDraft(.renewal, kept.caller, kept.request)
        (draft.keyring, draft.account, draft.group) = (keyring, candidate.account.id, kept.group)
        draft.permission = rights(of: kept.caller).word(
            forTokenOf: candidate, kept.request.scopes, kept.askedClientID, keyring)
        guard draft.isGiven else {
            throw KeyringError(.notPermitted, "\(kept.caller.program) may not have this token any more")
        }
        var request = kept.request
        // What is stored will not do, unless somebody else has put a newer one there.
        request.minimumValidity = max(request.minimumValidity ?? 0, kept.expiry.seconds - clock.now.seconds + 1)
        let box = try await acquire(TokenAcquisition(request, in: [kept.group], network: network), from: keyring)
        draft.answer = box.found.origin.rawValue
        if box.found.origin == .provider { try write(draft) }
        return box.found.credential.expiresOn
    }
}
