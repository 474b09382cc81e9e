internal import KeyfobModel
internal import KeyfobOAuth

/// What requests a program may make: `[METHOD[,METHOD]] HOST[/PATH]`.
///
/// `GET` stands for HEAD too, and without methods any will do. The host can be `*.HOST`. In the path `*` stands for one part,
/// without an encoded slash, and at the end for all that follow; without a path any will do. No query counts.
package struct GatewayRule: Hashable, Sendable, CustomStringConvertible {
    /// As it was written.
    package let description: String
    /// The one host that it is about; nil for all below a name.
    package let host: String?
    private let pattern: HostPattern
    private let methods: Set<String>?
    private let path: RequestPath?

    /// Why a text is no rule.
    package enum Flaw: Error, Hashable {
        /// It has not one or two words.
        case words
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
        guard (1...2).contains(words.count), let place = words.last else { throw .words }
        if words.count == 2, words[0] != "*" {
            let names = words[0].split(separator: ",", omittingEmptySubsequences: false)
            guard names.allSatisfy({ HTTPHeader.isName($0) && $0.utf8.allSatisfy { !(0x61...0x7A).contains($0) } })
            else { throw .methods }
            methods = Set(names.map(String.init)).union(names.contains("GET") ? ["HEAD"] : [])
        } else {
            methods = nil
        }
        let name = place.prefix { $0 != "/" }
        guard let pattern = HostPattern(Identifier.folded(String(name))) else { throw .host(String(name)) }
        let rest = place[name.endIndex...]
        guard rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#""<>\^`{|}?#"#.utf8.contains($0) }) else {
            throw .path(String(rest))
        }
        if rest.isEmpty {
            path = nil
        } else {
            guard let path = RequestPath(rest) else { throw .path(String(rest)) }
            if let part = path.parts.first(where: { $0 != "*" && $0.contains("*") }) { throw .star(part) }
            self.path = path
        }
        self.pattern = pattern
        host = pattern.text.hasPrefix("*.") ? nil : pattern.text
        description = text
    }

    /// Whether it is about a host.
    package func isAbout(_ host: String) -> Bool { pattern.matches(host) }

    /// Whether it lets a request through.
    package func allows(_ question: GatewayQuestion) -> Bool {
        guard isAbout(question.host), methods?.contains(question.method) ?? true else { return false }
        guard let pattern = path?.parts else { return true }
        let parts = question.path.parts
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
