internal import KeyfobModel

/// The vault that the command line names: what a message advises is to be about the same one.
enum NamedVault {
    /// `--vault` with its value, as it is typed again; nil where there is none.
    private static let option: String? = {
        let words = Array(CommandLine.arguments.dropFirst().prefix { $0 != "--" })
        guard let place = words.lastIndex(where: { $0 == "--vault" || $0.hasPrefix("--vault=") }) else { return nil }
        let value =
            words[place].hasPrefix("--vault=") ? words[place].dropFirst(8) : words.dropFirst(place + 1).first?[...]
        return value.map { "--vault \(ShellWord.inMessage(String($0)))" }
    }()

    /// A hint, with the vault in each command that it names.
    static func completing(_ hint: String) -> String {
        guard let option else { return hint }
        let parts = hint.split(separator: "'keyfob ", omittingEmptySubsequences: false).map(String.init)
        let completed = parts.dropFirst().map { part in
            let command = part.prefix { $0 != "'" }
            return command.contains("--vault") || command.hasSuffix("--help") ? part : "\(option) \(part)"
        }
        return ([parts[0]] + completed).joined(separator: "'keyfob ")
            .replacing("| keyfob ", with: "| keyfob \(option) ")
    }
}
