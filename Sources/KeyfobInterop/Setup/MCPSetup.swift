internal import KeyfobModel
internal import KeyfobSodium

/// An entry by which a program starts `keyfob mcp` as one of its MCP servers.
package struct MCPSetup: Sendable {
    /// A program that starts MCP servers.
    package enum Client: String, Sendable, CaseIterable {
        case claudeCode = "claude-code"
        case claudeDesktop = "claude-desktop"
        case vscode
        case cursor
        case gemini
        case codex
        case opencode

        /// The list of its file that servers are in.
        fileprivate var list: String {
            switch self {
            case .claudeCode, .claudeDesktop, .cursor, .gemini: "mcpServers"
            case .vscode: "servers"
            case .opencode: "mcp"
            case .codex: "mcp_servers"
            }
        }
    }

    private static let limits = JSONLimits(size: 16 << 20, depth: 64, stringCount: 1 << 20, nodes: 1 << 20)

    private let client: Client
    private let name: String
    private let words: [String]

    /// An entry.
    ///
    /// - Parameters:
    ///   - name: What the server is called: letters, digits, `-` and `_`.
    ///   - words: The command.
    package init(_ client: Client, name: String, words: [String]) {
        (self.client, self.name, self.words) = (client, name, words)
    }

    /// How it comes into the file.
    ///
    /// - Throws: `taken` where the file has another server of this name; `unknownForm`.
    package func adding(to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        if client == .codex { return try addingTable(to: text) }
        let list = client.list
        guard !text.isEmpty else {
            return SetupPlan(
                TextEdit(adding: "{\n  \"\(list)\": {\n    \(member)\n  }\n}\n", at: 0), former: .nothing)
        }
        let document = try Document(text, list)
        if let there = document.servers?.members.first(where: { $0.name == name }) {
            guard document.command(of: there) == words else { throw .taken(name) }
            return SetupPlan(.none)
        }
        if let servers = document.servers {
            let isEmpty = servers.members.isEmpty
            return SetupPlan(
                TextEdit(adding: servers.blank + member + (isEmpty ? "" : ","), at: servers.range.lowerBound + 1))
        }
        let (root, isEmpty) = (document.root, document.root.members.isEmpty)
        let blank = isEmpty ? "" : root.blank
        let indent = blank.utf8.lastIndex(of: 0x0A).map { String(blank[blank.utf8.index(after: $0)...]) } ?? ""
        let inner = blank.isEmpty ? member : blank + indent + member + blank
        return SetupPlan(
            TextEdit(adding: "\(blank)\(quoted(list)): {\(inner)}\(isEmpty ? "" : ",")", at: root.range.lowerBound + 1),
            former: .nothing)
    }

    /// How the entries of some names go again, as far as they start Keyfob; where no other is left, so does the list, unless it
    /// was there before.
    package static func removing(
        _ names: [String], of client: Client, from text: [UInt8], former: FormerEntries
    ) throws(SetupFlaw) -> SetupPlan {
        if client == .codex { return try removingTables(names, from: text) }
        guard !text.isEmpty, case let document = try Document(text, client.list), let servers = document.servers else {
            return SetupPlan(.none)
        }
        let going = servers.members.indices.filter {
            names.contains(servers.members[$0].name) && isOwn(document.command(of: servers.members[$0]))
        }
        guard !going.isEmpty else { return SetupPlan(.none) }
        guard former == .nothing, going.count == servers.members.count else {
            return SetupPlan(servers.removing(going))
        }
        let list = document.root.members.indices.filter { document.root.members[$0].name == client.list }
        return SetupPlan(document.root.removing(list))
    }

    /// The names of the servers of a file that start Keyfob.
    package static func entries(of client: Client, in text: [UInt8]) throws(SetupFlaw) -> [String] {
        guard !text.isEmpty else { return [] }
        if client == .codex { return try MarkedLines(text).blocks.map(\.name) }
        let document = try Document(text, client.list)
        return (document.servers?.members ?? []).filter { isOwn(document.command(of: $0)) }.map(\.name)
    }

    /// Whether a file says nothing.
    package static func isBlank(_ text: [UInt8], of client: Client) -> Bool {
        text.isEmpty || client != .codex && (try? Document(text, client.list))?.root.members.isEmpty == true
    }

    private static func isOwn(_ command: [String]) -> Bool {
        command.count > 2 && command[0].split(separator: "/").last == "keyfob" && command.contains("mcp")
    }

    /// Name and value.
    private var member: String {
        let list = { (words: ArraySlice<String>) in "[" + words.map(quoted).joined(separator: ", ") + "]" }
        let value =
            switch client {
            case .opencode: "\"type\": \"local\", \"command\": \(list(words[...])), \"enabled\": true"
            case .vscode: "\"type\": \"stdio\", \"command\": \(quoted(words[0])), \"args\": \(list(words.dropFirst()))"
            case .claudeCode, .claudeDesktop, .cursor, .gemini, .codex:
                "\"command\": \(quoted(words[0])), \"args\": \(list(words.dropFirst()))"
            }
        return "\(quoted(name)): {\(value)}"
    }

    private func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    // MARK: Codex, whose file is TOML

    private var table: [String] {
        // A string of JSON's is one of TOML's, but that this one escapes DEL too.
        let strings = words.map { quoted($0).replacing("\u{7F}", with: "\\u007f") }
        return [
            "[mcp_servers.\(name)]", "command = \(strings[0])",
            "args = [\(strings.dropFirst().joined(separator: ", "))]",
        ]
    }

    private func addingTable(to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try MarkedLines(text)
        if let block = marked.blocks.first(where: { $0.name == name }) {
            let lines = marked.lines[block.lines].dropFirst().dropLast().map(\.text)
            guard lines == table else { throw .taken(name) }
            return SetupPlan(.none)
        }
        for line in marked.lines.map({ $0.text.filter { $0 != " " && $0 != "\t" && $0 != "\"" && $0 != "'" } }) {
            let isTable = line.hasPrefix("[mcp_servers.\(name)]") || line.hasPrefix("[mcp_servers.\(name).")
            if isTable || line.hasPrefix("mcp_servers.\(name)") { throw .taken(name) }
            if line.hasPrefix("mcp_servers=") { throw .unknownForm("it has mcp_servers on one line") }
            if line.contains("\"\"\"") || line.contains("'''") { continue }
        }
        return SetupPlan(
            MarkedLines.adding(table, for: name, to: text, at: text.count), former: text.isEmpty ? .nothing : .some)
    }

    private static func removingTables(_ names: [String], from text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try MarkedLines(text)
        let blocks = marked.blocks.filter { names.contains($0.name) }
        for block in blocks {
            let lines = marked.lines[block.lines].dropFirst().dropLast().map(\.text)
            guard lines.count == 3, lines[0] == "[mcp_servers.\(block.name)]", lines[1].hasPrefix("command = \""),
                lines[2].hasPrefix("args = [")
            else { throw .changed(line: block.lines.lowerBound + 1) }
        }
        return SetupPlan(marked.removing(blocks) { _ in true })
    }
}

extension MCPSetup {
    /// A file in JSON, and where its servers are.
    private struct Document {
        let root: JSONObjectPlaces
        let servers: JSONObjectPlaces?
        private let commands: [String: [String]]

        init(_ text: [UInt8], _ list: String) throws(SetupFlaw) {
            self = try text.withBytes { bytes throws(SetupFlaw) in try Document(bytes, list) }
        }

        private init(_ bytes: RawSpan, _ list: String) throws(SetupFlaw) {
            let tape: JSONTape
            do {
                tape = try JSONTape(reading: bytes, limits: limits)
            } catch {
                throw .unknownForm("it is not JSON, or has remarks: \(error)")
            }
            guard tape.kind(of: tape.root) == .object else { throw .unknownForm("it is not a JSON object") }
            guard tape.duplicates.isEmpty else { throw .unknownForm("it has a name twice") }
            root = JSONObjectPlaces(tape, tape.root, bytes)
            let value = tape.member(list, of: tape.root, in: bytes)
            if let value, tape.kind(of: value) != .object { throw .unknownForm("\(list) is not an object") }
            servers = value.map { JSONObjectPlaces(tape, $0, bytes) }
            var commands: [String: [String]] = [:]
            for server in servers?.members ?? [] {
                guard let command = tape.member("command", of: server.value, in: bytes) else { continue }
                let arguments = tape.member("args", of: server.value, in: bytes)
                let first = tape.string(of: command, in: bytes).map { [$0] } ?? []
                commands[server.name] =
                    first
                    + [command, arguments].compactMap(\.self).flatMap { list in
                        tape.elements(of: list).map { tape.string(of: $0, in: bytes) ?? "" }
                    }
            }
            self.commands = commands
        }

        /// What a server is started by; nothing where that is no list of words.
        func command(of server: JSONObjectPlaces.Member) -> [String] { commands[server.name] ?? [] }
    }
}
