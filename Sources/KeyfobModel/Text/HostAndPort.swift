/// The host of a URL and the port behind it (RFC 3986, section 3.2), without a user's name.
package struct HostAndPort: Hashable, Sendable {
    /// A name or an IPv4 address in small letters, perhaps with a dot at its end, or an IPv6 address in its brackets.
    package let host: String
    /// The port, where one is written.
    package let port: Int?

    /// Why a text is no host; no case holds any of it.
    package enum Flaw: Error, Hashable, Sendable {
        case credentials, badHost, badPort
    }

    /// What stands between `//` and the path.
    package init(_ authority: ArraySlice<UInt8>) throws(Flaw) {
        guard !authority.contains(UInt8(ascii: "@")) else { throw .credentials }
        let isAddress = authority.first == UInt8(ascii: "[")
        guard
            let end = isAddress
                ? authority.firstIndex(of: UInt8(ascii: "]")).map({ $0 + 1 })
                : authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        else { throw .badHost }
        let name = authority[..<end]
        guard isAddress ? Self.isIPv6(name.dropFirst().dropLast()) : Self.isName(name) else { throw .badHost }
        host = Identifier.folded(String(decoding: name, as: UTF8.self))
        guard end < authority.endIndex else {
            port = nil
            return
        }
        guard authority[end] == UInt8(ascii: ":") else { throw .badHost }
        let digits = authority[(end + 1)...]
        guard digits.count <= 5, let number = Int64(digits: digits), (1...65_535).contains(number) else {
            throw .badPort
        }
        port = Int(number)
    }

    /// Whether a host in small letters is this machine by whatever name.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether it is a host's name or an IPv4 address; other scripts come in their ASCII form.
    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        let name = name.last == UInt8(ascii: ".") ? name.dropLast() : name
        guard (1...253).contains(name.count) else { return false }
        return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
        }
    }

    /// Whether it is an IPv6 address (RFC 4291, section 2.2), without a zone.
    private static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        var groups = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        if let last = groups.last, last.contains(UInt8(ascii: ".")) {
            let parts = last.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == 4, parts.allSatisfy(isOctet) else { return false }
            // An IPv4 address at the end stands for two groups.
            groups.removeLast()
            groups += [[0x30], [0x30]]
        }
        guard groups.count > 2 else { return false }
        // `::` leaves one empty group, and at an end one more.
        if groups.first?.isEmpty == true {
            guard groups[1].isEmpty else { return false }
            groups.removeFirst()
        }
        if groups.last?.isEmpty == true {
            guard groups.count > 1, groups[groups.count - 2].isEmpty else { return false }
            groups.removeLast()
        }
        let gaps = groups.count { $0.isEmpty }
        for group in groups where group.count > 4 || group.contains(where: { Hexadecimal.value(of: $0) == nil }) {
            return false
        }
        return gaps == 0 ? groups.count == 8 : gaps == 1 && groups.count <= 8
    }

    private static func isOctet(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.count <= 3 && Int64(digits: digits).map { $0 < 256 } == true
    }
}
