package import KeyfobSodium

/// What a device authorization endpoint gave (RFC 8628, section 3.2).
package struct DeviceAuthorization: ~Copyable, Sendable {
    /// What the polls carry.
    package let deviceCode: SecretBytes
    /// What the person types.
    package let userCode: String
    /// Where the person types it.
    package let verificationURL: EndpointURL
    /// The same with the code in it.
    package let completeURL: EndpointURL?
    /// Seconds until both codes expire.
    package let expiresIn: Int64
    /// Seconds between two polls at least.
    package let interval: Int64

    /// Reads a successful answer's body.
    package init(reading body: borrowing SecretBytes) throws(ProtocolViolation) {
        let parts = try body.withBytes { bytes throws(ProtocolViolation) in try Parts(reading: bytes) }
        self = parts.authorization()
    }

    fileprivate init(
        _ code: consuming SecretBytes, _ user: String, _ url: EndpointURL, _ complete: EndpointURL?,
        _ times: (Int64, Int64)
    ) {
        self.deviceCode = code
        self.userCode = user
        self.verificationURL = url
        self.completeURL = complete
        self.expiresIn = times.0
        self.interval = times.1
    }
}

private struct Parts: ~Copyable {
    let code: SecretBytes
    let user: String
    let url: EndpointURL
    let complete: EndpointURL?
    let times: (Int64, Int64)

    init(reading bytes: RawSpan) throws(ProtocolViolation) {
        let fields = try JSONFields(reading: bytes)
        guard let code = fields.secret("device_code", in: bytes), code.count > 0 else { throw .missing("device_code") }
        guard let user = fields.string("user_code", in: bytes) else { throw .missing("user_code") }
        guard (1...64).contains(user.utf8.count), user.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .badValue("user_code")
        }
        // Google and others wrote the draft's name.
        let address = fields.string("verification_uri", in: bytes) ?? fields.string("verification_url", in: bytes)
        guard let address else { throw .missing("verification_uri") }
        guard let url = try? EndpointURL(address) else { throw .badValue("verification_uri") }
        let complete = fields.string("verification_uri_complete", in: bytes).flatMap { try? EndpointURL($0) }
        let expiresIn = fields.integer("expires_in", in: bytes) ?? 900
        guard expiresIn > 0 else { throw .badValue("expires_in") }
        self.code = code
        self.user = user
        self.url = url
        // An address that leads elsewhere than the one shown is not opened.
        self.complete = complete?.host == url.host ? complete : nil
        self.times = (min(expiresIn, 86_400), max(1, min(300, fields.integer("interval", in: bytes) ?? 5)))
    }

    consuming func authorization() -> DeviceAuthorization { DeviceAuthorization(code, user, url, complete, times) }
}
