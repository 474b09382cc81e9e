internal import KeyfobBus

/// What came of a prompt.
enum PromptOutcome {
    case completed(BusValue)
    case dismissed
    /// Nobody answered in time.
    case unanswered
    /// The service ended, or the bus.
    case gone
}

/// The waiting for a prompt's end, which comes as a signal.
///
/// libsecret's own waits for ever for a service that ignores that a prompt is dismissed.
final class PromptWaiting {
    private let ears: Ears
    private let news: PromptNews

    /// What hears the signals.
    private enum Ears {
        case systemd(BusSignals)
        case glib(PromptListening)
    }

    /// Listens from now on.
    init(_ wire: ServiceWire, owner: String, prompt: String) throws(ServiceFailure) {
        let news = PromptNews()
        self.news = news
        switch wire {
        case .glib(let connection, _):
            ears = .glib(PromptListening(connection, news, owner: owner, prompt: prompt))
        case .systemd(let client, _):
            guard BusArgument.isPath(prompt) else { throw .oddAnswer }
            let rules = [
                "type='signal',sender='\(owner)',interface='\(Interfaces.prompt)',member='Completed',path='\(prompt)'",
                "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
                    + "member='NameOwnerChanged',arg0='\(owner)'",
            ]
            do {
                ears = .systemd(
                    try BusSignals(client, rules) { signal in
                        news.note(signal.name == "Completed" ? PromptNews.outcome(signal.values) : .gone)
                    })
            } catch {
                throw ServiceFailure(error)
            }
        }
    }

    /// Waits for the end.
    ///
    /// - Parameter tell: Called once when it does not come at once: many a prompt shows nothing.
    func outcome(until deadline: Deadline, telling tell: (() -> Void)?) -> PromptOutcome {
        let start = ContinuousClock.now
        var tell = tell
        while news.outcome == nil {
            if let told = tell, start.duration(to: .now) > .seconds(1) {
                told()
                tell = nil
            }
            if deadline.hasPassed { return .unanswered }
            // Wakes up, so that the deadline and the connection are looked at.
            guard listen(atMost: min(.milliseconds(100), deadline.remaining)) else { return news.outcome ?? .gone }
        }
        return news.outcome ?? .gone
    }

    /// Waits for a moment; false where the bus is gone.
    private func listen(atMost limit: Duration) -> Bool {
        switch ears {
        case .systemd(let signals): (try? signals.wait(atMost: limit)) != nil
        case .glib(let listening): listening.wait()
        }
    }
}

/// What the signals left.
final class PromptNews {
    private(set) var outcome: PromptOutcome?

    /// The first is what counts: a service may end once it has answered.
    func note(_ outcome: PromptOutcome) {
        if self.outcome == nil { self.outcome = outcome }
    }

    /// What the values of the signal `Completed` say.
    static func outcome(_ values: [BusValue]) -> PromptOutcome {
        guard values.first?.boolean == false, let result = values.last?.unboxed else { return .dismissed }
        return .completed(result)
    }
}
