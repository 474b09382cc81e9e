/// What has the session bus start an agent as the identity broker: a service file (D-Bus specification, "Message Bus Starting
/// Services").
package struct BrokerSetup: Sendable {
    private static let head = ["[D-BUS Service]", "Name=com.microsoft.identity.broker1"]
    private let lines: [String]

    /// A file that starts the program at an absolute path; nil for a path that it cannot say.
    package init?(program: String) {
        // The bus splits the command as a shell does.
        let isPlain = program.utf8.allSatisfy { (0x21...0x7E).contains($0) && !Self.special.contains($0) }
        guard program.hasPrefix("/"), isPlain else { return nil }
        lines = Self.head + ["Exec=\(program)\(Self.arguments)"]
    }

    private static let arguments = " agent --broker --idle 15m"
    private static let special = Array("\"'\\$`;&|<>()*?[]{}#~%!".utf8)

    /// How it comes into the file.
    ///
    /// - Throws: `taken` where something else is in it.
    package func adding(to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        guard try MarkedLines(text).blocks.isEmpty else { return SetupPlan(.none) }
        guard text.isEmpty else { throw .taken("the service") }
        return SetupPlan(MarkedLines.adding(lines, to: text, at: 0), former: .nothing)
    }

    /// How it goes again.
    ///
    /// - Throws: `changed` where it is not as setup writes it.
    package static func removing(from text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try MarkedLines(text)
        for block in marked.blocks {
            let lines = marked.lines[block.lines].dropFirst().dropLast().map(\.text)
            guard lines.count == 3, lines.allSatisfy(isOwn) else { throw .changed(line: block.lines.lowerBound + 1) }
        }
        return SetupPlan(marked.removing(marked.blocks, isOwn: isOwn))
    }

    private static func isOwn(_ line: String) -> Bool {
        head.contains(line) || line.hasPrefix("Exec=/") && line.hasSuffix(arguments)
    }
}
