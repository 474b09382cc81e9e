internal import Keyfob

/// How many of something, as people read it.
enum Quantity {
    /// `1 record`, `2 records`.
    static func of(_ count: Int, _ one: String, _ several: String? = nil) -> String {
        "\(count) \(count == 1 ? one : several ?? one + "s")"
    }

    /// The first three names, and how many there are besides.
    ///
    /// - Parameter count: How many there are, where `names` has only the first of them.
    static func list(_ names: [String], of count: Int? = nil) -> String {
        let named = names.prefix(KeyringError.namedCandidates)
        let rest = (count ?? names.count) - named.count
        return named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
