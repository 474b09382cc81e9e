internal import ArgumentParser
internal import Keyfob
internal import KeyfobFiles
internal import KeyfobInterop
internal import KeyfobTerminal

/// How a tool's configuration is changed: shown first, and asked about.
struct SetupOptions: ParsableArguments {
    @Flag(name: .long, help: "Take out again what setup has written.") var undo = false
    @Flag(name: .long, help: "Show what would be written, and write nothing.") var dryRun = false
    @OptionGroup var consent: ConsentOptions
    @OptionGroup(visibility: .hidden) var global: GlobalOptions

    /// What the commands say of it in their help.
    static let discussion = """
        What is to be written is shown first, with a question; without a terminal say --force. Everything else in the file \
        stays byte for byte, a link stays a link, and --undo takes out what setup has written and nothing more: an unchanged \
        file is then what it was before. A file that is not in the tool's own form is left alone.
        """

    /// Shows a change, asks, and makes it.
    func perform(_ plan: SetupPlan, of file: SetupFile, _ change: () throws(KeyringError) -> Void) throws(KeyringError)
    {
        for remark in plan.remarks { global.say("\(file.path): \(remark)") }
        if !global.quiet || !consent.isGiven { show(plan, of: file) }
        guard !dryRun else { return }
        try file.requireWritable()
        if !consent.isGiven { try confirm() }
        try change()
    }

    private func show(_ plan: SetupPlan, of file: SetupFile) {
        var last: TextEdit.PreviewLine?
        for line in plan.edit.preview(of: file.text) {
            let follows = last.map { $0.isAdded == line.isAdded && (line.number - $0.number) <= 1 } ?? false
            if !follows {
                let does = undo ? "removed from" : line.isAdded ? "written to" : "replaced in"
                StandardError.write(line: "to be \(does) \(file.path), line \(line.number):")
            }
            // A terminal is shown no tabs.
            StandardError.write(verbatim: "\(line.isAdded ? "+" : "-") \(line.text.replacing("\t", with: "    "))")
            last = line
        }
    }

    private func confirm() throws(KeyringError) {
        guard !global.noInput, let terminal = Terminal() else {
            let words = ["keyfob"] + CommandLine.arguments.dropFirst().filter { $0 != "--no-input" } + ["--force"]
            throw KeyringError(
                .usage, "nothing was written: there is nobody to ask",
                hint: "type \(words.map(ShellWord.quoted).joined(separator: " "))")
        }
        let answer = try terminal.ask(undo ? "Take it out? [y/N] " : "Write it? [y/N] ")
        guard ["y", "yes"].contains(answer.lowercased()) else {
            throw KeyringError(.cancelled, "cancelled; nothing was changed")
        }
    }
}
