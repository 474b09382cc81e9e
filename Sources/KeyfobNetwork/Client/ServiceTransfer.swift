internal import CLibcurl
internal import KeyfobOAuth
internal import KeyfobSodium

/// A request to a service on its way, with an `Authorization`, and the head of its answer.
@safe
class ServiceTransfer: TransferReceiver {
    enum Ending {
        case whole
        case failed(TransportFault)
    }

    /// How long a connection may take to be there, in seconds.
    private static let connectLimit: Int64 = 30

    /// The handle by which libcurl tells of its end.
    @safe final let easy: UnsafeMutableRawPointer
    final let pool: TransferPool
    final var curl: Libcurl { pool.curl }
    @safe private final var list: UnsafeMutablePointer<curl_slist>?
    private final let hasProxy: Bool
    private final var headFault: TransportFault?

    private(set) final var head = AnswerHead()
    /// How it ended: nil while it goes on, and a fault where not all came.
    private(set) final var ending: Ending?

    /// A request that is not sent yet; nil where libcurl takes no more.
    init?(to address: String, _ setup: TransferSetup, _ pool: TransferPool) {
        guard let easy = pool.curl.functions.pointee.curl_easy_init() else { return nil }
        unsafe (self.easy, self.pool, hasProxy) = (easy, pool, setup.proxy != nil)
        super.init()
        guard unsafe setup.setDefaults(easy, curl, Self.connectLimit),
            unsafe curl.set(libcurl_URL, to: address, of: easy)
        else { return nil }
    }

    deinit {
        _ = unsafe curl.functions.pointee.curl_multi_remove_handle(pool.multi, easy)
        unsafe curl.functions.pointee.curl_easy_cleanup(easy)
        unsafe curl.functions.pointee.curl_slist_free_all(list)
    }

    /// Sends it, once all is set.
    final func begin() -> Bool { unsafe curl.functions.pointee.curl_multi_add_handle(pool.multi, easy) == 0 }

    /// Sets the headers.
    ///
    /// - Parameter authorization: The value of the header, which libcurl has in its own memory, that it wipes, until the transfer goes.
    final func setHeaders(_ headers: [HTTPHeader], authorization: borrowing SecretBytes) -> Bool {
        guard let lines = TransferSetup.lines(headers), authorization.isHeaderValue else { return false }
        let line = authorization.withBytes { TransferSetup.authorizationLine($0) }
        let isAdded = line.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                guard let text = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else { return false }
                return unsafe add(text)
            }
        }
        guard isAdded, lines.allSatisfy({ line in unsafe line.withCString { unsafe add($0) } }), let list = list
        else { return false }
        return unsafe libcurl_set_pointer(curl.functions, easy, libcurl_HTTPHEADER, list) != 0
    }

    private func add(_ line: UnsafePointer<CChar>) -> Bool {
        guard let longer = unsafe curl.functions.pointee.curl_slist_append(list, line) else { return false }
        unsafe list = longer
        return true
    }

    /// Takes note of libcurl's word that it has ended.
    final func end(_ code: Int) {
        if let headFault {
            ending = .failed(headFault)
        } else if code == 0 {
            ending = head.isFinal ? .whole : .failed(.connection(.cutOff))
        } else {
            let fault = TransportFault(code, isRequestSent: isRequestSent, hasProxy: hasProxy) {
                unsafe libcurl_number(curl.functions, easy, $0)
            }
            ending = .failed(fault)
        }
    }

    override final func takeHead(_ line: RawSpan) -> Bool {
        if head.take(line) { return true }
        headFault = .connection(.notHTTP)
        return false
    }
}
