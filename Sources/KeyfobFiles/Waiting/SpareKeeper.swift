internal import Glibc

/// The process that makes ``SpareProcesses``, and ends those that take too long; it does none of their work.
struct SpareKeeper {
    private struct Worker {
        let process: Int32
        let work: Int
        /// When what it does is to be done; nil while it does nothing.
        var due: Int64?
        var isEnding = false
    }

    /// What a worker tells of itself: its number, and when what it does is to be done, 0 once it does nothing.
    private typealias Report = (process: Int32, due: Int64)

    private let works: [SpareProcesses.Work]
    private let lines: [CInt]
    /// How long one waits that is not the last, in milliseconds.
    private static let rest: CInt = 10_000

    init(_ works: [SpareProcesses.Work], _ lines: [CInt]) { (self.works, self.lines) = (works, lines) }

    /// Goes on until the process has ended that made it.
    func run() -> Never {
        withdraw()
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { _exit(1) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var workers: [Worker] = []
        while true {
            for work in works.indices {
                let own = workers.filter { $0.work == work }
                guard own.count < works[work].most, !own.contains(where: { $0.due == nil && !$0.isEnding }) else {
                    continue
                }
                let process = fork()
                if process == 0 { self.work(work, isLast: own.isEmpty, ends[1]) }
                if process > 0 { workers.append(Worker(process: process, work: work)) }
                if process < 0, own.isEmpty { refuse(work) }
            }
            let isQuiet = workers.allSatisfy { $0.due == nil && !$0.isEnding } && !workers.isEmpty
            var waiting = lines.map { pollfd(fd: $0, events: 0, revents: 0) }
            waiting.append(pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0))
            _ = unsafe poll(&waiting, nfds_t(waiting.count), isQuiet ? 2_000 : 50)
            if waiting.dropLast().contains(where: { CInt($0.revents) & POLLHUP != 0 }) {
                for worker in workers { kill(worker.process, SIGKILL) }
                _exit(0)
            }
            var report: Report = (0, 0)
            while unsafe read(ends[0], &report, MemoryLayout<Report>.size) == MemoryLayout<Report>.size {
                guard let place = workers.firstIndex(where: { $0.process == report.process }) else { continue }
                if report.due < 0 { workers[place].isEnding = true }
                workers[place].due = report.due > 0 ? report.due : nil
            }
            let now = SpareMessage.now()
            for (place, worker) in workers.enumerated() where !worker.isEnding && worker.due.map({ $0 < now }) ?? false
            {
                workers[place].isEnding = true
                kill(worker.process, SIGKILL)
            }
            while case let ended = waitpid(-1, nil, WNOHANG), ended > 0 { workers.removeAll { $0.process == ended } }
        }
    }

    /// Has nothing of the process that made it but its lines, and is ended by nothing but its end.
    private func withdraw() {
        for number in [SIGINT, SIGHUP, SIGQUIT, SIGTERM] { _ = signal(number) { _ in } }
        let nothing = unsafe open("/dev/null", O_RDWR)
        for number in 0..<CInt(3) { dup2(nothing, number) }
        for number in 3..<CInt(64) where !lines.contains(number) { close(number) }
        // Where it stood may be on a file system that goes away.
        _ = unsafe chdir("/")
    }

    /// Answers what nobody is there to answer, because the system makes no further process: with nothing, at once.
    private func refuse(_ work: Int) {
        var bytes = [UInt8](repeating: 0, count: SpareMessage.longest)
        while true {
            let count = unsafe recv(lines[work], &bytes, bytes.count, CInt(MSG_DONTWAIT))
            guard count > 0, let question = SpareMessage(bytes[..<count]) else { return }
            let answer = SpareMessage(number: question.number, content: []).bytes
            _ = unsafe send(lines[work], answer, answer.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
    }

    /// What a worker does: it answers questions, and ends once it has had none for a while, unless it is the last.
    private func work(_ number: Int, isLast: Bool, _ reports: CInt) -> Never {
        let (line, process) = (lines[number], getpid())
        func tell(_ due: Int64) {
            var report: Report = (process, due)
            _ = unsafe write(reports, &report, MemoryLayout<Report>.size)
        }
        var bytes = [UInt8](repeating: 0, count: SpareMessage.longest)
        while true {
            var waiting = pollfd(fd: line, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&waiting, 1, isLast ? -1 : Self.rest)
            if ready == 0 {
                tell(-1)
                _exit(0)
            }
            let count = unsafe recv(line, &bytes, bytes.count, CInt(MSG_DONTWAIT))
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { _exit(0) }
            guard let question = SpareMessage(bytes[..<count]), question.due > SpareMessage.now() else { continue }
            tell(question.due)
            let answer = SpareMessage(number: question.number, content: works[number].answer(question.content)).bytes
            _ = unsafe send(line, answer, answer.count, CInt(MSG_NOSIGNAL))
            tell(0)
        }
    }
}
