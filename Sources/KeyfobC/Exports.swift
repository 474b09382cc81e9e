internal import Keyfob
internal import KeyfobSodium

// The calls of include/keyfob.h, which says what they do: what comes in as a pointer is checked here.

@_cdecl("keyfob_version")
func version() -> UnsafePointer<CChar>? { unsafe Constant.version }

@_cdecl("keyfob_options_new")
func optionsNew() -> OpaquePointer? { unsafe Pointers.give(OptionValues()) }

@_cdecl("keyfob_options_set")
func optionsSet(
    _ options: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error) { () throws(KeyringError) in
        let text = unsafe try value.map { value throws(KeyringError) in unsafe try Pointers.text(value, "the value") }
        unsafe try Pointers.object(options, OptionValues.self).set(try Pointers.text(name, "the name"), text)
    }
}

@_cdecl("keyfob_options_free")
func optionsFree(_ options: OpaquePointer?) { unsafe Pointers.free(options, OptionValues.self) }

@_cdecl("keyfob_open")
func openKeyring(
    _ options: OpaquePointer?, _ keyring: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: keyring) { () throws(KeyringError) in
        unsafe try OpenKeyring.open(Pointers.options(options, taking: ["vault", "key-file", "ca-file", "may-ask"]))
    }
}

@_cdecl("keyfob_close")
func close(_ keyring: OpaquePointer?) {
    // In the child of a fork, closing would touch what the parent works with.
    guard let open = unsafe try? Pointers.object(keyring, OpenKeyring.self), open.isOwn else { return }
    unsafe Pointers.free(keyring, OpenKeyring.self)
}

@_cdecl("keyfob_token")
func token(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.keyring(keyring).token(Pointers.options(options, taking: OptionValues.ofRequest))
    }
}

@_cdecl("keyfob_refuse")
func refuse(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ token: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error) { () throws(KeyringError) in
        let (open, options) = unsafe (
            try Pointers.keyring(keyring), try Pointers.options(options, taking: OptionValues.ofRequest)
        )
        try open.refuse(unsafe Pointers.secret(token, "the token"), options)
    }
}

@_cdecl("keyfob_accounts")
func accounts(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.keyring(keyring).accounts(Pointers.options(options, taking: ["group"]))
    }
}

@_cdecl("keyfob_warnings")
func warnings(
    _ keyring: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.keyring(keyring).warnings()
    }
}

@_cdecl("keyfob_read_cache")
func readCache(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ answer: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error, giving: answer) { () throws(KeyringError) in
        unsafe try Pointers.keyring(keyring).cache(Pointers.options(options, taking: ["account", "group"]))
    }
}

@_cdecl("keyfob_write_cache")
func writeCache(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error) { () throws(KeyringError) in
        let (open, options) = unsafe (try Pointers.keyring(keyring), try Pointers.options(options, taking: ["group"]))
        try open.write(cache: unsafe Pointers.secret(json, "the cache", length: length), options)
    }
}

@_cdecl("keyfob_remove_account")
func removeAccount(
    _ keyring: OpaquePointer?, _ options: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe Pointers.run(error) { () throws(KeyringError) in
        unsafe try Pointers.keyring(keyring).removeAccount(Pointers.options(options, taking: ["account", "group"]))
    }
}

@_cdecl("keyfob_answer_count")
func answerCount(_ answer: OpaquePointer?) -> Int { unsafe (try? Pointers.object(answer, Answer.self))?.count ?? 0 }

@_cdecl("keyfob_answer_get")
func answerGet(_ answer: OpaquePointer?, _ row: Int, _ name: UnsafePointer<CChar>?) -> UnsafePointer<CChar>? {
    guard let name = unsafe try? Pointers.text(name, "the name") else { return nil }
    return unsafe (try? Pointers.object(answer, Answer.self))?.value(row, name)
}

@_cdecl("keyfob_answer_free")
func answerFree(_ answer: OpaquePointer?) { unsafe Pointers.free(answer, Answer.self) }

@_cdecl("keyfob_error_status")
func errorStatus(_ error: OpaquePointer?) -> Int32 { unsafe (try? Pointers.object(error, Failure.self))?.status ?? 0 }

@_cdecl("keyfob_error_get")
func errorGet(_ error: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> UnsafePointer<CChar>? {
    guard let name = unsafe try? Pointers.text(name, "the name") else { return nil }
    return unsafe (try? Pointers.object(error, Failure.self))?.text(name)
}

@_cdecl("keyfob_error_free")
func errorFree(_ error: OpaquePointer?) { unsafe Pointers.free(error, Failure.self) }
