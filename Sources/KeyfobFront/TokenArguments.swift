internal import KeyfobLookup
internal import KeyfobModel

/// The command lines that the front answers, of `keyfob token`, of `keyfob prompt` and of what tools call; others are for the
/// full program.
///
/// No more than ArgumentParser takes in the same way: each spelt out, at most once, a value in a word of its own that
/// does not look like an option.
struct TokenArguments {
    enum Option: CaseIterable {
        case account, scope, resource, tenant, client, url, tool, minValidity, vault, group, keyFile
        case header, quiet, noInput, offline, extendedLifetime, verbose

        /// How it is typed; the one word of the table that people and tests read.
        var spellings: [String] {
            switch self {
            case .account: ["--account", "-a"]
            case .scope: ["--scope", "-s"]
            case .resource: ["--resource"]
            case .tenant: ["--tenant"]
            case .client: ["--client"]
            case .url: ["--url"]
            case .tool: ["--tool"]
            case .minValidity: ["--min-validity"]
            case .vault: ["--vault"]
            case .group: ["--group"]
            case .keyFile: ["--key-file"]
            case .header: ["--header"]
            case .quiet: ["--quiet", "-q"]
            case .noInput: ["--no-input"]
            case .offline: ["--offline"]
            case .extendedLifetime: ["--extended-lifetime"]
            case .verbose: ["--verbose"]
            }
        }

        /// Whether tools can give it too; what the others tell, they tell themselves.
        var isForHelper: Bool {
            switch self {
            case .url, .tool, .minValidity, .header: false
            default: true
            }
        }

        /// Whether a prompt can be asked for with it.
        var isForPrompt: Bool {
            switch self {
            case .vault, .group, .keyFile, .quiet, .noInput: true
            default: false
            }
        }

        var takesValue: Bool {
            switch self {
            case .account, .scope, .resource, .tenant, .client, .url, .tool, .minValidity, .vault, .group, .keyFile:
                true
            case .header, .quiet, .noInput, .offline, .extendedLifetime, .verbose: false
            }
        }
    }

    /// Whether a prompt asks.
    let isPrompt: Bool
    /// The tool that calls; nil for `keyfob token` and `keyfob prompt`.
    let call: ToolCall?
    /// What it wants, where it says.
    private(set) var operation: String?
    private var given: [(option: Option, value: String)] = []

    /// What was typed behind the command's name; nil for what the front does not take.
    init?(_ words: [String]) {
        let call = ToolCall.allCases.first { words.starts(with: $0.words) }
        isPrompt = words.first == "prompt"
        guard call != nil || isPrompt || words.first == "token" else { return nil }
        self.call = call
        var index = call?.words.count ?? 1
        while index < words.count {
            let word = words[index]
            index += 1
            if let call, call != .kubectl, operation == nil, !word.hasPrefix("-") {
                operation = word
                continue
            }
            guard let option = Option.allCases.first(where: { $0.spellings.contains(word) }), !has(option) else {
                return nil
            }
            guard call == nil || option.isForHelper, !isPrompt || option.isForPrompt else { return nil }
            guard option.takesValue else {
                given.append((option, ""))
                continue
            }
            guard index < words.count, !words[index].hasPrefix("-") else { return nil }
            given.append((option, words[index]))
            index += 1
        }
        if let call, call != .kubectl, operation == nil { return nil }
    }

    func has(_ option: Option) -> Bool { given.contains { $0.option == option } }

    /// The value of an option; nil where it is not given.
    subscript(option: Option) -> String? { given.first { $0.option == option }?.value }
}
