internal import CSodium

/// ISO/IEC 7816-4 padding, so that a length tells little.
package enum Padding {
    /// The size to which a message of `count` bytes (and the padding's first byte) is padded:
    /// steps of 512 bytes up to 4 KiB, of 1 KiB up to 16 KiB, of 4 KiB beyond.
    package static func paddedCount(_ count: Int) -> Int {
        let needed = count + 1
        let step = needed <= 4_096 ? 512 : needed <= 16_384 ? 1_024 : 4_096
        return (needed + step - 1) / step * step
    }

    /// How many bytes of `message` precede the padding.
    ///
    /// - Throws: `invalidParameters` when there is no well-formed padding.
    package static func unpaddedCount(_ message: RawSpan) throws(SodiumError) -> Int {
        var end = message.byteCount
        // Nearly all of it is zeros.
        while end >= 8, unsafe message.unsafeLoadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == 0 { end -= 8 }
        while end > 0 {
            let byte = unsafe message.unsafeLoad(fromByteOffset: end - 1, as: UInt8.self)
            end -= 1
            if byte == 0x80 { return end }
            if byte != 0 { break }
        }
        throw .invalidParameters
    }
}
