import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("The committing cipher")
struct CommittingAEADTests {
    private let key = [UInt8](0..<32)
    private let context = [UInt8]("context".utf8)
    private let message = [UInt8]("message".utf8)
    private let box: CommittingAEAD.Box

    init() {
        let (key, context, message) = (key, context, message)
        box = key.withBytes { key in
            message.withBytes { CommittingAEAD.seal($0, key: key, context: context, nonce: [UInt8](100..<124)) }
        }
    }

    /// Why a box does not open; nil when it does.
    ///
    /// Both ways of opening must agree.
    private func error(
        _ box: CommittingAEAD.Box, key: [UInt8]? = nil, context: [UInt8]? = nil
    ) -> SodiumError? {
        let (key, context) = (key ?? self.key, context ?? self.context)
        let guarded = failure(of: SodiumError.self) {
            try key.withBytes { _ = try CommittingAEAD.open(box, key: $0, context: context) }
        }
        let ordinary = failure(of: SodiumError.self) {
            try key.withBytes { _ = try CommittingAEAD.openAttributes(box, key: $0, context: context) }
        }
        #expect(guarded == ordinary)
        return guarded
    }

    @Test("it gives the bytes of another implementation")
    func vector() {
        #expect(box.commitment == bytes("2eef4003fde46ee9a0cdc709d13864d72757741bbeff71ad47077fdd682bef34"))
        #expect(box.ciphertext == bytes("322020fc07bad778b07ce546dd849c46c8b8f8ddd775d3"))
    }

    @Test("what is sealed is opened", arguments: [0, 1, 511, 65_536])
    func roundTrip(count: Int) throws {
        let message = [UInt8](repeating: 7, count: count)
        let box = key.withBytes { CommittingAEAD.seal(message, key: $0, context: context) }
        #expect(box.nonce.count == 24 && box.commitment.count == 32 && box.ciphertext.count == count + 16)
        let opened = try key.withBytes { contents(of: try CommittingAEAD.open(box, key: $0, context: context)) }
        let ordinary = try key.withBytes { try CommittingAEAD.openAttributes(box, key: $0, context: context) }
        #expect(opened == message && ordinary == message)
    }

    @Test("another key is a wrong key")
    func wrongKey() {
        for index in key.indices {
            var other = key
            other[index] ^= 1
            #expect(error(box, key: other) == .wrongKey)
        }
    }

    @Test("another context is a wrong key, also where the two run together with the nonce")
    func wrongContext() {
        #expect(error(box, context: []) == .wrongKey)
        #expect(error(box, context: context + [0]) == .wrongKey)
        #expect(error(box, context: Array(context.dropLast())) == .wrongKey)
    }

    @Test("an altered nonce or commitment is a wrong key")
    func alteredParts() {
        for index in 0..<24 {
            var altered = box
            altered.nonce[index] ^= 0x80
            #expect(error(altered) == .wrongKey)
        }
        for index in 0..<32 {
            var altered = box
            altered.commitment[index] ^= 0x80
            #expect(error(altered) == .wrongKey)
        }
    }

    @Test("an altered ciphertext is forged")
    func forged() {
        for index in box.ciphertext.indices {
            var altered = box
            altered.ciphertext[index] ^= 1
            #expect(error(altered) == .forged)
        }
        var shorter = box
        shorter.ciphertext.removeLast()
        #expect(error(shorter) == .forged)
        var longer = box
        longer.ciphertext.append(0)
        #expect(error(longer) == .forged)
    }

    @Test("parts of a wrong length are refused")
    func lengths() {
        var boxes = [box, box, box, box, box]
        boxes[0].nonce.removeLast()
        boxes[1].nonce.append(0)
        boxes[2].commitment.removeLast()
        boxes[3].commitment.append(0)
        boxes[4].ciphertext = [UInt8](repeating: 0, count: 15)
        #expect(boxes.map { error($0) } == Array(repeating: .invalidParameters, count: 5))
    }

    @Test("no nonce is used twice")
    func nonces() {
        let boxes = (0..<100).map { _ in key.withBytes { CommittingAEAD.seal(message, key: $0, context: context) } }
        #expect(Set(boxes.map(\.nonce)).count == 100)
        #expect(Set(boxes.map(\.commitment)).count == 100)
    }
}
