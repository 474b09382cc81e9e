internal import CLibsecret

/// What came of a prompt.
enum PromptOutcome {
    case completed(Variant)
    case dismissed
    /// Nobody answered in time.
    case unanswered
    /// The service ended, or the bus.
    case gone
}

/// The waiting for a prompt's end, which comes as a signal.
///
/// libsecret's own waits for ever for a service that ignores that a prompt is dismissed.
@safe
final class PromptWaiting {
    private let bus: BusConnection
    private let context: OpaquePointer
    private var subscriptions: [UInt32] = []
    private let news = News()

    /// What the signals left.
    private final class News {
        private(set) var outcome: PromptOutcome?

        /// The first is what counts: a service may end once it has answered.
        func note(_ outcome: PromptOutcome) {
            if self.outcome == nil { self.outcome = outcome }
        }
    }

    /// Listens from now on.
    init(_ bus: BusConnection, owner: String, prompt: String) {
        let functions = unsafe Libsecret.functions
        self.bus = bus
        unsafe context = functions.pointee.g_main_context_new()
        unsafe functions.pointee.g_main_context_push_thread_default(context)
        unsafe subscribe(owner, Method("org.freedesktop.Secret.Prompt", "Completed"), prompt, about: nil) {
            _, _, _, _, _, parameters, news in
            let values = unsafe Variant(owning: Libsecret.functions.pointee.g_variant_ref(parameters)).elements
            guard let news = unsafe news else { return }
            let isDismissed = values.first?.boolean ?? true
            let outcome: PromptOutcome =
                if !isDismissed, let result = values.last?.unboxed { .completed(result) } else { .dismissed }
            unsafe Unmanaged<News>.fromOpaque(news).takeUnretainedValue().note(outcome)
        }
        unsafe subscribe("org.freedesktop.DBus", Method("org.freedesktop.DBus", "NameOwnerChanged"), nil, about: owner)
        {
            _, _, _, _, _, _, news in
            guard let news = unsafe news else { return }
            unsafe Unmanaged<News>.fromOpaque(news).takeUnretainedValue().note(.gone)
        }
    }

    deinit {
        let functions = unsafe Libsecret.functions
        for subscription in subscriptions {
            unsafe functions.pointee.g_dbus_connection_signal_unsubscribe(bus.pointer, subscription)
        }
        // What unsubscribing has to free, it frees in the context's turn.
        while unsafe functions.pointee.g_main_context_iteration(context, 0) != 0 {}
        unsafe functions.pointee.g_main_context_pop_thread_default(context)
        unsafe functions.pointee.g_main_context_unref(context)
    }

    /// Waits for the end.
    ///
    /// - Parameter tell: Called once when it does not come at once: many a prompt shows nothing.
    func wait(until deadline: Deadline, telling tell: (() -> Void)?) -> PromptOutcome {
        let functions = unsafe Libsecret.functions
        // Wakes the context up, so that the deadline and the connection are looked at.
        let ticking = unsafe functions.pointee.g_timeout_source_new(100)
        unsafe functions.pointee.g_source_set_callback(ticking, { _ in 1 }, nil, nil)
        _ = unsafe functions.pointee.g_source_attach(ticking, context)
        defer {
            unsafe functions.pointee.g_source_destroy(ticking)
            unsafe functions.pointee.g_source_unref(ticking)
        }
        let start = ContinuousClock.now
        var tell = tell
        while news.outcome == nil {
            if let told = tell, start.duration(to: .now) > .seconds(1) {
                told()
                tell = nil
            }
            if bus.isClosed { return .gone }
            if deadline.hasPassed { return .unanswered }
            _ = unsafe functions.pointee.g_main_context_iteration(context, 1)
        }
        return news.outcome ?? .gone
    }

    private func subscribe(
        _ sender: String, _ signal: Method, _ path: String?, about name: String?, _ heard: libsecret_signal
    ) {
        let news = unsafe Unmanaged.passRetained(self.news).toOpaque()
        let subscription = unsafe Libsecret.functions.pointee.g_dbus_connection_signal_subscribe(
            bus.pointer, sender, signal.interface, signal.name, path, name, 0, heard, news,
            { news in if let news = unsafe news { unsafe Unmanaged<News>.fromOpaque(news).release() } })
        subscriptions.append(subscription)
    }
}
