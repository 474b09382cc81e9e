/// An authority, as MSAL and ADAL write where people sign in: `https://login.microsoftonline.com/contoso.example`.
///
/// The one reader of such addresses, for what people type and for what token caches hold.
public struct Authority: Hashable, Sendable {
    /// What stands at the address.
    public let kind: Kind
    /// The host in small letters, with `:port` where that is not the one of https.
    public let host: String
    /// The tenant as it is written, or the word for many (`common`); `adfs` for AD FS, and empty where none is named.
    public let tenant: String
    /// Whether the path of a B2C authority begins with `tfp`.
    private let hasPrefix: Bool

    /// The kinds of authorities there are.
    public enum Kind: Hashable, Sendable {
        /// One of Microsoft's clouds: Entra ID, Azure Active Directory.
        case entra
        /// Azure AD B2C: each policy, or user flow, is an authority of its own.
        case b2c(policy: String)
        /// Active Directory Federation Services, on premises.
        case adfs
        /// Microsoft Entra External ID, for customers.
        case ciam
        /// None of them.
        case other
    }

    /// Why a text is no authority; no case holds any of it.
    public enum Flaw: String, Error, Hashable, Sendable, CustomStringConvertible {
        case notAnAddress = "is not an https URL of the form https://host/tenant"
        case insecure = "is not https"
        case credentials = "holds a user name or a password, which no authority has"
        case query = "has a query or a fragment, which no authority has"
        case unknownPath = "has a path that no authority of its host has"
        case missingPolicy = "names no policy: https://NAME.b2clogin.com/NAME.onmicrosoft.com/POLICY"
        case formerB2C =
            "is where Azure AD B2C no longer answers: https://NAME.b2clogin.com/NAME.onmicrosoft.com/POLICY"
        case dsts = "is one of dSTS, which is not supported"

        /// What follows "the authority".
        public var description: String { rawValue }
    }

    /// Reads an authority: a slash or `/v2.0` at its end changes nothing.
    public init(_ text: String) throws(Flaw) {
        guard Identifier.isAcceptable(text) else { throw .notAnAddress }
        let scheme = Identifier.folded(String(text.prefix { $0 != "/" }))
        guard scheme != "http:" else { throw .insecure }
        let rest = text.dropFirst("https://".count)
        guard scheme == "https:", text.dropFirst("https:".count).hasPrefix("//") else { throw .notAnAddress }
        guard !rest.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else { throw .query }
        let place = rest.prefix { $0 != "/" }
        do throws(HostAndPort.Flaw) {
            let parts = try HostAndPort(Array(place.utf8)[...])
            host = parts.port == nil || parts.port == 443 ? parts.host : "\(parts.host):\(parts.port ?? 443)"
        } catch {
            throw error == .credentials ? .credentials : .notAnAddress
        }
        var path = rest[place.endIndex...].dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map(String.init)
        if path.last == "" { path.removeLast() }
        guard path.allSatisfy(Self.isComponent) else { throw .notAnAddress }
        if let last = path.last, path.count > 1, Identifier.folded(last) == "v2.0" { path.removeLast() }
        (kind, tenant, hasPrefix) = try Self.read(path, at: host)
    }

    private static func read(_ path: [String], at host: String) throws(Flaw) -> (Kind, String, Bool) {
        let first = Identifier.folded(path.first ?? "")
        if first == "dstsv2" { throw .dsts }
        if EnvironmentAliases.isMicrosoft(host) {
            if first == "tfp" || path.count == 2 && isPolicy(path[1]) { throw .formerB2C }
            guard path.count < 2, first != "adfs" else { throw .unknownPath }
            return (.entra, path.first ?? "", false)
        }
        if first == "adfs" {
            guard path.count == 1 else { throw .unknownPath }
            return (.adfs, first, false)
        }
        let isB2C = b2cDomains.contains { host.hasSuffix("." + $0) }
        let own = first == "tfp" ? Array(path.dropFirst()) : path
        if isB2C || first == "tfp" || own.count == 2 && isPolicy(own[1]) {
            guard own.count > 1 else { throw .missingPolicy }
            guard own.count == 2 else { throw .unknownPath }
            return (.b2c(policy: own[1]), own[0], first == "tfp")
        }
        if let name = ciamName(of: host) {
            guard path.count < 2 else { throw .unknownPath }
            return (.ciam, path.first ?? name + ".onmicrosoft.com", false)
        }
        // A domain of the customer's own, in front of a tenant of External ID.
        let isTenant = path.count == 1 && (isGUID(first) || first.hasSuffix(".onmicrosoft.com"))
        return (isTenant ? .ciam : .other, path.first ?? "", false)
    }

    /// The tenant; nil where the authority names none in particular.
    public var ownTenant: String? {
        ["", "common", "organizations", "consumers"].contains(Identifier.folded(tenant)) ? nil : tenant
    }

    /// Below which address its discovery document is; an authority too.
    public var address: String {
        switch kind {
        case .b2c(let policy): "https://\(host)/\(hasPrefix ? "tfp/" : "")\(tenant)/\(policy)/v2.0"
        case .adfs: "https://\(host)/adfs"
        case .entra, .ciam: "https://\(host)/\(tenant.isEmpty ? "common" : tenant)/v2.0"
        case .other: "https://\(host)" + (tenant.isEmpty ? "" : "/\(tenant)")
        }
    }

    /// Whether a text is a GUID, as ids of tenants and people are: 8-4-4-4-12 hexadecimal digits.
    package static func isGUID(_ text: some StringProtocol) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map { $0.count } == [8, 4, 4, 4, 12]
            && groups.allSatisfy { $0.allSatisfy { Hexadecimal.value(of: $0) != nil } }
    }

    private static let b2cDomains = ["b2clogin.com", "b2clogin.cn", "b2clogin.us", "b2clogin.de"]

    /// What stands before `.ciamlogin.com`; nil for another host.
    private static func ciamName(of host: String) -> String? {
        guard host.hasSuffix(".ciamlogin.com") else { return nil }
        let name = host.dropLast(".ciamlogin.com".count)
        return name.isEmpty || name.utf8.contains(UInt8(ascii: ".")) ? nil : String(name)
    }

    private static func isPolicy(_ text: String) -> Bool { Identifier.folded(text).hasPrefix("b2c_") }

    private static func isComponent(_ text: String) -> Bool {
        text != "." && text != ".."
            && !text.isEmpty && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) }
    }
}
