/// What direnv calls for `use keyfob ACCOUNT`, in a file of its own.
package enum DirenvSetup {
    private static let head = "use_keyfob() {"
    /// The same as in the file that is installed for those who link it.
    package static let function = [
        head, "    local lines", #"    lines=$(keyfob env "$@") || return"#, #"    eval "$lines""#, "}",
    ]

    /// How it comes into the file.
    ///
    /// - Throws: `taken` where the file has one that is not setup's.
    package static func adding(to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try MarkedLines(text)
        guard marked.blocks.isEmpty else { return SetupPlan(.none) }
        guard !isThere(in: text) else { throw .taken("use_keyfob") }
        return SetupPlan(
            MarkedLines.adding(function, to: text, at: text.count), former: text.isEmpty ? .nothing : .some)
    }

    /// How it goes again.
    ///
    /// - Throws: `changed` where it is not as setup writes it.
    package static func removing(from text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        let marked = try MarkedLines(text)
        for block in marked.blocks {
            guard marked.lines[block.lines].dropFirst().dropLast().map(\.text) == function else {
                throw .changed(line: block.lines.lowerBound + 1)
            }
        }
        return SetupPlan(marked.removing(marked.blocks, isOwn: function.contains))
    }

    /// Whether a file defines it, whoever wrote that.
    package static func isThere(in text: [UInt8]) -> Bool {
        String(decoding: text, as: UTF8.self).contains("use_keyfob")
    }
}
