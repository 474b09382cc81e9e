internal import ArgumentParser
internal import Keyfob
internal import KeyfobModel

/// An option with a value that is typed twice, of which the parser would take the last: nobody knows which was meant.
enum RepeatedOption {
    /// The error where an option is given twice that a command takes once; nil where none is.
    static func error(in arguments: [String]) -> KeyringError? {
        let words = Array(arguments.prefix { $0 != "--" })
        guard mayRepeat(words) else { return nil }
        let path = CommandPath(of: arguments)
        guard let options = try? path.valueOptions() else { return nil }
        var given: [String: String] = [:]
        var index = path.count
        while index < words.count {
            let word = words[index]
            index += 1
            guard word.hasPrefix("-"), word.count > 1 else { continue }
            let (name, attached) = parts(of: word, options)
            guard let option = options.first(where: { $0.names.contains(name) }) else { continue }
            let value = attached ?? (index < words.count ? words[index] : "")
            if attached == nil { index += 1 }
            guard !option.isRepeating else { continue }
            let label = option.names.first { $0.hasPrefix("--") } ?? name
            guard let before = given.updateValue(value, forKey: label) else { continue }
            return KeyringError(.usage, "\(label) is given twice\(named(before, value))", hint: "give it once")
        }
        return nil
    }

    /// The line with `--` before the first word that is neither an option nor the value of one; nil where there is none.
    static func separated(_ arguments: [String]) -> String? {
        let path = CommandPath(of: arguments)
        guard !arguments.contains("--"), let options = try? path.valueOptions() else { return nil }
        var index = path.count
        while index < arguments.count, arguments[index].hasPrefix("-") {
            let (name, attached) = parts(of: arguments[index], options)
            index += attached == nil && options.contains { $0.names.contains(name) } ? 2 : 1
        }
        guard index < arguments.count else { return nil }
        let words = ["keyfob"] + arguments[..<index] + ["--"] + arguments[index...]
        let line = words.map(ShellWord.inMessage).joined(separator: " ")
        return line.count <= 160 ? line : nil
    }

    /// Whether looking at what the command takes is worth its time.
    private static func mayRepeat(_ words: [String]) -> Bool {
        // A short option begins as the long one does.
        var seen: Set<String> = []
        for word in words where word.hasPrefix("-") && word.count > 1 {
            let isLong = word.hasPrefix("--")
            let name = isLong ? String(word.dropFirst(2).prefix { $0 != "=" }) : String(word.dropFirst().prefix(1))
            let letter = String(name.prefix(1))
            if !seen.insert(isLong ? name : letter + "·").inserted { return true }
            if seen.contains(where: { $0.hasPrefix(letter) && ($0 == letter + "·") != !isLong }) { return true }
        }
        return false
    }

    private static func parts(of word: String, _ options: [Option]) -> (name: String, value: String?) {
        if word.hasPrefix("--") {
            guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
            return (String(word[..<equals]), String(word[word.index(after: equals)...]))
        }
        let name = String(word.prefix(2))
        guard word.count > 2, options.contains(where: { $0.names.contains(name) }) else { return (word, nil) }
        return (name, String(word.dropFirst(word.dropFirst(2).hasPrefix("=") ? 3 : 2)))
    }

    /// Both values, unless one is an address, in which a password may stand, or long.
    private static func named(_ first: String, _ second: String) -> String {
        let values = [first, second]
        guard values.allSatisfy({ !$0.contains("://") && !$0.isEmpty && $0.count <= 64 }) else { return "" }
        return ", as \(ShellWord.inMessage(first)) and as \(ShellWord.inMessage(second))"
    }

    /// An option with a value.
    struct Option {
        let names: [String]
        let isRepeating: Bool
    }
}

extension CommandPath {
    /// The options with a value that the command takes.
    fileprivate func valueOptions() throws(KeyringError) -> [RepeatedOption.Option] {
        try CommandDescription(of: command).arguments?.filter { $0.kind == "option" }.map {
            RepeatedOption.Option(names: ($0.names ?? []).map(\.text), isRepeating: $0.isRepeating)
        } ?? []
    }
}
