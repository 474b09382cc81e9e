internal import Keyfob
internal import KeyfobBus

extension KeyringError {
    init(_ failure: BusFailure) {
        let text =
            switch failure {
            case .noLibrary:
                "the broker needs libsystemd \(BusService.library), which is not here or too old: install libsystemd0"
            case .noBus, .timedOut:
                "the broker needs the session bus: DBUS_SESSION_BUS_ADDRESS names none that answers"
            case .nameTaken:
                "another program is the identity broker of this session already: end it, or start the agent without --broker"
            case .nameRefused: "the session bus lets no program of yours be the identity broker"
            case .ended: "the session bus has gone away, and the broker's door with it"
            case .system(let number): "the session bus cannot be used (error \(number))"
            }
        self.init(.unavailable, text)
    }
}
