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
        if let words = message.wholeMatch(of: /Value to be set with flag '(.+)' had already been set with flag '(.+)'/)
        {
            message = "\(words.2) and \(words.1) exclude one another"
        }
        return shortened(withoutSecrets(message))
    }

    /// The text without what stands before an `@` in its addresses.
    private static func withoutSecrets(_ text: String) -> String {
        text.replacing(/:\/\/[^\/\s']*@/) { _ in "://…@" }
    }

    /// What the parser asks behind what it says: whether another option was meant.
    static func parted(_ message: String) -> (message: String, question: String?) {
        guard let match = message.wholeMatch(of: /(Unknown option .+?)\. Did you mean (.+)\?/) else {
            return (message, nil)
        }
        return (String(match.1), "did you mean \(match.2)?")
    }

    /// What is wrong with a value that begins with a dash, which the parser takes for an option, and so for no value.
    static func negative(_ message: String, _ arguments: [String]) -> String {
        guard let match = message.wholeMatch(of: /Missing value for '((--?[a-z-]+).*)'/),
            let place = arguments.firstIndex(of: String(match.2)), let value = arguments[place...].dropFirst().first,
            value.wholeMatch(of: /-[0-9].*/) != nil
        else { return message }
        return "'\(value)' is no value for '\(match.1)': none begins with a dash"
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
        if let option = message.wholeMatch(of: /Unknown option '(.+?)'/)?.1,
            let way = options["\(CommandPath(of: arguments).text) \(option)"]
        {
            return way
        }
        if message.hasPrefix("name the program, behind '--'") {
            return RepeatedOption.separated(arguments).map { "for example '\($0)'" }
        }
        let isWithoutValue = message.hasPrefix("Missing value for") || message.hasSuffix("none begins with a dash")
        if message.hasPrefix("Missing expected argument") || isWithoutValue {
            let option = message.firstMatch(of: /'(--[a-z-]+)/).map { String($0.1) }
            return CommandPath(of: arguments).example(of: option).map { "for example '\($0)'" }
        }
        guard message.hasPrefix(unknownHost), let place = arguments.firstIndex(of: "--host"),
            let host = arguments[place...].dropFirst().first, hosted.contains(arguments[0])
        else { return nil }
        return "a host is named so: 'keyfob \(arguments[0]) --url \(ShellWord.inMessage("https://\(host)"))'"
    }

    /// Options that people type behind a command that has none of that name, and what does what they mean.
    private static let options = [
        "keyfob use --none": "to have no default account: 'keyfob account default --none'"
    ]

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
            let plain = ResourceURL.withoutSecrets(address).map(ShellWord.inMessage) ?? "URL"
            return "an address is named so: 'keyfob \(command) --url \(plain)\(others)'"
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
