@testable import KeyfobTerminal
import Testing

@Suite("The keys of a terminal")
struct PickerKeyDecoderTests {
    /// A sequence of bytes and the keys it means.
    struct Sample: CustomTestStringConvertible, Sendable {
        let bytes: [UInt8]
        let keys: [PickerKey]

        init(_ text: String, _ keys: PickerKey...) {
            bytes = Array(text.utf8)
            self.keys = keys
        }

        init(bytes: [UInt8], _ keys: PickerKey...) {
            self.bytes = bytes
            self.keys = keys
        }

        var testDescription: String { String(decoding: bytes, as: UTF8.self).debugDescription }
    }

    static let samples = [
        Sample("a", .character("a")), Sample("é", .character("é")), Sample("山", .character("山")),
        Sample("😀", .character("😀")), Sample(" ", .character(" ")),
        Sample("\r", .enter), Sample("\n", .down), Sample("\u{0E}", .down), Sample("\u{0B}", .up),
        Sample("\u{10}", .up),
        Sample("\u{3}", .cancel), Sample("\u{7}", .cancel), Sample("\u{4}", .endOfInput), Sample("\u{C}", .redraw),
        Sample("\u{8}", .backspace), Sample("\u{7F}", .backspace), Sample("\u{15}", .clear),
        Sample("\u{17}", .deleteWord), Sample("\0"), Sample("\u{1A}"),
        Sample("\u{1B}[A", .up), Sample("\u{1B}[B", .down), Sample("\u{1B}OA", .up), Sample("\u{1B}OB", .down),
        Sample("\u{1B}[1;5A", .up), Sample("\u{1B}[H", .home), Sample("\u{1B}[F", .end), Sample("\u{1B}OH", .home),
        Sample("\u{1B}[1~", .home), Sample("\u{1B}[4~", .end), Sample("\u{1B}[7~", .home), Sample("\u{1B}[8~", .end),
        Sample("\u{1B}[5~", .pageUp), Sample("\u{1B}[6~", .pageDown), Sample("\u{1B}[6;2~", .pageDown),
        Sample("\u{1B}OM", .enter),
        // Swallowed whole: other arrows, function keys, reports, a mouse, colours, terminal names.
        Sample("\u{1B}[C"), Sample("\u{1B}[3~"), Sample("\u{1B}[[A"), Sample("\u{1B}OP"), Sample("\u{1B}[24;80R"),
        Sample("\u{1B}[<0;12;7M"), Sample("\u{1B}[?62;4c"), Sample("\u{1B}[106;5u"), Sample("\u{1B}[27;5;106~"),
        Sample("\u{1B}]11;rgb:00/00/00\u{7}"), Sample("\u{1B}]11;rgb:00/00/00\u{1B}\\"),
        Sample("\u{1B}P>|name\u{1B}\\"), Sample("\u{1B}_x\u{1B}\\"), Sample("\u{1B}x"), Sample("\u{1B}é"),
        Sample("\u{1B}[" + String(repeating: "1", count: 100) + "A"), Sample("\u{1B}[99999999999999999999A"),
        // Broken off.
        Sample("\u{1B}[1\u{3}", .cancel), Sample("\u{1B}]11\u{3}", .cancel), Sample("\u{1B}O\r", .enter),
        Sample("\u{1B}[1\u{1B}[A", .up), Sample("\u{1B}\u{1B}[A", .cancel, .up), Sample("\u{1B}]1\u{18}"),
        Sample("\u{1B}[[\r", .enter),
        // Pastes.
        Sample("\u{1B}[200~ada\u{1B}[201~", .paste("ada")),
        Sample("\u{1B}[200~a\r\n\tb\u{1B}[A\u{3}\u{1B}[201~", .paste("a   b[A")),
        Sample("\u{1B}[200~\u{1B}[201~"), Sample("\u{1B}[200~a\u{1B}\u{1B}[20\u{1B}[201~", .paste("a[20")),
        Sample("\u{1B}[200~山\u{9B}\u{1B}[201~", .paste("山")),
        // What is no UTF-8, and the control characters above ASCII.
        Sample(bytes: [0xC3]), Sample(bytes: [0xC3, 0x61], .character("a")),
        Sample(bytes: [0xFF, 0x61], .character("a")),
        Sample(bytes: [0xC0, 0xAF]), Sample(bytes: [0xE0, 0x80, 0xAF]), Sample(bytes: [0xED, 0xA0, 0x80]),
        Sample(bytes: [0xF4, 0x90, 0x80, 0x80]), Sample(bytes: [0xF5, 0x80, 0x80, 0x80]), Sample(bytes: [0x80]),
        Sample(bytes: [0xC2, 0x9B]), Sample(bytes: [0xE5, 0xB1, 0x0D], .enter),
    ]

    private func keys(_ bytes: [UInt8]) -> [PickerKey] {
        var decoder = PickerKeyDecoder()
        return bytes.compactMap { decoder.take($0) }
    }

    @Test("every sequence means its keys, and leaves nothing behind", arguments: samples)
    func meaning(sample: Sample) {
        #expect(keys(sample.bytes) == sample.keys)
        #expect(keys(sample.bytes + Array("\r".utf8)) == sample.keys + [.enter])
        #expect(keys(sample.bytes + sample.bytes + Array("\r".utf8)) == sample.keys + sample.keys + [.enter])
    }

    @Test("what is cut short anywhere takes no later key with it, once the wait is over", arguments: samples)
    func truncation(sample: Sample) {
        for count in 0..<sample.bytes.count {
            var decoder = PickerKeyDecoder()
            for byte in sample.bytes[..<count] { _ = decoder.take(byte) }
            if decoder.patience != nil { _ = decoder.timeOut() }
            #expect(decoder.patience == nil, "after \(count) bytes")
            #expect(decoder.take(0x0D) == .enter, "after \(count) bytes")
        }
    }

    @Test("a flipped bit anywhere takes no later key with it, once the wait is over", arguments: samples)
    func flippedBits(sample: Sample) {
        for index in sample.bytes.indices {
            for bit in 0..<8 {
                var bytes = sample.bytes
                bytes[index] ^= 1 << bit
                var decoder = PickerKeyDecoder()
                for byte in bytes { _ = decoder.take(byte) }
                if decoder.patience != nil { _ = decoder.timeOut() }
                #expect(decoder.take(0x0D) == .enter, "byte \(index), bit \(bit)")
            }
        }
    }

    @Test("an escape is a key when nothing follows")
    func escape() {
        var decoder = PickerKeyDecoder()
        #expect(decoder.patience == nil)
        #expect(decoder.take(0x1B) == nil)
        #expect(decoder.patience != nil)
        #expect(decoder.timeOut() == .cancel)
        #expect(decoder.timeOut() == nil)
    }

    @Test(
        "the beginning of a longer sequence is no key when nothing follows",
        arguments: ["\u{1B}[", "\u{1B}O", "\u{1B}]"])
    func beginning(text: String) {
        var decoder = PickerKeyDecoder()
        for byte in text.utf8 { #expect(decoder.take(byte) == nil) }
        #expect(decoder.timeOut() == nil)
        #expect(decoder.take(0x41) == .character("A"))
    }

    @Test("a paste that does not end is taken when nothing follows")
    func endlessPaste() {
        var decoder = PickerKeyDecoder()
        for byte in "\u{1B}[200~ada\r".utf8 { #expect(decoder.take(byte) == nil) }
        #expect(decoder.timeOut() == .paste("ada "))
        #expect(decoder.take(0x0D) == .enter)
    }

    @Test("of a huge paste the beginning is kept")
    func hugePaste() {
        let text = "\u{1B}[200~" + String(repeating: "a", count: 100_000) + "\u{1B}[201~\r"
        #expect(keys(Array(text.utf8)) == [.paste(String(repeating: "a", count: 4_096)), .enter])
    }
}
