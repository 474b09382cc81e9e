/// An object on a message bus, all of whose methods take texts and give one.
package struct BusObject: Sendable {
    /// A method.
    package struct Method: Hashable, Sendable {
        /// What it is called.
        package let name: String
        /// What its arguments are called, all of them texts; the last is the body.
        package let arguments: [String]
        /// What its answer is called.
        package let answer: String

        /// A method.
        package init(_ name: String, _ arguments: [String], gives answer: String) {
            (self.name, self.arguments, self.answer) = (name, arguments, answer)
        }
    }

    /// The name under which the bus knows it.
    package let name: String
    /// Its path.
    package let path: String
    /// Its interface.
    package let interface: String
    /// Its methods.
    package let methods: [Method]
    /// How much it takes upon itself.
    package let limits: BusLimits

    /// An object.
    package init(
        name: String, path: String, interface: String, methods: [Method], limits: BusLimits = BusLimits()
    ) {
        (self.name, self.path, self.interface) = (name, path, interface)
        (self.methods, self.limits) = (methods, limits)
    }

    /// What org.freedesktop.DBus.Introspectable tells of it (D-Bus specification, "Introspection Data Format").
    var introspection: String {
        let methods = methods.map { method in
            let arguments = method.arguments.map { "<arg name=\"\($0)\" type=\"s\" direction=\"in\"/>" }
            return "<method name=\"\(method.name)\">" + arguments.joined()
                + "<arg name=\"\(method.answer)\" type=\"s\" direction=\"out\"/></method>"
        }
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node><interface name="\(interface)">\(methods.joined())</interface></node>

            """
    }
}

/// How much an object on the bus takes upon itself.
package struct BusLimits: Hashable, Sendable {
    /// How many calls of one connection may be open at once.
    package var callsOfSender: Int
    /// How many calls may be open at once.
    package var calls: Int
    /// The longest body, in bytes.
    package var bodyCount: Int
    /// The longest of the other arguments, in bytes.
    package var argumentCount: Int

    /// Limits; what is not given is what real clients stay far below.
    package init(
        callsOfSender: Int = 16, calls: Int = 128, bodyCount: Int = 128 << 10, argumentCount: Int = 256
    ) {
        (self.callsOfSender, self.calls) = (callsOfSender, calls)
        (self.bodyCount, self.argumentCount) = (bodyCount, argumentCount)
    }
}
