internal import CLibsecret
internal import KeyfobSodium

/// A session with the service, in which secrets travel encrypted.
///
/// Secrets travel as text, because a password manager shows them as passwords and KeePassXC changes what looks like
/// a placeholder in them: encoded, unless whoever stores one has seen to that.
@safe
final class SecretSession {
    private let service: GLibObject

    /// The session's path.
    let path: String

    init(_ bus: BusConnection, owner: String, deadline: Deadline) throws(BusFailure) {
        let functions = unsafe Libsecret.functions
        let cancellation = Cancellation(at: deadline)
        var error: UnsafeMutablePointer<_GError>?
        let made = unsafe withExtendedLifetime((bus, cancellation)) {
            unsafe libsecret_service_new(
                functions, ServiceProxy.type, bus.pointer, owner, deadline.milliseconds, cancellation.pointer, &error)
        }
        guard let made = unsafe made else { throw unsafe BusFailure(consuming: error) }
        let service = unsafe GLibObject(owning: made)
        self.service = service
        let isOpen = withExtendedLifetime((service, cancellation)) {
            unsafe functions.pointee.secret_service_ensure_session_sync(service.pointer, cancellation.pointer, &error)
        }
        guard isOpen != 0 else { throw unsafe BusFailure(consuming: error) }
        guard let path = unsafe functions.pointee.secret_service_get_session_dbus_path(service.pointer) else {
            throw .oddAnswer
        }
        self.path = unsafe String(cString: path)
    }

    /// A secret as it goes to the service.
    func encode(_ secret: borrowing SecretBytes, _ form: SecretService.SecretForm) throws(BusFailure) -> Variant {
        let functions = unsafe Libsecret.functions
        let text = secret.withBytes { bytes in
            switch form {
            case .encoded: Base64.url.encodeSecret(bytes)
            case .plain: SecretBytes(copying: bytes, placement: .recycled)
            }
        }
        // libsecret keeps a copy of its own, and wipes it.
        let value = unsafe text.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                let characters = unsafe bytes.assumingMemoryBound(to: CChar.self)
                return unsafe characters.baseAddress.flatMap {
                    unsafe functions.pointee.secret_value_new($0, bytes.count, "text/plain")
                }
            }
        }
        guard let value = unsafe value else { throw .decided(.damaged) }
        defer { unsafe functions.pointee.secret_value_unref(UnsafeMutableRawPointer(value)) }
        let encoded = unsafe functions.pointee.secret_service_encode_dbus_secret(service.pointer, value)
        guard let encoded = unsafe encoded else { throw .oddAnswer }
        return unsafe Variant(new: encoded)
    }

    /// A secret that came from the service; nil for what ``encode(_:_:)`` did not encode.
    ///
    /// It is empty where the item is: GNOME's keyring, ended by force, leaves an item that it had only begun to make.
    func decode(_ secret: Variant) -> SecretBytes? {
        withContent(of: secret) { content in
            var bytes = content
            // Who copies a secret from one item into another by hand often brings the end of a line.
            while bytes.byteCount > 0, [0x0A, 0x0D, 0x20].contains(bytes.byte(at: bytes.byteCount - 1)) {
                bytes = bytes.extracting(0..<bytes.byteCount - 1)
            }
            return Base64.url.decodeSecret(bytes)
        }
    }

    /// A secret as whoever stored it has written it; nil for what is not one of this session.
    func plain(_ secret: Variant) -> SecretBytes? {
        withContent(of: secret) { SecretBytes(copying: $0, placement: .recycled) }
    }

    private func withContent(of secret: Variant, _ body: (RawSpan) -> SecretBytes?) -> SecretBytes? {
        let functions = unsafe Libsecret.functions
        guard secret.type == "(oayays)", secret.elements.first?.text == path else { return nil }
        let value = unsafe functions.pointee.secret_service_decode_dbus_secret(service.pointer, secret.pointer)
        guard let value = unsafe value else { return nil }
        defer { unsafe functions.pointee.secret_value_unref(UnsafeMutableRawPointer(value)) }
        var count = 0
        let text = unsafe functions.pointee.secret_value_get(value, &count)
        guard count > 0 else { return SecretBytes(count: 0) { _ in } }
        guard let text = unsafe text else { return nil }
        return unsafe body(RawSpan(_unsafeStart: text, byteCount: count))
    }
}
