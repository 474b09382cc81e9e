internal import CLibcurl
internal import Glibc

/// libcurl, loaded when it is first asked for.
@safe
struct Libcurl: Sendable {
    @safe nonisolated(unsafe) let functions: UnsafePointer<libcurl_functions>

    /// Its names for the dynamic linker: with OpenSSL, and with GnuTLS.
    static let fileNames = ["libcurl.so.4", "libcurl-gnutls.so.4"]

    /// The library of this machine; nil where there is none, or one before 7.87.
    static let installed = Libcurl(fileNames)

    /// The first of these libraries that is there and does what is needed.
    init?(_ names: [String]) {
        let functions = UnsafeMutablePointer<libcurl_functions>.allocate(capacity: 1)
        for name in names {
            guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            if unsafe libcurl_load(library, functions) != 0 {
                unsafe self.functions = UnsafePointer(functions)
                return
            }
        }
        unsafe functions.deallocate()
        return nil
    }

    /// Sets an option to a number; false where the library refuses it.
    func set(_ option: Int, to number: Int, of easy: UnsafeMutableRawPointer) -> Bool {
        unsafe libcurl_set_number(functions, easy, option, number) != 0
    }

    /// Sets an option to a text, which the library copies; false where it refuses it.
    func set(_ option: Int, to text: String, of easy: UnsafeMutableRawPointer) -> Bool {
        unsafe text.withCString { unsafe libcurl_set_pointer(functions, easy, option, $0) != 0 }
    }
}
