import KeyfobModel
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("every byte comes back")
    func bytes() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Hexadecimal.text(bytes).hasPrefix("000102030405060708090a0b0c0d0e0f10"))
        #expect(Hexadecimal.bytes(Hexadecimal.text(bytes)) == bytes)
    }

    @Test("capitals, odd numbers and other characters are refused", arguments: ["A0", "0", "0g", "0x10", " 10", "١0"])
    func refused(text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }

    @Test("a number has sixteen digits", arguments: [0, 1, 0xFEDC_BA98, .max] as [UInt64])
    func numbers(number: UInt64) {
        #expect(
            number.hexadecimal == String(repeating: "0", count: 16 - String(number, radix: 16).count)
                + String(number, radix: 16))
        #expect(UInt64(hexadecimal: number.hexadecimal) == number)
        #expect(UInt64(hexadecimal: number.hexadecimal.dropLast()) == nil)
    }
}
