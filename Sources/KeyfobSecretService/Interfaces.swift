internal import KeyfobBus

/// The interfaces of the Secret Service API (0.2).
enum Interfaces {
    static let service = "org.freedesktop.Secret.Service"
    static let collection = "org.freedesktop.Secret.Collection"
    static let item = "org.freedesktop.Secret.Item"
    static let prompt = "org.freedesktop.Secret.Prompt"
    static let properties = "org.freedesktop.DBus.Properties"
}

extension SecretService {
    /// A property of an object, when it has the type `type`.
    func property(
        _ path: String, _ interface: String, _ name: String, type: String, _ deadline: Deadline
    ) throws(ServiceFailure) -> BusValue {
        let answer = try call(
            path, Method(Interfaces.properties, "Get"), [.string(interface), .string(name)], returning: "(v)", deadline)
        guard case .boxed(type, let value) = answer.elements.first else { throw .oddAnswer }
        return value
    }

    func setProperty(
        _ path: String, _ interface: String, _ name: String, to value: BusArgument, _ deadline: Deadline
    ) throws(ServiceFailure) {
        _ = try call(
            path, Method(Interfaces.properties, "Set"), [.string(interface), .string(name), .boxed(value)],
            returning: "()", deadline)
    }
}
