package import KeyfobSodium
internal import Synchronization

/// A call that waits for its answer, which may be given by any thread, once.
///
/// One that nobody answers is refused when it is let go of.
package final class BusCall: Sendable {
    /// Who made it.
    package let caller: BusCaller
    /// The method.
    package let method: String
    /// All arguments but the last.
    package let arguments: [String]
    /// The last argument.
    package let body: SecretBytes
    private let id: UInt64
    private let outbox: BusOutbox
    private let state = Mutex(State())

    private struct State {
        var isOpen = true
        var isGone = false
        var whenGone: (@Sendable () -> Void)?
    }

    init(
        _ id: UInt64, _ outbox: BusOutbox, caller: BusCaller, method: String, arguments: [String],
        body: consuming SecretBytes
    ) {
        (self.id, self.outbox, self.caller) = (id, outbox, caller)
        (self.method, self.arguments) = (method, arguments)
        self.body = body
    }

    deinit {
        if state.withLock({ $0.isOpen }) {
            outbox.put(.error(id, "org.freedesktop.DBus.Error.Failed", "the call was not answered"))
        }
    }

    /// Answers with a text, UTF-8 without zeros.
    package func answer(_ text: consuming SecretBytes) {
        guard close() else { return }
        outbox.put(.text(id, BusText(text)))
    }

    /// Answers with an error: its name (`org.freedesktop.DBus.Error.AccessDenied`), and a line.
    package func refuse(_ name: String, _ message: String) {
        guard close() else { return }
        outbox.put(.error(id, name, message))
    }

    /// Has `body` run when nobody waits for the answer any more; at once where that is so.
    package func whenGone(_ body: @escaping @Sendable () -> Void) {
        let isGone = state.withLock { state in
            if !state.isGone { state.whenGone = body }
            return state.isGone
        }
        if isGone { body() }
    }

    private func close() -> Bool {
        state.withLock { state in
            defer { (state.isOpen, state.whenGone) = (false, nil) }
            return state.isOpen
        }
    }

    /// Whoever made it has left.
    func isLeft() {
        let body = state.withLock { state in
            defer { state.whenGone = nil }
            (state.isOpen, state.isGone) = (false, true)
            return state.whenGone
        }
        body?()
    }
}
