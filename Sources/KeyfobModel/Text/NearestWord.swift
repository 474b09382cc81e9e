/// What a mistyped word may mean.
package enum NearestWord {
    /// The word that is nearest to a mistyped one; nil for none.
    ///
    /// - Parameter limit: How many letters may differ; one of three unless given.
    package static func of(_ word: String, among words: some Sequence<String>, differing limit: Int? = nil) -> String? {
        let limit = limit ?? max(1, word.count / 3)
        return words.map { (distance(word, $0), $0) }.filter { $0.0 > 0 && $0.0 <= limit }.min { $0 < $1 }?.1
    }

    /// The words that are nearest to a mistyped one, all as near as one another: at most so many.
    ///
    /// Where none is near by its letters, those that have it somewhere are.
    package static func all(_ word: String, among words: some Sequence<String>, atMost count: Int = 3) -> [String] {
        let (limit, wanted) = (max(1, word.count / 3), Identifier.folded(word))
        let ranked = Set(words).compactMap { known -> (Int, String)? in
            let distance = distance(wanted, Identifier.folded(known))
            if distance <= limit { return (distance, known) }
            let folded = Identifier.folded(known)
            let isWithin = folded.utf8.indices.contains { folded.utf8[$0...].starts(with: wanted.utf8) }
            return wanted.utf8.count > 2 && isWithin ? (limit + 1, known) : nil
        }
        let others = ranked.filter { $0.1 != word }
        guard let best = others.map(\.0).min() else { return [] }
        return others.filter { $0.0 == best }.map(\.1).sorted().prefix(count).map(\.self)
    }

    /// `, but 'a' or 'b'`, as it stands behind a word that is none; empty where nothing is near it.
    package static func suggestion(_ word: String, among words: some Sequence<String>) -> String {
        let near = all(word, among: words).map { "'\($0)'" }
        guard let last = near.last else { return "" }
        return near.count == 1 ? ", but \(last)" : ", but \(near.dropLast().joined(separator: ", ")) or \(last)"
    }

    /// The word of which one letter is added, left out, replaced or swapped with the next; nil for none.
    package static func byOneLetter(_ word: String, among words: some Sequence<String>) -> String? {
        words.filter { distance(word, $0) == 1 }.min()
    }

    /// How many letters are to be added, left out, replaced or swapped with the next to make one word of another (the
    /// Damerau-Levenshtein distance); as many as the longer one has where a word is no command's by its length.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count <= 32 else { return left.count }
        var (beforeLast, last) = ([Int](), Array(0...right.count))
        for (row, letter) in left.enumerated() {
            var line = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, line[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                line.append(best)
            }
            (beforeLast, last) = (last, line)
        }
        return last[right.count]
    }
}
