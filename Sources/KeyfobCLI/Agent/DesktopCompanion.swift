internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Keyfob
internal import KeyfobAgent
internal import KeyfobFiles
internal import KeyfobSignIn
internal import Synchronization

/// A process of Keyfob's own that has no keys and may start programs, for one that has keys and may not: it shows questions on
/// the desktop, and opens browsers.
///
/// It is made before any key is at hand, and ends with the process that made it.
final class DesktopCompanion: ProgramQuestions, Sendable {
    private let questions: CompanionLine
    private let browsers: CompanionLine

    /// Makes the process.
    ///
    /// - Throws: `unavailable` where the system makes none.
    init() throws(KeyringError) {
        let (asking, shown) = try CompanionLine.pair("io.keyfob.agent.questions")
        let (opening, opened) = try CompanionLine.pair("io.keyfob.agent.browsers")
        let process = fork()
        guard process >= 0 else {
            throw KeyringError(noFurtherProcess: errno)
        }
        guard process == 0 else {
            close(shown.descriptor)
            close(opened.descriptor)
            (questions, browsers) = (asking, opening)
            return
        }
        // Nothing of this process is its business: not the socket that systemd has given either.
        for number in 3..<CInt(64) where number != shown.descriptor && number != opened.descriptor { close(number) }
        DesktopShow().run(questions: shown, browsers: opened)
        exit(ExitStatus.done.rawValue)
    }

    deinit {
        questions.close()
        browsers.close()
    }

    func ask(_ question: ProgramQuestion) async -> ProgramAnswer {
        await answer(to: DesktopDialog(question))?.answer(to: question) ?? .nobodyThere
    }

    func chooseAccount(_ question: ProgramQuestion) async -> AccountAnswer {
        await answer(to: DesktopDialog(question, isSignIn: true))?.choice(of: question) ?? .nobodyThere
    }

    private func answer(to dialog: DesktopDialog) async -> DesktopAnswer? {
        guard let text = try? String(decoding: JSONEncoder().encode(dialog), as: UTF8.self),
            let said = await questions.answer(to: text)
        else { return nil }
        return try? JSONDecoder().decode(DesktopAnswer.self, from: Data(said.utf8))
    }

    /// Opens an address in the person's browser; whether one was started.
    func open(_ url: String) async -> Bool { await browsers.answer(to: url) == DesktopShow.opened }
}

/// A line to the companion, on which one question is under way at a time.
private struct CompanionLine: Sendable {
    /// The questions that nobody wants to have answered any more, and the number of the next one.
    private final class Numbers: Sendable {
        private let state = Mutex<(next: Int, withdrawn: Set<Int>)>((0, []))

        func next() -> Int {
            state.withLock { state in
                state.next += 1
                return state.next
            }
        }

        func withdraw(_ number: Int) { _ = state.withLock { $0.withdrawn.insert(number) } }

        func isWithdrawn(_ number: Int) -> Bool { state.withLock { $0.withdrawn.contains(number) } }

        func forget(_ number: Int) { _ = state.withLock { $0.withdrawn.remove(number) } }
    }

    private let line: MessageLine
    private let turns: DispatchQueue
    /// One message is sent after the other.
    private let sending: DispatchQueue
    private let numbers = Numbers()

    /// Both ends.
    static func pair(_ label: String) throws(KeyringError) -> (CompanionLine, MessageLine) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw KeyringError(.unavailable, "there are no file descriptors left")
        }
        let line = CompanionLine(
            line: MessageLine(descriptor: ends[0]), turns: DispatchQueue(label: label),
            sending: DispatchQueue(label: label + ".sending"))
        return (line, MessageLine(descriptor: ends[1]))
    }

    private init(line: MessageLine, turns: DispatchQueue, sending: DispatchQueue) {
        (self.line, self.turns, self.sending) = (line, turns, sending)
    }

    /// What is answered; nil where nobody is at the other end any more, or the task was cancelled: then the question is taken back.
    func answer(to question: String) async -> String? {
        let number = numbers.next()
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                turns.async { continuation.resume(returning: ask(question, number)) }
            }
        } onCancel: {
            withdraw(number)
        }
        numbers.forget(number)
        return answer
    }

    private func ask(_ question: String, _ number: Int) -> String? {
        let isSent = sending.sync {
            !numbers.isWithdrawn(number) && (try? line.send(.question, "\(number) \(question)")) != nil
        }
        guard isSent, let message = line.receive(), message.kind == .answered else { return nil }
        return message.text
    }

    private func withdraw(_ number: Int) {
        // What is not sent yet is not sent any more, and what is answered is nobody's business.
        sending.async {
            numbers.withdraw(number)
            try? line.send(.question, "\(number)")
        }
    }

    func close() { Glibc.close(line.descriptor) }
}

/// What is asked of the companion: a question with its number, or the number alone, which takes that one back.
private struct CompanionQuestion {
    let number: Int
    let text: String?

    init?(_ message: borrowing MessageLine.Message) {
        let parts = message.text.split(separator: " ", maxSplits: 1)
        guard let number = parts.first.flatMap({ Int($0) }) else { return nil }
        (self.number, text) = (number, parts.count > 1 ? String(parts[1]) : nil)
    }
}

/// What the companion does: it waits for questions, and shows one at a time; browsers are opened meanwhile.
private struct DesktopShow {
    private let environment = Environment.current
    /// For how many seconds a person is waited for.
    private static let patience = 120.0
    /// Says that a browser was started.
    static let opened = "opened"

    func run(questions: MessageLine, browsers: MessageLine) {
        // Ctrl-C is for the process that made this one, with which it ends. What it starts does not inherit a handler.
        for number in [SIGINT, SIGHUP, SIGQUIT, SIGTERM] { _ = signal(number) { _ in } }
        let done = DispatchSemaphore(value: 0)
        let isStarted = BlockingThread.start {
            defer { done.signal() }
            while let message = questions.receive() {
                // What was answered meanwhile cannot be taken back.
                guard let question = CompanionQuestion(message), let text = question.text else { continue }
                let dialog = try? JSONDecoder().decode(DesktopDialog.self, from: Data(text.utf8))
                let answer =
                    dialog.map { self.answer($0, Asked(number: question.number, line: questions)) }
                    ?? DesktopAnswer(word: .nobodyThere)
                let document = try? JSONEncoder().encode(answer)
                try? questions.send(.answered, String(decoding: document ?? Data(), as: UTF8.self))
            }
        }
        while let message = browsers.receive() {
            // A browser that was started is not taken back.
            guard let url = CompanionQuestion(message)?.text else { continue }
            try? browsers.send(
                .answered, Browser.open(url, environment: environment.variables) ? Self.opened : "")
        }
        // No window stays behind.
        if isStarted { done.wait() }
    }

    /// A question that is being asked, and the line on which it is heard that it is taken back, or that nobody waits any more.
    private struct Asked {
        let number: Int
        let line: MessageLine

        /// Whether that is so, once something has come.
        func isTakenBack() -> Bool {
            guard let message = line.receive() else { return true }
            guard let other = CompanionQuestion(message) else { return false }
            return other.number == number && other.text == nil
        }
    }

    private func answer(_ dialog: DesktopDialog, _ asked: Asked) -> DesktopAnswer {
        guard let (program, path) = program() else { return DesktopAnswer(word: .nobodyThere) }
        let end = Date(timeIntervalSinceNow: Self.patience)
        var account = 0
        if dialog.isSignIn || dialog.accounts.count > 1 {
            guard let chosen = start(path, dialog.choosing(with: program), asked, until: end), chosen.status == 0,
                let number = Int(chosen.output.prefix { $0.isNumber }), dialog.choices.contains(number)
            else { return DesktopAnswer(word: .dismissed) }
            account = number
        }
        if dialog.isSignIn { return DesktopAnswer(word: .chosen, account: account) }
        let name = dialog.accounts.count > 1 ? dialog.accounts[account] : nil
        guard let said = start(path, dialog.deciding(with: program, account: name), asked, until: end) else {
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

    /// How a program ended and what it printed; nil where it could not be started, nobody answered in time, or the question was
    /// taken back.
    private func start(
        _ path: String, _ arguments: [String], _ asked: Asked, until end: Date
    ) -> (status: Int32, output: String)? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = ChildProgram(path: path, arguments: arguments, output: ends[1]).start()
        close(ends[1])
        defer { close(ends[0]) }
        guard let process else { return nil }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while true {
            var waiting = [ends[0], asked.line.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let left = Int32(max(0, end.timeIntervalSinceNow * 1_000))
            let count = unsafe poll(&waiting, 2, left)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 || waiting[1].revents != 0 && asked.isTakenBack() {
                kill(process.id, SIGTERM)
                _ = process.end()
                return nil
            }
            guard waiting[0].revents != 0 else { continue }
            let length = unsafe part.withUnsafeMutableBytes { unsafe read(ends[0], $0.baseAddress, $0.count) }
            if length < 0 && errno == EINTR { continue }
            guard length > 0 else { break }
            text += part.prefix(min(length, 4_096 - text.count))
        }
        guard case .status(let status) = process.end() else { return nil }
        return (status, String(decoding: text, as: UTF8.self))
    }
}
