/// A place in a JSON text.
package struct JSONPosition: Hashable, Sendable, CustomStringConvertible {
    /// Bytes before it.
    package let offset: Int
    /// The line, from 1; lines end with a line feed.
    package let line: Int
    /// The column, from 1, in Unicode scalars.
    package let column: Int

    /// The place `offset` bytes into `bytes`.
    init(offset: Int, in bytes: Span<UInt8>) {
        var line = 1
        var column = 1
        for index in 0..<min(offset, bytes.count) {
            let byte = bytes[index]
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        self.offset = offset
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column)" }
}
