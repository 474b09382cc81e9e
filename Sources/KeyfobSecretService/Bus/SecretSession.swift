internal import CLibsecret
internal import KeyfobBus
internal import KeyfobSodium

/// A session with the service by libsecret, in which secrets travel encrypted.
@safe
final class SecretSession {
    private let service: GLibObject

    /// The session's path.
    let path: String

    init(_ bus: BusConnection, owner: String, deadline: Deadline) throws(ServiceFailure) {
        let functions = unsafe Libsecret.functions
        let cancellation = Cancellation(at: deadline)
        var error: UnsafeMutablePointer<_GError>?
        let made = unsafe withExtendedLifetime((bus, cancellation)) {
            unsafe libsecret_service_new(
                functions, ServiceProxy.type, bus.pointer, owner, deadline.milliseconds, cancellation.pointer, &error)
        }
        guard let made = unsafe made else { throw unsafe ServiceFailure(consuming: error) }
        let service = unsafe GLibObject(owning: made)
        self.service = service
        let isOpen = withExtendedLifetime((service, cancellation)) {
            unsafe functions.pointee.secret_service_ensure_session_sync(service.pointer, cancellation.pointer, &error)
        }
        guard isOpen != 0 else { throw unsafe ServiceFailure(consuming: error) }
        guard let path = unsafe functions.pointee.secret_service_get_session_dbus_path(service.pointer) else {
            throw .oddAnswer
        }
        self.path = unsafe String(cString: path)
    }

    /// A text as it goes to the service; whoever calls owns what comes.
    func seal(_ text: borrowing SecretBytes) throws(ServiceFailure) -> OpaquePointer {
        let functions = unsafe Libsecret.functions
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
        guard let sealed = unsafe functions.pointee.secret_service_encode_dbus_secret(service.pointer, value) else {
            throw .oddAnswer
        }
        return unsafe functions.pointee.g_variant_ref_sink(sealed)
    }

    /// The text that came from the service; nil for what is not one of this session.
    func open(_ secret: Variant) -> SecretBytes? {
        withContent(of: secret) { SecretBytes(copying: $0, placement: .recycled) }
    }

    private func withContent(of secret: Variant, _ body: (RawSpan) -> SecretBytes?) -> SecretBytes? {
        let functions = unsafe Libsecret.functions
        guard secret.type == "(oayays)", secret.elements.first?.value.text == path else { return nil }
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
