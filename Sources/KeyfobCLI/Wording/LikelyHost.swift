/// What a word means that somebody types as an address.
enum LikelyHost {
    /// Whether a word without a scheme is taken for a host: one without a dot is most likely an owner or a name.
    static func holds(_ word: String) -> Bool {
        word.contains(".") || word.contains(":") || word == "localhost"
    }
}
