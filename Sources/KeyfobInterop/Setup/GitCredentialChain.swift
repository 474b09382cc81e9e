internal import KeyfobModel

/// The credential helpers that git has, of all its files in their order, as git itself tells them.
package struct GitCredentialChain: Hashable, Sendable {
    /// A line that names a helper, or takes back all before it.
    package struct Line: Hashable, Sendable {
        /// Where it stands, as a person finds it.
        package let place: String
        /// Where it counts.
        package let scope: Scope
        /// What it is for; nil for all addresses.
        package let address: String?
        /// What is started; nothing takes helpers back.
        package let value: String

        /// Whether it is a repository's own, or of its working tree.
        package var isOfRepository: Bool { scope == .repository || scope == .worktree }

        /// Whether it names Keyfob.
        package var isOwn: Bool { GitSetup.isOwn(value) }
    }

    /// Where a line counts, of which the later ones come after the earlier.
    package enum Scope: Hashable, Sendable {
        /// In a file for all that the person does.
        case general
        case repository
        case worktree
        /// In variables (`GIT_CONFIG_COUNT`), or on git's command line.
        case call

        init(_ name: String) {
            switch name {
            case "local": self = .repository
            case "worktree": self = .worktree
            case "command": self = .call
            default: self = .general
            }
        }
    }

    /// What git is asked with for its lines.
    package static let arguments = [
        "config", "-z", "--show-scope", "--show-origin", "--get-regexp",
        #"^(credential\.(.*\.)?helper|includeif\..*\.path)$"#,
    ]

    /// All of them.
    package let lines: [Line]
    /// Whether there are files that count in some repositories alone.
    package let hasConditions: Bool

    /// What git has printed.
    package init(_ output: [UInt8]) {
        let fields = output.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let indices = stride(from: 0, to: fields.count - 2, by: 3)
        hasConditions = indices.contains { fields[$0 + 2].hasPrefix("includeif.") }
        lines = indices.filter { fields[$0 + 2].hasPrefix("credential.") }.map { index in
            let (key, value) = Self.halves(fields[index + 2], "\n")
            let address = key.dropFirst("credential.".count).dropLast("helper".count).dropLast()
            let (kind, path) = Self.halves(fields[index + 1], ":")
            return Line(
                place: kind == "file" ? path : fields[index + 1],
                scope: Scope(fields[index]),
                address: address.isEmpty ? nil : String(address), value: value)
        }
    }

    private static func halves(_ text: String, _ separator: Character) -> (String, String) {
        let first = text.prefix { $0 != separator }
        return (String(first), String(text[first.endIndex...].dropFirst()))
    }

    /// The helpers that git asks about all that is at an address, in their order.
    ///
    /// - Parameters:
    ///   - address: A scheme and a host, with its port where that is not the scheme's own.
    ///   - isGeneral: Whether the lines alone count that do so for all that the person does.
    package func helpers(at address: String, isGeneral: Bool = false) -> [Line] {
        var helpers: [Line] = []
        for line in lines where !isGeneral || line.scope == .general {
            let reach = Reach(line.address, to: address)
            guard reach != .none else { continue }
            if !line.value.isEmpty {
                // What counts for a part of the host is no way to Keyfob for all of it.
                if reach == .whole || !line.isOwn { helpers.append(line) }
            } else if reach == .whole {
                helpers = []
            }
        }
        return helpers
    }

    /// Those of some addresses where git asks others besides Keyfob, or in its place, or may do so where a file counts that
    /// does not count here; whatever a repository or a call says.
    package func shared(among addresses: [String]) -> [String] {
        addresses.filter { address in
            let helpers = helpers(at: address, isGeneral: true)
            if helpers.contains(where: { !$0.isOwn }) { return true }
            let special = lines.filter {
                $0.scope == .general && $0.address != nil && Reach($0.address, to: address) == .whole
            }
            // Keyfob's lines for the address come after what takes all others back.
            if special.contains(where: \.isOwn) { return helpers.isEmpty }
            return hasConditions || !special.isEmpty
        }
    }

    /// How much of what is at an address a line is for.
    private enum Reach {
        case none, part, whole

        init(_ own: String?, to address: String) {
            guard let own else {
                self = .whole
                return
            }
            let (mine, its) = (Self.parts(own), Self.parts(address))
            guard mine.scheme.isEmpty || mine.scheme == its.scheme, Self.covers(mine.host, its.host) else {
                self = .none
                return
            }
            self = mine.isNarrow ? .part : .whole
        }

        private static func parts(_ address: String) -> (scheme: String, host: String, isNarrow: Bool) {
            let scheme = address.prefix { $0 != ":" }
            let isWhole = address[scheme.endIndex...].hasPrefix("://")
            let rest = isWhole ? address[scheme.endIndex...].dropFirst(3) : address[...]
            let authority = rest.prefix { $0 != "/" }
            let path = rest[authority.endIndex...]
            let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
            var name = Identifier.folded(String(host))
            let kind = isWhole ? Identifier.folded(String(scheme)) : ""
            let port = [("https", ":443"), ("http", ":80")].first { $0.0 == kind }?.1
            if let port, name.hasSuffix(port) { name.removeLast(port.count) }
            return (kind, name, host.count != authority.count || !path.allSatisfy { $0 == "/" })
        }

        /// Whether a host is one of those that `pattern` means, where `*` stands for a label.
        private static func covers(_ pattern: String, _ host: String) -> Bool {
            let labels = pattern.split(separator: ".", omittingEmptySubsequences: false)
            let own = host.split(separator: ".", omittingEmptySubsequences: false)
            return labels.count == own.count && zip(labels, own).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }
}

extension GitCredentialChain.Line {
    /// What becomes of a token that git tells this helper; nil for one that keeps none.
    package var keeping: String? {
        var words = value.split(separator: " ").map(String.init)
        guard var name = words.first else { return nil }
        words.removeFirst()
        if name.hasPrefix("!") { name.removeFirst() }
        name = name.replacing("'", with: "").split(separator: "/").last.map(String.init) ?? name
        if name.hasPrefix("git-credential-") { name.removeFirst("git-credential-".count) }
        switch name {
        case "store":
            let named = words.firstIndex { $0 == "--file" || $0.hasPrefix("--file=") }
            let file = named.map {
                words[$0] == "--file"
                    ? words.dropFirst($0 + 1).first ?? "" : String(words[$0].dropFirst("--file=".count))
            }
            return "writes them into \(file ?? "~/.git-credentials") as they are"
        case "cache": return "keeps them in the memory of its own daemon, while the vault is locked too"
        case "libsecret", "gnome-keyring", "kwallet", "secretservice":
            return "writes them into the desktop's keyring, where every program of yours reads them"
        case "gh", "glab", "netrc": return nil
        default: return "may keep them"
        }
    }
}
