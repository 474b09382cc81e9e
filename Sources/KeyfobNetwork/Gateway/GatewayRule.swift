internal import KeyfobModel
internal import KeyfobOAuth

/// What requests a program may make: `METHOD[,METHOD] HOST/PATH`.
///
/// `GET` stands for HEAD too, and `*` alone for every method. The host can be `*.HOST`. In the path `*` stands for one part,
/// without an encoded slash, and at the end for all that follow, one at least; `HOST/*` is all of a host. No query counts.
package struct GatewayRule: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    package let description: String
    /// The one host that it is about; nil for all below a name.
    package let host: String?
    private let pattern: HostPattern
    private let methods: Set<String>?
    private let path: RequestPath

    /// Why a text is no rule.
    package enum Flaw: Error, Hashable {
        /// It has not two words.
        case words
        /// It is one word, which says where alone.
        case noMethod(String)
        /// It is a method alone.
        case noPlace(String)
        /// Nothing stands behind the host.
        case noPath(methods: String, host: String)
        /// A method is empty, in small letters, or holds what no method has (RFC 9110, section 9.1).
        case methods
        /// The host is none.
        case host(String)
        /// The path has a query, dots as a part, or what no path has (RFC 3986, section 3.3).
        case path(String)
        /// A `*` in the path is no whole part of it.
        case star(String)
    }

    /// The rule that `text` is.
    package init(_ text: String) throws(Flaw) {
        let words = text.split(separator: " ")
        if words.count == 1, let word = words.first {
            let isPlace = word.contains { ".:/".contains($0) }
            throw isPlace ? .noMethod(String(word)) : .noPlace(String(word))
        }
        guard words.count == 2 else { throw .words }
        let place = words[1]
        if words[0] == "*" {
            methods = nil
        } else {
            let names = words[0].split(separator: ",", omittingEmptySubsequences: false)
            guard names.allSatisfy(Self.isMethod) else { throw .methods }
            methods = Set(names.map(String.init)).union(names.contains("GET") ? ["HEAD"] : [])
        }
        let name = place.prefix { $0 != "/" }
        guard let pattern = Self.pattern(name) else { throw .host(String(name)) }
        let rest = place[name.endIndex...]
        guard !rest.isEmpty else { throw .noPath(methods: String(words[0]), host: String(name)) }
        guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#""<>\^`{|}?#"#.utf8.contains($0) }),
            let path = RequestPath(rest)
        else { throw .path(String(rest)) }
        if let part = path.parts.first(where: { $0 != "*" && $0.contains("*") }) { throw .star(part) }
        self.path = path
        self.pattern = pattern
        host = pattern.text.hasPrefix("*.") ? nil : pattern.text
        description = text
    }

    /// The rule that has one request and nothing else; nil where there is none, as a `*` in it would be read as any.
    package init?(exactly question: GatewayQuestion) {
        guard Self.isMethod(question.method[...]), !question.pathText.contains("*"),
            let rule = try? GatewayRule("\(question.method) \(question.place)"), rule.allows(question)
        else { return nil }
        self = rule
    }

    private static func isMethod(_ name: Substring) -> Bool {
        HTTPHeader.isName(name) && name.utf8.allSatisfy { !(0x61...0x7A).contains($0) && $0 != UInt8(ascii: "*") }
    }

    /// The hosts that a name means, in which the port of https can be written.
    private static func pattern(_ name: Substring) -> HostPattern? {
        let name = Identifier.folded(String(name))
        if let pattern = HostPattern(name) { return pattern }
        return name.hasSuffix(":443") && !name.hasPrefix("*") ? HostPattern(String(name.dropLast(4))) : nil
    }

    /// The host that a name means, with `:port` where that is not the port of https; nil for what is no one host.
    package static func host(_ name: Substring) -> String? {
        pattern(name).flatMap { $0.text.hasPrefix("*.") ? nil : $0.text }
    }

    /// Whether it is about a host.
    package func isAbout(_ host: String) -> Bool { pattern.matches(host) }

    /// Whether it lets a request through.
    package func allows(_ question: GatewayQuestion) -> Bool {
        guard isAbout(question.host), methods?.contains(question.method) ?? true else { return false }
        let (pattern, parts) = (path.parts, question.path.parts)
        guard Self.matches(pattern[...], parts[...]) else { return false }
        // Many services take a path with a slash at its end for the one without.
        guard parts.count > 1, parts.last == "", pattern.last != "" else { return true }
        return Self.matches(pattern[...], parts.dropLast())
    }

    private static func matches(_ pattern: ArraySlice<String>, _ parts: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return parts.isEmpty }
        guard let part = parts.first else { return false }
        if first == "*", pattern.count == 1 { return true }
        return (first == "*" ? !part.isEmpty && !part.contains("%2F") : first == part)
            && matches(pattern.dropFirst(), parts.dropFirst())
    }
}
