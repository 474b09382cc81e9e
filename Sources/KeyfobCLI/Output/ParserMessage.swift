internal import Keyfob
internal import KeyfobModel

/// What the parser says is wrong with a command line, in one line that stays short however much was typed.
enum ParserMessage {
    /// The most words of a list of what was not expected, and the most characters of all.
    static let (wordLimit, limit) = (10, 1_000)

    /// The parser's text as part of a sentence.
    static func line(_ text: String) -> String {
        let lines = text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        var message = lines.isEmpty ? "bad usage" : lines.joined(separator: " ")
        if message.hasSuffix("."), !message.hasSuffix("..") { message.removeLast() }
        for option in grave { message.replace(". Did you mean '\(option)'?", with: "") }
        // It would lead to an option that only sounds like it.
        if message.hasPrefix("\(unknownHost). Did you mean") { message = unknownHost }
        return shortened(message)
    }

    /// What is wrong with two words behind `add`, of which the second may be a token: it is not told again.
    static func wordBehindName(_ message: String, _ arguments: [String]) -> KeyringError? {
        guard arguments.first == "add", let name = arguments.dropFirst().first, !name.hasPrefix("-") else { return nil }
        let next = arguments.dropFirst(2).first.flatMap { $0.hasPrefix("-") ? nil : $0 }
        guard message.contains("nexpected argument") || next != nil && message.hasPrefix("say at which host") else {
            return nil
        }
        let second = next ?? ""
        let isHost = !name.contains("@") && second.contains(".") && second.count < 64 && GitHosts.isHost(second)
        let typed = isHost ? "\(name)@\(second)" : name.contains("@") ? name : "\(name)@HOST"
        return KeyringError(
            .usage, "a token is no argument, where other programs could read it: it is asked for, or read from a pipe",
            hint: "'keyfob add \(ShellWord.inMessage(typed))'")
    }

    /// How what was typed is told to a command that takes it otherwise.
    static func way(after message: String, _ arguments: [String]) -> String? {
        if message.contains("nexpected argument") { return subject(behind: arguments) }
        if message.hasPrefix("name the program, behind '--'") {
            return RepeatedOption.separated(arguments).map { "for example '\($0)'" }
        }
        if message.hasPrefix("Missing expected argument") || message.hasPrefix("Missing value for") {
            let option = message.firstMatch(of: /'(--[a-z-]+)/).map { String($0.1) }
            return CommandPath(of: arguments).example(of: option).map { "for example '\($0)'" }
        }
        guard message.hasPrefix(unknownHost), let place = arguments.firstIndex(of: "--host"),
            let host = arguments[place...].dropFirst().first, hosted.contains(arguments[0])
        else { return nil }
        return "a host is named so: 'keyfob \(arguments[0]) --url \(ShellWord.inMessage("https://\(host)"))'"
    }

    /// How the parser says that a command knows a host by its address alone.
    private static let unknownHost = "Unknown option '--host'"
    /// The commands that take an address in its place.
    private static let hosted = ["token", "which", "whoami", "pick"]

    /// How the account, or the address, is named that was typed as a word of its own.
    private static func subject(behind arguments: [String]) -> String? {
        guard let command = arguments.first, arguments.count > 1 else { return nil }
        let isBinding = ["bind", "unbind"].contains(command)
        guard isBinding || hosted.contains(command) && arguments.count == 2 else { return nil }
        let words = arguments.dropFirst().prefix(2)
        if let address = words.first(where: { $0.contains("://") }) {
            let others = words.filter { $0 != address }.map { " \(ShellWord.inMessage($0))" }.joined()
            return "an address is named so: 'keyfob \(command) --url \(ShellWord.inMessage(address))\(others)'"
        }
        return isBinding
            ? nil : "an account is named so: 'keyfob \(command) --account \(ShellWord.inMessage(arguments[1]))'"
    }

    /// Options that nobody is led to who has mistyped another one.
    private static let grave = [
        "--forget", "--force", "--yes", "--no-backup", "--put-aside", "--everywhere", "--forever", "--unbind",
        "--clear",
        "--all",
    ]

    private static func shortened(_ message: String) -> String {
        var message = message
        let words = message.split(separator: "', '", omittingEmptySubsequences: false)
        if words.count > wordLimit, words[0].contains(" unexpected arguments: ") {
            message = words[..<wordLimit].joined(separator: "', '") + "' and \(words.count - wordLimit) more"
        }
        guard message.count > limit else { return message }
        return "\(message.prefix(limit / 2))…\(message.suffix(limit / 2))"
    }
}
