import Foundation
import Keyfob
import KeyfobFiles
import KeyfobTestSupport
import Synchronization
import Testing

/// Another process has the database for itself; calls are made in tasks that share their threads with all others.
@Suite("Calls that wait for a vault", .waitsForPrograms)
struct WaitingCallTests {
    private let home: SilentHome

    init() throws {
        home = try .atPlainProvider()
        try home.access("at", home.ada)
    }

    /// What became of a call, after how long, and how often a task of its own went on until then.
    private struct Answer: Sendable {
        let text: Result<String, KeyringError>
        let time: Duration
        let beats: Int
    }

    /// A task that shares its threads with all others, and goes on and on.
    private final class Heart: Sendable {
        let beats = Atomic(0)
        private let task = Mutex<Task<Void, Never>?>(nil)

        func begin() {
            let beating = Task {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(10))
                    beats.add(1, ordering: .relaxed)
                }
            }
            task.withLock { $0 = beating }
        }

        func end() { task.withLock { $0?.cancel() } }
    }

    private func call(_ count: Int, _ heart: Heart) -> [Task<Answer, Never>] {
        let start = ContinuousClock.now
        return (0..<count).map { _ in
            Task { [home] in
                let text: Result<String, KeyringError>
                do throws(KeyringError) {
                    let request = TokenRequest(account: home.ada.id.description, scopes: ["mail.read"])
                    let answer = try await home.keyring.tokens.acquireSilently(
                        for: request, network: home.provider.network)
                    text = .success(KeyfobTestSupport.text(of: answer.secret))
                } catch {
                    text = .failure(error)
                }
                return Answer(
                    text: text, time: .now - start, beats: heart.beats.load(ordering: .relaxed))
            }
        }
    }

    private func answers(_ tasks: [Task<Answer, Never>]) async -> [Answer] {
        var answers: [Answer] = []
        for task in tasks { answers.append(await task.value) }
        return answers
    }

    @Test(
        "are told together that it is busy, however many there are, and hold up no other task",
        .enabled(if: StoragePlace.ofTest == .embedded), arguments: [40, 200])
    func together(count: Int) async throws {
        let (patience, heart) = (Duration.seconds(2), Heart())
        let holder = try DatabaseHolder(home.home.location.vault + "/keyring.db")
        defer { holder.release() }
        heart.begin()
        defer { heart.end() }
        let answers = await answers(Patience.$usual.withValue(patience) { call(count, heart) })
        #expect(answers.allSatisfy { if case .failure(let error) = $0.text { error.code == .busy } else { false } })
        // One after the other it would be as many times as long; on a machine with much else to do it is some times as long.
        #expect(answers.allSatisfy { $0.time < patience * (count / 2) })
        #expect(answers.allSatisfy { $0.beats > 1 })
    }

    @Test(
        "are all served once it is let go, also those that were cancelled",
        .enabled(if: StoragePlace.ofTest == .embedded), arguments: [4, 300])
    func released(count: Int) async throws {
        let heart = Heart()
        let holder = try DatabaseHolder(home.home.location.vault + "/keyring.db")
        heart.begin()
        defer { heart.end() }
        let tasks = Patience.$usual.withValue(.seconds(120)) { call(count, heart) }
        try await eventually { heart.beats.load(ordering: .relaxed) >= 20 }
        for task in tasks.prefix(count / 2) { task.cancel() }
        holder.release()
        #expect(await answers(tasks).allSatisfy { (try? $0.text.get()) == "at" })
    }

    @Test(
        "that were cancelled are told in time as well", .enabled(if: StoragePlace.ofTest == .embedded))
    func cancelled() async throws {
        let (patience, heart) = (Duration.seconds(1), Heart())
        let holder = try DatabaseHolder(home.home.location.vault + "/keyring.db")
        defer { holder.release() }
        let tasks = Patience.$usual.withValue(patience) { call(40, heart) }
        for task in tasks { task.cancel() }
        let answers = await answers(tasks)
        #expect(answers.allSatisfy { if case .failure(let error) = $0.text { error.code == .busy } else { false } })
        #expect(answers.allSatisfy { $0.time < patience * (tasks.count / 2) })
    }

    @Test(
        "are served by a provider's answer that came while somebody had the database",
        .enabled(if: StoragePlace.ofTest == .embedded))
    func committed() async throws {
        try home.grant("rt1", home.ada)
        let path = home.home.location.vault + "/keyring.db"
        home.provider.answer { _ in
            // From now on for longer than the usual patience, and for less than what an answer is worth.
            let holder = try DatabaseHolder(path)
            let isStarted = BlockingThread.start {
                usleep(600_000)
                holder.release()
            }
            #expect(isStarted)
            return .tokens("at2", refresh: "rt2", scope: "mail.read")
        }
        let token = try await Patience.$usual.withValue(.milliseconds(200)) {
            try await home.token(home.ada, options: SilentOptions(forcesRefresh: true)).text
        }
        #expect(token == "at2")
        #expect(try await home.storedRefreshToken(of: home.ada) == "rt2")
    }
}
