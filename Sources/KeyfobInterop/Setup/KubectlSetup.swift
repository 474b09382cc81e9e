package import KeyfobModel

/// The user of a kubeconfig whose token Keyfob gives: its lines as kubectl itself writes them, so that they are the same
/// after kubectl has written the file anew.
package struct KubectlSetup: Sendable {
    private static let skeleton = "apiVersion: v1\nkind: Config\n"
    static let version = "client.authentication.k8s.io/v1beta1"
    static let mode = "Never"

    /// The user's name.
    package let user: String
    private let command: String
    private let arguments: [String]

    /// A user.
    ///
    /// - Parameters:
    ///   - way: How kubectl starts the program.
    ///   - options: What it is called with, each in one word.
    package init(user: String, _ way: ToolCall.Way, options: [String]) {
        self.user = user
        switch way {
        case .named: (command, arguments) = (ToolCall.kubectl.program, options)
        case .at(let path): (command, arguments) = (path, options)
        case .word(of: let path): (command, arguments) = (path, ToolCall.kubectl.words + options)
        }
    }

    /// The command of kubectl that does the same, in words.
    package var commandOfKubectl: [String] {
        [
            "kubectl", "config", "set-credentials", user, "--exec-command=\(command)",
            "--exec-api-version=\(Self.version)", "--exec-provide-cluster-info=true",
        ] + arguments.map { "--exec-arg=\($0)" }
    }

    /// How the user comes into a file, as the first of its users.
    ///
    /// - Throws: `taken` where there is one of that name that is not the same, `unknownForm`.
    package func adding(to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        guard !text.isEmpty else {
            let whole = ([Self.skeleton + "users:"] + lines(indent: 0)).joined(separator: "\n") + "\n"
            return SetupPlan(TextEdit(adding: whole, at: 0), former: .nothing)
        }
        let configuration = try KubeconfigText(text)
        let former = configuration.former
        if let there = configuration.users.first(where: { $0.name == user }) {
            // kubectl of before 1.22 leaves out the mode, which it does not know.
            guard there.own == KubeconfigText.OwnUser(command: command, arguments: arguments) else {
                throw .taken(user)
            }
            return SetupPlan(.none, former: former)
        }
        let isDOS = text.firstIndex(of: 0x0A).map { $0 > 0 && text[$0 - 1] == 0x0D } == true
        let ending = isDOS ? "\r\n" : "\n"
        let new = lines(indent: configuration.indent)
        guard let list = configuration.list else {
            let all = (["users:"] + new).map { $0 + ending }.joined()
            return SetupPlan(TextEdit(adding: all, at: configuration.start), former: former)
        }
        let added = Array(new.map { ending + $0 }.joined().utf8)
        let end = configuration.endOfList
        // An empty list goes; a remark behind it stays.
        let change = TextEdit.Change(range: configuration.listEnd == end ? list..<end : end..<end, bytes: added)
        let isEmpty = list == configuration.listEnd || change.range.lowerBound == list
        let old = isEmpty ? [] : [TextEdit.Change(range: list..<configuration.listEnd, bytes: [])]
        return SetupPlan(TextEdit(old + [change]), former: former)
    }

    /// How a user goes again that setup has written, and what stood there before comes back.
    ///
    /// - Throws: `changed` where it is not as setup writes it, `unknownForm`.
    package static func removing(_ user: String, from text: [UInt8], former: FormerEntries) throws(SetupFlaw)
        -> SetupPlan
    {
        guard !text.isEmpty, case let configuration = try KubeconfigText(text), let list = configuration.list,
            let own = configuration.users.first(where: { $0.name == user })
        else { return SetupPlan(.none) }
        guard isOwn(own) else { throw .changed(line: own.lines.lowerBound + 1) }
        var remarks: [String] = []
        if let use = configuration.uses.first(where: { $0.user == user }) {
            remarks.append("line \(use.line) still names the user '\(user)', who has no token then")
        }
        // The end of the line before goes, and that of the last line stays.
        let last = own.lines.upperBound - 1
        let (start, end) = (configuration.end(ofLine: own.lines.lowerBound - 1), configuration.end(ofLine: last))
        guard configuration.users.count == 1 else {
            return SetupPlan(TextEdit(removing: [start..<end]), remarks: remarks)
        }
        let isNext = configuration.listLine + 1 == own.lines.lowerBound
        if former == .nothing, isNext {
            // The line of the list too, and its end.
            let whole = configuration.start(ofLine: configuration.listLine)..<configuration.start(ofLine: last + 1)
            return SetupPlan(TextEdit(removing: [whole.clamped(to: 0..<text.count)]), remarks: remarks)
        }
        let words = Array((former == .bare ? "" : former == .null ? " null" : " []").utf8)
        guard list < start else {
            return SetupPlan(TextEdit([TextEdit.Change(range: start..<end, bytes: words)]), remarks: remarks)
        }
        let back = words.isEmpty ? [] : [TextEdit.Change(range: list..<list, bytes: words)]
        return SetupPlan(TextEdit(back + [TextEdit.Change(range: start..<end, bytes: [])]), remarks: remarks)
    }

    /// The users of a file who get their tokens from Keyfob as setup writes it.
    package static func users(in text: [UInt8]) throws(SetupFlaw) -> [String] {
        guard !text.isEmpty else { return [] }
        return try KubeconfigText(text).users.filter(isOwn).map(\.name)
    }

    /// Whether a file says nothing.
    package static func isBlank(_ text: [UInt8]) -> Bool { text.isEmpty || text == Array(skeleton.utf8) }

    /// The lines of the user.
    ///
    /// kubectl of before 1.22, such as Debian 12's, knows `v1beta1` alone, and later ones know it as well.
    private func lines(indent: Int) -> [String] {
        let blank = String(repeating: " ", count: indent)
        let arguments =
            arguments.isEmpty ? [] : ["      args:"] + arguments.map { "      - \(Self.scalar($0))" }
        return
            (["- name: \(Self.scalar(user))", "  user:", "    exec:"]
            + ["      apiVersion: \(Self.version)"] + arguments
            + ["      command: \(Self.scalar(command))", "      env: null"]
            + ["      interactiveMode: \(Self.mode)", "      provideClusterInfo: true"]).map { blank + $0 }
    }

    /// Whether setup writes such a user.
    private static func isOwn(_ user: KubeconfigText.User) -> Bool {
        guard let own = user.own else { return false }
        let words = own.arguments.starts(with: ToolCall.kubectl.words) ? ToolCall.kubectl.words.count : 0
        guard own.arguments.dropFirst(words).allSatisfy({ $0.hasPrefix("--") }) else { return false }
        return [ToolCall.kubectl.program, "keyfob"].contains { own.command == $0 || own.command.hasSuffix("/" + $0) }
    }

    /// A text as kubectl writes it: as it is where it cannot be taken for anything else.
    private static func scalar(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-+=:@".utf8.contains($0) } && !text.hasSuffix(":")
            && (text.hasPrefix("--") || text.hasPrefix("/") || text.first?.isLetter == true)
            && !["y", "n", "yes", "no", "on", "off", "true", "false", "null"].contains(text.lowercased())
        return isPlain ? text : "'" + text.replacing("'", with: "''") + "'"
    }
}
