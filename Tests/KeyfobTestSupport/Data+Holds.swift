package import Foundation
internal import Glibc

extension Data {
    /// Whether other bytes are somewhere in these, looked for at the speed of the C library.
    package func holds(_ part: Data) -> Bool {
        unsafe withUnsafeBytes { whole in
            unsafe part.withUnsafeBytes {
                unsafe Self.search(whole.baseAddress, whole.count, $0.baseAddress, $0.count) != nil
            }
        }
    }

    private typealias Search = @convention(c) (UnsafeRawPointer?, Int, UnsafeRawPointer?, Int) -> UnsafeRawPointer?

    // Glibc's module does not show it.
    private static let search = unsafe unsafeBitCast(dlsym(nil, "memmem"), to: Search.self)
}
