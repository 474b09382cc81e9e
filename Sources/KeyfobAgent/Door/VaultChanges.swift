internal import Synchronization

/// Tells those who watch that something in the vault may have changed.
package final class VaultChanges: Sendable {
    private struct Watchers {
        var next = 0
        var streams: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let watchers = Mutex(Watchers())

    /// Nobody watches yet.
    package init() {}

    /// Tells all.
    package func ring() {
        for stream in watchers.withLock({ Array($0.streams.values) }) { stream.yield() }
    }

    /// Changes from now on; several that nobody has looked at are one.
    func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = watchers.withLock { watchers in
            watchers.next += 1
            watchers.streams[watchers.next] = continuation
            return watchers.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.watchers.withLock { $0.streams.removeValue(forKey: number) }
        }
        return stream
    }
}
