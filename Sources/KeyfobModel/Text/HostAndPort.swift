/// The host of a URL and the port behind it (RFC 3986, section 3.2), without a user's name.
package struct HostAndPort: Hashable, Sendable {
    /// A name or an IPv4 address in small letters, perhaps with a dot at its end, or an IPv6 address in its brackets, in the
    /// one spelling that browsers give it.
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
        if isAddress {
            guard let groups = Self.groups(name.dropFirst().dropLast()) else { throw .badHost }
            host = Self.text(groups)
        } else {
            guard Self.isName(name) else { throw .badHost }
            host = Identifier.folded(String(decoding: name, as: UTF8.self))
        }
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
    ///
    /// What ends in a number is an address, in four numbers without zeros before them: `127.1`, `0x7f.0.0.1` and `017700000001`
    /// are the same address for some programs, and names, or another address, for others.
    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        let name = name.last == UInt8(ascii: ".") ? name.dropLast() : name
        guard (1...253).contains(name.count) else { return false }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
        }
        guard areLabels, let last = labels.last else { return false }
        return !isNumber(last) || labels.count == 4 && labels.allSatisfy { octet($0) != nil }
    }

    /// Whether a label is a number, be it a hexadecimal one.
    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        let isHexadecimal =
            label.first == UInt8(ascii: "0") && label.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
        return isHexadecimal
            ? label.dropFirst(2).allSatisfy { Hexadecimal.value(of: $0) != nil } : label.allSatisfy { $0.isASCIIDigit }
    }

    /// A number from 0 to 255 without zeros before it.
    private static func octet(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard (1...3).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0"),
            let number = Int64(digits: digits), number < 256
        else { return nil }
        return UInt16(number)
    }

    /// The eight numbers of an IPv6 address (RFC 4291, section 2.2), without a zone; nil for what is none.
    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var end: [UInt16] = []
        if let last = parts.last, last.contains(UInt8(ascii: ".")) {
            // An IPv4 address at the end stands for two groups.
            let octets = last.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).compactMap(octet)
            guard octets.count == 4, last.count(where: { $0 == UInt8(ascii: ".") }) == 3 else { return nil }
            end = [octets[0] << 8 | octets[1], octets[2] << 8 | octets[3]]
            parts.removeLast()
            if parts.count == 2, parts[0].isEmpty, parts[1].isEmpty {
                parts = [[]]
            } else if parts.first?.isEmpty ?? true, parts.count < 2 {
                return nil
            }
        } else {
            guard parts.count > 2 else { return nil }
        }
        // `::` leaves one empty part, and at an end one more.
        if parts.count > 1, parts[0].isEmpty {
            guard parts[1].isEmpty else { return nil }
            parts.removeFirst()
        }
        if end.isEmpty, parts.count > 1, parts[parts.count - 1].isEmpty {
            guard parts[parts.count - 2].isEmpty else { return nil }
            parts.removeLast()
        }
        let gaps = parts.count { $0.isEmpty }
        let missing = 8 - end.count - (parts.count - gaps)
        // A gap stands for one group of zeros or more.
        guard gaps == 0 ? missing == 0 : gaps == 1 && missing > 0 else { return nil }
        var groups: [UInt16] = []
        for part in parts {
            if part.isEmpty {
                groups += [UInt16](repeating: 0, count: missing)
            } else {
                guard let group = group(part) else { return nil }
                groups.append(group)
            }
        }
        return groups + end
    }

    private static func group(_ digits: ArraySlice<UInt8>) -> UInt16? {
        guard digits.count <= 4 else { return nil }
        var group: UInt16 = 0
        for digit in digits {
            guard let value = Hexadecimal.value(of: digit) else { return nil }
            group = group << 4 | UInt16(value)
        }
        return group
    }

    /// An IPv6 address in brackets: the longest row of zeros, of two at least, is left out (RFC 5952, section 4).
    private static func text(_ groups: [UInt16]) -> String {
        var (longest, index) = (0..<0, 0)
        while index < groups.count {
            let start = index
            while index < groups.count, groups[index] == 0 { index += 1 }
            if index - start > max(1, longest.count) { longest = start..<index }
            index += 1
        }
        var text: [UInt8] = [UInt8(ascii: "[")]
        for (place, group) in groups.enumerated() {
            if longest.contains(place) {
                if place == longest.lowerBound { text += "::".utf8 }
                continue
            }
            if place > 0, place != longest.upperBound || longest.isEmpty { text.append(UInt8(ascii: ":")) }
            text += hexadecimal(group)
        }
        text.append(UInt8(ascii: "]"))
        return String(decoding: text, as: UTF8.self)
    }

    private static func hexadecimal(_ number: UInt16) -> [UInt8] {
        let digits = [number >> 12, number >> 8 & 15, number >> 4 & 15, number & 15].map { UInt8($0) }
        let first = digits.firstIndex { $0 != 0 } ?? 3
        return digits[first...].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }
    }
}
