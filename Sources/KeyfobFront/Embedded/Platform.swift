// What Swift's own modules for the C library and for locks have, for Embedded Swift, which has neither.
import Glibc

var errno: CInt { keyfob_errno() }

func open(_ path: UnsafePointer<CChar>, _ flags: CInt, _ mode: mode_t = 0) -> CInt {
    unsafe keyfob_open(path, flags, mode)
}

func openat(_ folder: CInt, _ path: UnsafePointer<CChar>, _ flags: CInt, _ mode: mode_t = 0) -> CInt {
    unsafe keyfob_openat(folder, path, flags, mode)
}

func fcntl(_ descriptor: CInt, _ command: CInt, _ argument: CInt = 0) -> CInt {
    keyfob_fcntl(descriptor, command, argument)
}

func fcntl(_ descriptor: CInt, _ command: CInt, _ argument: UnsafeMutableRawPointer) -> CInt {
    unsafe keyfob_fcntl_at(descriptor, command, argument)
}

func ioctl(_ descriptor: CInt, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> CInt {
    unsafe keyfob_ioctl_at(descriptor, request, argument)
}

// Glibc has a type for the number of a limit.
// swift-format-ignore: NoLeadingUnderscores
typealias __rlimit_resource_t = CInt

extension CInt {
    var rawValue: CInt { self }
}

let S_IFMT: mode_t = 0o170_000
let S_IFLNK: mode_t = 0o120_000
let S_IFREG: mode_t = 0o100_000
let S_IFDIR: mode_t = 0o040_000
let S_IFIFO: mode_t = 0o010_000
let POLLIN: CInt = 1
let SIG_IGN = unsafe unsafeBitCast(1, to: (@convention(c) (CInt) -> Void)?.self)

/// A lock where there is one thread.
final class Mutex<Value> {
    private var value: Value

    init(_ value: consuming Value) {
        self.value = value
    }

    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(&value)
    }
}

/// A number of one thread.
final class Atomic {
    private var value: Int

    init(_ value: Int) {
        self.value = value
    }

    enum Ordering {
        case relaxed
    }

    func add(_ operand: Int, ordering: Ordering) -> (oldValue: Int, newValue: Int) {
        value += operand
        return (value - operand, value)
    }
}

extension Array where Element == UInt8 {
    /// A copy in one piece; that of Embedded Swift goes from byte to byte.
    init(_ slice: ArraySlice<UInt8>) {
        self = unsafe slice.withUnsafeBufferPointer { slice in
            unsafe [UInt8](unsafeUninitializedCapacity: slice.count) { buffer, count in
                count = slice.count
                guard let target = buffer.baseAddress, let source = slice.baseAddress else { return }
                unsafe memcpy(target, source, count)
            }
        }
    }
}
