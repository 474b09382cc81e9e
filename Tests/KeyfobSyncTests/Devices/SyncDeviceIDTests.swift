import KeyfobSodium
import KeyfobSync
import KeyfobTestSupport
import Testing

@Suite("The words of a device")
struct SyncDeviceIDTests {
    @Test("are those of proquints")
    func vector() throws {
        // 127.0.0.1 and 63.84.220.193, as the proposal of proquints has them.
        let id = try #require(SyncDeviceID([127, 0, 0, 1, 63, 84, 220, 193, 0, 0, 255, 255]))
        #expect(id.words == "lusab-babad-gutih-tugad-babab-zuzuz")
    }

    @Test("give the id back, however they are typed")
    func round() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let bytes = (0..<SyncDeviceID.count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let id = try #require(SyncDeviceID(bytes))
            #expect(SyncDeviceID(words: id.words) == id)
            #expect(SyncDeviceID(words: id.words.uppercased().replacing("-", with: " ")) == id)
            #expect(SyncDeviceID(hexadecimal: id.hexadecimal) == id)
        }
    }

    @Test(
        "are refused where they are none",
        arguments: [
            "", "lusab", "lusab-babad-gutih-tugad-babab", "lusab-babad-gutih-tugad-babab-zuzuz-babab",
            "lusab-babad-gutih-tugad-babab-zuzuzu", "lusab-babad-gutih-tugad-babab-zezuz",
            "lusab-babad-gutih-tugad-babab-zuzué", "lusab.babad.gutih.tugad.babab.zuzuz",
        ])
    func refused(text: String) {
        #expect(SyncDeviceID(words: text) == nil)
    }

    @Test("of other keys, or another vault, are others")
    func distinct() throws {
        let first = SyncIdentity.generate(number: 1)
        let second = SyncIdentity.generate(number: 1)
        #expect(first.device.id != second.device.id)
        let copy = try #require(
            SyncDevice(recipient: first.device.recipient, signing: first.device.signing, number: 2))
        #expect(copy.id != first.device.id)
        let swapped = try #require(
            SyncDevice(recipient: first.device.recipient, signing: second.device.signing, number: 1))
        #expect(swapped.id != first.device.id)
    }
}
