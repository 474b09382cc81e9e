import KeyfobModel
import Testing

@Suite("Versions as text")
struct ItemVersionTests {
    @Test(
        "what is written is read", arguments: [(0, 0), (0xFEDC_BA98_7654_3210, 1), (.max, .max)] as [(UInt64, UInt64)])
    func written(stamp: UInt64, device: UInt64) {
        let version = ItemVersion(stamp: Stamp(value: stamp), device: device)
        #expect(version.description.utf8.count == 33)
        #expect(ItemVersion(version.description) == version)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", ".", "0000000000000001", "0000000000000001.", "0000000000000001.000000000000000",
            "0000000000000001.00000000000000010", "0000000000000001 0000000000000001",
            "000000000000001.00000000000000001",
            "000000000000000A.0000000000000001", "0000000000000001.000000000000000g",
            "00000000000000.1.0000000000000001",
            "é00000000000000.0000000000000001", "000000000000000\u{E9}0000000000000001",
        ])
    func refused(text: String) {
        #expect(ItemVersion(text) == nil)
    }
}
