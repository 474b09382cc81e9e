internal import KeyfobLookup
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

// How a request ends that was refused, or that only a person can get further: with an error that says how to continue.

extension Keyring.Tokens {
    /// The error for a refusal, by what helps.
    func error(_ refusal: JudgedRefusal, _ plan: TokenRequestSnapshot) throws(KeyringError) -> KeyringError {
        let provider = try provider(for: plan)
        guard let remedy = refusal.ruling.remedy else {
            return KeyringError(refusal.failure, of: provider, account: plan.account.name)
        }
        let continuation = continuation(plan, remedy)
        switch remedy {
        case .signIn, .consent, .secondFactor, .newPassword:
            if refusal.ruling.reach == .grant {
                let reason: String? =
                    if case .needsSignIn(let told)? = plan.own?.grant?.state { told } else { nil }
                return signInNeeded(plan, reason ?? "\(refusal.failure)", remedy)
            }
            let name = keyring.accounts.naming(for: plan.account).brief(plan.account)
            return KeyringError(
                .signInNeeded, "\(name) must sign in\(Self.purpose(plan)): \(refusal.failure)",
                advice: .signIn(continuation), candidates: [plan.account.id.description], names: [])
        case .meetPolicy:
            guard let policy = refusal.failure.refusal?.policy else {
                return signInNeeded(plan, "\(refusal.failure)", remedy)
            }
            return KeyringError(policy, refusal.failure, name: plan.account.name, continuation: continuation)
        case .invitation, .administrator:
            let client = remedy == .administrator ? " with client \(plan.clientID ?? "")" : ""
            return KeyringError(
                .policyNotMet,
                "no token for \(plan.account.name): tenant \(plan.realm) does not let the account in\(client); "
                    + "\(refusal.failure)",
                advice: .askAdministrator(continuation), candidates: [plan.account.id.description], names: [])
        case .otherScopes:
            return KeyringError(
                .scopesDeclined, "no token for \(plan.account.name): \(refusal.failure)", advice: .askForOtherScopes,
                continuation: continuation)
        case .otherClient:
            if refusal.failure.refusal?.policy != nil {
                return KeyringError(refusal.failure, of: provider, account: plan.account.name)
            }
            return KeyringError(
                .configuration, "no token for \(plan.account.name): \(refusal.failure)", advice: .listClients,
                continuation: continuation)
        }
    }

    /// What a token is for, after "must sign in": the scopes, and the tenant where it is not the home.
    private static func purpose(_ plan: TokenRequestSnapshot) -> String {
        let tenant: String? = if case .named(let realm) = plan.tenant { realm } else { nil }
        return (plan.scopes.isEmpty ? "" : " for \(plan.scopes)") + (tenant.map { " in tenant \($0)" } ?? "")
    }

    /// The error for an account that must sign in.
    func signInNeeded(
        _ plan: TokenRequestSnapshot, _ reason: String, _ remedy: RefusalRemedy = .signIn
    ) -> KeyringError {
        let name = keyring.accounts.naming(for: plan.account).brief(plan.account)
        // A token that was added by hand came from no sign-in.
        let isAddedByHand = plan.clientID == Credential.noClient
        return KeyringError(
            .signInNeeded, "\(name) must sign in: \(reason)",
            advice: isAddedByHand
                ? .storeTokenOf(plan.account.id.description, scopes: plan.scopes)
                : .signIn(continuation(plan, remedy)),
            candidates: [plan.account.id.description], names: [])
    }

    /// The error for scopes that a refresh cannot give.
    func consentNeeded(_ plan: TokenRequestSnapshot) -> KeyringError {
        let name = keyring.accounts.naming(for: plan.account).brief(plan.account)
        return KeyringError(
            .signInNeeded, "\(name) has not consented to \(plan.scopes)",
            advice: .signIn(continuation(plan, .consent)), candidates: [plan.account.id.description], names: [])
    }

    /// How a person continues.
    private func continuation(_ plan: TokenRequestSnapshot, _ remedy: RefusalRemedy) -> Continuation {
        let verdict = verdict(about: plan)
        return keyring.signIns.continuation(
            remedy, plan.request, of: plan.account, at: plan.situation.environment, in: plan.group, id: verdict?.id,
            claims: verdict?.answer.claims)
    }

    /// What is remembered of the refusal of a request.
    private func verdict(about plan: TokenRequestSnapshot) -> RefusalVerdict? {
        let (request, now) = (plan.request, clock.now)
        let verdicts = try? keyring.withState { state in
            let group = try state.group(of: plan)
            return try database.credentials(.refreshToken, of: plan.account.id, in: group.keys).items.flatMap {
                $0.value.grant?.refusals ?? []
            }
        }
        return (verdicts ?? []).filter { $0.isKept(at: now) && $0.request.isContinued(by: request) }
            .max { $0.time < $1.time }
    }
}

extension TokenRequestSnapshot {
    /// The request as it is remembered where it is refused.
    fileprivate var request: RefusedRequest {
        RefusedRequest(clientID: clientID ?? "", tenant: realm, scopes: scopes, claims: claims)
    }
}

extension RefusedRequest {
    /// Whether to continue `other` is to continue this.
    fileprivate func isContinued(by other: RefusedRequest) -> Bool {
        var other = other
        other.namesScopes = namesScopes
        return isSame(as: other) && scopes.ofResources == other.scopes.ofResources
    }
}
