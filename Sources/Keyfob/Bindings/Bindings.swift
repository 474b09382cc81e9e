internal import KeyfobFiles
internal import KeyfobLookup
internal import KeyfobRecords
internal import KeyfobVault

extension Keyring {
    /// Bindings: which account is used where; and the project files that may say so.
    public struct Bindings: KeyringPart {
        let keyring: Keyring
    }
}

extension Keyring.Bindings {
    /// The bindings that stand in the groups, in an order that does not depend on when they were made.
    ///
    /// - Parameter groups: The groups to look through; nil for all within reach.
    /// - Throws: as ``Keyring/Accounts/list(in:)``.
    public func list(in groups: [AccessGroup]? = nil) throws(KeyringError) -> [Binding] {
        try withState { state in try search.decisions(&state, state.groups(groups)).bindings }
    }

    /// Binds a subject to an account of a group, or to none.
    ///
    /// A subject has one account at each provider: an earlier binding to another account there gives way.
    /// A binding to no account takes the place of all of the group, and any account that of it.
    ///
    /// - Parameter tenant: The tenant whose tokens are used; nil for the account's home. With no account it means nothing.
    /// - Returns: The bindings that gave way.
    /// - Throws: `noSuchAccount` when the account is not in the group, `groupNotGranted`, `noSuchGroup`, and
    ///   what writing can throw.
    @discardableResult
    public func set(
        _ subject: Binding.Subject, to target: Binding.Target, tenant: String? = nil, in group: AccessGroup
    ) throws(KeyringError) -> [Binding] {
        if let tenant, !Identifier.isAcceptable(tenant) {
            throw KeyringError(.usage, "the tenant is blank, too long, or holds control characters")
        }
        return try withState { state in
            let group = try state.group(group)
            if let account = target.account, try database.account(account, in: group.keys) == nil {
                throw StoreError.notFound
            }
            let new = BindingSetting(subject, target)
            let before = try search.decisions(&state, [group]).bindings.filter { $0.subject == subject }
            try change(&state, group, as: "bind") { writer in
                for name in try writer.settingNames(prefix: BindingSetting.prefix(ofKind: subject)) {
                    guard let old = BindingSetting(name: name), name != new.name, old.excludes(new) else { continue }
                    try writer.setSetting(name, to: nil)
                }
                try writer.setSetting(new.name, to: BindingValue(target, tenant: tenant).text)
            }
            let after = try search.decisions(&state, [group]).bindings
            return before.filter { !after.contains($0) }
        }
    }

    /// The host to which the tokens of an account would go by a binding, and do not go without it: a mistyped one gets them all
    /// the same.
    ///
    /// - Returns: The host; nil where it is the account's provider's or bound to the account already, and for what is no host.
    /// - Throws: as ``Keyring/Accounts/select(_:in:)``.
    public func newDestination(
        of subject: Binding.Subject, for candidate: Candidate
    ) throws(KeyringError) -> String? {
        let url: ResourceURL
        switch subject {
        case .url(let address): url = address
        case .host(let host): url = ResourceURL(host: host)
        case .directory, .tool: return nil
        }
        let id = candidate.account.id
        // Those for one resource go there, whatever is bound.
        guard ResourceURL(environment: id.environment) == nil else { return nil }
        let request = TokenRequest(account: id.description, context: RequestContext(url: url))
        let selection = try keyring.accounts.select(request, in: [candidate.group])
        guard let judged = selection.verdicts.first(where: { $0.candidate.account.id == id }),
            case .rejected(.hostNotAllowed(let host)) = judged.verdict
        else { return nil }
        return host
    }

    /// Takes all bindings of a subject back.
    ///
    /// - Returns: How many there were.
    /// - Throws: `noSuchBinding` when there was none, and as ``set(_:to:in:)``.
    public func remove(
        _ subject: Binding.Subject, in groups: [AccessGroup]? = nil
    ) throws(KeyringError) -> Int {
        let note = ChangeNote(keyring.entry("unbind"))
        let count = try withState { state in
            var count = 0
            for group in try state.groups(groups) {
                // A group without such bindings is not written.
                guard try search.decisions(&state, [group]).bindings.contains(where: { $0.subject == subject }) else {
                    continue
                }
                count += try change(&state, [group], note: note) { writers in
                    let writer = writers[0]
                    let names = try writer.settingNames(prefix: BindingSetting.prefix(ofKind: subject))
                        .filter { BindingSetting(name: $0)?.subject == subject }
                    for name in names { try writer.setSetting(name, to: nil) }
                    return names.count
                }
            }
            return count
        }
        guard count > 0 else {
            throw KeyringError(
                .noSuchBinding, "\(subject.kind) \(subject.text) is not bound",
                advice: .listBindings)
        }
        return count
    }
}
