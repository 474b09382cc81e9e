internal import CLibcrypto
internal import Glibc
internal import KeyfobOAuth
internal import KeyfobSodium

/// OpenSSL 3's libcrypto, loaded when it is first asked for.
///
/// It reads no configuration, and changes nothing for others in the process that use OpenSSL. All threads may use it at once.
@safe
struct Libcrypto: Sendable {
    @safe private nonisolated(unsafe) let functions: UnsafePointer<libcrypto_functions>
    @safe private nonisolated(unsafe) let context: OpaquePointer

    /// Its name for the dynamic linker.
    static let fileName = "libcrypto.so.3"

    /// The library of this machine; nil where there is none.
    static let installed = Libcrypto(fileName)

    /// What a check of a signature gives.
    enum Verdict: Sendable {
        /// It is the message's, by this key.
        case good
        /// It is not.
        case bad
        /// The key is none.
        case noKey
    }

    /// The library of this name; nil where it is missing, or lacks what is needed.
    init?(_ name: String) {
        guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        let functions = UnsafeMutablePointer<libcrypto_functions>.allocate(capacity: 1)
        guard let context = unsafe libcrypto_load(library, functions) else {
            unsafe functions.deallocate()
            return nil
        }
        unsafe self.functions = UnsafePointer(functions)
        unsafe self.context = context
    }

    /// Whether a signature is the one of a message, by RSA.
    func verdict(
        on signature: [UInt8], of message: RawSpan, by key: RSAPublicKey, isPSS: Bool, digest: String
    ) -> Verdict {
        // libcrypto takes a shorter one by PSS for one with zeros before it (RFC 8017, sections 8.1.2 and 8.2.2).
        guard signature.count == key.modulus.count else { return .bad }
        // In the order of all machines that Swift runs on.
        let (modulus, exponent) = ([UInt8](key.modulus.reversed()), [UInt8](key.exponent.reversed()))
        return unsafe message.withUnsafeBytes { message in
            guard let start = message.baseAddress else { return .bad }
            return unsafe Verdict(
                libcrypto_verify_rsa(
                    functions, context, modulus, modulus.count, exponent, exponent.count, digest, isPSS ? 1 : 0,
                    signature, signature.count, start, message.count))
        }
    }

    /// Whether a signature, two numbers side by side, is the one of a message, by ECDSA with the point (x, y) of a curve.
    func verdict(
        on signature: [UInt8], of message: RawSpan, by point: (x: [UInt8], y: [UInt8]), curve: String, digest: String
    ) -> Verdict {
        guard let der = ECDSASignature.der(signature, count: point.x.count) else { return .bad }
        let uncompressed = [0x04] + point.x + point.y
        return unsafe message.withUnsafeBytes { message in
            guard let start = message.baseAddress else { return .bad }
            return unsafe Verdict(
                libcrypto_verify_ecdsa(
                    functions, context, curve, curve.utf8.count, uncompressed, uncompressed.count, digest, der,
                    der.count, start, message.count))
        }
    }
}

extension Libcrypto {
    /// A new key of P-256; nil where none can be made.
    func newProofKey() -> ProofKey? {
        var point = [UInt8](repeating: 0, count: 65)
        var isMade = false
        let secret = SecretBytes(count: 32) { number in
            unsafe number.withUnsafeMutableBytes { number in
                guard let start = number.baseAddress else { return }
                isMade =
                    unsafe libcrypto_make_p256(
                        functions, context, &point, start.assumingMemoryBound(to: UInt8.self)) == 1
            }
        }
        return isMade ? ProofKey(point: Array(point.dropFirst()), secret: secret) : nil
    }

    /// The signature of a message by ES256, both numbers side by side; nil where there is none, as by a key that is none.
    func signature(of message: [UInt8], by key: ProofKey) -> [UInt8]? {
        let point = [0x04] + key.point
        // In the order of all machines that Swift runs on.
        let secret = key.secret.withBytes { number in
            SecretBytes(count: 32) { reversed in
                for index in 0..<32 {
                    reversed.storeBytes(of: number.byte(at: 31 - index), toByteOffset: index, as: UInt8.self)
                }
            }
        }
        var der = [UInt8](repeating: 0, count: 72)
        let count = secret.withBytes { number in
            unsafe number.withUnsafeBytes { number in
                guard let start = number.baseAddress else { return 0 }
                return unsafe libcrypto_sign_p256(
                    functions, context, point, start.assumingMemoryBound(to: UInt8.self), message, message.count, &der)
            }
        }
        return ECDSASignature.joined(Array(der.prefix(count)), count: 32)
    }
}

extension Libcrypto {
    /// The signature of a text by a client's key in PEM, as JWS has it; nil where the algorithm is not one of the key's, or the key is none.
    func signature(of message: [UInt8], by pem: borrowing SecretBytes, _ name: String) -> [UInt8]? {
        guard let key = try? ClientKey(reading: pem), key.kind.algorithms.contains(name),
            let algorithm = SignatureAlgorithm(rawValue: name)
        else { return nil }
        let type = key.kind == .rsa ? "RSA" : key.kind == .ed25519 ? "ED25519" : "EC"
        let digest = algorithm.scheme == .ed25519 ? nil : algorithm.digest
        // Of RSA with 8192 bits.
        let room = 1_024
        var signature = [UInt8](repeating: 0, count: room)
        let count = key.der.withBytes { der in
            unsafe der.withUnsafeBytes { der in
                guard let start = der.baseAddress else { return 0 }
                return unsafe libcrypto_sign(
                    functions, context, start.assumingMemoryBound(to: UInt8.self), der.count, type, digest,
                    algorithm.scheme == .pss ? 1 : 0, message, message.count, &signature, room)
            }
        }
        guard count > 0 else { return nil }
        let made = Array(signature.prefix(count))
        guard let coordinates = key.kind.coordinateCount else { return made }
        return ECDSASignature.joined(made, count: coordinates)
    }
}

extension Libcrypto {
    /// The code of a message by HMAC with a secret; nil where there is none.
    func code(of message: RawSpan, by secret: borrowing SecretBytes, digest: String) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: 64)
        let count = secret.withBytes { secret in
            unsafe secret.withUnsafeBytes { secret in
                unsafe message.withUnsafeBytes { message in
                    guard let key = secret.baseAddress, let start = message.baseAddress else { return 0 }
                    return unsafe libcrypto_mac(
                        functions, context, digest, key, secret.count,
                        start, message.count, &code)
                }
            }
        }
        return count > 0 ? Array(code.prefix(count)) : nil
    }
}

extension Libcrypto.Verdict {
    fileprivate init(_ verdict: libcrypto_verdict) {
        switch verdict {
        case libcrypto_good: self = .good
        case libcrypto_no_key: self = .noKey
        default: self = .bad
        }
    }
}
