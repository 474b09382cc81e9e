/// Sixteen random bytes that name one thing of one kind.
package struct OpaqueID<Kind>: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// An id nobody else has.
    package static func random() -> OpaqueID {
        OpaqueID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    private init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// The id with these bytes; nil unless there are 16.
    package init?(_ bytes: some Collection<UInt8>) {
        self.init(Array(bytes))
    }

    /// The same for an array, in which reading a row has them: six times a row.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        func half(_ start: Int) -> UInt64 {
            var half: UInt64 = 0
            for index in start..<start + 8 { half = half << 8 | UInt64(bytes[index]) }
            return half
        }
        (self.high, self.low) = (half(0), half(8))
    }

    /// The 16 bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        append(to: &bytes)
        return bytes
    }

    package func append(to bytes: inout [UInt8]) {
        for index: UInt64 in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: high >> (56 - 8 * index))) }
        for index: UInt64 in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: low >> (56 - 8 * index))) }
    }
}

extension OpaqueID: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// The id that ``description`` gives; nil for anything else.
    package init?(hexadecimal text: String) {
        let digits = text.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x61...0x66: digit - 0x57
            default: nil
            }
        }
        guard text.utf8.count == 32, digits.count == 32 else { return nil }
        self.init((0..<16).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] })
    }

    /// The first eight hexadecimal digits: what people see and type.
    package var short: String { String(description.prefix(8)) }
}

package enum VaultKind {}
package enum GroupKind {}
package enum RecordKind {}
package enum SlotKind {}
package enum IndexKind {}

/// Names a vault.
package typealias VaultID = OpaqueID<VaultKind>
/// Names an access group within a vault.
package typealias GroupID = OpaqueID<GroupKind>
/// Names a record within a vault.
package typealias RecordID = OpaqueID<RecordKind>
/// Names a slot within a vault.
package typealias SlotID = OpaqueID<SlotKind>
/// The blinded value of a lookup field.
package typealias BlindValue = OpaqueID<IndexKind>
