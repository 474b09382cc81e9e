internal import CSodium

/// HKDF with SHA-256 (RFC 5869): keys from a secret that need not be uniform.
package enum HKDFSHA256 {
    /// The longest output in bytes: 255 blocks.
    package static let countLimit = 255 * HMACSHA256.count

    /// Derives `count` bytes from `secret` by extract and expand.
    ///
    /// An empty `salt` stands for a block of zeros, as section 2.2 of the RFC has it. `count` is
    /// the callers' constant; more than ``countLimit`` is a programming error.
    package static func derive(
        from secret: RawSpan, salt: [UInt8], info: [UInt8], count: Int = 32,
        placement: SecretBytes.Placement = .dedicated
    ) -> SecretBytes {
        precondition((0...countLimit).contains(count), "HKDF-SHA-256 gives at most 8,160 bytes")
        return SecretBytes(count: count, placement: placement) { span in
            unsafe withUnsafeTemporaryAllocation(byteCount: 2 * HMACSHA256.count, alignment: 16) { scratch in
                defer { unsafe sodium_memzero(scratch.baseAddress, scratch.count) }
                let pseudorandomKey = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[..<HMACSHA256.count])
                let block = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[HMACSHA256.count...])
                unsafe secret.withUnsafeBytes { input in
                    unsafe salt.withUnsafeBytes { salt in
                        unsafe HMACSHA256.compute(input, key: salt, into: pseudorandomKey)
                    }
                }
                unsafe span.withUnsafeMutableBytes { output in
                    unsafe expand(UnsafeRawBufferPointer(pseudorandomKey), info, block: block, into: output)
                }
            }
        }
    }

    /// Fills `output` with T(1), T(2), … of section 2.3; `block` holds the latest of them.
    private static func expand(
        _ pseudorandomKey: UnsafeRawBufferPointer, _ info: [UInt8],
        block: UnsafeMutableRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        var number: UInt8 = 0
        for start in stride(from: 0, to: output.count, by: HMACSHA256.count) {
            number += 1
            let suffix = info + [number]
            unsafe suffix.withUnsafeBytes { suffix in
                let previous = unsafe UnsafeRawBufferPointer(rebasing: block[..<(start == 0 ? 0 : block.count)])
                unsafe HMACSHA256.compute(previous, suffix, key: pseudorandomKey, into: block)
            }
            let end = min(start + block.count, output.count)
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: output[start..<end])
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<(end - start)]))
        }
    }
}
