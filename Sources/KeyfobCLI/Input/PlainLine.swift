internal import ArgumentParser
internal import Keyfob

/// A command line that is spelt out, of a command that programs call again and again, read without the parser: looking at
/// the declarations of all options takes that longer than all else takes the command.
///
/// It holds no more than the parser takes in the same way: options in full or by their letter, each once, with a value in a
/// word of its own that does not look like an option. For everything else, and whatever does not fit, there is the parser.
struct PlainLine {
    private var values: [String: String] = [:]
    private(set) var names: [String] = []

    /// The command that a line means; nil where the parser has to say.
    static func command(_ arguments: [String]) -> (any ParsableCommand)? {
        let words = arguments.dropFirst()
        do {
            switch arguments.first {
            case "token": return try PlainLine(words, TokenCommand.plainOptions).map { try TokenCommand($0) }
            case "add": return try PlainLine(words, AddCommand.plainOptions).map { try AddCommand($0) }
            default: return nil
            }
        } catch {
            return nil
        }
    }

    /// What one command takes: options with a value, and flags, by their names, with other spellings of them.
    struct Options {
        var values: [String: String] = ["--vault": "--vault", "--group": "--group", "--key-file": "--key-file"]
        var flags: [String: String] = [
            "--json": "--json", "--quiet": "--quiet", "-q": "--quiet", "--no-input": "--no-input",
        ]
        /// How many words may stand for themselves.
        var nameCount = 0
    }

    private init?(_ words: ArraySlice<String>, _ options: Options) {
        var rest = words
        while let word = rest.popFirst() {
            if let flag = options.flags[word] {
                guard values.updateValue("", forKey: flag) == nil else { return nil }
            } else if let option = options.values[word] {
                guard let value = rest.popFirst(), !value.hasPrefix("-"),
                    values.updateValue(value, forKey: option) == nil
                else { return nil }
            } else {
                guard !word.hasPrefix("-"), names.count < options.nameCount else { return nil }
                names.append(word)
            }
        }
    }

    func has(_ flag: String) -> Bool { values[flag] != nil }

    /// The value of an option; nil where it is not given.
    subscript(option: String) -> String? { values[option] }

    /// The values of an option that may be given more than once.
    func all(_ option: String) -> [String] { values[option].map { [$0] } ?? [] }

    /// The number that is the value of an option.
    ///
    /// - Throws: for what is no number.
    func number<Number: FixedWidthInteger>(_ option: String) throws -> Number? {
        guard let text = values[option] else { return nil }
        guard let number = Number(text) else { throw ValidationError("") }
        return number
    }
}

// Whatever a command declares has to be set here: what is not cannot be read.

extension GlobalOptions {
    fileprivate init(_ line: PlainLine) throws {
        self.init()
        (vault, group, keyFile) = (line["--vault"], line.all("--group"), line["--key-file"])
        (json, quiet, noInput) = (line.has("--json"), line.has("--quiet"), line.has("--no-input"))
        (passphraseFd, identity, color, noPager) = (nil, nil, .auto, false)
        try validate()
    }
}

extension TokenCommand {
    fileprivate static let plainOptions: PlainLine.Options = {
        var options = PlainLine.Options()
        let own = ["--account", "--scope", "--resource", "--tenant", "--client", "--url", "--tool", "--min-validity"]
        for name in own { options.values[name] = name }
        options.values.merge(["-a": "--account", "-s": "--scope"]) { $1 }
        for name in ["--header", "--offline", "--extended-lifetime", "--verbose"] { options.flags[name] = name }
        return options
    }()

    fileprivate init(_ line: PlainLine) throws {
        self.init()
        var (request, lifetime, renewal) = (RequestOptions(), ValidityOptions(), RefreshOptions())
        (request.account, request.scope, request.resource) = (
            line["--account"], line.all("--scope"), line["--resource"]
        )
        (request.authority, request.tenant, request.client) = (nil, line["--tenant"], line["--client"])
        (request.url, request.allowHost, request.tool) = (line["--url"], nil, line["--tool"])
        try request.validate()
        lifetime.minValidity = try line.number("--min-validity")
        try lifetime.validate()
        (renewal.forceRefresh, renewal.claims) = (false, nil)
        (renewal.extendedLifetime, renewal.offline) = (line.has("--extended-lifetime"), line.has("--offline"))
        try renewal.validate()
        var network = NetworkOptions()
        (network.caFile, network.verbose) = (nil, line.has("--verbose"))
        (options, validity, refresh, networkOptions, global) = (
            request, lifetime, renewal, network, try GlobalOptions(line)
        )
        (header, format, sasl) = (line.has("--header"), nil, nil)
        try validate()
    }
}

extension AddCommand {
    fileprivate static let plainOptions: PlainLine.Options = {
        var options = PlainLine.Options(nameCount: 1)
        let own = [
            "--account", "--host", "--username", "--label", "--client", "--tenant", "--scope", "--expires-in",
            "--token-fd",
        ]
        for name in own { options.values[name] = name }
        options.values.merge(["-a": "--account", "-s": "--scope"]) { $1 }
        return options
    }()

    fileprivate init(_ line: PlainLine) throws {
        self.init()
        (name, account, host) = (line.names.first, line["--account"], line["--host"])
        (username, label, tenant) = (line["--username"], line["--label"], line["--tenant"])
        (client, scope) = (line["--client"] ?? Credential.noClient, line.all("--scope"))
        (expiresIn, tokenFd) = (try line.number("--expires-in"), try line.number("--token-fd") ?? 0)
        global = try GlobalOptions(line)
        try validate()
    }
}
