internal import KeyfobModel

/// Finds the accounts that a typed query means.
///
/// The query is split at spaces, and every word must be found: in title, user name, provider's host, tenant, group or state, in
/// upper or lower case, with or without accents. The reason is not searched: it names what the choice is for, and
/// would match for every account. Letters with others between them ("adct" for "ada@contoso") count in
/// title and user name only.
package struct PickerFilter: Sendable {
    /// What is searched of one account.
    private struct Texts: Sendable {
        /// Title and user name.
        let names: [[Unicode.Scalar]]
        /// The provider's host, tenant, group and state.
        let others: [[Unicode.Scalar]]
    }

    /// How well a word fits, best first.
    private enum Fit: Int {
        case beginning
        case beginningOfWord
        case inside
        case scattered
    }

    private let texts: [Texts]

    /// A filter for these accounts.
    package init(_ items: [PickerItem]) {
        texts = items.map { item in
            Texts(
                names: [item.title, item.details ?? ""].map(Identifier.searchedText),
                others: [item.host, item.tenant ?? "", item.group, item.state].map(Identifier.searchedText))
        }
    }

    /// The indices of the items that match, best first; equally good ones in the order they came in.
    package func matches(_ query: String) -> [Int] {
        let words = query.split(separator: " ").map { Identifier.searchedText(String($0)) }.filter { !$0.isEmpty }
        guard !words.isEmpty else { return Array(texts.indices) }
        var found: [(index: Int, cost: Int)] = []
        for (index, texts) in texts.enumerated() {
            if let cost = Self.cost(of: words, in: texts) { found.append((index, cost)) }
        }
        return found.sorted { ($0.cost, $0.index) < ($1.cost, $1.index) }.map(\.index)
    }

    /// The sum over all words, 0 being best; nil when one is not found.
    private static func cost(of words: [[Unicode.Scalar]], in texts: Texts) -> Int? {
        var sum = 0
        for word in words {
            guard let fit = fit(of: word, in: texts) else { return nil }
            sum += fit.rawValue
        }
        return sum
    }

    private static func fit(of word: [Unicode.Scalar], in texts: Texts) -> Fit? {
        if texts.names.contains(where: { $0.starts(with: word) }) { return .beginning }
        var best: Fit?
        for text in texts.names + texts.others {
            guard let fit = fit(of: word, inside: text) else { continue }
            if fit == .beginningOfWord { return fit }
            best = fit
        }
        if let best { return best }
        return texts.names.contains { isScattered(word, in: $0) } ? .scattered : nil
    }

    /// Whether the word begins a word of the text, or is anywhere in it.
    private static func fit(of word: [Unicode.Scalar], inside text: [Unicode.Scalar]) -> Fit? {
        guard word.count <= text.count else { return nil }
        var best: Fit?
        for start in 0...(text.count - word.count) where text[start...].starts(with: word) {
            if start == 0 || !isPartOfWord(text[start - 1]) { return .beginningOfWord }
            best = .inside
        }
        return best
    }

    private static func isScattered(_ word: [Unicode.Scalar], in text: [Unicode.Scalar]) -> Bool {
        var rest = word[...]
        for scalar in text where scalar == rest.first { rest.removeFirst() }
        return rest.isEmpty
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}
