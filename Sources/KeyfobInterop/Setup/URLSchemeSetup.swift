package import KeyfobModel

/// What has a desktop bring the addresses of a scheme to Keyfob: a desktop file (Desktop Entry Specification, version 1.5).
package struct URLSchemeSetup: Sendable {
    private static let head = [
        "[Desktop Entry]", "Type=Application", "Name=Keyfob", "NoDisplay=true", "Terminal=false",
    ]
    private static let type = "MimeType=x-scheme-handler/"
    private static let arguments = " redirect %u"
    private let lines: [String]

    /// What the file for a scheme is called.
    package static func fileName(_ scheme: PrivateUseScheme) -> String { "keyfob-\(scheme).desktop" }

    /// The scheme of a file of that name; nil for other files.
    package static func scheme(fileName: String) -> PrivateUseScheme? {
        guard fileName.hasPrefix("keyfob-"), fileName.hasSuffix(".desktop") else { return nil }
        return PrivateUseScheme(String(fileName.dropFirst("keyfob-".count).dropLast(".desktop".count)))
    }

    /// A file that starts the program at an absolute path; nil for a path that it cannot say.
    package init?(_ scheme: PrivateUseScheme, program: String) {
        // Everything else is quoted, each desktop in its own way.
        let isPlain = program.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && !"\"'\\$`;&|<>()*?[]{}#~%!=".utf8.contains($0)
        }
        guard program.hasPrefix("/"), isPlain else { return nil }
        lines = Self.head + ["Exec=\(program)\(Self.arguments)", "\(Self.type)\(scheme);"]
    }

    /// How it comes into the file.
    ///
    /// - Throws: `taken` where something else is in it.
    package func adding(to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        guard try MarkedLines(text).blocks.isEmpty else { return SetupPlan(.none) }
        guard text.isEmpty else { throw .taken("the file") }
        return SetupPlan(MarkedLines.adding(lines, to: text, at: 0), former: .nothing)
    }

    /// How it goes again.
    ///
    /// - Throws: `changed` where it is not as setup writes it.
    package static func removing(from text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try MarkedLines(text)
        for block in marked.blocks {
            let lines = marked.lines[block.lines].dropFirst().dropLast().map(\.text)
            guard lines.count == head.count + 2, lines.allSatisfy(isOwn) else {
                throw .changed(line: block.lines.lowerBound + 1)
            }
        }
        return SetupPlan(marked.removing(marked.blocks, isOwn: isOwn))
    }

    /// Whether a text is such a file.
    package static func isThere(in text: [UInt8]) throws(SetupFlaw) -> Bool { try !MarkedLines(text).blocks.isEmpty }

    private static func isOwn(_ line: String) -> Bool {
        head.contains(line) || line.hasPrefix("Exec=/") && line.hasSuffix(arguments) || line.hasPrefix(type)
    }
}
