internal import ArgumentParser
internal import Keyfob
internal import KeyfobInterop

/// A command of `keyfob setup`: writes into a tool's own configuration, and takes out again what it has written.
protocol ToolSetupCommand: ParsableCommand {
    /// What the tool is called.
    static var tool: String { get }
    var setup: SetupOptions { get }

    /// What the tool's configuration tells by now.
    static func state(_ global: GlobalOptions) throws(KeyringError) -> SetupDocument.Tool
    func add() throws(KeyringError)
    func undo() throws(KeyringError)
}

extension ToolSetupCommand {
    func run() throws {
        if setup.undo { try undo() } else { try add() }
        if setup.global.json {
            try JSONOutput.print(SetupDocument(tools: [try Self.state(setup.global)]))
        }
    }

    /// What is typed to take out again what this command writes.
    static var undoCommand: String { "keyfob setup \(tool) --undo" }

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
        guard way != .named else { return }
        setup.global.say("\(call.program) is not in PATH: its path is written, and has to stay as it is")
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
