internal import Dispatch
internal import Glibc
internal import Keyfob
internal import KeyfobSodium
internal import KeyfobTerminal
internal import Synchronization

/// Takes the address at which a browser on another machine ended, from the person's terminal.
final class PastedAddress: Sendable {
    private struct State {
        var isStopped = false
        var isAccepted = false
        var error: KeyringError?
    }

    private let state = Mutex(State())

    /// Whether the right address was pasted.
    var isAccepted: Bool { state.withLock { $0.isAccepted } }
    /// What the provider's answer in the address was, where it was an error.
    var error: KeyringError? { state.withLock { $0.error } }

    /// Begins to read; calls `end` when the answer was pasted.
    ///
    /// Nil without a terminal.
    init?(_ signIn: BrowserSignIn, end: @escaping @Sendable () async -> Void) {
        let terminal = unsafe Glibc.open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        DispatchQueue.global().async { [self] in
            defer { close(terminal) }
            while !state.withLock({ $0.isStopped }) {
                var ready = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&ready, 1, 200) > 0 else { continue }
                guard Int32(ready.revents) & POLLHUP == 0,
                    let line = try? SecretBytes.readingLine(descriptor: terminal, limit: 16_384)
                else { return }
                guard line.count > 0, take(signIn.receive(line, isPasted: true)) else { continue }
                Task { await end() }
                return
            }
        }
    }

    /// Stops reading.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Whether that was the answer.
    private func take(_ callback: BrowserSignIn.Callback) -> Bool {
        switch callback {
        case .accepted: state.withLock { $0.isAccepted = true }
        case .failed(let error): state.withLock { $0.error = error }
        case .ignored(let why):
            StandardError.write(line: "keyfob: that is not the address: \(why); paste the whole address")
            return false
        }
        return true
    }
}
