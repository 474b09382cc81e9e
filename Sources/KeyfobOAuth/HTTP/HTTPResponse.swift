internal import KeyfobModel
package import KeyfobSodium

/// An answer as the shell received it, its body in guarded memory.
package struct HTTPResponse: ~Copyable, Sendable {
    /// The status code.
    package let status: Int
    /// The headers.
    package let headers: [HTTPHeader]
    /// The body, which holds tokens where all went well.
    package let body: SecretBytes

    /// The longest body that a provider's answer may have, in bytes; the shell stops reading there.
    package static let bodyLimit = 1 << 20

    /// An answer.
    ///
    /// - Throws: `tooLarge` for a body longer than `limit`.
    package init(
        status: Int, headers: [HTTPHeader] = [], body: consuming SecretBytes, limit: Int = bodyLimit
    ) throws(ProtocolViolation) {
        guard body.count <= limit else { throw .tooLarge }
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The body, when nothing else is wanted any more.
    package consuming func takeBody() -> SecretBytes { body }

    /// The first value of a header.
    package func header(_ name: String) -> String? {
        headers.first { Identifier.folded($0.name) == Identifier.folded(name) }?.value
    }

    /// Whether the body says that it is HTML, or looks it: a proxy's or a captive portal's page.
    var looksLikeHTML: Bool {
        if let type = header("Content-Type"), Identifier.folded(type).hasPrefix("text/html") { return true }
        return body.withBytes { bytes in
            for index in 0..<min(bytes.byteCount, 64) {
                let byte = bytes.byte(at: index)
                if byte == 0x20 || (0x09...0x0D).contains(byte) { continue }
                return byte == UInt8(ascii: "<")
            }
            return false
        }
    }
}
