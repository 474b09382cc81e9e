internal import KeyfobLookup
internal import KeyfobModel
internal import KeyfobRecords

/// Something in a group that decides whose token goes where: whoever holds the group's key can write it.
public struct GroupDecision: Hashable, Sendable {
    /// By which it is kept where others go: `binding:tool:gh:git.example`.
    public let name: String
    /// What it is.
    public let kind: Kind
    /// What it decides, as people read it: `tool gh is bound to ada@git.example`.
    public let text: String
    /// The group it is in.
    public let group: AccessGroup
    /// Who made it.
    public let writer: DecisionWriter

    /// What a decision is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// What a directory, an address, a host or a tool uses.
        case binding
        /// That a project file counts.
        case allowance
        /// The account to take where nothing else speaks.
        case defaultAccount
        /// Where people sign in, and where refresh tokens go.
        case provider
        /// A client to sign in with.
        case client
        /// The client to take where nobody names one.
        case defaultClient
        /// What a program may have.
        case program
        /// What was read of a provider's discovery document.
        case discovery
        /// Something that this Keyfob does not know.
        case other
    }

    init(_ setting: Setting, in group: AccessGroup) {
        name = setting.name
        self.group = group
        writer = setting.writer
        if let binding = BindingSetting.binding(setting, in: group) {
            let tenant = binding.tenant.map { " in tenant \($0)" } ?? ""
            (kind, text) = (.binding, "\(binding.subject) is bound to \(binding.target.text)\(tenant)")
        } else if let allowance = AllowanceSetting(setting) {
            (kind, text) = (.allowance, "\(allowance.path) is allowed, for \(allowance.bound.target.text)")
        } else if let permission = ProgramSetting.permission(setting, in: group) {
            let whose = permission.account.map { "\($0)" } ?? "each account"
            let what =
                permission.actions == .all
                ? "use" : permission.actions.words(conjunction: permission.isAllowed ? "and" : "or")
            (kind, text) = (
                .program, "\(permission.program) \(permission.isAllowed ? "may" : "may not") \(what) \(whose)"
            )
        } else if name == Keyring.Accounts.defaultAccount {
            (kind, text) = (.defaultAccount, "\(setting.value) is the default account")
        } else if name.hasPrefix(RegistrySetting.providerPrefix) {
            let (own, at) = (String(name.dropFirst(RegistrySetting.providerPrefix.count)), Self.host(setting.value))
            (kind, text) = (.provider, "provider \(own)\(at)")
        } else if let (environment, id) = RegistrySetting.client(name) {
            (kind, text) = (.client, "client \(id) at \(environment)")
        } else if let environment = RegistrySetting.environment(ofDefault: name) {
            (kind, text) = (.defaultClient, "\(setting.value) is the default client at \(environment)")
        } else if name.hasPrefix(RegistrySetting.discoveryPrefix) {
            (kind, text) = (.discovery, name)
        } else {
            (kind, text) = (.other, "setting \(name)")
        }
    }

    private static func host(_ document: String) -> String {
        (try? ProviderDocument.read(Array(document.utf8))).map { " for \($0.environment)" } ?? ""
    }
}

/// Which decisions of those who hold a group's key stay when one of them loses it.
public enum KeptDecisions: Hashable, Sendable {
    /// All of them.
    case all
    /// Those called so, of ``GroupDecision/name``.
    case named(Set<String>)

    /// None of them.
    public static var none: KeptDecisions { .named([]) }

    func contains(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .named(let names): names.contains(name)
        }
    }
}

/// What revoking a slot of a group did.
public struct SlotRevocation: Hashable, Sendable {
    /// The slot's id.
    public let slot: String
    /// How many records were sealed again.
    public let records: Int
    /// What was decided by somebody with the group's key, and went.
    public let removed: [GroupDecision]
    /// What was decided by somebody with the group's key, and stays.
    public let kept: [GroupDecision]

    /// What a revocation did.
    public init(slot: String, records: Int, removed: [GroupDecision], kept: [GroupDecision]) {
        (self.slot, self.records, self.removed, self.kept) = (slot, records, removed, kept)
    }
}
