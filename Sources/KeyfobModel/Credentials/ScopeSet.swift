/// A set of OAuth scopes (RFC 6749, section 3.3), compared without regard to ASCII case.
///
/// The order and spelling of the first appearance are kept, because providers and caches repeat
/// them; equality ignores both. Empty and repeated scopes are dropped.
public struct ScopeSet: Sendable {
    /// The scopes in order of appearance.
    public let scopes: [String]
    private let folded: [String]

    /// The scopes in `scopes`.
    public init(_ scopes: some Sequence<String>) {
        var kept: [String] = []
        var folded: [String] = []
        // Nearly always a few: a set, which costs a process 0.1 ms when it is first used, only for many.
        var seen: Set<String>?
        for scope in scopes where !scope.isEmpty {
            let small = Identifier.folded(scope)
            if folded.count == 32 { seen = Set(folded) }
            guard !(seen?.contains(small) ?? folded.contains(small)) else { continue }
            seen?.insert(small)
            kept.append(scope)
            folded.append(small)
        }
        self.scopes = kept
        self.folded = folded
    }

    /// The scopes of a space-separated list, as `target` and `scope` carry them.
    public init(spaceSeparated text: String) {
        let separators: [UInt8] = [0x20, 0x09, 0x0A]
        self.init(text.utf8.split(whereSeparator: separators.contains).map { String(Substring($0)) })
    }

    /// Whether there is no scope.
    public var isEmpty: Bool { scopes.isEmpty }

    /// Whether every scope is in `other`.
    public func isSubset(of other: ScopeSet) -> Bool {
        folded.allSatisfy(other.folded.contains)
    }

    /// Whether a scope is in both.
    public func intersects(_ other: ScopeSet) -> Bool {
        folded.contains(where: other.folded.contains)
    }

    /// The scopes joined by spaces, in order.
    public var spaceSeparated: String { scopes.joined(separator: " ") }
}

// Scopes of OpenID Connect say what a sign-in tells, and nothing of what an access token is for.
extension ScopeSet {
    /// Whether a scope is one of OpenID Connect's own (OpenID Connect Core, sections 5.4 and 11).
    package static func isOfSignIn(_ scope: String) -> Bool {
        switch Identifier.folded(scope) {
        case "openid", "profile", "email", "offline_access": true
        default: false
        }
    }

    /// The scopes without those of OpenID Connect.
    package var ofResources: ScopeSet {
        scopes.contains(where: Self.isOfSignIn) ? ScopeSet(scopes.filter { !Self.isOfSignIn($0) }) : self
    }

    /// Whether tokens with these scopes and with those of `other` are for the same, so that the newer one takes the place
    /// of the older: they share a scope, or have the same scopes.
    ///
    /// A provider may repeat `openid profile` with each token, so these count only where both sets have no others.
    package func isForSame(as other: ScopeSet) -> Bool {
        let (mine, theirs) = (ofResources, other.ofResources)
        if mine.isEmpty, theirs.isEmpty { return intersects(other) || self == other }
        return mine.intersects(theirs)
    }
}

extension ScopeSet: Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// The scopes of a literal.
    public init(arrayLiteral elements: String...) {
        self.init(elements)
    }

    /// Whether both hold the same scopes, whatever their order and case.
    public static func == (left: ScopeSet, right: ScopeSet) -> Bool {
        left.folded.count == right.folded.count && left.isSubset(of: right)
    }

    /// Hashes the scopes, whatever their order and case.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(folded.sorted())
    }

    /// The scopes joined by spaces, in order.
    public var description: String { spaceSeparated }
}
