internal import Glibc
internal import KeyfobBus
internal import KeyfobFiles

/// Hears from logind that the person has left: a screen of theirs is locked, or the machine goes to sleep.
///
/// Before a sleep logind waits for what is to be done then (an inhibitor of the mode `delay`, org.freedesktop.login1(5)).
public enum SessionWatch {
    /// Begins to listen, on a thread of its own, for as long as the process runs.
    ///
    /// - Parameters:
    ///   - environment: Says where the system bus is, where that is not the usual place.
    ///   - tell: Called with why something is not heard, or not waited for.
    ///   - away: Called on that thread each time, and where something may not have been heard.
    public static func start(
        _ environment: [String: String], tell: @escaping @Sendable (String) -> Void,
        away: @escaping @Sendable () -> Void
    ) {
        let isStarted = BlockingThread.start {
            var (pause, isFirst): (UInt32, Bool) = (1, true)
            while true {
                do throws(BusFailure) {
                    let ears = try LogindEars(environment)
                    if isFirst, !ears.isWaitedFor { tell("logind does not wait for Keyfob before the machine sleeps") }
                    // Whoever left since the last connection was not heard.
                    if !isFirst { away() }
                    (pause, isFirst) = (1, false)
                    ears.listen(away)
                    away()
                } catch {
                    if isFirst { tell(error == .noLibrary ? "libsystemd is missing" : "logind does not answer") }
                    isFirst = false
                    if error == .noLibrary { return }
                    pause = min(2 * pause, 300)
                }
                sleep(pause)
            }
        }
        if !isStarted { tell("the system gives no thread") }
    }
}

/// One connection to logind.
private final class LogindEars {
    private static let (name, path) = ("org.freedesktop.login1", "/org/freedesktop/login1")
    private static let (manager, session) = (name + ".Manager", name + ".Session")
    private static let bus = "org.freedesktop.DBus"
    private static let properties = bus + ".Properties"

    private final class Heard {
        var signals: [BusSignal] = []
    }

    private let client: BusClient
    private let heard = Heard()
    private let signals: BusSignals
    /// The connection of logind's: any program may send a signal that looks like one of these.
    private let owner: String
    /// As long as it is open, logind waits before the machine sleeps.
    private var delay: CInt?

    init(_ environment: [String: String]) throws(BusFailure) {
        client = try Self.client(environment)
        let heard = heard
        let from = "type='signal',sender='\(Self.name)',"
        do throws(BusCallFailure) {
            signals = try BusSignals(
                client,
                [
                    from + "interface='\(Self.manager)',member='PrepareForSleep',path='\(Self.path)'",
                    from + "interface='\(Self.session)',member='Lock',path_namespace='\(Self.path)/session'",
                    from + "interface='\(Self.properties)',member='PropertiesChanged',arg0='\(Self.session)',"
                        + "path_namespace='\(Self.path)/session'",
                    "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',"
                        + "member='NameOwnerChanged',arg0='\(Self.name)'",
                ]
            ) { heard.signals.append($0) }
            let owner = try client.call(
                Self.bus, "/org/freedesktop/DBus", Self.bus, "GetNameOwner", [.string(Self.name)], returning: "s",
                until: Deadline(in: .seconds(10)))
            guard let owner = owner.first?.text else { throw BusCallFailure.oddAnswer }
            self.owner = owner
        } catch {
            throw .noBus
        }
        holdSleep()
    }

    deinit { letSleep() }

    /// The bus belongs to root, or to whoever runs one of their own.
    private static func client(_ environment: [String: String]) throws(BusFailure) -> BusClient {
        let (addresses, deadline) = (BusAddress.system(environment), Deadline(in: .seconds(10)))
        let socket: BusSocket
        do throws(BusFailure) {
            socket = try BusSocket(addresses, of: 0, deadline: deadline)
        } catch {
            socket = try BusSocket(addresses, of: geteuid(), deadline: deadline)
        }
        return try BusClient(socket, passingDescriptors: true, until: deadline)
    }

    /// Whether logind waits for this before the machine sleeps.
    var isWaitedFor: Bool { delay != nil }

    /// Until the bus goes away, or logind does.
    func listen(_ away: () -> Void) {
        while true {
            do throws(BusCallFailure) {
                try signals.wait(atMost: .seconds(3_600))
            } catch {
                return
            }
            while !heard.signals.isEmpty {
                let signal = heard.signals.removeFirst()
                let isOfBus = signal.name == "NameOwnerChanged"
                guard signal.sender == (isOfBus ? Self.bus : owner) else { continue }
                if isOfBus { return }
                if signal.name == "PrepareForSleep", signal.values.first?.boolean != true {
                    holdSleep()
                } else if means(signal) {
                    away()
                    if signal.name == "PrepareForSleep" { letSleep() }
                }
            }
        }
    }

    /// Whether the person is away by what a signal says.
    private func means(_ signal: BusSignal) -> Bool {
        switch signal.name {
        case "PrepareForSleep": true
        case "PropertiesChanged":
            signal.values.count > 1 && signal.values[1].entries?["LockedHint"]?.boolean == true && isOwn(signal.path)
        default: isOwn(signal.path)
        }
    }

    /// Whether a session is this user's; one of which nothing can be learned may be.
    private func isOwn(_ session: String) -> Bool {
        let answer = try? client.call(
            Self.name, session, Self.properties, "Get", [.string(Self.session), .string("User")], returning: "v",
            until: Deadline(in: .milliseconds(500)))
        guard let user = answer?.first?.unboxed?.elements.first?.number else { return true }
        return user == UInt64(geteuid())
    }

    private func holdSleep() {
        guard delay == nil else { return }
        delay = client.descriptor(
            Self.name, Self.path, Self.manager, "Inhibit",
            [.string("sleep"), .string("Keyfob"), .string("keys are forgotten first"), .string("delay")],
            until: Deadline(in: .seconds(5)))
    }

    private func letSleep() {
        if let delay { close(delay) }
        delay = nil
    }
}
