import KeyfobSodium
import Testing

/// The primitives of the age format against the vectors of their RFCs.
@Suite("The primitives of age files")
struct AgePrimitivesTests {
    struct DiffieHellman: CustomTestStringConvertible {
        let scalar, point, product: String
        var testDescription: String { "scalar \(scalar.prefix(8))…" }
    }

    @Test(
        "X25519 gives the products of RFC 7748, sections 5.2 and 6.1",
        arguments: [
            DiffieHellman(
                scalar: "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                point: "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
                product: "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"),
            DiffieHellman(
                scalar: "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                point: "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
                product: "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"),
            DiffieHellman(
                scalar: "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a",
                point: "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
                product: "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"),
        ])
    func x25519Products(vector: DiffieHellman) throws {
        let point = bytes(vector.point)
        let product = try bytes(vector.scalar).withBytes { scalar throws(SodiumError) in
            try point.withBytes { point throws(SodiumError) in
                try X25519.sharedSecret(of: scalar, with: point).withBytes { [UInt8]($0) }
            }
        }
        #expect(product == bytes(vector.product))
    }

    @Test("X25519 gives the public keys of RFC 7748, section 6.1")
    func x25519PublicKeys() {
        let alice = bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
        let bob = bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        #expect(
            alice.withBytes { X25519.publicKey(of: $0) }
                == bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
        #expect(
            bob.withBytes { X25519.publicKey(of: $0) }
                == bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
    }

    @Test(
        "X25519 refuses points of small order",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ])
    func x25519SmallOrder(point: String) {
        let isRefused = bytes(String(repeating: "42", count: 32)).withBytes { scalar in
            bytes(point).withBytes { point in
                do throws(SodiumError) {
                    _ = try X25519.sharedSecret(of: scalar, with: point)
                    return false
                } catch {
                    return error == .invalidParameters
                }
            }
        }
        #expect(isRefused)
    }

    struct Code: CustomTestStringConvertible {
        let key: [UInt8]
        let message: String
        let code: String
        var testDescription: String { message }
    }

    @Test(
        "HMAC-SHA-256 gives the codes of RFC 4231",
        arguments: [
            Code(
                key: [UInt8](repeating: 0x0b, count: 20), message: "Hi There",
                code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            Code(
                key: [UInt8]("Jefe".utf8), message: "what do ya want for nothing?",
                code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            Code(
                key: [UInt8](repeating: 0xaa, count: 131),
                message: "Test Using Larger Than Block-Size Key - Hash Key First",
                code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        ])
    func hmac(vector: Code) {
        let code = vector.key.withBytes { key in
            [UInt8](vector.message.utf8).withBytes { HMACSHA256.mac($0, key: key) }
        }
        #expect(code == bytes(vector.code))
    }

    struct Derivation: CustomTestStringConvertible {
        let number: Int
        let secret, salt, info: [UInt8]
        let output: String
        var testDescription: String { "case \(number)" }
    }

    @Test(
        "HKDF-SHA-256 gives the keys of RFC 5869, appendix A",
        arguments: [
            Derivation(
                number: 1, secret: [UInt8](repeating: 0x0b, count: 22), salt: [UInt8](0x00...0x0c),
                info: [UInt8](0xf0...0xf9),
                output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
            Derivation(
                number: 2, secret: [UInt8](0x00...0x4f), salt: [UInt8](0x60...0xaf), info: [UInt8](0xb0...0xff),
                output: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
                    + "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"),
            Derivation(
                number: 3, secret: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [],
                output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
        ])
    func hkdf(vector: Derivation) {
        let expected = bytes(vector.output)
        let output = vector.secret.withBytes { secret in
            HKDFSHA256.derive(from: secret, salt: vector.salt, info: vector.info, count: expected.count)
                .withBytes { [UInt8]($0) }
        }
        #expect(output == expected)
    }

    private static let sunscreen =
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
        + "sunscreen would be it."
    private static let sealedSunscreen =
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
        + "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
        + "3ff4def08e4b7a9de576d26586cec64b6116" + "1ae10b594f09e26a7e902ecbd0600691"

    @Test("ChaCha20-Poly1305 seals and opens the message of RFC 8439, section 2.8.2")
    func chaCha20Poly1305() throws {
        let nonce = bytes("070000004041424344454647")
        let associatedData = bytes("50515253c0c1c2c3c4c5c6c7")
        let message = [UInt8](Self.sunscreen.utf8)
        let key = [UInt8](0x80...0x9f)
        let ciphertext = key.withBytes { key in
            message.withBytes { ChaCha20Poly1305.seal($0, key: key, nonce: nonce, associatedData: associatedData) }
        }
        #expect(ciphertext == bytes(Self.sealedSunscreen))
        let opened = try key.withBytes { key throws(SodiumError) in
            try ciphertext.withBytes { ciphertext throws(SodiumError) in
                try ChaCha20Poly1305.open(ciphertext, key: key, nonce: nonce, associatedData: associatedData)
                    .withBytes { [UInt8]($0) }
            }
        }
        #expect(opened == message)
    }

    @Test("ChaCha20-Poly1305 refuses every altered byte, and what is shorter than a tag")
    func chaCha20Poly1305Refusals() {
        let key = [UInt8](0x80...0x9f)
        let nonce = [UInt8](repeating: 0, count: 12)
        func failure(_ ciphertext: [UInt8]) -> SodiumError? {
            key.withBytes { key in
                ciphertext.withBytes { ciphertext in
                    do throws(SodiumError) {
                        _ = try ChaCha20Poly1305.open(ciphertext, key: key, nonce: nonce)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
        }
        let sealed = key.withBytes { key in
            [UInt8]("message".utf8).withBytes { ChaCha20Poly1305.seal($0, key: key, nonce: nonce) }
        }
        #expect(failure(sealed) == nil)
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 1
            #expect(failure(altered) == .forged)
        }
        #expect(failure(Array(sealed.prefix(15))) == .invalidParameters)
    }

    struct Stretching: CustomTestStringConvertible {
        let passphrase, salt: String
        let cost: Scrypt.Cost
        let output: String
        var testDescription: String { "“\(passphrase)”" }
    }

    @Test(
        "scrypt gives the keys of RFC 7914, section 12",
        arguments: [
            Stretching(
                passphrase: "", salt: "", cost: Scrypt.Cost(logarithm: 4, blockSize: 1),
                output: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                    + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
            Stretching(
                passphrase: "password", salt: "NaCl", cost: Scrypt.Cost(logarithm: 10, parallelization: 16),
                output: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
            Stretching(
                passphrase: "pleaseletmein", salt: "SodiumChloride", cost: Scrypt.Cost(logarithm: 14),
                output: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                    + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
        ])
    func scrypt(vector: Stretching) throws {
        let passphrase = [UInt8](vector.passphrase.utf8).withBytes { SecretBytes(copying: $0) }
        let key = try Scrypt.derive(
            passphrase: passphrase, salt: [UInt8](vector.salt.utf8), cost: vector.cost, count: 64)
        #expect(key.withBytes { [UInt8]($0) } == bytes(vector.output))
    }

    @Test("scrypt refuses a cost whose logarithm is out of range", arguments: [-1, 0, 63])
    func scryptRange(logarithm: Int) {
        let passphrase = SecretBytes.random(count: 8)
        #expect(throws: SodiumError.invalidParameters) {
            _ = try Scrypt.derive(passphrase: passphrase, salt: [], cost: Scrypt.Cost(logarithm: logarithm))
        }
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
