package import KeyfobSodium

/// What is sent to a method of another program's.
package indirect enum BusArgument: Sendable {
    case string(String)
    /// An object's path; whoever makes it has seen to ``isPath(_:)``.
    case path(String)
    case paths([String])
    /// An `a{ss}`.
    case texts([String: String])
    case number(UInt32)
    case boolean(Bool)
    case boxed(BusArgument)
    /// An `a{sv}`.
    case properties([String: BusArgument])
    /// A secret of the Secret Service API, `(oayays)`, for the session at a path: as it is, without parameters.
    case secret(session: String, BusText)

    /// The type, as D-Bus writes it.
    var type: String {
        switch self {
        case .string: "s"
        case .path: "o"
        case .paths: "ao"
        case .texts: "a{ss}"
        case .number: "u"
        case .boolean: "b"
        case .boxed: "v"
        case .properties: "a{sv}"
        case .secret: "(oayays)"
        }
    }

    /// Whether it has to be wiped where it was.
    var isSecret: Bool { if case .secret = self { true } else { false } }

    /// Whether D-Bus takes this as an object's path (D-Bus specification, "Valid Object Paths").
    package static func isPath(_ text: String) -> Bool {
        if text == "/" { return true }
        guard text.utf8.first == UInt8(ascii: "/") else { return false }
        return text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty
                && $0.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
        }
    }
}

/// A text or bytes on their way from one thread, or one library, to another.
package final class BusText: Sendable {
    package let secret: SecretBytes

    package init(_ secret: consuming SecretBytes) { self.secret = secret }
}
