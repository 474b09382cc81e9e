/// Lets options that every command has stand before the command, where people look for them first:
/// `keyfob --vault DIR status` is `keyfob status --vault DIR`.
enum LeadingOptions {
    private static let withValue: Set<String> = [
        "--vault", "--group", "--passphrase-fd", "--key-file", "--identity", "--color",
        "--ca-file",
    ]
    private static let flags: Set<String> = ["--json", "--quiet", "-q", "--no-input", "--no-pager", "--verbose"]

    /// `arguments`, with the options before the first word put behind everything else but `--`.
    static func moved(_ arguments: [String]) -> [String] {
        let end = end(of: arguments)
        guard end > 0, end < arguments.count, !arguments[end].hasPrefix("-") else { return arguments }
        let words = arguments[end...]
        let terminator = words.firstIndex(of: "--") ?? words.endIndex
        return Array(words[..<terminator]) + arguments[..<end] + words[terminator...]
    }

    /// Whether there is nothing but such options.
    static func lackCommand(_ arguments: [String]) -> Bool {
        !arguments.isEmpty && end(of: arguments) >= arguments.count
    }

    /// How many words belong to the options at the front.
    private static func end(of arguments: [String]) -> Int {
        var end = 0
        while end < arguments.count {
            let name = arguments[end].prefix { $0 != "=" }
            if flags.contains(arguments[end]) {
                end += 1
            } else if withValue.contains(String(name)) {
                end += name.count == arguments[end].count ? 2 : 1
            } else {
                break
            }
        }
        return end
    }
}
