internal import Glibc
package import Keyfob
internal import KeyfobFiles
internal import KeyfobSodium
internal import Synchronization

/// Looks in processes of its own, which can be given up: what a program has mounted keeps nobody waiting but whoever asks about it,
/// and that one not for long.
///
/// Of nearly all programs the kernel has in memory what is needed, and those that say so wait for nothing. The others are looked at
/// apart from them, few at a time.
package final class InspectionApart: PeerInspection {
    /// Which of the processes are asked.
    private enum Place: Int {
        /// Those that wait for nothing.
        case near
        /// Those that may wait for a file system.
        case far
    }

    /// Who is looked at, by what may have them wait.
    private struct Looks {
        /// How many at a time, of all and of what may be one program.
        let most: Int
        let ofOne: Int
        /// For how long what was given up is not looked at again, in milliseconds.
        let pause: Int64
        var underWay: [String: Int] = [:]
        /// When the last one was given up.
        var given: [String: Int64] = [:]

        /// What is to be done with one more.
        enum Entry { case begins, waits, isRefused }

        mutating func enter(_ name: String, _ now: Int64) -> Entry {
            given = given.filter { [pause] in now - $0.value < pause }
            guard given[name] == nil else { return .isRefused }
            guard underWay[name, default: 0] < ofOne, underWay.values.reduce(0, +) < most else { return .waits }
            underWay[name, default: 0] += 1
            return .begins
        }

        mutating func leave(_ name: String, isGivenUp: Bool, _ now: Int64) {
            let left = underWay[name, default: 1] - 1
            underWay[name] = left > 0 ? left : nil
            if isGivenUp { given[name] = now }
        }
    }

    /// How long an answer is waited for, in milliseconds: which program it is, and the digest of its file.
    private static let (patience, patienceForDigest): (Int64, Int64) = (1_000, 10_000)

    private let processes: SpareProcesses
    /// Nearly nobody waits near: of one process a few do, so that it does not keep others waiting.
    private let near = Mutex(Looks(most: .max, ofOne: 4, pause: 1_000))
    private let far = Mutex(Looks(most: 24, ofOne: 4, pause: 10_000))
    private let scripts = Mutex(KnownScripts())

    /// Makes the processes.
    ///
    /// - Throws: `unavailable` where the system makes none.
    package init() throws(KeyringError) {
        let digests = FileDigests()
        let works = [false, true].map { isFar in
            SpareProcesses.Work(most: 64) { InspectionQuestion($0)?.answer(isFar: isFar, digests) ?? [] }
        }
        guard let processes = SpareProcesses(works) else {
            throw KeyringError(.unavailable, "the system makes no further process ('ulimit -u')")
        }
        self.processes = processes
    }

    /// Has all threads that answers and calls need, before programs take those that there may be.
    ///
    /// To be called once no process is to be made any more that has nothing of this one.
    ///
    /// - Throws: `unavailable` where the system gives none.
    package func prepareThreads() throws(KeyringError) {
        let pools = [WaitingThreads.prompt, .owner, .shared]
        let haveOne = pools.allSatisfy { $0.keepOne() }
        processes.hear()
        guard haveOne, !processes.lacksThread else {
            throw KeyringError(.unavailable, "the system gives this process no further thread ('ulimit -u', '-v')")
        }
    }

    /// Tells nothing any more, and has nobody wait: for an end.
    package func close() { processes.close() }

    package func program(of process: PeerProcess) throws(KeyringError) -> Program {
        switch try answer(to: InspectionQuestion(process: process.number), Self.patience, process) {
        case .found(let name, let file):
            guard let program = Program(name) else { throw untold(process) }
            if let file { scripts.withLock { $0.note(file, process) } }
            return program
        case .refused(let message): throw KeyringError(.notPermitted, message)
        case .nothing, .askFar: throw untold(process)
        case .noProcess: throw Self.noProcess
        }
    }

    package func digest(of program: Program, in process: PeerProcess) -> String? {
        guard program.kind.isPath else { return nil }
        let question = InspectionQuestion(process: process.number, program: program)
        guard case .found(let digest, _) = try? answer(to: question, Self.patienceForDigest, process) else {
            return nil
        }
        return digest
    }

    package func image(of process: PeerProcess) throws(KeyringError) -> PeerProcess.Image? {
        try fact(.image, of: process).map { PeerProcess.Image(text: $0) }
    }

    private func fact(_ fact: InspectionQuestion.Fact, of process: PeerProcess) throws(KeyringError) -> String? {
        let question = InspectionQuestion(process: process.number, fact: fact)
        switch try askNear(question, Self.patience, process) {
        case nil: throw untold(process)
        case .found(let text, _)?: return text
        case .noProcess?: throw Self.noProcess
        default: return nil
        }
    }

    private static let noProcess = KeyringError(
        .unavailable, "which program asks cannot be told: the system makes no further process ('ulimit -u')")

    private func untold(_ process: PeerProcess) -> KeyringError {
        if processes.lacksThread {
            return KeyringError(
                .unavailable, "which program asks cannot be told: the system gives no thread ('ulimit -u', '-v')")
        }
        if processes.isClosed { return KeyringError(.busy, "the agent is about to end; ask again") }
        return KeyringError(
            .notPermitted,
            "which program process \(process.number) is cannot be told: the file system that it is on does not answer")
    }

    private func answer(
        to question: InspectionQuestion, _ patience: Int64, _ process: PeerProcess
    ) throws(KeyringError) -> InspectionAnswer {
        var question = question
        question.known = scripts.withLock { $0.file(of: process) }
        guard let near = try askNear(question, patience, process) else { return .nothing }
        guard case .askFar = near else { return near }
        let name = holder(of: process)
        guard far.withLock({ $0.enter(name, VarlinkServer.uptime()) }) == .begins else { throw Self.notNow }
        let answer = ask(question, .far, patience)
        far.withLock { $0.leave(name, isGivenUp: answer == nil, VarlinkServer.uptime()) }
        return answer ?? .nothing
    }

    /// What those answer that wait for nothing: a process that becomes another program in the meantime can have them wait too.
    ///
    /// - Throws: `notPermitted` for one that is becoming another program, and `busy` for one that has kept them waiting.
    private func askNear(
        _ question: InspectionQuestion, _ patience: Int64, _ process: PeerProcess
    ) throws(KeyringError) -> InspectionAnswer? {
        let end = VarlinkServer.uptime() + patience
        let name = "process \(process.number)"
        while true {
            // Then no file system is to blame.
            guard !processes.isClosed else { throw untold(process) }
            // The kernel tells that without waiting.
            guard process.runsProgram else { throw .becameAnother(process.number) }
            let now = VarlinkServer.uptime()
            let entry = near.withLock { $0.enter(name, now) }
            if entry == .begins { break }
            guard entry == .waits, now < end else { throw Self.notNow }
            usleep(2_000)
        }
        let answer = ask(question, .near, end - VarlinkServer.uptime())
        near.withLock { $0.leave(name, isGivenUp: answer == nil && !processes.isClosed, VarlinkServer.uptime()) }
        return answer
    }

    private func ask(_ question: InspectionQuestion, _ place: Place, _ patience: Int64) -> InspectionAnswer? {
        processes.ask(question.bytes, of: place.rawValue, within: patience).flatMap { InspectionAnswer($0) }
    }

    private static var notNow: KeyringError {
        KeyringError(.busy, "which program asks cannot be told now: file systems do not answer")
    }

    /// What may have several processes wait for one thing: the mounts that they have for themselves; else each by itself.
    private func holder(of process: PeerProcess) -> String {
        (try? fact(.mounts, of: process)) ?? "process \(process.number)"
    }
}

/// The scripts that processes were known to run: they still do, whatever happens to folders later, until they become another program.
private struct KnownScripts {
    /// More processes than ask.
    private static let capacity = 1_024
    private var files: [PeerProcess.Image: String] = [:]

    func file(of process: PeerProcess) -> String? { process.image.flatMap { files[$0] } }

    mutating func note(_ file: String, _ process: PeerProcess) {
        if files.count >= Self.capacity { files = [:] }
        if let image = process.image { files[image] = file }
    }
}

/// What such a process is asked: which program another one runs, or the digest of a program's file.
struct InspectionQuestion {
    let process: Int32
    var program: Program?
    /// As in ``StartProof``.
    var known: String?
    /// What else is asked of it.
    var fact: Fact?

    /// What is told of a process by what the kernel alone knows.
    enum Fact: String {
        /// The program that it is, as ``PeerProcess/Image`` has it.
        case image
        /// The mounts that it has for itself.
        case mounts
    }

    init(process: Int32, program: Program? = nil, fact: Fact? = nil) {
        (self.process, self.program, self.fact) = (process, program, fact)
    }

    /// As it is sent: the number, that of a file that is known behind a plus, and the program behind a blank.
    var bytes: [UInt8] {
        if let fact { return Array("\(fact.rawValue)=\(process)".utf8) }
        let number = known.map { "\(process)+\($0)" } ?? "\(process)"
        return Array((program.map { "\(number) \($0)" } ?? number).utf8)
    }

    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: "=", maxSplits: 1)
        if parts.count == 2, let fact = Fact(rawValue: String(parts[0])) {
            guard let process = Int32(parts[1]) else { return nil }
            (self.process, self.fact) = (process, fact)
            return
        }
        let words = text.split(separator: " ", maxSplits: 1)
        let numbers = words.first?.split(separator: "+") ?? []
        guard let process = numbers.first.flatMap({ Int32($0) }) else { return nil }
        self.process = process
        if numbers.count > 1 { known = String(numbers[1]) }
        guard words.count > 1 else { return }
        guard let program = Program(String(words[1])) else { return nil }
        self.program = program
    }

    /// The answer.
    ///
    /// - Parameter isFar: Whether a file system may be asked.
    func answer(isFar: Bool, _ digests: FileDigests) -> [UInt8] {
        let table = ProcessTable()
        if let fact {
            let text: String?
            switch fact {
            case .image: text = PeerProcess.Image(process, in: table)?.text
            case .mounts:
                text = table.link("ns/mnt", of: process).flatMap { mounts in
                    mounts == FileAccess.link(table.path + "/self/ns/mnt") ? nil : mounts
                }
            }
            return (text.map { InspectionAnswer.found($0) } ?? .nothing).bytes
        }
        let near = KnownProgramSearch(table: table, process: process, known: known)
        let search = ProgramSearch(table: table, process: process, known: known)
        let answer: InspectionAnswer
        if let program {
            if !isFar, let file = near.file(of: program) {
                let digest = digests.digest(of: file.ownPath)
                switch near.isStill(program, file) {
                case true?: answer = digest.map { .found($0) } ?? .nothing
                case false?: answer = .nothing
                case nil: answer = .askFar
                }
            } else {
                let digest = isFar ? InspectionHere.digest(of: program, search, digests) : nil
                answer = digest.map { .found($0) } ?? (isFar ? .nothing : .askFar)
            }
        } else if let found = near.found() {
            answer = .found(found.program.description, file: found.file)
        } else if isFar {
            do throws(KeyringError) {
                let found = try search.found()
                answer = .found(found.program.description, file: found.file)
            } catch {
                answer = .refused(error.message)
            }
        } else {
            answer = .askFar
        }
        return answer.bytes
    }
}

/// What is answered to that.
enum InspectionAnswer: Equatable {
    /// The program, or the digest; with the number of its file where it is a script.
    case found(String, file: String? = nil)
    /// It cannot be told, for this reason.
    case refused(String)
    /// There is none.
    case nothing
    /// A file system would have to be asked.
    case askFar
    /// There is no process to look.
    case noProcess

    /// As it is sent.
    var bytes: [UInt8] {
        switch self {
        case .found(let text, let file): Array("=\(file ?? "") \(text)".utf8)
        case .refused(let text): Array("!\(text)".utf8)
        case .nothing: Array("-".utf8)
        case .askFar: Array("?".utf8)
        case .noProcess: []
        }
    }

    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        switch bytes.first {
        case UInt8(ascii: "="):
            let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            self = .found(String(parts[1]), file: parts[0].isEmpty ? nil : String(parts[0]))
        case UInt8(ascii: "!"): self = .refused(text)
        case UInt8(ascii: "-"): self = .nothing
        case UInt8(ascii: "?"): self = .askFar
        case nil: self = .noProcess
        default: return nil
        }
    }
}
