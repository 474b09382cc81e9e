internal import KeyfobLookup
internal import KeyfobModel

/// What decides in a bundle, and is left out of an import unless it is named: whose token goes where is for the owner of
/// this keyring to say.
public struct DecisionKinds: OptionSet, Hashable, Sendable {
    /// A bit for each kind.
    public let rawValue: UInt8

    /// The kinds of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What directories, addresses, hosts and tools use, and which project files count.
    public static let bindings = DecisionKinds(rawValue: 1)
    /// The default account of each group.
    public static let defaults = DecisionKinds(rawValue: 2)
    /// Providers that were added.
    public static let providers = DecisionKinds(rawValue: 4)
    /// Clients, their secrets, and which of them is the default.
    public static let clients = DecisionKinds(rawValue: 8)
    /// All of them, and what this Keyfob does not know.
    public static let all: DecisionKinds = [.bindings, .defaults, .providers, .clients]

    /// The names of single kinds, as commands have them.
    public static let names: [(name: String, kind: DecisionKinds)] = [
        ("bindings", .bindings), ("defaults", .defaults), ("providers", .providers), ("clients", .clients),
    ]

    /// What has to be asked for so that an item comes along; nil where it decides nothing.
    init?(_ key: ItemKey) {
        switch key.kind {
        case .clientSecret: self = .clients
        case .setting:
            let name = key.parts.first ?? ""
            func begins(_ prefixes: String...) -> Bool { prefixes.contains { name.hasPrefix($0) } }
            if begins(BindingSetting.prefix, AllowanceSetting.prefix) {
                self = .bindings
            } else if name == Keyring.Accounts.defaultAccount {
                self = .defaults
            } else if begins(RegistrySetting.providerPrefix) {
                self = .providers
            } else if begins(RegistrySetting.clientPrefix, RegistrySetting.defaultClientPrefix) {
                self = .clients
            } else if Keyring.Groups.decidesNothing(name) {
                return nil
            } else {
                self = .all
            }
        default: return nil
        }
    }
}
