import KeyfobSodium
import Testing

@Suite("A buffer for secrets that arrive in pieces")
struct SecretBufferTests {
    @Test("what is appended is read back in its order", arguments: [0, 6, 256, 100_000])
    func appending(spare: Int) {
        var buffer = SecretBuffer(capacity: 6 + spare)
        for piece in [[1, 2, 3], [], [4, 5, 6]] as [[UInt8]] { piece.withBytes { buffer.append($0) } }
        let contents = buffer.withBytes { [UInt8]($0) }
        #expect(contents == [1, 2, 3, 4, 5, 6])
    }

    @Test("a buffer that was emptied can be filled again")
    func reuse() {
        var buffer = SecretBuffer(capacity: 4)
        [1, 2, 3, 4].withBytes { buffer.append($0) }
        buffer.removeAll()
        let emptied = buffer.count
        [5].withBytes { buffer.append($0) }
        let contents = buffer.withBytes { [UInt8]($0) }
        #expect(emptied == 0)
        #expect(contents == [5])
    }

    @Test("more than fits ends the process")
    func overflow() async {
        await #expect(processExitsWith: .failure) {
            var buffer = SecretBuffer(capacity: 1)
            [1, 2].withBytes { buffer.append($0) }
        }
    }
}
