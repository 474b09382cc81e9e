import Foundation

/// A way to the keyring.
enum Door: String, CaseIterable, Sendable {
    case swift, command, c, python, agent
}

/// Something that every door is asked.
struct Question: Sendable, CustomStringConvertible {
    /// Of accounts or a token; or a line of the shell that each door runs where it is, between two questions.
    enum Kind: String, Sendable { case accounts, token, shell }

    let kind: Kind
    /// Options by the command's names, in their order.
    let options: [(name: String, value: String)]
    /// The doors that are not asked, each for a reason.
    let without: [Door: Exemption]
    /// Whether each answer is another token.
    let isRenewed: Bool

    init(
        _ kind: Kind, _ options: KeyValuePairs<String, String> = [:], without: [Door: Exemption] = [:],
        isRenewed: Bool = false
    ) {
        self.kind = kind
        self.options = options.map { ($0.key, $0.value) }
        (self.without, self.isRenewed) = (without, isRenewed)
    }

    /// A line that each door runs.
    init(running line: String) { self.init(.shell, ["line": line]) }

    var description: String {
        ([kind.rawValue] + options.map { "\($0.name)=\($0.value.prefix(60))" }).joined(separator: " ")
    }

    private static let flags: Set = ["force-refresh", "extended-lifetime", "offline"]

    /// What is typed.
    var line: String {
        if kind == .shell { return options[0].value }
        let words = options.flatMap { option in
            Self.flags.contains(option.name)
                ? ["--" + option.name] : ["--" + option.name, "'" + option.value.replacing("'", with: "'\\''") + "'"]
        }
        return (["keyfob", kind == .token ? "token" : "account list", "--json"] + words).joined(separator: " ")
    }

    /// A line for the program in C.
    var tabbed: String { ([kind.rawValue] + options.map { "\($0.name)=\($0.value)" }).joined(separator: "\t") }

    /// The question for the script in Python.
    var object: [String: Any] {
        let values = Dictionary(grouping: options) { $0.name }.mapValues { $0.map { $0.value } }
        return ["kind": kind.rawValue, "options": values]
    }
}

/// Why a door is not asked a question.
enum Exemption: String, Sendable {
    case offline =
        "an agent has no such option: it answers from what is stored where that will do, and else has the network"
    case otherNames =
        "an agent takes other names and bounds, and calls what breaks them org.varlink.service.InvalidParameter"
    case onceAllowed = "an agent takes the host beside the account by its own name, as the URL has it"
    case removed = "an agent tells programs nothing of an account that is not there any more"
    case opensItself =
        "a program in Swift opens the keyring itself, and so opens it again itself where it has got other keys"
}

/// What a door says, in words that are comparable.
struct DoorAnswer: Equatable, CustomStringConvertible {
    var rows: [[String: String]] = []
    var code: String?
    var message: String?
    var hint: String?
    var advice: String?
    var candidates: [String] = []
    /// How a person continues; without the command, which a door that has no commands does not tell.
    var continuation: [String: String] = [:]
    /// With which status the command would end; nil where a door has none.
    var status: Int?

    var description: String {
        guard let code else {
            return rows.map { row in
                row.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            }.joined(separator: " | ")
        }
        let way = continuation.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        return
            "\(code) \(status.map { "(\($0))" } ?? ""): \(message ?? "") [\(advice ?? "no advice"): \(hint ?? "no hint")] "
            + "\(candidates) {\(way)}"
    }

    /// What a document says: `rows`, or an `error`.
    init(_ document: Any?) {
        let document = document as? [String: Any] ?? [:]
        if let error = document["error"] as? [String: Any] {
            code = error["code"] as? String ?? error["name"] as? String
            message = error["message"] as? String
            hint = error["hint"] as? String
            advice = error["advice"] as? String
            candidates = Self.list(error["candidates"], "\n")
            status = error["exitStatus"] as? Int ?? document["status"] as? Int ?? error["status"] as? Int
            continuation = Self.continuation(error)
        } else if let rows = document["rows"] as? [[String: Any]] {
            self.rows = rows.map { row in
                // Besides, the library for C has the time as a number.
                Dictionary(
                    uniqueKeysWithValues: row.compactMap { name, value in Self.text(name, value).map { (name, $0) } })
            }
        } else {
            code = "no answer"
        }
    }

    /// Names of the parts of a continuation, and those by which doors have them.
    private static let parts: [(name: String, others: [String])] = [
        ("id", []), ("action", []), ("provider", []), ("account", []), ("name", []), ("group", []), ("tenant", []),
        // The agent's is what its call SignIn takes, and Python has names of Python.
        ("clientID", ["client", "client_id"]), ("scopes", []), ("claims", []),
    ]

    /// How a person continues: an object; in C the error's own fields, where there is an action.
    private static func continuation(_ error: [String: Any]) -> [String: String] {
        var object = error["continuation"] as? [String: Any]
        if object == nil, error["action"] != nil {
            object = error
            object?["id"] = error["continuation"]
        }
        guard let object else { return [:] }
        var found: [String: String] = [:]
        for (name, others) in parts {
            let value = ([name] + others).lazy.compactMap { object[$0] }.first { !($0 is NSNull) }
            let text = name == "scopes" ? list(value, " ").joined(separator: " ") : value as? String
            // What is not known an agent says as an empty text.
            if let text, !text.isEmpty { found[name] = text }
        }
        return found
    }

    private static func list(_ value: Any?, _ separator: Character) -> [String] {
        value as? [String] ?? (value as? String)?.split(separator: separator).map(String.init) ?? []
    }

    private static func text(_ name: String, _ value: Any) -> String? {
        switch value {
        case let text as String where name == "tenants" && text.isEmpty: nil
        case let text as String where name == "scopes": text.isEmpty ? nil : text.replacing(" ", with: "\n")
        case let text as String: text
        case let number as NSNumber:
            isFlag(number) ? "\(number.boolValue)" : time(number.doubleValue)
        case let flag as Bool: "\(flag)"
        case let number as Int: time(Double(number))
        case let texts as [String]: lines(texts)
        case let objects as [[String: Any]]:
            lines(objects.compactMap { $0["id"] as? String })
        default: nil
        }
    }

    /// Without a provider's tenants there is one whose id is empty.
    private static func lines(_ texts: [String]) -> String? {
        let texts = texts.filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    private static func time(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    }

    private static func isFlag(_ number: NSNumber) -> Bool { unsafe String(cString: number.objCType) == "c" }
}

extension DoorAnswer {
    /// What it says otherwise than another one; nil where it is the same.
    func difference(from expected: DoorAnswer, _ question: Question) -> String? {
        guard code == expected.code else { return "\(self), not \(expected)" }
        guard code != nil else {
            return comparable(question) == expected.comparable(question) ? nil : "\(self), not \(expected)"
        }
        let (said, wanted) = (comparableMessage, expected.comparableMessage)
        // In C and in Python the message names the first of the candidates, as the command's line for people does.
        let isSaid = said == wanted || !candidates.isEmpty && said.hasPrefix(wanted + " (") && said.hasSuffix(")")
        let isSame =
            comparableHint == expected.comparableHint && advice == expected.advice
            && isSaid && candidates == expected.candidates
            && continuation == expected.continuation && (status ?? expected.status) == (expected.status ?? status)
        return isSame ? nil : "\(self), not \(expected)"
    }

    /// The rows, whatever their order, and without what each renewal has anew.
    private func comparable(_ question: Question) -> [[String: String]] {
        rows.map { row in
            var row = row
            if question.isRenewed { (row["token"], row["expiresOn"]) = (nil, nil) }
            return row
        }.sorted { ($0["group"] ?? "", $0["id"] ?? "") < ($1["group"] ?? "", $1["id"] ?? "") }
    }

    /// The hint, unless the command refers to its help for what it says of its own options: a library has none.
    private var comparableHint: String? {
        hint.flatMap { $0.hasPrefix("see 'keyfob ") ? nil : Self.plain($0) }
    }

    /// The message, whoever answers, and whatever variable the command says has named what it is about.
    ///
    /// Of claims the command names the option.
    private var comparableMessage: String {
        Self.plain(message ?? "").replacing("the agent says: ", with: "")
            .replacing(/[ ]\(named by KEYFOB_[A-Z_]+\)/, with: "")
            .replacing("the claims are not", with: "--claims is not")
    }

    /// The text without what time has passed and which program it is that asks.
    private static func plain(_ text: String) -> String {
        text.replacing(/[0-9]+ (?:more )?(?:seconds|minutes)/, with: "a time")
            .replacing(/[0-9-]{10}T[0-9:]{8}Z/, with: "a time")
            .replacing(" --tool doors.py", with: "")
            .replacing(/(nobody has let|keyfob program allow) [^ ]+/) { "\($0.output.1) a program" }
    }
}
