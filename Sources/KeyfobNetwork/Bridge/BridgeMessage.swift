internal import KeyfobModel
internal import KeyfobSodium

/// What has to be known of a message of JSON-RPC to pass it on: what it is, and which answer belongs to it.
struct BridgeMessage: Hashable, Sendable {
    /// The id of a request.
    struct ID: Hashable, Sendable {
        /// As it was written, to be written again.
        let text: String
        private let value: String

        init(text: String, string: String?) {
            self.text = text
            value = string.map { "\"" + $0 } ?? text
        }

        static func == (left: ID, right: ID) -> Bool { left.value == right.value }
        func hash(into hasher: inout Hasher) { hasher.combine(value) }
    }

    /// One message; a batch has several.
    enum Part: Hashable, Sendable {
        case request(ID, method: String, Stamp?)
        /// - Parameter cancels: The request that is not to be answered any more.
        case notification(method: String, cancels: ID?)
        /// - Parameters:
        ///   - version: The version of the protocol that it names, as the answer to `initialize` does.
        ///   - problem: What it says is wrong.
        case response(ID?, version: String?, problem: String?)
    }

    /// What a request says of itself since the revision 2026-07-28, which has no sessions: headers repeat it.
    struct Stamp: Hashable, Sendable {
        let version: String
        /// The tool, the prompt or the resource that it is about.
        let name: String?
    }

    /// Why there is none.
    enum Flaw: Error, Hashable, Sendable {
        /// It is not JSON.
        case syntax
        /// It is JSON, and no message.
        case notMessage
    }

    let parts: [Part]

    /// The ids of its requests.
    var requests: [ID] { parts.compactMap { if case .request(let id, _, _) = $0 { id } else { nil } } }
    /// The ids that its answers are to; nil of one that says to none.
    var answered: [ID?] { parts.compactMap { if case .response(let id, _, _) = $0 { .some(id) } else { nil } } }
    /// What it says is wrong.
    var problem: String? {
        parts.lazy.compactMap { if case .response(_, _, let problem) = $0 { problem } else { nil } }.first
    }
    /// What headers repeat of it; nil of a batch, and of one that belongs to a session.
    var stamp: (method: String, stamp: Stamp)? {
        guard parts.count == 1, case .request(_, let method, let stamp?) = parts[0] else { return nil }
        return (method, stamp)
    }
    /// Whether it begins a session.
    var isInitialize: Bool { parts.contains { if case .request(_, "initialize", _) = $0 { true } else { false } } }
    /// Whether it says that the session has begun.
    var isInitialized: Bool { parts.contains(.notification(method: "notifications/initialized", cancels: nil)) }
    /// The requests that it takes back.
    var cancelled: [ID] { parts.compactMap { if case .notification(_, let id?) = $0 { id } else { nil } } }
    /// Whether a service that gets it twice does no more than once: what calls no tool.
    var isRepeatable: Bool {
        parts.allSatisfy { part in
            guard case .request(_, let method, _) = part else { return true }
            return ["initialize", "ping"].contains(method) || method.hasSuffix("/list") || method.hasSuffix("/read")
        }
    }

    /// Reads a message, or a batch of them.
    init(reading bytes: [UInt8], limit: Int) throws(Flaw) {
        let limits = JSONLimits(size: limit, depth: 256, stringCount: limit, nodes: 4 << 20)
        self = try bytes.withBytes { bytes throws(Flaw) in try BridgeMessage(bytes, limits) }
    }

    private init(_ bytes: RawSpan, _ limits: JSONLimits) throws(Flaw) {
        let tape: JSONTape
        do { tape = try JSONTape(reading: bytes, limits: limits) } catch { throw .syntax }
        switch tape.kind(of: tape.root) {
        case .object: parts = [try Self.part(tape.root, tape, bytes)]
        case .array:
            var parts: [Part] = []
            for element in tape.elements(of: tape.root) { parts.append(try Self.part(element, tape, bytes)) }
            guard !parts.isEmpty else { throw .notMessage }
            self.parts = parts
        default: throw .notMessage
        }
    }

    private static func part(_ value: JSONTape.Value, _ tape: JSONTape, _ bytes: RawSpan) throws(Flaw) -> Part {
        guard tape.kind(of: value) == .object else { throw .notMessage }
        let id = tape.member("id", of: value, in: bytes)
        if let method = tape.member("method", of: value, in: bytes) {
            guard let name = tape.string(of: method, in: bytes) else { throw .notMessage }
            if let id {
                guard let id = Self.id(id, tape, bytes) else { throw .notMessage }
                return .request(id, method: name, Self.stamp(name, value, tape, bytes))
            }
            var cancels: ID?
            if name == "notifications/cancelled", let about = tape.member("params", of: value, in: bytes) {
                cancels = tape.member("requestId", of: about, in: bytes).flatMap { Self.id($0, tape, bytes) }
            }
            return .notification(method: name, cancels: cancels)
        }
        let (result, error) = (tape.member("result", of: value, in: bytes), tape.member("error", of: value, in: bytes))
        guard result != nil || error != nil else { throw .notMessage }
        // What goes into a header, and what into a line.
        let version = Self.text("protocolVersion", of: result, tape, bytes).flatMap { $0.utf8.count <= 64 ? $0 : nil }
        return .response(
            id.flatMap { Self.id($0, tape, bytes) },
            version: version.flatMap { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? $0 : nil },
            problem: Self.text("message", of: error, tape, bytes).map { String($0.prefix(200)) })
    }

    private static func text(
        _ name: String, of object: JSONTape.Value?, _ tape: JSONTape, _ bytes: RawSpan
    ) -> String? {
        guard let object, let value = tape.member(name, of: object, in: bytes) else { return nil }
        return tape.string(of: value, in: bytes)
    }

    private static func stamp(
        _ method: String, _ value: JSONTape.Value, _ tape: JSONTape, _ bytes: RawSpan
    ) -> Stamp? {
        guard let parameters = tape.member("params", of: value, in: bytes),
            let meta = tape.member("_meta", of: parameters, in: bytes),
            let version = tape.member("io.modelcontextprotocol/protocolVersion", of: meta, in: bytes),
            let text = tape.string(of: version, in: bytes)
        else { return nil }
        let names = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"]
        let name = names[method].flatMap { tape.member($0, of: parameters, in: bytes) }
        return Stamp(version: text, name: name.flatMap { tape.string(of: $0, in: bytes) })
    }

    private static func id(_ value: JSONTape.Value, _ tape: JSONTape, _ bytes: RawSpan) -> ID? {
        let kind = tape.kind(of: value)
        guard kind == .number || kind == .string, tape.range(of: value).count <= 1_024 else { return nil }
        return ID(text: tape.raw(value, in: bytes), string: tape.string(of: value, in: bytes))
    }

    /// The answer that says what is wrong, as a line.
    ///
    /// - Parameter id: To which request; nil where it has none that can be read.
    static func error(_ code: Int, _ words: String, to id: ID?) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(words)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        return Array(
            #"{"jsonrpc":"2.0","id":\#(id?.text ?? "null"),"error":{"code":\#(code),"message":\#(text)}}"#.utf8)
    }

    /// A message as a line: the ends of lines within it are white space.
    static func line(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return bytes + [0x0A] }
        return bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } + [0x0A]
    }
}
