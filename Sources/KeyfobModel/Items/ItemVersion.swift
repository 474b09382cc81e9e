/// When and where something was written: what decides between two writings of one thing.
///
/// Orders by the stamp, and among equal stamps by the device. Two different contents of one version can only come
/// from two machines that take themselves for one device; then a digest of the content decides.
package struct ItemVersion: Hashable, Comparable, Sendable {
    /// When, by the writer's hybrid clock.
    package let stamp: Stamp
    /// Which device wrote.
    package let device: UInt64

    /// A version.
    package init(stamp: Stamp, device: UInt64) {
        self.stamp = stamp
        self.device = device
    }

    /// Whether `left` is the earlier one.
    package static func < (left: ItemVersion, right: ItemVersion) -> Bool {
        left.stamp == right.stamp ? left.device < right.device : left.stamp < right.stamp
    }
}

extension ItemVersion: CustomStringConvertible {
    /// The version that is written `<stamp>.<device>`, each 16 small hexadecimal digits.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count == 33, let dot = bytes.index(bytes.startIndex, offsetBy: 16, limitedBy: bytes.endIndex),
            bytes[dot] == UInt8(ascii: "."), let stamp = UInt64(hexadecimal: bytes[..<dot]),
            let device = UInt64(hexadecimal: bytes[bytes.index(after: dot)...])
        else { return nil }
        self.init(stamp: Stamp(value: stamp), device: device)
    }

    /// The stamp and the device, 16 small hexadecimal digits each, with a dot between them: sorts as text.
    package var description: String { "\(stamp.value.hexadecimal).\(device.hexadecimal)" }
}
