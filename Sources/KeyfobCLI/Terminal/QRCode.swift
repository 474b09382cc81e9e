/// A QR code (ISO/IEC 18004): a square of dark and light modules that a telephone reads.
struct QRCode: Hashable {
    /// How many modules a side has.
    let size: Int
    /// Row by row, whether each module is dark.
    private let modules: [Bool]

    /// The smallest code for a text, with the better error correction where that makes it no larger.
    ///
    /// - Returns: nil for a text that is too long for version 20: 858 bytes, or 1,249 characters of those that fit
    ///   in 5.5 bits (capitals, digits and some signs).
    init?(_ text: String) {
        let segment = QRCodeSegment(text)
        guard let version = QRCodeVersion.all(.low).first(where: { segment.bitCount(in: $0) <= $0.dataBitCount }) else {
            return nil
        }
        let better = QRCodeVersion(number: version.number, correction: .medium)
        let chosen = segment.bitCount(in: better) <= better.dataBitCount ? better : version
        let codewords = QRCodeCorrection.interleaved(segment.codewords(in: chosen), in: chosen)
        self =
            Self.masks.map { QRCodeMatrix(chosen, codewords, mask: $0).code }.min { $0.penalty < $1.penalty }
            ?? QRCodeMatrix(chosen, codewords, mask: 0).code
    }

    init(size: Int, modules: [Bool]) {
        self.size = size
        self.modules = modules
    }

    /// Whether the module in a row and a column is dark; all around the code it is light.
    func isDark(_ row: Int, _ column: Int) -> Bool {
        let inside = 0..<size
        return inside.contains(row) && inside.contains(column) && modules[row * size + column]
    }

    private static let masks = 0..<8
}
