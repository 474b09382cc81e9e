package import KeyfobModel

/// The user of a kubeconfig whose token Keyfob gives: its lines as kubectl itself writes them, so that they are the same
/// after kubectl has written the file anew.
package struct KubectlSetup: Sendable {
    private static let skeleton = "apiVersion: v1\nkind: Config\n"

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
            "--exec-api-version=client.authentication.k8s.io/v1beta1", "--exec-provide-cluster-info=true",
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
        let configuration = try KubeconfigLines(text)
        let former = try configuration.former
        if let own = configuration.users.first(where: { $0.name == user }) {
            let there = configuration.lines[own.lines].map { $0.text.dropFirst(configuration.indent) }
            // kubectl of before 1.22 leaves out what it does not know.
            let wanted = lines(indent: 0)
            guard there.elementsEqual(wanted, by: ==) || there.elementsEqual(wanted.filter { $0 != Self.mode }, by: ==)
            else {
                throw .taken(user)
            }
            return SetupPlan(.none, former: former)
        }
        let ending = configuration.lines.first.map { text[$0.range].suffix(2) == [0x0D, 0x0A] } == true ? "\r\n" : "\n"
        let new = lines(indent: configuration.indent)
        guard let list = configuration.list else {
            guard let first = configuration.firstEntry else { throw .unknownForm("it says nothing") }
            let all = (["users:"] + new).map { $0 + ending }.joined()
            return SetupPlan(TextEdit(adding: all, at: configuration.lines[first].range.lowerBound), former: former)
        }
        let line = configuration.lines[list]
        let start = line.range.lowerBound + "users:".utf8.count
        let old = start..<line.range.lowerBound + line.text.utf8.count
        let added = new.map { ending + $0 }.joined()
        return SetupPlan(TextEdit([TextEdit.Change(range: old, bytes: Array(added.utf8))]), former: former)
    }

    /// How a user goes again that setup has written, and what stood there before comes back.
    ///
    /// - Throws: `changed` where its lines are not as setup writes them, `unknownForm`.
    package static func removing(_ user: String, from text: [UInt8], former: FormerEntries) throws(SetupFlaw)
        -> SetupPlan
    {
        guard !text.isEmpty, case let configuration = try KubeconfigLines(text), let list = configuration.list,
            let own = configuration.users.first(where: { $0.name == user })
        else { return SetupPlan(.none) }
        let lines = configuration.lines
        guard isOwn(lines[own.lines].map { $0.text.dropFirst(configuration.indent) }) else {
            throw .changed(line: own.lines.lowerBound + 1)
        }
        var remarks: [String] = []
        let users = lines.enumerated().filter { !own.lines.contains($0.offset) && $0.element.bare.hasPrefix("user: ") }
        if let use = users.first(where: { KubeconfigLines.text($0.element.bare.dropFirst(6)) == user }) {
            remarks.append("line \(use.offset + 1) still names the user '\(user)', who has no token then")
        }
        // The end of the line before goes, and that of the last line stays.
        let last = lines[own.lines.upperBound - 1]
        let before = lines[own.lines.lowerBound - 1]
        let end = last.range.lowerBound + last.text.utf8.count
        let start = before.range.lowerBound + before.text.utf8.count
        guard configuration.users.count == 1 else {
            return SetupPlan(TextEdit(removing: [start..<end]), remarks: remarks)
        }
        let isNext = list + 1 == own.lines.lowerBound
        if former == .nothing, isNext {
            // The line of the list too, and its end.
            let range = lines[list].range.lowerBound..<last.range.upperBound
            return SetupPlan(TextEdit(removing: [range]), remarks: remarks)
        }
        let words = former == .bare ? "" : former == .null ? " null" : " []"
        let colon = lines[list].range.lowerBound + lines[list].text.utf8.count
        let change = TextEdit.Change(range: colon..<(isNext ? end : colon), bytes: Array(words.utf8))
        let rest = isNext ? [] : [TextEdit.Change(range: start..<end, bytes: [])]
        return SetupPlan(TextEdit([change] + rest), remarks: remarks)
    }

    /// The users of a file who get their tokens from Keyfob as setup writes it.
    package static func users(in text: [UInt8]) throws(SetupFlaw) -> [String] {
        guard !text.isEmpty else { return [] }
        let configuration = try KubeconfigLines(text)
        return configuration.users.filter { user in
            isOwn(configuration.lines[user.lines].map { $0.text.dropFirst(configuration.indent) })
        }.map(\.name)
    }

    /// Whether a file says nothing.
    package static func isBlank(_ text: [UInt8]) -> Bool { text.isEmpty || text == Array(skeleton.utf8) }

    private static let mode = "      interactiveMode: Never"

    /// The lines of the user.
    ///
    /// kubectl of before 1.22, such as Debian 12's, knows `v1beta1` alone, and later ones know it as well.
    private func lines(indent: Int) -> [String] {
        let blank = String(repeating: " ", count: indent)
        let arguments =
            arguments.isEmpty ? [] : ["      args:"] + arguments.map { "      - \(Self.scalar($0))" }
        return
            (["- name: \(Self.scalar(user))", "  user:", "    exec:"]
            + ["      apiVersion: client.authentication.k8s.io/v1beta1"] + arguments
            + ["      command: \(Self.scalar(command))", "      env: null"]
            + [Self.mode, "      provideClusterInfo: true"]).map { blank + $0 }
    }

    /// Whether lines, from the dash on, are such as setup writes them.
    private static func isOwn(_ lines: [Substring]) -> Bool {
        guard lines.count > 6, lines[0].hasPrefix("- name: "), lines[1] == "  user:", lines[2] == "    exec:",
            lines[3] == "      apiVersion: client.authentication.k8s.io/v1beta1"
        else { return false }
        var rest = lines[4...]
        var arguments: [String] = []
        if rest.first == "      args:" {
            rest = rest.dropFirst()
            while let line = rest.first, line.hasPrefix("      - ") {
                guard let word = KubeconfigLines.text(line.dropFirst(8)) else { return false }
                arguments.append(word)
                rest = rest.dropFirst()
            }
        }
        if Array(arguments.prefix(2)) == ToolCall.kubectl.words { arguments = Array(arguments.dropFirst(2)) }
        guard arguments.allSatisfy({ $0.hasPrefix("--") }), let line = rest.first, line.hasPrefix("      command: "),
            let command = KubeconfigLines.text(line.dropFirst(15))
        else { return false }
        guard [ToolCall.kubectl.program, "keyfob"].contains(where: { command == $0 || command.hasSuffix("/" + $0) })
        else {
            return false
        }
        let tail = ["      env: null", mode, "      provideClusterInfo: true"]
        rest = rest.dropFirst()
        return rest.elementsEqual(tail, by: ==) || rest.elementsEqual(tail.filter { $0 != mode }, by: ==)
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
