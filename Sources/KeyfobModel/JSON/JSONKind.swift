/// What a JSON value is (RFC 8259, section 3).
package enum JSONKind: UInt8, Hashable, Sendable {
    case null, `false`, `true`, number, string, array, object
}
