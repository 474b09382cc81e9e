internal import CQRencode
internal import Glibc

/// A QR code (ISO/IEC 18004): a square of dark and light modules that a telephone reads.
package struct QRCode: Hashable {
    /// How many modules a side has.
    package let size: Int
    /// Row by row, whether each module is dark.
    private let modules: [Bool]

    /// How many modules a side of version 20 has; no terminal shows a larger code well.
    private static let largest = 97

    /// The smallest code for a text, with the better error correction where that makes it no larger.
    ///
    /// - Parameter library: What makes the code; it is loaded for this call.
    /// - Returns: nil where the library is not installed, and for a text that is too long for version 20: 858 bytes, or
    ///   1,249 characters of those that fit in 5.5 bits (capitals, digits and some signs).
    package init?(_ text: String, library: String = "libqrencode.so.4") {
        guard !text.isEmpty, !text.utf8.contains(0), let handle = unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL) else {
            return nil
        }
        defer { unsafe dlclose(handle) }
        guard let code = unsafe QRCode(text, qrencode_low, handle), code.size <= Self.largest else { return nil }
        let better = unsafe QRCode(text, qrencode_medium, handle)
        self = better.flatMap { $0.size == code.size ? $0 : nil } ?? code
    }

    private init?(_ text: String, _ correction: qrencode_level, _ library: UnsafeMutableRawPointer) {
        guard let code = unsafe qrencode_encode(library, text, correction) else { return nil }
        defer { unsafe qrencode_free(library, code) }
        size = Int(unsafe code.pointee.width)
        modules = (0..<size * size).map { unsafe code.pointee.data[$0] & 1 != 0 }
    }

    init(size: Int, modules: [Bool]) {
        self.size = size
        self.modules = modules
    }

    /// Whether the module in a row and a column is dark; all around the code it is light.
    package func isDark(_ row: Int, _ column: Int) -> Bool {
        let inside = 0..<size
        return inside.contains(row) && inside.contains(column) && modules[row * size + column]
    }
}
