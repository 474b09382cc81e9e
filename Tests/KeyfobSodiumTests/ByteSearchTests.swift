import KeyfobSodium
import Testing

@Suite("Looking for a byte")
struct ByteSearchTests {
    @Test("the first one is found, whatever is before and behind it", arguments: 0..<40)
    func first(place: Int) {
        // Neighbours of the wanted byte, and bytes that differ from it by a borrow alone.
        for filler: UInt8 in [0x00, 0x09, 0x0B, 0x8A, 0xFF] {
            var bytes = [UInt8](repeating: filler, count: 40)
            bytes[place] = 0x0A
            for later in (place + 1)..<40 where later % 3 == 0 { bytes[later] = 0x0A }
            let found = bytes.withBytes { $0.firstIndex(of: 0x0A, in: 0..<40) }
            #expect(found == place)
            // Of a part, what is outside of it does not count.
            #expect(bytes.withBytes { $0.firstIndex(of: 0x0A, in: 0..<place) } == nil)
            #expect(bytes.withBytes { $0.firstIndex(of: 0x0A, in: place..<place + 1) } == place)
        }
    }

    @Test("nothing is found where it is not", arguments: [0, 1, 7, 8, 9, 23])
    func none(count: Int) {
        let bytes = (0..<count).map { UInt8($0 + 0x0B) }
        #expect(bytes.withBytes { $0.firstIndex(of: 0x0A, in: 0..<count) } == nil)
    }
}
