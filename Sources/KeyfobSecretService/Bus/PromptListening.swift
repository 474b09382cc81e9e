internal import CLibsecret
internal import KeyfobBus

/// The hearing of a prompt's signals by GLib, as long as it is kept.
@safe
final class PromptListening {
    private let bus: BusConnection
    private let context: OpaquePointer
    private let ticking: OpaquePointer
    private var subscriptions: [UInt32] = []
    private let news: PromptNews

    /// Listens from now on.
    init(_ bus: BusConnection, _ news: PromptNews, owner: String, prompt: String) {
        let functions = unsafe Libsecret.functions
        (self.bus, self.news) = (bus, news)
        unsafe context = functions.pointee.g_main_context_new()
        unsafe ticking = functions.pointee.g_timeout_source_new(100)
        unsafe functions.pointee.g_main_context_push_thread_default(context)
        unsafe functions.pointee.g_source_set_callback(ticking, { _ in 1 }, nil, nil)
        _ = unsafe functions.pointee.g_source_attach(ticking, context)
        unsafe subscribe(owner, Method(Interfaces.prompt, "Completed"), prompt, about: nil) {
            _, _, _, _, _, parameters, news in
            let values = unsafe Variant(owning: Libsecret.functions.pointee.g_variant_ref(parameters)).value.elements
            guard let news = unsafe news else { return }
            unsafe Unmanaged<PromptNews>.fromOpaque(news).takeUnretainedValue().note(PromptNews.outcome(values))
        }
        unsafe subscribe("org.freedesktop.DBus", Method("org.freedesktop.DBus", "NameOwnerChanged"), nil, about: owner)
        {
            _, _, _, _, _, _, news in
            guard let news = unsafe news else { return }
            unsafe Unmanaged<PromptNews>.fromOpaque(news).takeUnretainedValue().note(.gone)
        }
    }

    deinit {
        let functions = unsafe Libsecret.functions
        unsafe functions.pointee.g_source_destroy(ticking)
        unsafe functions.pointee.g_source_unref(ticking)
        for subscription in subscriptions {
            unsafe functions.pointee.g_dbus_connection_signal_unsubscribe(bus.pointer, subscription)
        }
        // What unsubscribing has to free, it frees in the context's turn.
        while unsafe functions.pointee.g_main_context_iteration(context, 0) != 0 {}
        unsafe functions.pointee.g_main_context_pop_thread_default(context)
        unsafe functions.pointee.g_main_context_unref(context)
    }

    /// Waits until something has come, a tenth of a second at most; false where the bus is gone.
    func wait() -> Bool {
        if bus.isClosed { return false }
        _ = unsafe Libsecret.functions.pointee.g_main_context_iteration(context, 1)
        return true
    }

    private func subscribe(
        _ sender: String, _ signal: Method, _ path: String?, about name: String?, _ heard: libsecret_signal
    ) {
        let news = unsafe Unmanaged.passRetained(self.news).toOpaque()
        let subscription = unsafe Libsecret.functions.pointee.g_dbus_connection_signal_subscribe(
            bus.pointer, sender, signal.interface, signal.name, path, name, 0, heard, news,
            { news in if let news = unsafe news { unsafe Unmanaged<PromptNews>.fromOpaque(news).release() } })
        subscriptions.append(subscription)
    }
}
