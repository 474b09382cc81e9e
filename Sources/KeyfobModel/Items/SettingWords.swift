/// Settings in the words of people, who know none of the names by which they are kept.
package enum SettingWords {
    /// How the names of settings begin that decide whose token goes where, and what people call them.
    private static let decisions = [
        (prefix: "binding:", words: "binding of"), (prefix: "allowed:", words: "allowed file"),
        (prefix: "program:", words: "permission of program"), (prefix: "provider:", words: "provider"),
        (prefix: "client:", words: "client"), (prefix: "default client:", words: "default client of"),
        (prefix: "default account", words: "default account"),
    ]

    /// What a setting is: `binding of url git.example/app`; one that this Keyfob does not know by its name.
    package static func of(_ name: String) -> String { decision(name) ?? "setting '\(name)'" }

    /// What a setting is that decides whose token goes where; nil for any other.
    package static func decision(_ name: String) -> String? {
        guard let known = decisions.first(where: { name.hasPrefix($0.prefix) }) else { return nil }
        let rest = String(name.dropFirst(known.prefix.count))
        let subject = known.prefix == "binding:" ? bound(rest) : rest
        return known.words + (subject.isEmpty ? "" : " \(subject)")
    }

    /// `url git.example/app at git.example` of `url:git.example/app:git.example`: kind, subject, and whose accounts.
    private static func bound(_ text: String) -> String {
        var bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(of: UInt8(ascii: ":")) else { return text }
        bytes[first] = UInt8(ascii: " ")
        guard let last = bytes.lastIndex(of: UInt8(ascii: ":")) else { return String(decoding: bytes, as: UTF8.self) }
        let environment = bytes[(last + 1)...]
        let words = String(decoding: bytes[..<last], as: UTF8.self)
        if environment.elementsEqual("*".utf8) { return words }
        let host = PercentEncoding.decode(environment) ?? Array(environment)
        return words + " at " + String(decoding: host, as: UTF8.self)
    }
}
