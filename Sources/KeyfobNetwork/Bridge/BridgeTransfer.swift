internal import CLibcurl
internal import KeyfobOAuth
internal import KeyfobSodium

/// A request of a bridge on its way, and what has come of its answer.
///
/// Its connection may serve the next one.
@safe
final class BridgeTransfer: TransferReceiver {
    /// What is sent.
    struct Request {
        var method: HTTPRequest.Method
        var address: String
        var headers: [HTTPHeader]
        var body: [UInt8]?
        /// Whether it may be written a second time where the connection that was to carry it is gone.
        var isRepeatable: Bool
    }

    enum Ending {
        case whole
        case failed(TransportFault)
    }

    /// How long a connection may take to be there, in seconds.
    private static let connectLimit: Int64 = 30

    /// The handle by which libcurl tells of its end.
    @safe let easy: UnsafeMutableRawPointer
    private let curl: Libcurl
    @safe private let multi: UnsafeMutableRawPointer
    @safe private var list: UnsafeMutablePointer<curl_slist>?
    private let hasProxy: Bool
    private let isRepeatable: Bool
    private let room: BridgeRoom
    private var headFault: TransportFault?
    private var isPaused = false

    private(set) var head = AnswerHead()
    private(set) var ending: Ending?
    /// What has come of the body and was not taken.
    private var incoming: [UInt8] = []

    /// Begins; nil where libcurl takes no more.
    ///
    /// - Parameter token: libcurl has it in its own memory, which it wipes, until the transfer goes.
    init?(
        _ request: Request, token: borrowing SecretBytes, _ setup: TransferSetup, _ curl: Libcurl,
        multi: UnsafeMutableRawPointer, room: BridgeRoom
    ) {
        guard let easy = curl.functions.pointee.curl_easy_init() else { return nil }
        unsafe (self.easy, self.curl, self.multi) = (easy, curl, multi)
        (hasProxy, isRepeatable, self.room) = (setup.proxy != nil, request.isRepeatable, room)
        super.init()
        guard unsafe setup.setDefaults(easy, curl, Self.connectLimit), unsafe Self.keepConnection(easy, curl),
            unsafe curl.set(libcurl_URL, to: request.address, of: easy),
            unsafe Self.setMethod(request, easy, curl), setHeaders(request.headers, token),
            unsafe hear(easy, of: curl), unsafe curl.functions.pointee.curl_multi_add_handle(multi, easy) == 0
        else { return nil }
    }

    deinit {
        _ = unsafe curl.functions.pointee.curl_multi_remove_handle(multi, easy)
        unsafe curl.functions.pointee.curl_easy_cleanup(easy)
        unsafe curl.functions.pointee.curl_slist_free_all(list)
    }

    /// What has come, once.
    func takeIncoming() -> [UInt8] {
        defer { incoming = [] }
        return incoming
    }

    /// Goes on where it has waited for room.
    func resume() {
        guard isPaused, ending == nil, !room.isTaken else { return }
        isPaused = false
        _ = unsafe curl.functions.pointee.curl_easy_pause(easy, 0)
    }

    /// Takes note of libcurl's word that it has ended.
    func end(_ code: Int) {
        if let headFault {
            ending = .failed(headFault)
        } else if code == 0 {
            ending = head.isFinal ? .whole : .failed(.connection(.cutOff))
        } else {
            ending = .failed(
                TransportFault(code, isRequestSent: isRequestSent, hasProxy: hasProxy) {
                    unsafe libcurl_number(curl.functions, easy, $0)
                })
        }
    }

    /// For how many seconds a connection may be idle and serve another request: servers close theirs after five or more, and of
    /// a call that is on its way then nobody knows whether it was done.
    private static let idleLimit = 3

    /// One connection for several requests; of one that stays open for hours, the system looks whether it is there.
    private static func keepConnection(_ easy: UnsafeMutableRawPointer, _ curl: Libcurl) -> Bool {
        let numbers = [
            (libcurl_FRESH_CONNECT, 0), (libcurl_FORBID_REUSE, 0), (libcurl_TCP_KEEPALIVE, 1),
            (libcurl_MAXAGE_CONN, idleLimit),
        ]
        return numbers.allSatisfy { unsafe curl.set($0.0, to: $0.1, of: easy) }
    }

    private static func setMethod(_ request: Request, _ easy: UnsafeMutableRawPointer, _ curl: Libcurl) -> Bool {
        if let body = request.body {
            // The size first: libcurl copies so many bytes.
            let isSet = unsafe curl.set(libcurl_POSTFIELDSIZE, to: body.count, of: easy)
            let isCopied = unsafe body.withUnsafeBytes { body in
                guard let start = body.baseAddress else { return false }
                return unsafe libcurl_set_pointer(curl.functions, easy, libcurl_COPYPOSTFIELDS, start) != 0
            }
            guard isSet, isCopied else { return false }
        }
        return unsafe curl.set(libcurl_CUSTOMREQUEST, to: request.method.rawValue, of: easy)
    }

    private func setHeaders(_ headers: [HTTPHeader], _ token: borrowing SecretBytes) -> Bool {
        guard let lines = TransferSetup.lines(headers), token.isHeaderValue else { return false }
        let value = HTTPRequest.bearer(token)
        let line = value.withBytes { TransferSetup.authorizationLine($0) }
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

    override func mayBeWritten() -> Bool { !isRequestSent || isRepeatable }

    override func takeHead(_ line: RawSpan) -> Bool {
        if head.take(line) { return true }
        headFault = .connection(.notHTTP)
        return false
    }

    override func takeBody(_ part: RawSpan) -> Int {
        if room.isTaken {
            isPaused = true
            return libcurl_WRITEFUNC_PAUSE
        }
        incoming.append(contentsOf: part)
        return part.byteCount
    }
}

/// Whether there is room for more answers, where a client reads slower than they come.
final class BridgeRoom {
    var isTaken = false
}
