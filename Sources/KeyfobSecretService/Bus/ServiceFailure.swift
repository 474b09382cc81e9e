internal import CLibsecret
internal import KeyfobBus

/// How a call over the bus failed.
enum ServiceFailure: Error {
    /// The name of the error that came back.
    case remote(String)
    case timedOut
    /// The connection to the bus is gone.
    case closed
    /// The answer has another type than the specification says.
    case oddAnswer
    /// Nothing of the bus's: what this target found out itself.
    case decided(SecretServiceError)

    /// Whether the service, or our session with it, is gone and nothing was done, so that another try is safe.
    var isStale: Bool {
        guard case .remote(let name) = self else { return false }
        return [
            "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
            "org.freedesktop.Secret.Error.NoSession",
        ].contains(name)
    }

    var isTimeout: Bool {
        if case .timedOut = self { true } else { false }
    }

    /// What the caller gets; `gone` when the object that was called does not exist.
    func error(whenGone gone: SecretServiceError) -> SecretServiceError {
        switch self {
        case .decided(let error): error
        case .timedOut: .timedOut
        case .closed: .noBus
        case .oddAnswer: .refused("org.freedesktop.DBus.Error.InconsistentMessage")
        case .remote(let name): Self.errors[name] ?? (Self.goneNames.contains(name) ? gone : .refused(name))
        }
    }

    private static let errors: [String: SecretServiceError] = [
        "org.freedesktop.Secret.Error.IsLocked": .locked,
        "org.freedesktop.DBus.Error.ServiceUnknown": .noService,
        "org.freedesktop.DBus.Error.NameHasNoOwner": .noService,
        // The bus says so when the service ends before it has answered.
        "org.freedesktop.DBus.Error.NoReply": .noService,
        "org.freedesktop.DBus.Error.Timeout": .timedOut,
        "org.freedesktop.DBus.Error.TimedOut": .timedOut,
        "org.freedesktop.DBus.Error.Disconnected": .noBus,
    ]

    /// What services say of a path where there is nothing.
    private static let goneNames: Set<String> = [
        "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownObject",
        "org.freedesktop.DBus.Error.UnknownMethod", "org.freedesktop.DBus.Error.UnknownInterface",
    ]
}

extension ServiceFailure {
    /// Takes an error of GLib's apart, and frees it.
    init(consuming error: UnsafeMutablePointer<_GError>?) {
        // GLib gives none where it found our own call wrong.
        guard let error = unsafe error else {
            self = .oddAnswer
            return
        }
        defer { unsafe Libsecret.functions.pointee.g_error_free(error) }
        if let name = unsafe Libsecret.functions.pointee.g_dbus_error_get_remote_error(error) {
            self = unsafe .remote(String(cString: name))
            unsafe Libsecret.functions.pointee.g_free(name)
        } else if unsafe error.pointee.domain != Libsecret.functions.pointee.g_io_error_quark() {
            self = .oddAnswer
        } else {
            self =
                switch unsafe Int(error.pointee.code) {
                case libsecret_error_timed_out, libsecret_error_cancelled: .timedOut
                case libsecret_error_invalid_argument: .oddAnswer
                // libsecret took the name off.
                case libsecret_error_dbus_error: .remote("org.freedesktop.DBus.Error.Failed")
                default: .closed
                }
        }
    }
}

extension ServiceFailure {
    /// What it says of an item among others; nil when it concerns all of them.
    var ofOneItem: SecretServiceError? {
        guard !isStale else { return nil }
        switch error(whenGone: .noItem) {
        case .timedOut, .noService, .noBus: return nil
        case let error: return error
        }
    }
}

extension ServiceFailure {
    /// What came of a call by sd-bus.
    init(_ failure: BusCallFailure) {
        self =
            switch failure {
            case .remote(let name): .remote(name)
            case .timedOut: .timedOut
            case .closed: .closed
            case .oddAnswer: .oddAnswer
            case .unfitArgument: .decided(.invalidArguments)
            }
    }
}
