/// Sixteen random bytes that name one thing of one kind.
package struct OpaqueID<Kind>: Hashable, Sendable {
    @usableFromInline let high: UInt64
    @usableFromInline let low: UInt64

    /// The id as two numbers.
    package var halves: (UInt64, UInt64) { (high, low) }

    /// The id that ``halves`` gives.
    package init(halves: (UInt64, UInt64)) { self.init(high: halves.0, low: halves.1) }

    /// An id nobody else has.
    package static func random() -> OpaqueID {
        OpaqueID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    @inlinable init(high: UInt64, low: UInt64) {
        (self.high, self.low) = (high, low)
    }

    /// The id with these bytes; nil unless there are 16.
    package init?(_ bytes: some Collection<UInt8>) {
        self.init(Array(bytes))
    }

    /// The same for an array, in which reading a row has them: six times a row.
    @inlinable package init?(_ bytes: [UInt8]) {
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

    /// Writes the 16 bytes at `offset`.
    @inlinable package func store(into output: inout MutableRawSpan, at offset: Int) {
        output.storeBytes(of: high.bigEndian, toByteOffset: offset, as: UInt64.self)
        output.storeBytes(of: low.bigEndian, toByteOffset: offset + 8, as: UInt64.self)
    }

    package func append(to bytes: inout [UInt8]) {
        for index: UInt64 in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: high >> (56 - 8 * index))) }
        for index: UInt64 in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: low >> (56 - 8 * index))) }
    }
}

extension OpaqueID: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String { Hexadecimal.text(bytes) }

    /// The id that ``description`` gives; nil for anything else.
    package init?(hexadecimal text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.init(bytes)
    }

    /// The first eight hexadecimal digits: what people see and type.
    package var short: String { String(description.prefix(8)) }
}

package enum VaultKind {}
package enum GroupKind {}
package enum RecordKind {}
package enum SlotKind {}
package enum IndexKind {}
package enum JournalKind {}

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
/// Names an entry of the undo journal.
package typealias JournalID = OpaqueID<JournalKind>
