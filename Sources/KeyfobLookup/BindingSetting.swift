package import KeyfobRecords
package import KeyfobModel

/// How a binding is kept: as a setting of its group, `binding:<kind>:<subject>:<environment or *>`, whose
/// value is the canonical id of the account or `none`, and on a second line the tenant where one is named.
///
/// The environment is in the name so that one subject can be bound to an account at each of several
/// providers.
package struct BindingSetting: Hashable {
    package static let prefix = "binding:"

    package let subject: Binding.Subject
    /// The environment as it stands in the name.
    package let environment: String

    package init(_ subject: Binding.Subject, _ target: Binding.Target) {
        self.subject = subject
        environment = Self.escaped(target.environment)
    }

    /// The binding that a name is about; nil where it makes no sense.
    package init?(name: String) {
        guard name.hasPrefix(Self.prefix), let end = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = name.utf8.dropFirst(Self.prefix.utf8.count)
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), colon < end else { return nil }
        let text = name[rest.index(after: colon)..<end]
        guard let subject = Binding.Subject(kind: String(Substring(rest[..<colon])), text: String(text)) else {
            return nil
        }
        self.subject = subject
        environment = String(name[name.utf8.index(after: end)...])
    }

    package var name: String { Self.prefix(of: subject) + environment }

    private static func prefix(of subject: Binding.Subject) -> String { "\(prefix(ofKind: subject))\(subject.text):" }

    /// How the names of the bindings of a subject's kind begin: of an address not all are written as it is compared.
    package static func prefix(ofKind subject: Binding.Subject) -> String { "\(prefix)\(subject.kind):" }

    /// Whether of both only the newer may stand.
    package func excludes(_ other: BindingSetting) -> Bool {
        subject == other.subject
            && (environment == other.environment || environment == "*" || other.environment == "*")
    }

    /// The binding in a setting; nil where it makes no sense.
    package static func binding(_ setting: Setting, in group: AccessGroup) -> Binding? {
        guard let own = BindingSetting(name: setting.name), let value = BindingValue(text: setting.value),
            own == BindingSetting(own.subject, value.target)
        else { return nil }
        return Binding(
            own.subject, to: value.target, tenant: value.tenant, from: .keyring(group), by: setting.writer)
    }

    /// An environment without `:`, which ends the subject, and never `*`, which means all.
    private static func escaped(_ environment: String?) -> String {
        environment.map { PercentEncoding.encode($0, only: ":*") } ?? "*"
    }
}

/// What a subject is bound to: an account or none, and for an account perhaps a tenant.
package struct BindingValue: Hashable {
    package let target: Binding.Target
    package let tenant: String?

    package init(_ target: Binding.Target, tenant: String? = nil) {
        self.target = target
        self.tenant = target.account == nil ? nil : tenant.flatMap(TokenRequest.specificTenant)
    }

    /// The value as it is kept: no id and no tenant holds a line feed.
    package var text: String { target.text + (tenant.map { "\n" + $0 } ?? "") }

    /// The value that ``text`` tells; nil where it makes no sense.
    package init?(text: String) {
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count <= 2, let target = Binding.Target(text: String(Substring(lines[0]))) else { return nil }
        self.target = target
        guard lines.count == 2 else {
            tenant = nil
            return
        }
        let tenant = String(Substring(lines[1]))
        guard target.account != nil, Identifier.isAcceptable(tenant) else { return nil }
        self.tenant = tenant
    }
}

/// How it is kept that a project file is allowed: as a setting `allowed:<real path>`, whose value is the
/// digest of the file and what it binds its folder to.
///
/// The group is the one in which the setting stands.
package struct AllowanceSetting: Hashable {
    package static let prefix = "allowed:"

    package let path: String
    package let digest: String
    package let bound: BindingValue

    package init(path: String, digest: String, bound: BindingValue) {
        self.path = path
        self.digest = digest
        self.bound = bound
    }

    /// What a setting allows; nil where it makes no sense.
    package init?(_ setting: Setting) {
        guard setting.name.hasPrefix(Self.prefix + "/"), let blank = setting.value.firstIndex(of: " "),
            let bound = BindingValue(text: String(setting.value[setting.value.index(after: blank)...]))
        else { return nil }
        path = String(setting.name.dropFirst(Self.prefix.count))
        digest = String(setting.value[..<blank])
        self.bound = bound
    }

    package static func name(of path: String) -> String { prefix + path }

    package var value: String { "\(digest) \(bound.text)" }

    /// What the file says, as a binding of its folder.
    package func binding(in group: AccessGroup, by writer: DecisionWriter) -> Binding {
        let folder = path[..<(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
        return Binding(
            .directory(folder.isEmpty ? "/" : String(folder)), to: bound.target, tenant: bound.tenant,
            from: .file(path, group), by: writer)
    }
}
