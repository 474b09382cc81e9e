internal import Keyfob
internal import KeyfobFiles
internal import KeyfobTerminal

/// A question to a person in the middle of what a tool does: one at a time on a terminal, and not for ever.
enum TerminalTurn {
    /// For how many seconds nobody has to have typed anything.
    static let seconds = 180
    /// For how many seconds nobody is told that a question has to wait.
    private static let usual = 1
    private static let step = 0.25

    /// The turn of a question on this terminal; nil where there is no folder for the login.
    ///
    /// - Parameter runtime: That folder.
    /// - Throws: `cancelled` where those before it are not answered in time, or the tool has ended.
    static func take(_ runtime: String?, _ tool: String) throws(KeyringError) -> FileLock? {
        guard let runtime, (try? RuntimeFolder(path: runtime).prepare()) != nil else { return nil }
        let path = "\(runtime)/question.\(Terminal.session)"
        let isWanted = CallingProgram.watch()
        var (isTold, waited) = (false, 0.0)
        while waited < Double(seconds) {
            do {
                return try FileLock(path, orBusyAfter: .seconds(step))
            } catch {
                guard case .busy? = error as? StoreError else { return nil }
            }
            waited += step
            guard isWanted() else { throw KeyringError(.cancelled, "the program that needed an account has ended") }
            // While another question is on the screen, that says enough.
            guard !isTold, waited > Double(usual), Terminal.isFree else { continue }
            isTold = true
            let time = "\(seconds / 60) minutes at most"
            Terminal()?.show("keyfob: \(tool) waits until another question on this terminal is answered, \(time)\n")
        }
        throw KeyringError(.cancelled, "another question on this terminal was not answered for \(seconds / 60) minutes")
    }
}
