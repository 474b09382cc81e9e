internal import ArgumentParser
internal import Keyfob
internal import KeyfobInterop

/// What the list of `keyfob setup` tells of a tool.
protocol ListedTool {
    /// What the tool's own files tell by now, of each program that is meant.
    static func states(_ global: GlobalOptions) throws(KeyringError) -> [SetupDocument.Tool]
}

/// A command of `keyfob setup`: writes into a tool's own configuration, and takes out again what it has written.
protocol ToolSetupCommand: ParsableCommand, ListedTool {
    /// What the command is called.
    static var tool: String { get }
    /// What the tool is called in the list.
    var name: String { get }
    var setup: SetupOptions { get }

    func add() throws(KeyringError)
    func undo() throws(KeyringError)
}

extension ToolSetupCommand {
    var name: String { Self.tool }

    func run() throws {
        if setup.undo { try undo() } else { try add() }
        if setup.global.json {
            try JSONOutput.print(SetupDocument(tools: try Self.states(setup.global).filter { $0.tool == name }))
        }
    }

    /// What is typed to take out again what this command writes.
    static func undoing(_ words: String?...) -> String {
        (["keyfob", "setup", tool] + words.compactMap { $0 } + ["--undo"]).map(ShellWord.quoted).joined(separator: " ")
    }

    /// Tells what the file says besides, where there is nothing to write.
    ///
    /// - Returns: Whether there is something.
    func isNeeded(_ plan: SetupPlan, of file: SetupFile, orSaying words: String) -> Bool {
        guard plan.edit.isEmpty else { return true }
        for remark in plan.remarks { setup.global.say("\(file.path): \(remark)") }
        setup.global.say(words)
        return false
    }

    /// Tells that a tool is to start a program that `PATH` does not have.
    func tellPath(_ call: ToolCall, _ way: ToolCall.Way) {
        if way != .named { tellPath(of: call.program) }
    }

    /// The same of this program, which the tool starts by a word of a shell's.
    func tellPath(_ word: String) {
        if word.hasPrefix("/") { tellPath(of: "keyfob") }
    }

    private func tellPath(of program: String) {
        setup.global.say("\(program) is not in PATH: its path is written, and has to stay as it is")
    }

    /// Takes setup's lines out of a file that setup has made; says where it has none.
    ///
    /// - Parameter hint: What to do by hand where the file is not as setup left it.
    func removeLines(
        of file: SetupFile, hint: String, _ removing: ([UInt8]) throws(SetupFlaw) -> SetupPlan
    ) throws(KeyringError) {
        let plan = try file.plan(hint: hint, removing)
        guard !plan.edit.isEmpty else { return setup.global.say("\(file.path) has no lines of setup") }
        try remove("setup's lines", plan, from: file, isBlank: \.isEmpty)
    }

    /// Shows what is taken out, asks, and takes it out.
    ///
    /// - Parameters:
    ///   - what: What is called so that was setup's.
    ///   - rest: The entries that stay noted.
    ///   - isBlank: Whether a text says nothing to the tool.
    func remove(
        _ what: String, _ plan: SetupPlan, from file: SetupFile, rest: [String] = [], isBlank: ([UInt8]) -> Bool
    ) throws(KeyringError) {
        try setup.perform(plan, of: file) { () throws(KeyringError) in
            let isGone = try file.undo(plan, rest: rest, isBlank: isBlank)
            setup.global.say("removed \(what) from \(file.path)\(isGone ? ", and the file, which setup had made" : "")")
        }
    }
}
