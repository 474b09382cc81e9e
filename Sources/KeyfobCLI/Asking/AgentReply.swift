internal import Keyfob
internal import KeyfobModel
internal import KeyfobSodium

/// What an agent answers to a call: there may be a token in it.
final class AgentReply: Sendable {
    private let json: SecretBytes
    private let tape: JSONTape
    private let parameters: JSONTape.Value
    private let failure: String?

    /// How much of JSON's an answer may have.
    private static let limits = JSONLimits(size: limit, depth: 8, stringCount: 1 << 18, nodes: 1 << 16)

    /// The longest one, in bytes.
    static let limit = 1 << 20

    /// The answer in a message, without the zero that ends it; nil where it is none.
    init?(_ message: RawSpan) {
        guard message.isUTF8, let tape = try? JSONTape(reading: message, limits: Self.limits),
            tape.kind(of: tape.root) == .object,
            let parameters = tape.member("parameters", of: tape.root, in: message),
            tape.kind(of: parameters) == .object
        else { return nil }
        (self.tape, self.parameters) = (tape, parameters)
        failure = tape.member("error", of: tape.root, in: message).flatMap { tape.string(of: $0, in: message) }
        json = SecretBytes(copying: message, placement: .recycled)
    }

    /// The error that it is; nil for an answer.
    var error: KeyringError? {
        guard let failure else { return nil }
        let code = string("code").flatMap(KeyringError.Code.init) ?? .unavailable
        guard let message = string("message") else {
            return KeyringError(code, "the agent refuses: \(failure)")
        }
        return error(code, "the agent says: \(message)")
    }

    /// An error with the advice, the candidates and the continuation that stand here.
    func error(_ code: KeyringError.Code, _ message: String) -> KeyringError {
        KeyringError(
            code, message, advice: Self.advice(string), candidates: strings("candidates"), names: strings("names"),
            continuation: continuation)
    }

    /// An advice, by its name and its words.
    static func advice(_ text: (String) -> String?) -> Advice? {
        guard let words = text("hint") else { return nil }
        return text("advice").map { .told(code: $0, words: words) } ?? .words(words)
    }

    /// How a person continues.
    var continuation: Continuation? {
        let fields = json.withBytes { bytes in
            tape.member("continuation", of: parameters, in: bytes).flatMap {
                tape.kind(of: $0) == .object ? AgentFields(tape, $0, bytes) : nil
            }
        }
        guard let fields, let action = fields.string("action").flatMap(RefusalRemedy.init),
            let name = fields.string("name")
        else { return nil }
        return Continuation(
            action, id: fields.string("id"), provider: fields.string("provider") ?? "",
            account: fields.string("account") ?? "", name: name,
            group: fields.string("group").flatMap { try? AccessGroup($0) }, tenant: fields.string("tenant"),
            clientID: fields.string("client"), scopes: ScopeSet(fields.strings("scopes")),
            claims: fields.string("claims"))
    }

    /// The token that it gives; nil where it gives none.
    var token: Keyring.TokenAnswer? {
        guard let secret = secret("token"), let id = string("account").flatMap(AccountID.init),
            let group = string("group").flatMap({ try? AccessGroup($0) }), let client = string("clientID"),
            let origin = string("source").flatMap(Keyring.FoundToken.Origin.init)
        else { return nil }
        let credential = Credential(
            kind: .accessToken, account: id, clientID: client, realm: string("tenant") ?? "",
            scopes: ScopeSet(strings("scopes")), tokenType: string("tokenType"),
            cachedAt: integer("cachedAt").map(Timestamp.init(seconds:)),
            expiresOn: integer("expiresOn").map(Timestamp.init(seconds:)))
        return Keyring.TokenAnswer(
            secret: secret,
            found: Keyring.FoundToken(
                credential, of: Account(id: id, username: string("username") ?? ""), in: group, from: origin))
    }

    /// The objects of a list, each as an answer of its own.
    func objects(_ name: String) -> [AgentFields] {
        json.withBytes { bytes in
            guard let value = tape.member(name, of: parameters, in: bytes) else { return [] }
            return tape.elements(of: value).map { AgentFields(tape, $0, bytes) }
        }
    }

    /// A text.
    func string(_ name: String) -> String? { fields { $0.string(name) } }
    /// The texts of a list; none where it is not given.
    func strings(_ name: String) -> [String] { fields { $0.strings(name) } }
    /// A whole number.
    func integer(_ name: String) -> Int64? {
        json.withBytes { bytes in
            tape.member(name, of: parameters, in: bytes).flatMap { value in
                tape.kind(of: value) == .number ? Int64(tape.raw(value, in: bytes)) : nil
            }
        }
    }
    /// Whether it says so.
    func flag(_ name: String) -> Bool {
        json.withBytes { bytes in
            tape.member(name, of: parameters, in: bytes).map { tape.kind(of: $0) == .true } ?? false
        }
    }
    /// A text in guarded memory.
    func secret(_ name: String) -> SecretBytes? {
        json.withBytes { bytes in
            guard let text = tape.member(name, of: parameters, in: bytes).flatMap({ tape.text(of: $0) }) else {
                return nil
            }
            return SecretBytes(count: text.decodedCount(in: bytes), placement: .recycled) { output in
                text.decode(from: bytes, into: &output)
            }
        }
    }

    private func fields<Value>(_ read: (AgentFields) -> Value) -> Value {
        json.withBytes { bytes in read(AgentFields(tape, parameters, bytes)) }
    }
}

/// The texts in an object of an answer: no token is among them.
struct AgentFields {
    private var texts: [String: String] = [:]
    private var lists: [String: [String]] = [:]
    private var flags: [String: Bool] = [:]
    private var numbers: [String: Int64] = [:]
    private var objects: [String: [[String: String]]] = [:]

    fileprivate init(_ tape: JSONTape, _ object: JSONTape.Value, _ bytes: RawSpan) {
        var members = tape.members(of: object)
        while let member = members.next() {
            let name = tape.string(of: member.name, in: bytes) ?? ""
            switch tape.kind(of: member.value) {
            case .string where name != "token": texts[name] = tape.string(of: member.value, in: bytes)
            case .array:
                let elements = tape.elements(of: member.value)
                lists[name] = elements.compactMap { tape.string(of: $0, in: bytes) }
                objects[name] = elements.filter { tape.kind(of: $0) == .object }.map { Self.texts(tape, $0, bytes) }
            case .true: flags[name] = true
            case .false: flags[name] = false
            case .number: numbers[name] = Int64(tape.raw(member.value, in: bytes))
            default: break
            }
        }
    }

    func string(_ name: String) -> String? { texts[name] }
    func strings(_ name: String) -> [String] { lists[name] ?? [] }
    func flag(_ name: String) -> Bool { flags[name] ?? false }

    /// The value of a field of a record.
    func value(_ name: String, _ kind: Record.Kind) -> Record.Value? {
        switch kind {
        case .text: texts[name].map { .text($0) }
        case .flag: flags[name].map { .flag($0) }
        case .time: numbers[name].map { .time(Timestamp(seconds: $0)) }
        case .texts: lists[name].map { .texts($0) }
        case .objects(_, let fields):
            objects[name].map { .objects($0.map { object in fields.map { object[$0] ?? "" } }) }
        }
    }

    private static func texts(_ tape: JSONTape, _ object: JSONTape.Value, _ bytes: RawSpan) -> [String: String] {
        var texts: [String: String] = [:]
        var members = tape.members(of: object)
        while let member = members.next() {
            guard let name = tape.string(of: member.name, in: bytes) else { continue }
            texts[name] = tape.string(of: member.value, in: bytes)
        }
        return texts
    }
}
