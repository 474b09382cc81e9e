/// Fields of a provider's own, as they are typed: `name=value`, once for each.
enum ParameterText {
    /// What is wrong with them; nil where nothing is.
    ///
    /// What a provider may not be sent is found where it would be.
    ///
    /// - Parameter mayBeEmpty: Whether one empty text stands for no field.
    static func flaw(_ texts: [String], mayBeEmpty: Bool = false) -> String? {
        if mayBeEmpty, texts == [""] { return nil }
        guard texts.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
            return "--parameter is written name=value"
        }
        return fields(texts).count == texts.count ? nil : "--parameter says a name twice"
    }

    /// The values by their names.
    static func fields(_ texts: [String]) -> [String: String] {
        var fields: [String: String] = [:]
        for text in texts {
            guard let equals = text.firstIndex(of: "=") else { continue }
            fields[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        return fields
    }
}
