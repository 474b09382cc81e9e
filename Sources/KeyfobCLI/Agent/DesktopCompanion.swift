internal import Dispatch
internal import Foundation
internal import Glibc
internal import Keyfob
internal import KeyfobAgent
internal import Synchronization

/// A process of Keyfob's own that has no keys and may start programs, for one that has keys and may not: it shows questions on
/// the desktop, and opens browsers.
///
/// It is made before any key is at hand, and ends with the process that made it.
final class DesktopCompanion: ProgramQuestions, Sendable {
    private let line: MessageLine
    private let sending = Mutex(())
    /// Questions are shown one after the other.
    private let turns = DispatchQueue(label: "io.keyfob.agent.questions")

    /// Makes the process.
    ///
    /// - Throws: `unavailable` where the system makes none.
    init() throws(KeyringError) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw KeyringError(.unavailable, "there are no file descriptors left")
        }
        let process = fork()
        guard process >= 0 else {
            throw KeyringError(.unavailable, "the system makes no further process (error \(errno))")
        }
        guard process == 0 else {
            close(ends[1])
            line = MessageLine(descriptor: ends[0])
            return
        }
        close(ends[0])
        DesktopShow(MessageLine(descriptor: ends[1])).run()
        exit(ExitStatus.done.rawValue)
    }

    deinit { close(line.descriptor) }

    func ask(_ question: ProgramQuestion) async -> ProgramAnswer {
        await withCheckedContinuation { continuation in
            turns.async { continuation.resume(returning: self.answer(to: question)) }
        }
    }

    /// Opens an address in the person's browser; where there is none, that is told on standard error.
    func open(_ url: String) { _ = send(.open, url) }

    private func answer(to question: ProgramQuestion) -> ProgramAnswer {
        guard let text = try? String(decoding: JSONEncoder().encode(DesktopDialog(question)), as: UTF8.self),
            send(.question, text), let message = line.receive(), message.kind == .answered,
            let answer = try? JSONDecoder().decode(DesktopAnswer.self, from: Data(message.text.utf8))
        else { return .nobodyThere }
        return answer.answer(to: question)
    }

    private func send(_ kind: MessageLine.Kind, _ text: String) -> Bool {
        sending.withLock { _ in (try? line.send(kind, text)) != nil }
    }
}

/// What the companion does: it waits for messages, and shows a question at a time.
private struct DesktopShow {
    private let line: MessageLine
    private let environment: Environment
    /// For how many seconds a person is waited for.
    private static let patience = 120.0

    init(_ line: MessageLine, _ environment: Environment = .current) {
        self.line = line
        self.environment = environment
    }

    func run() {
        // Ctrl-C is for the process that made this one, with which it ends.
        for number in [SIGINT, SIGHUP, SIGQUIT, SIGTERM] { _ = signal(number, SIG_IGN) }
        while let message = line.receive() {
            switch message.kind {
            case .open:
                if !Browser.open(message.text, environment) {
                    StandardError.write(line: "keyfob: warning: no browser could be started to sign in")
                }
            case .question:
                let text = message.text
                // A browser can be opened meanwhile.
                Thread.detachNewThread { self.show(text) }
            default: continue
            }
        }
    }

    private func show(_ text: String) {
        let answer = (try? JSONDecoder().decode(DesktopDialog.self, from: Data(text.utf8))).map(self.answer)
        let document = try? JSONEncoder().encode(answer ?? DesktopAnswer(word: .nobodyThere))
        try? line.send(.answered, String(decoding: document ?? Data(), as: UTF8.self))
    }

    private func answer(_ dialog: DesktopDialog) -> DesktopAnswer {
        guard let (program, path) = program() else { return DesktopAnswer(word: .nobodyThere) }
        let end = Date(timeIntervalSinceNow: Self.patience)
        var account = 0
        if dialog.accounts.count > 1 {
            guard let chosen = start(path, dialog.choosing(with: program), until: end), chosen.status == 0,
                let number = Int(chosen.output.prefix { $0.isNumber }), dialog.accounts.indices.contains(number)
            else { return DesktopAnswer(word: .dismissed) }
            account = number
        }
        let name = dialog.accounts.count > 1 ? dialog.accounts[account] : nil
        guard let said = start(path, dialog.deciding(with: program, account: name), until: end) else {
            return DesktopAnswer(word: .dismissed)
        }
        return DesktopAnswer(
            word: DesktopDialog.word(status: said.status, output: said.output, of: program), account: account)
    }

    /// The program that shows dialogs on this desktop; nil where there is no desktop, or no such program.
    private func program() -> (DesktopDialog.Program, path: String)? {
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return nil }
        let isKDE = environment["XDG_CURRENT_DESKTOP"]?.contains("KDE") ?? false
        for program in isKDE ? [.kdialog, .zenity] : [.zenity, .kdialog] as [DesktopDialog.Program] {
            if let path = SearchPath.program(program.rawValue, environment) { return (program, path) }
        }
        return nil
    }

    /// How a program ended and what it printed; nil where it could not be started, or nobody answered in time.
    private func start(_ path: String, _ arguments: [String], until end: Date) -> (status: Int32, output: String)? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let output = pipe.fileHandleForReading
        var text: [UInt8] = []
        while true {
            var waiting = [pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)]
            let left = Int32(max(0, end.timeIntervalSinceNow * 1_000))
            guard unsafe poll(&waiting, 1, left) > 0 || errno == EINTR && left > 0 else {
                process.terminate()
                process.waitUntilExit()
                return nil
            }
            let part = output.availableData
            if part.isEmpty { break }
            text += part.prefix(4_096 - min(text.count, 4_096))
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit else { return nil }
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
}
