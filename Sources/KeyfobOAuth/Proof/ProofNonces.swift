internal import KeyfobModel
internal import KeyfobSodium

/// The nonces that servers have given for the next proof, each by its origin (RFC 9449, section 8.2); the module KeyfobNetwork keeps them.
package struct ProofNonces: Sendable {
    private let known: @Sendable (_ origin: String) -> String?
    private let keep: @Sendable (_ origin: String, _ nonce: String) -> Void

    /// What is kept by these functions.
    package init(
        known: @escaping @Sendable (_ origin: String) -> String?,
        keep: @escaping @Sendable (_ origin: String, _ nonce: String) -> Void
    ) {
        self.known = known
        self.keep = keep
    }

    /// None, whatever servers give.
    package static let none = ProofNonces(known: { _ in nil }, keep: { _, _ in })

    /// What a server has given last.
    package subscript(url: EndpointURL) -> String? { known(url.environment) }

    /// Takes note of what an answer gives.
    package func note(_ headers: [HTTPHeader], from url: EndpointURL) {
        let given = headers.first { Identifier.folded($0.name) == "dpop-nonce" }
        guard let nonce = given?.value, Self.isNonce(nonce) else { return }
        keep(url.environment, nonce)
    }

    /// Whether a text can be a nonce (section 8.1).
    private static func isNonce(_ text: String) -> Bool {
        (1...1_024).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}

extension HTTPResponse {
    /// Whether a proof was refused because it lacked a nonce, or had an old one.
    package var wantsNonce: Bool { header("DPoP-Nonce") != nil && refuses("use_dpop_nonce") }

    /// Whether a proof was refused for what it says, such as its time; nothing was done then.
    package var refusesProof: Bool { refuses("invalid_dpop_proof") }

    private func refuses(_ error: String) -> Bool {
        guard status == 400 || status == 401 else { return false }
        let isInHeader =
            status == 401
            && headers.contains { Identifier.folded($0.name) == "www-authenticate" && $0.value.contains(error) }
        return isInHeader
            || body.withBytes { bytes in
                guard bytes.byteCount <= 1 << 16, let fields = try? JSONFields(reading: bytes) else { return false }
                return fields.string("error", in: bytes) == error
            }
    }
}
