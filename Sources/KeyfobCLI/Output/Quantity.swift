/// How many of something, as people read it.
enum Quantity {
    /// `1 record`, `2 records`.
    static func of(_ count: Int, _ one: String, _ several: String? = nil) -> String {
        "\(count) \(count == 1 ? one : several ?? one + "s")"
    }
}
