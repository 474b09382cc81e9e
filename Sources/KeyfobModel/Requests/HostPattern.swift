/// The hosts that a provider's description names at once: one, or all below a name.
public struct HostPattern: Hashable, Sendable, CustomStringConvertible {
    /// What lists them in the description of a provider.
    package static let member = "apiHosts"

    /// As it is written, in small letters: `api.git.example`, `git.example:8443`, `*.git.example`.
    public let text: String
    /// Whether what stands for `*` is one label, without a dot.
    private let isOneLabel: Bool

    /// The pattern that `text` is; nil for what is no host in small letters.
    ///
    /// A port is written only where it is not that of https. `*.` stands at the beginning alone, with two labels
    /// or more behind it and no port.
    public init?(_ text: String) {
        if text.hasPrefix("*.") {
            guard Self.isSuffix(text.dropFirst(2)) else { return nil }
        } else {
            guard let url = try? ResourceURL(parsing: "https://" + text), url.description == text, url.path.isEmpty
            else { return nil }
        }
        self.text = text
        isOneLabel = false
    }

    /// A pattern that is known to be well formed; `oneLabel` narrows what `*` stands for.
    init(known text: String, oneLabel: Bool = false) {
        self.text = text
        isOneLabel = oneLabel
    }

    /// What is written.
    public var description: String { text }

    /// Whether a host, with `:port` where the port is not the scheme's own, is one of them.
    ///
    /// `*.git.example` means `api.git.example` and `eu.api.git.example`, and not `git.example` itself.
    public func matches(_ host: String) -> Bool {
        guard let suffix else { return host == text }
        guard host.utf8.count > suffix.utf8.count, host.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        else { return false }
        return !isOneLabel || !host.utf8.dropLast(suffix.utf8.count).contains(UInt8(ascii: "."))
    }

    /// Whether a host can be one of these and one of the others.
    package func overlaps(_ other: HostPattern) -> Bool {
        guard let suffix else { return other.matches(text) }
        guard let its = other.suffix else { return matches(other.text) }
        return suffix.hasSuffix(its) || its.hasSuffix(suffix)
    }

    /// What the hosts end in, with the dot; nil where it is one host.
    private var suffix: Substring? { text.hasPrefix("*.") ? text.dropFirst() : nil }

    /// Whether it is the end of hosts' names, and of no IPv4 address.
    private static func isSuffix(_ text: Substring) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count > 1, text.utf8.count <= 251, let last = labels.last, !last.allSatisfy(isDigit) else {
            return false
        }
        return labels.allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) || $0 == 0x2D }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
