// Addresses typed as libsodium's headers want them. An empty buffer may have none, where C wants
// one that it will not follow; it gets an aligned address that is never valid.

extension UnsafeMutableRawBufferPointer {
    var octets: UnsafeMutablePointer<UInt8> {
        unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Unfollowed.address()
    }
}

extension UnsafeRawBufferPointer {
    var octets: UnsafePointer<UInt8> {
        unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(Unfollowed.address())
    }

    var characters: UnsafePointer<CChar> {
        unsafe baseAddress?.assumingMemoryBound(to: CChar.self) ?? UnsafePointer(Unfollowed.address())
    }
}

private enum Unfollowed {
    static func address<Element>() -> UnsafeMutablePointer<Element> {
        guard let address = unsafe UnsafeMutablePointer<Element>(bitPattern: 16) else {
            preconditionFailure("16 is not zero")
        }
        return unsafe address
    }
}
