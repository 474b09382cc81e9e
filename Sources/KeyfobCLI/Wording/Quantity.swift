/// How many of something, as people read it.
enum Quantity {
    /// `1 record`, `2 records`.
    static func of(_ count: Int, _ one: String, _ several: String? = nil) -> String {
        "\(count) \(count == 1 ? one : several ?? one + "s")"
    }

    /// The first ten names, and how many there are besides.
    static func list(_ names: [String]) -> String {
        let rest = names.count - 10
        return names.prefix(10).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
