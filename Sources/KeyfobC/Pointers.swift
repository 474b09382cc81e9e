internal import Glibc
internal import Keyfob
internal import KeyfobSodium

/// What crosses the border to C: objects as pointers that own them, and strings.
enum Pointers {
    /// A pointer that owns an object, until it is given to ``free(_:_:)``.
    static func give(_ object: AnyObject) -> OpaquePointer? {
        unsafe OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// The object that a pointer owns.
    ///
    /// - Throws: `usage` where there is none, or one of another kind.
    static func object<Object: AnyObject>(
        _ pointer: OpaquePointer?, _ kind: Object.Type
    ) throws(KeyringError) -> Object {
        guard let pointer = unsafe pointer else { throw KeyringError(.usage, "a pointer to an object is NULL") }
        let any = unsafe Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
        guard let object = any as? Object else {
            throw KeyringError(.usage, "a pointer is to another kind of object than the call takes")
        }
        return object
    }

    /// Gives up an object, unless it is none of that kind.
    static func free<Object: AnyObject>(_ pointer: OpaquePointer?, _ kind: Object.Type) {
        guard let pointer = unsafe pointer, unsafe (try? object(pointer, kind)) != nil else { return }
        unsafe Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(pointer)).release()
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
        _ body: () throws(KeyringError) -> AnyObject
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
