import KeyfobSodium
import KeyfobTestSupport
import Testing

@Suite("Argon2id")
struct Argon2idTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let passphrase: String
        let cost: Argon2id.Cost
        let key: String
        var testDescription: String { "“\(passphrase)”, \(cost.operations) passes" }
    }

    @Test(
        "it gives the keys of another implementation (OpenSSL's)",
        arguments: [
            Vector(
                passphrase: "password", cost: .floor,
                key: "3fde0023e9c90652edac14784971e4258e084751bce00b5965d995c639b15cff"),
            Vector(
                passphrase: "é", cost: Argon2id.Cost(operations: 3, memory: 64 << 20),
                key: "4afae79b435bca75dcbfe00e003bdc2c3f59b52f737c080ab004d0b8e2e1bbfe"),
            Vector(
                passphrase: "", cost: Argon2id.Cost(operations: 2, memory: 65_537 << 10),
                key: "c312a310879a96206bf973e79adf009572dc5679e3af358002f661350db1c2fb"),
        ])
    func vectors(vector: Vector) throws {
        let key = try Argon2id.derive(passphrase: secret(vector.passphrase), salt: [UInt8](0..<16), cost: vector.cost)
        let derived = contents(of: key)
        #expect(derived == bytes(vector.key))
    }

    @Test(
        "a cost outside what is accepted is refused before anything is computed",
        arguments: [
            Argon2id.Cost(operations: 1, memory: 64 << 20), Argon2id.Cost(operations: 11, memory: 64 << 20),
            Argon2id.Cost(operations: 2, memory: 64 << 20 - 1), Argon2id.Cost(operations: 2, memory: 1 << 30 + 1),
            Argon2id.Cost(operations: 0, memory: 0), Argon2id.Cost(operations: .max, memory: .max),
        ])
    func refusedCosts(cost: Argon2id.Cost) {
        #expect(!cost.isAcceptable)
        let error = failure(of: SodiumError.self) {
            _ = try Argon2id.derive(passphrase: secret("x"), salt: [UInt8](0..<16), cost: cost)
        }
        #expect(error == .invalidParameters)
    }

    @Test("the standard, the least and the most are accepted")
    func acceptedCosts() {
        #expect([Argon2id.Cost.standard, .floor, .cap].map(\.isAcceptable) == [true, true, true])
    }

    @Test("a salt has 16 bytes", arguments: [0, 15, 17])
    func salts(count: Int) {
        let error = failure(of: SodiumError.self) {
            _ = try Argon2id.derive(passphrase: secret("x"), salt: [UInt8](repeating: 0, count: count), cost: .floor)
        }
        #expect(error == .invalidParameters)
    }
}

@Suite("BLAKE2b")
struct BLAKE2bTests {
    @Test("it gives the hash of RFC 7693, appendix A")
    func rfc() {
        let hash = BLAKE2b.hash([UInt8]("abc".utf8), count: 64)
        #expect(
            hash
                == bytes(
                    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                        + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"))
    }

    @Test("shorter hashes are hashes of their own")
    func lengths() {
        let empty = BLAKE2b.hash([], count: 32)
        #expect(empty == bytes("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"))
        let short = BLAKE2b.hash([UInt8]("abc".utf8), count: 16)
        #expect(short == bytes("cf4ab791c62b8d2b2109c90275287816"))
    }

    @Test(
        "it gives the keyed hashes of the reference's vectors",
        arguments: [
            (
                0,
                "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786"
                    + "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568"
            ),
            (
                1,
                "961f6dd1e4dd30f63901690c512e78e4b45e4742ed197c3c5e45c549fd25f2e4"
                    + "187b0bc9fe30492b16b0d0bc4ef9b0f34c7003fac09a5ef1532e69430234cebd"
            ),
            (
                255,
                "142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e9248"
                    + "4be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461"
            ),
        ] as [(Int, String)])
    func keyed(count: Int, expected: String) {
        let message = (0..<count).map(UInt8.init)
        let key = [UInt8](0..<64)
        let mac = key.withBytes { BLAKE2b.mac(message, key: $0, count: 64) }
        #expect(mac == bytes(expected))
        let derived = contents(
            of: key.withBytes { key in message.withBytes { BLAKE2b.derive($0, key: key, count: 64) } })
        #expect(derived == mac)
    }
}

@Suite("Subkeys")
struct SubkeyTests {
    private func subkey(_ purpose: Subkey.Purpose, of key: [UInt8] = [UInt8](0..<32)) -> [UInt8] {
        [UInt8](count: 40) { span in
            key.withBytes { Subkey.derive(purpose, from: $0, into: &span, at: 8) }
        }
    }

    @Test(
        "they are BLAKE2b with the purpose as salt and personalisation",
        arguments: [
            (Subkey.Purpose("KeyfobVK", 1), "b9ad7412496cf4cba281f613c735f3b00aa48e1c4d2984f9a8e20700773a512b"),
            (Subkey.Purpose("KeyfobGK", 4), "9178293cea77b0522062b22ddd024dc0dee76570d2ce4fe143bc6d72ce84443d"),
        ])
    func vectors(purpose: Subkey.Purpose, expected: String) {
        #expect(subkey(purpose) == [UInt8](repeating: 0, count: 8) + bytes(expected))
    }

    @Test("each purpose and each key has its own")
    func separation() {
        let keys = [
            subkey(Subkey.Purpose("KeyfobVK", 1)), subkey(Subkey.Purpose("KeyfobVK", 2)),
            subkey(Subkey.Purpose("KeyfobGK", 1)), subkey(Subkey.Purpose("KeyfobVK", 1), of: [UInt8](1..<33)),
        ]
        #expect(Set(keys).count == 4)
    }
}

@Suite("Padding")
struct PaddingTests {
    @Test(
        "lengths are padded in steps",
        arguments: [
            (0, 512), (511, 512), (512, 1_024), (4_095, 4_096), (4_096, 5_120), (16_383, 16_384), (16_384, 20_480),
            (1 << 20, 1 << 20 + 4_096),
        ])
    func steps(count: Int, padded: Int) {
        #expect(Padding.paddedCount(count) == padded)
    }

    @Test("there is always room for the mark, and a longer message never takes less")
    func monotonous() {
        var previous = 0
        for count in 0..<70_000 {
            let padded = Padding.paddedCount(count)
            guard padded > count, padded >= previous else { Issue.record("\(count) bytes become \(padded)"); return }
            previous = padded
        }
    }

    @Test(
        "the padding is found",
        arguments: [
            ([0x80], 0), ([1, 0x80], 1), ([1, 0x80, 0, 0], 1), ([0, 0x80, 0x80, 0], 2), ([0x80, 0, 1, 0x80], 3),
        ] as [([UInt8], Int)])
    func unpadding(message: [UInt8], count: Int) throws {
        #expect(try Padding.unpaddedCount(message) == count)
    }

    @Test(
        "what is not padded is refused", arguments: [[], [0], [0, 0, 0], [0x80, 1], [0x80, 0, 0x81, 0]] as [[UInt8]])
    func malformed(message: [UInt8]) {
        #expect(failure(of: SodiumError.self) { _ = try Padding.unpaddedCount(message) } == .invalidParameters)
    }
}

@Suite("Comparing in constant time")
struct ConstantTimeTests {
    @Test(
        "bytes are equal when all of them are",
        arguments: [
            ([], [], true), ([1], [1], true), ([1], [2], false), ([1], [], false), ([1, 2], [1], false),
            ([0], [0x80], false),
        ] as [([UInt8], [UInt8], Bool)])
    func equality(left: [UInt8], right: [UInt8], isEqual: Bool) {
        #expect(ConstantTime.areEqual(left, right) == isEqual)
    }
}
