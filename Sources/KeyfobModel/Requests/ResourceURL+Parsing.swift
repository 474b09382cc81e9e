extension ResourceURL {
    /// The longest address that is read, in bytes of UTF-8.
    public static let maximumCount = 2_048

    /// Why a text is no address.
    ///
    /// No case holds any of the text, which may be secret.
    public enum Flaw: Error, Hashable, Sendable, CustomStringConvertible {
        /// Nothing at all.
        case empty
        /// More than ``ResourceURL/maximumCount`` bytes.
        case tooLong
        /// A blank, a control character, an invisible mark or a backslash.
        case forbiddenCharacter
        /// A scheme other than https, http, ssh and git.
        case unknownScheme
        /// A user name or a password stands before the host.
        case credentials
        /// There is no host, or one that cannot be.
        case badHost
        /// The port is no number from 1 to 65535.
        case badPort
        /// A percent sign without two hexadecimal digits.
        case badPercentEncoding
        /// Servers differ in what the path means: dots behind an encoded slash, or dots and empty components.
        case ambiguousPath

        /// What is wrong, in one line.
        public var description: String {
            switch self {
            case .empty: "the URL is empty"
            case .tooLong: "the URL is longer than \(ResourceURL.maximumCount) bytes"
            case .forbiddenCharacter: "the URL holds a blank, a backslash or a character that no terminal shows"
            case .unknownScheme: "the URL's scheme is not one of https, http, ssh and git"
            case .credentials: "the URL holds a user name or a password"
            case .badHost: "the URL has no host, or one that cannot be"
            case .badPort: "the URL's port is not a number from 1 to 65535"
            case .badPercentEncoding: "the URL holds a percent sign without two hexadecimal digits"
            case .ambiguousPath: "the URL's path means different things to different servers"
            }
        }
    }

    /// The address in a URL: `https://host[:port]/path`, or `host[:port]/path`, which counts as https.
    ///
    /// Percent-encoding stays as it is, but dots are resolved however they are written, so that no `..`
    /// leads out of a prefix. Empty components and a `.git` at the end are dropped, and so are query and
    /// fragment.
    ///
    /// - Throws: ``Flaw``, which repeats nothing of the text.
    public init(parsing text: String) throws(Flaw) {
        try Self.requireCharacters(text)
        let bytes = Array(text.utf8)
        let (scheme, start) = try Self.scheme(of: bytes)
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let host = try Self.host(bytes[start..<end], scheme)
        let pathEnd = bytes[end...].firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
        self.init(host: host, path: try Self.path(bytes[end..<pathEnd]))
    }

    /// The address of a git remote: a URL, or `user@host:path` as ssh takes it.
    ///
    /// A user name or a password in it is dropped. Nil for local paths and for what is no address.
    public init?(gitRemote text: String) {
        guard text.utf8.count <= Self.maximumCount else { return nil }
        let bytes = Array(text.utf8)
        let url: [UInt8]
        if let mark = Self.schemeEnd(of: bytes) {
            let end = bytes[mark...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
            let at = bytes[mark..<end].lastIndex(of: UInt8(ascii: "@"))
            url = Array(bytes[..<mark]) + bytes[(at.map { $0 + 1 } ?? mark)...]
        } else {
            // Whatever stands before `://`, git takes for a scheme.
            let isURL = bytes.indices.contains { bytes[$0...].starts(with: "://".utf8) }
            guard !isURL, let address = Self.sshAddress(bytes) else { return nil }
            url = Array("ssh://".utf8) + address
        }
        guard let address = try? ResourceURL(parsing: String(decoding: url, as: UTF8.self)) else { return nil }
        self = address
    }

    /// `host/path` of `user@host:path`, as git parts it; nil for a local path.
    private static func sshAddress(_ bytes: [UInt8]) -> [UInt8]? {
        var start = bytes.startIndex
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        // Up to the first colon, but for those of an address in brackets.
        let bracket =
            bytes[..<slash].first == UInt8(ascii: "[")
            ? 0
            : bytes[..<slash].indices.dropFirst().first {
                bytes[$0 - 1] == UInt8(ascii: "@") && bytes[$0] == UInt8(ascii: "[")
            }
        var colon: Int?
        if let bracket {
            start = bracket
            colon = bytes[bracket..<slash].firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 }
        } else {
            colon = bytes[..<slash].firstIndex(of: UInt8(ascii: ":"))
            // What ssh takes for the user ends at the last sign.
            if let colon, let at = bytes[..<colon].lastIndex(of: UInt8(ascii: "@")) { start = at + 1 }
        }
        guard let colon, colon < slash, bytes[colon] == UInt8(ascii: ":"), colon > start else { return nil }
        let path = bytes[(colon + 1)...]
        // `helper::address` is for a program; a path has neither query nor fragment.
        guard path.first != UInt8(ascii: ":"), !path.contains(where: { "?#".utf8.contains($0) }) else { return nil }
        var host = Array(bytes[start..<colon])
        // `[host:port]:path`, where what is in brackets is no IPv6 address.
        if host.first == UInt8(ascii: "["), host.count(where: { $0 == UInt8(ascii: ":") }) < 2 {
            host = Array(host.dropFirst().dropLast())
        }
        return host + [UInt8(ascii: "/")] + path
    }

    private static func requireCharacters(_ text: String) throws(Flaw) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= maximumCount else { throw .tooLong }
        for scalar in text.unicodeScalars
        where scalar.value <= 0x20 || scalar.value == 0x7F || scalar == "\\" || scalar.properties.isWhitespace
            || Identifier.isInvisibleControl(scalar)
        {
            throw .forbiddenCharacter
        }
    }

    /// Where the host begins when a scheme and `://` stand before it.
    private static func schemeEnd(of bytes: [UInt8]) -> Int? {
        let end = bytes.firstIndex { !$0.isASCIIAlphanumeric && !"+-.".utf8.contains($0) } ?? bytes.endIndex
        return end > 0 && bytes[end...].starts(with: "://".utf8) ? end + 3 : nil
    }

    /// The scheme's own port, and where the host begins.
    private static func scheme(of bytes: [UInt8]) throws(Flaw) -> (port: Int, start: Int) {
        guard let start = schemeEnd(of: bytes) else { return (443, 0) }
        switch Identifier.folded(String(decoding: bytes[..<(start - 3)], as: UTF8.self)) {
        case "https": return (443, start)
        case "http": return (80, start)
        case "ssh", "git+ssh", "ssh+git": return (22, start)
        case "git": return (9_418, start)
        default: throw .unknownScheme
        }
    }
}

// Host and port.
extension ResourceURL {
    /// The host in an authority, with its port unless that is `own`.
    private static func host(_ authority: ArraySlice<UInt8>, _ own: Int) throws(Flaw) -> String {
        let parts: HostAndPort
        do {
            parts = try HostAndPort(authority)
        } catch {
            switch error {
            case .credentials: throw .credentials
            case .badHost: throw .badHost
            case .badPort: throw .badPort
            }
        }
        let host = parts.host.hasSuffix(".") ? String(parts.host.dropLast()) : parts.host
        return parts.port.map { $0 == own ? host : "\(host):\($0)" } ?? host
    }
}

// The path.
extension ResourceURL {
    private static func path(_ bytes: ArraySlice<UInt8>) throws(Flaw) -> [String] {
        var components: [ArraySlice<UInt8>] = []
        var (hasEmpty, climbs) = (false, false)
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        for (place, part) in parts.enumerated() {
            guard !part.isEmpty else {
                if place < parts.count - 1 { hasEmpty = true }
                continue
            }
            let segments = try segments(of: part)
            guard segments.contains(where: isDots) else {
                components.append(part)
                continue
            }
            guard segments.count == 1 else { throw .ambiguousPath }
            guard segments[0].count == 2 else { continue }
            climbs = true
            _ = components.popLast()
        }
        guard !(hasEmpty && climbs) else { throw .ambiguousPath }
        while let last = components.last, last.count > 4, last.suffix(4).elementsEqual(".git".utf8),
            try !segments(of: last.dropLast(4)).contains(where: isDots)
        {
            components[components.count - 1] = last.dropLast(4)
        }
        return components.map { String(decoding: $0, as: UTF8.self) }
    }

    /// What a server may see in a component that decodes dots, slashes and backslashes.
    private static func segments(of component: ArraySlice<UInt8>) throws(Flaw) -> [[UInt8]] {
        var segments: [[UInt8]] = [[]]
        var index = component.startIndex
        while index < component.endIndex {
            var byte = component[index]
            var isSeparator = false
            if byte == UInt8(ascii: "%") {
                let digits = component[(index + 1)...].prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Hexadecimal.value(of: $0) != nil }) else {
                    throw .badPercentEncoding
                }
                switch Identifier.folded(String(decoding: digits, as: UTF8.self)) {
                case "2e": byte = UInt8(ascii: ".")
                case "2f", "5c": isSeparator = true
                default: break
                }
                index += 2
            }
            if isSeparator { segments.append([]) } else { segments[segments.count - 1].append(byte) }
            index += 1
        }
        return segments
    }

    private static func isDots(_ segment: [UInt8]) -> Bool {
        segment == Array(".".utf8) || segment == Array("..".utf8)
    }
}
