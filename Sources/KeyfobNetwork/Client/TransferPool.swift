internal import CLibcurl
internal import KeyfobOAuth

/// Transfers that go on beside each other on one thread, and what all of them need.
@safe
final class TransferPool {
    /// Why there is none.
    enum Flaw: Error {
        /// There is no libcurl that is new enough.
        case noLibrary
        case configuration(NetworkError)
    }

    let curl: Libcurl
    @safe let multi: UnsafeMutableRawPointer
    private let certificates: TrustedCertificates
    private let proxies: ProxySettings

    init(_ configuration: NetworkConfiguration) throws(Flaw) {
        do {
            certificates = try TrustedCertificates(path: configuration.certificateFile)
            proxies = try ProxySettings(environment: configuration.environment)
        } catch {
            throw .configuration(error)
        }
        guard let curl = Libcurl.installed, let multi = curl.functions.pointee.curl_multi_init() else {
            throw .noLibrary
        }
        self.curl = curl
        unsafe self.multi = multi
    }

    // Each transfer keeps it.
    deinit { _ = unsafe curl.functions.pointee.curl_multi_cleanup(multi) }

    /// How requests to an address are made at the moment.
    ///
    /// - Parameter file: Certificates that are trusted for it; nil for the usual ones.
    func setup(for address: EndpointURL, certificateFile file: String?) -> TransferSetup {
        TransferSetup(
            userAgent: "", certificateFile: file ?? certificates.path, proxy: proxies.proxy(for: address))
    }

    /// Waits until something can be done, for so many milliseconds at most.
    ///
    /// - Returns: The descriptors on which it waited and that are ready.
    func wait(_ waits: [curl_waitfd], milliseconds: CInt) -> Set<CInt> {
        var waits = waits.filter { $0.fd >= 0 }
        var count: CInt = 0
        _ = unsafe curl.functions.pointee.curl_multi_poll(
            multi, &waits, CUnsignedInt(waits.count), milliseconds, &count)
        return Set(waits.filter { $0.revents != 0 }.map(\.fd))
    }

    /// Has libcurl do what can be done, and lets transfers take note that they have ended.
    func drive(_ transfers: [ServiceTransfer]) {
        var count: CInt = 0
        _ = unsafe curl.functions.pointee.curl_multi_perform(multi, &count)
        while let message = unsafe curl.functions.pointee.curl_multi_info_read(multi, &count) {
            let (easy, code) = unsafe (message.pointee.easy_handle, Int(message.pointee.data.result))
            for transfer in transfers where unsafe transfer.easy == easy { transfer.end(code) }
        }
    }
}
