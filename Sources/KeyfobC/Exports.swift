internal import Keyfob
internal import KeyfobSodium

// The calls of include/keyfob.h, which says what they do: what comes in as a pointer is checked here. They are
// public so that a release, which optimizes the module as a whole, keeps them.

/// `keyfob_version`.
@_cdecl("keyfob_version")
public func version() -> UnsafePointer<CChar>? { unsafe Constant.version }

/// `keyfob_options_new`.
@_cdecl("keyfob_options_new")
public func optionsNew() -> OpaquePointer? { unsafe CallGate.run { unsafe Pointers.give(OptionValues()) } ?? nil }

/// `keyfob_options_set`.
@_cdecl("keyfob_options_set")
public func optionsSet(
    _ options: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error) { () throws(KeyringError) in
        let text = unsafe try value.map { value throws(KeyringError) in unsafe try Pointers.text(value, "the value") }
        unsafe try Pointers.object(options, OptionValues.self).set(try Pointers.text(name, "the name"), text)
    }
}

/// `keyfob_options_free`.
@_cdecl("keyfob_options_free")
public func optionsFree(_ options: OpaquePointer?) { unsafe Pointers.free(options, OptionValues.self) }

/// `keyfob_open`.
@_cdecl("keyfob_open")
public func openKeyring(
    _ options: OpaquePointer?, _ keyring: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: keyring) { () throws(KeyringError) in
        unsafe try OpenKeyring.open(Pointers.options(options, taking: OptionValues.ofOpening))
    }
}

/// `keyfob_close`.
@_cdecl("keyfob_close")
public func close(_ keyring: OpaquePointer?) {
    // In the child of a fork, closing would touch what the parent works with.
    let isOwn = CallGate.run { unsafe (try? Pointers.object(keyring, OpenKeyring.self))?.isOwn ?? false }
    if isOwn == true { unsafe Pointers.free(keyring, OpenKeyring.self) }
}

/// `keyfob_token`.
@_cdecl("keyfob_token")
public func token(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.call(keyring, options, taking: OptionValues.ofRequest) {
            (keyring, options) throws(KeyringError) in try keyring.token(options)
        }
    }
}

/// `keyfob_refuse`.
@_cdecl("keyfob_refuse")
public func refuse(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ token: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error) { () throws(KeyringError) in
        unsafe try Pointers.call(keyring, options, taking: OptionValues.ofRequest) {
            (keyring, options) throws(KeyringError) in
            try keyring.refuse(unsafe Pointers.secret(token, "the token"), options)
        }
    }
}

/// `keyfob_accounts`.
@_cdecl("keyfob_accounts")
public func accounts(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.call(keyring, options, taking: ["group"]) {
            (keyring, options) throws(KeyringError) in try keyring.accounts(options)
        }
    }
}

/// `keyfob_warnings`.
@_cdecl("keyfob_warnings")
public func warnings(
    _ keyring: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.keyring(keyring).warnings()
    }
}

/// `keyfob_read_cache`.
@_cdecl("keyfob_read_cache")
public func readCache(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.call(keyring, options, taking: ["account", "group"]) {
            (keyring, options) throws(KeyringError) in try keyring.cache(options)
        }
    }
}

/// `keyfob_write_cache`.
@_cdecl("keyfob_write_cache")
public func writeCache(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error) { () throws(KeyringError) in
        unsafe try Pointers.call(keyring, options, taking: ["group"]) { (keyring, options) throws(KeyringError) in
            try keyring.write(cache: unsafe Pointers.secret(json, "the cache", length: length), options)
        }
    }
}

/// `keyfob_find_entries`.
@_cdecl("keyfob_find_entries")
public func findEntries(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.call(keyring, options, taking: OptionValues.ofEntries) {
            (keyring, options) throws(KeyringError) in try keyring.findEntries(options)
        }
    }
}

/// `keyfob_change_entries`.
@_cdecl("keyfob_change_entries")
public func changeEntries(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error) { () throws(KeyringError) in
        unsafe try Pointers.call(keyring, options, taking: ["group"]) { (keyring, options) throws(KeyringError) in
            try keyring.changeEntries(unsafe Pointers.secret(json, "the change", length: length), options)
        }
    }
}

/// `keyfob_remove_account`.
@_cdecl("keyfob_remove_account")
public func removeAccount(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error) { () throws(KeyringError) in
        unsafe try Pointers.call(keyring, options, taking: OptionValues.ofRemoval) {
            (keyring, options) throws(KeyringError) in try keyring.removeAccount(options)
        }
    }
}

/// `keyfob_undoable`.
@_cdecl("keyfob_undoable")
public func undoable(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.keyring(keyring).undoable(Pointers.options(options, taking: ["group"]))
    }
}

/// `keyfob_undo`.
@_cdecl("keyfob_undo")
public func undo(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.keyring(keyring).undo(Pointers.options(options, taking: OptionValues.ofUndo))
    }
}

/// `keyfob_answer_count`.
@_cdecl("keyfob_answer_count")
public func answerCount(_ answer: OpaquePointer?) -> Int {
    CallGate.run { unsafe (try? Pointers.object(answer, Answer.self))?.count ?? 0 } ?? 0
}

/// `keyfob_answer_get`.
@_cdecl("keyfob_answer_get")
public func answerGet(_ answer: OpaquePointer?, _ row: Int, _ name: UnsafePointer<CChar>?) -> UnsafePointer<CChar>? {
    guard let name = unsafe try? Pointers.text(name, "the name") else { return nil }
    return unsafe CallGate.run { unsafe (try? Pointers.object(answer, Answer.self))?.value(row, name) } ?? nil
}

/// `keyfob_answer_free`.
@_cdecl("keyfob_answer_free")
public func answerFree(_ answer: OpaquePointer?) { unsafe Pointers.free(answer, Answer.self) }

/// `keyfob_error_status`.
@_cdecl("keyfob_error_status")
public func errorStatus(_ error: OpaquePointer?) -> Int32 {
    CallGate.run { unsafe (try? Pointers.object(error, Failure.self))?.status ?? 0 } ?? 0
}

/// `keyfob_error_get`.
@_cdecl("keyfob_error_get")
public func errorGet(_ error: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> UnsafePointer<CChar>? {
    guard let name = unsafe try? Pointers.text(name, "the name") else { return nil }
    return unsafe CallGate.run { unsafe (try? Pointers.object(error, Failure.self))?.text(name) } ?? nil
}

/// `keyfob_error_free`.
@_cdecl("keyfob_error_free")
public func errorFree(_ error: OpaquePointer?) { unsafe Pointers.free(error, Failure.self) }
