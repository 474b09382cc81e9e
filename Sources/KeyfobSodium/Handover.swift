internal import Synchronization

/// Hands a value over once between a task and a thread: what is secret can be captured by no closure.
package final class Handover<Value: ~Copyable & Sendable>: Sendable {
    private let value: Mutex<Value?>

    /// With something to take, or a place to put it.
    package init(_ value: consuming Value? = nil) {
        self.value = Mutex(value)
    }

    /// Puts a value there.
    package func put(_ value: consuming Value) {
        var given: Value? = value
        self.value.withLock { $0 = given.take() }
    }

    /// The value, the first time.
    package func take() -> Value? { value.withLock { $0.take() } }
}
