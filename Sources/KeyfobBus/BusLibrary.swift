internal import CLibsystemd
internal import Glibc

/// libsystemd's sd-bus, loaded when it is first asked for.
@safe
struct BusLibrary: Sendable {
    @safe nonisolated(unsafe) let functions: UnsafePointer<libsystemd_functions>

    /// The library of this name; nil where it is missing, or lacks what is needed.
    init?(_ name: String) {
        guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        let functions = UnsafeMutablePointer<libsystemd_functions>.allocate(capacity: 1)
        guard unsafe libsystemd_load(library, functions) != 0 else {
            unsafe functions.deallocate()
            return nil
        }
        unsafe self.functions = UnsafePointer(functions)
    }

    /// The library of this machine, which stays loaded.
    static let installed = BusLibrary(BusService.library)

    static func named(_ name: String) -> BusLibrary? {
        name == BusService.library ? installed : BusLibrary(name)
    }
}
