internal import Glibc
internal import Keyfob
internal import KeyfobSodium
internal import Synchronization

/// The objects that C has handles of.
///
/// A handle is a number and no address. No number is used twice, so that a freed handle is found to be none. A call holds
/// its object until it returns: freeing a handle meanwhile only takes the number away.
private final class HandleTable: Sendable {
    static let shared = HandleTable()

    private struct State {
        var objects: [UInt: any AnyObject & Sendable] = [:]
        var next = Self.first
        /// Above what a small number or an index could be, and never 0.
        static let first: UInt = 0x1_0000
        /// Handles are as far apart as addresses of objects are.
        static let step: UInt = 16
    }

    private let state = Mutex(State())

    func insert(_ object: any AnyObject & Sendable) -> UInt {
        state.withLock { state in
            defer { state.next += State.step }
            state.objects[state.next] = object
            return state.next
        }
    }

    func object(_ handle: UInt) -> (any AnyObject & Sendable)? { state.withLock { $0.objects[handle] } }

    /// Takes an object out; whoever holds it still may use it.
    func remove(_ handle: UInt) -> (any AnyObject & Sendable)? {
        state.withLock { $0.objects.removeValue(forKey: handle) }
    }
}

/// What crosses the border to C: objects by handles, and strings.
enum Pointers {
    /// A handle of an object, until it is given to ``free(_:_:)``.
    static func give(_ object: any AnyObject & Sendable) -> OpaquePointer? {
        unsafe OpaquePointer(bitPattern: HandleTable.shared.insert(object))
    }

    /// The object of a handle.
    ///
    /// - Throws: `usage` where there is none, or one of another kind.
    static func object<Object: AnyObject>(
        _ pointer: OpaquePointer?, _ kind: Object.Type
    ) throws(KeyringError) -> Object {
        guard let pointer = unsafe pointer else { throw KeyringError(.usage, "a pointer to an object is NULL") }
        guard let any = HandleTable.shared.object(UInt(bitPattern: pointer)) else {
            throw KeyringError(.usage, "a pointer is to an object that was freed, or to none of this library")
        }
        guard let object = any as? Object else {
            throw KeyringError(.usage, "a pointer is to another kind of object than the call takes")
        }
        return object
    }

    /// Takes a handle back, unless its object is of another kind.
    static func free<Object: AnyObject>(_ pointer: OpaquePointer?, _ kind: Object.Type) {
        // The object is let go of outside the table's lock: a keyring that closes has much to do.
        _ = CallGate.run {
            guard let pointer = unsafe pointer, unsafe (try? object(pointer, kind)) != nil else { return }
            _ = HandleTable.shared.remove(UInt(bitPattern: pointer))
        }
    }

    /// The keyring of a pointer, where this process opened it.
    static func keyring(_ pointer: OpaquePointer?) throws(KeyringError) -> OpenKeyring {
        let open = unsafe try object(pointer, OpenKeyring.self)
        try open.requireOwn()
        return open
    }

    /// The options of a pointer, of which NULL stands for none.
    static func options(
        _ pointer: OpaquePointer?, taking names: Set<String>
    ) throws(KeyringError) -> OptionValues.Snapshot {
        guard let pointer = unsafe pointer else { return OptionValues.Snapshot() }
        return unsafe try object(pointer, OptionValues.self).snapshot(taking: names)
    }

    /// Does what a call asks a keyring for, with the options that it may be given.
    static func call<Value>(
        _ keyring: OpaquePointer?, _ options: OpaquePointer?, taking names: Set<String>,
        _ body: (OpenKeyring, OptionValues.Snapshot) throws(KeyringError) -> Value
    ) throws(KeyringError) -> Value {
        let (keyring, options) = unsafe (try self.keyring(keyring), try self.options(options, taking: names))
        return try keyring.call { (keyring) throws(KeyringError) in try body(keyring, options) }
    }

    /// A string; `what` it is, is said where it is none.
    ///
    /// - Throws: `usage`, `limitExceeded`.
    static func text(_ pointer: UnsafePointer<CChar>?, _ what: String) throws(KeyringError) -> String {
        guard let pointer = unsafe pointer else { throw KeyringError(.usage, "\(what) is NULL") }
        let limit = OptionValues.sizeLimit
        guard unsafe strnlen(pointer, limit + 1) <= limit else {
            throw KeyringError(.limitExceeded, "\(what) is longer than \(limit) bytes")
        }
        guard let text = unsafe String(validatingCString: pointer) else {
            throw KeyringError(.usage, "\(what) is not UTF-8")
        }
        return text
    }

    /// A string, or so many bytes, in guarded memory.
    static func secret(
        _ pointer: UnsafePointer<CChar>?, _ what: String, length: Int? = nil
    ) throws(KeyringError) -> SecretBytes {
        guard let pointer = unsafe pointer else { throw KeyringError(.usage, "\(what) is NULL") }
        let limit = length == nil ? 1 << 20 : 256 << 20
        let count = unsafe length ?? strnlen(pointer, limit + 1)
        guard (0...limit).contains(count) else {
            throw KeyringError(.limitExceeded, "\(what) is longer than \(limit) bytes")
        }
        return unsafe SecretBytes(copying: RawSpan(_unsafeStart: UnsafeRawPointer(pointer), byteCount: count))
    }

    /// Runs a call and tells its end.
    static func run(
        _ error: UnsafeMutablePointer<OpaquePointer?>?, _ body: () throws(KeyringError) -> Void
    ) -> Int32 {
        unsafe error?.pointee = nil
        guard CallGate.enter() else { return ExitStatus.usage.rawValue }
        defer { CallGate.leave() }
        do {
            try body()
            return ExitStatus.done.rawValue
        } catch let thrown {
            let failure = Failure(thrown)
            if let error = unsafe error { unsafe error.pointee = give(failure) }
            return failure.status
        }
    }

    /// The same of a call that gives an object.
    static func run(
        _ error: UnsafeMutablePointer<OpaquePointer?>?, giving result: UnsafeMutablePointer<OpaquePointer?>?,
        _ body: () throws(KeyringError) -> any AnyObject & Sendable
    ) -> Int32 {
        unsafe result?.pointee = nil
        return unsafe run(error) { () throws(KeyringError) in
            guard let result = unsafe result else { throw KeyringError(.usage, "there is no place for the answer") }
            unsafe result.pointee = give(try body())
        }
    }
}

/// Strings that are there as long as the process.
@safe
enum Constant {
    nonisolated(unsafe) static let version = unsafe UnsafePointer(strdup(Release.version))
}
