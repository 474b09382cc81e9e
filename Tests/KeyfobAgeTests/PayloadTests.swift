@testable import KeyfobAge
import Testing

@Suite("A payload")
struct PayloadTests {
    private let full = pattern(65_536)
    private let next = pattern(100)
    private let file = CraftedFile(CraftedFile.x25519Stanza)

    private func opening(_ chunks: [UInt8]...) throws -> Opening {
        var file = file
        file.chunks = Array(chunks.joined())
        let identity = CraftedFile.identity()
        let whole = Opening(file.bytes, with: identity)
        #expect(Opening(file.bytes, with: identity, pieces: 1_009) == whole)
        return whole
    }

    private func chunk(_ plaintext: [UInt8], _ number: UInt64, isFinal: Bool = false) -> [UInt8] {
        file.sealed(plaintext, number: number, isFinal: isFinal)
    }

    @Test("may be a full chunk and a shorter one, one full chunk, or one empty chunk")
    func accepted() throws {
        #expect(try opening(chunk(full, 0), chunk(next, 1, isFinal: true)) == Opening(plaintext: full + next))
        #expect(try opening(chunk(full, 0, isFinal: true)) == Opening(plaintext: full))
        #expect(try opening(chunk([], 0, isFinal: true)) == Opening())
    }

    @Test("must not end with an empty chunk after a full one")
    func emptyFinalChunk() throws {
        #expect(
            try opening(chunk(full, 0), chunk([], 1, isFinal: true))
                == Opening(plaintext: full, error: .damagedPayload(.emptyFinalChunk)))
    }

    @Test("must have a final chunk")
    func truncated() throws {
        #expect(try opening() == Opening(error: .damagedPayload(.truncated)))
        #expect(try opening(chunk(full, 0)) == Opening(plaintext: full, error: .damagedPayload(.truncated)))
        #expect(try opening(chunk(next, 0)) == Opening(error: .damagedPayload(.forgedChunk(0))))
        #expect(try opening(chunk([], 0)) == Opening(error: .damagedPayload(.forgedChunk(0))))
        #expect(try opening([1, 2, 3]) == Opening(error: .damagedPayload(.forgedChunk(0))))
    }

    @Test("must have full chunks before the final one")
    func shortChunk() throws {
        #expect(
            try opening(chunk(next, 0), chunk(next, 1, isFinal: true))
                == Opening(error: .damagedPayload(.forgedChunk(0))))
        #expect(
            try opening(chunk(next, 0), chunk(full, 1), chunk(next, 2, isFinal: true))
                == Opening(error: .damagedPayload(.forgedChunk(0))))
    }

    @Test("must have nothing after the final chunk")
    func trailingData() throws {
        #expect(
            try opening(chunk(next, 0, isFinal: true), [0]) == Opening(error: .damagedPayload(.forgedChunk(0))))
        #expect(
            try opening(chunk(full, 0, isFinal: true), [0])
                == Opening(plaintext: full, error: .damagedPayload(.trailingData)))
        #expect(
            try opening(chunk(full, 0, isFinal: true), chunk(next, 1, isFinal: true))
                == Opening(plaintext: full, error: .damagedPayload(.trailingData)))
    }

    @Test("must have its chunks in order, each once")
    func order() throws {
        #expect(
            try opening(chunk(full, 1), chunk(full, 0), chunk(next, 2, isFinal: true))
                == Opening(error: .damagedPayload(.forgedChunk(0))))
        #expect(
            try opening(chunk(full, 0), chunk(full, 0), chunk(next, 1, isFinal: true))
                == Opening(plaintext: full, error: .damagedPayload(.forgedChunk(1))))
        #expect(
            try opening(chunk(full, 0), chunk(next, 2, isFinal: true))
                == Opening(plaintext: full, error: .damagedPayload(.forgedChunk(1))))
    }

    @Test("hands out nothing of an altered chunk, and what precedes it only")
    func alteredChunk() throws {
        var second = chunk(full, 1)
        second[40_000] ^= 1
        #expect(
            try opening(chunk(full, 0), second, chunk(next, 2, isFinal: true))
                == Opening(plaintext: full, error: .damagedPayload(.forgedChunk(1))))
    }

    @Test("counts its chunks in eleven bytes, most significant first")
    func counter() throws {
        let plaintext = Array(repeating: full, count: 257)
        var chunks: [UInt8] = []
        for (number, part) in plaintext.enumerated() {
            chunks += chunk(part, UInt64(number), isFinal: number == 256)
        }
        var file = file
        file.chunks = chunks
        let identity = CraftedFile.identity()
        let opening = Opening(file.bytes, with: identity)
        #expect(opening.error == nil)
        #expect(opening.plaintext.count == 257 * 65_536)
    }
}
