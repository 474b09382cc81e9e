internal import CLibcurl
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// A request on its way to a service and its answer on its way back, piece by piece.
///
/// libcurl takes from ``outgoing`` and puts into ``incoming``; it waits where the one is empty, or the other full.
@safe
final class GatewayTransfer: TransferReceiver {
    /// How far ahead of a slow reader it goes, in bytes.
    static let window = 256 << 10
    /// How long a connection may take to be there, in seconds.
    private static let connectLimit: Int64 = 30

    /// The handle by which libcurl tells of its end.
    @safe let easy: UnsafeMutableRawPointer
    private let curl: Libcurl
    @safe private let multi: UnsafeMutableRawPointer
    private let hasProxy: Bool

    private(set) var head = AnswerHead()
    /// What has come of the answer's body.
    var incoming = ByteQueue()
    private var outgoing = ByteQueue()
    private var isOutgoingWhole: Bool
    private var isReceivingPaused = false
    private var isSendingPaused = false
    private var headFault: TransportFault?
    /// How it ended: nil while it goes on, and a fault where not all came.
    private(set) var ending: Ending?
    /// Whether the answer waits for somebody to say whether it counts.
    var isHeld = false

    enum Ending {
        case whole
        case failed(TransportFault)
    }

    /// Begins; nil where libcurl takes no more.
    ///
    /// - Parameters:
    ///   - authorization: The value of the header, which libcurl has in its own memory until the transfer goes.
    ///   - proof: The value of the `DPoP` header, where there is one.
    init?(
        _ request: GatewayRequest, authorization: borrowing SecretBytes, proof: String?, _ setup: TransferSetup,
        _ curl: Libcurl, multi: UnsafeMutableRawPointer
    ) {
        guard let easy = curl.functions.pointee.curl_easy_init() else { return nil }
        unsafe (self.easy, self.curl, self.multi) = (easy, curl, multi)
        hasProxy = setup.proxy != nil
        isOutgoingWhole = request.framing == .none || request.framing == .length(0)
        super.init()
        guard unsafe setup.setDefaults(easy, curl, Self.connectLimit), unsafe Self.setBody(request, easy, curl),
            unsafe curl.set(libcurl_URL, to: request.address, of: easy), setHeaders(request, authorization, proof),
            connect(), unsafe curl.functions.pointee.curl_multi_add_handle(multi, easy) == 0
        else { return nil }
    }

    deinit {
        _ = unsafe curl.functions.pointee.curl_multi_remove_handle(multi, easy)
        unsafe curl.functions.pointee.curl_easy_cleanup(easy)
        unsafe curl.functions.pointee.curl_slist_free_all(list)
    }

    @safe private var list: UnsafeMutablePointer<curl_slist>?

    /// Whether more of the request's body is wanted.
    var wantsMore: Bool { !isOutgoingWhole && ending == nil && outgoing.count < Self.window / 2 }

    /// Takes a piece of the request's body.
    func send(_ part: [UInt8]) { outgoing.append(part) }
    /// Says that the request's body is whole.
    func endSending() { isOutgoingWhole = true }

    /// Goes on where it has waited, if it need not any more.
    func resume() {
        guard ending == nil else { return }
        let sends = isSendingPaused && (!outgoing.isEmpty || isOutgoingWhole)
        let receives = isReceivingPaused && !isHeld && incoming.count < Self.window / 2
        guard sends || receives else { return }
        if sends { isSendingPaused = false }
        if receives { isReceivingPaused = false }
        let paused = (isReceivingPaused ? libcurl_PAUSE_RECV : 0) | (isSendingPaused ? libcurl_PAUSE_SEND : 0)
        _ = unsafe curl.functions.pointee.curl_easy_pause(easy, CInt(paused))
    }

    /// Takes note of libcurl's word that it has ended.
    func end(_ code: Int) {
        if let headFault {
            ending = .failed(headFault)
        } else if code == 0, head.isFinal {
            ending = .whole
        } else if code == 0 {
            ending = .failed(.connection(.cutOff))
        } else {
            let fault = TransportFault(code, isRequestSent: isRequestSent, hasProxy: hasProxy) {
                unsafe libcurl_number(curl.functions, easy, $0)
            }
            ending = .failed(fault)
        }
    }

    private static func setBody(_ request: GatewayRequest, _ easy: UnsafeMutableRawPointer, _ curl: Libcurl) -> Bool {
        let count: Int
        switch request.framing {
        case .none:
            if request.question.method == "HEAD" { return unsafe curl.set(libcurl_NOBODY, to: 1, of: easy) }
            return unsafe curl.set(libcurl_CUSTOMREQUEST, to: request.question.method, of: easy)
        case .length(let length): count = length
        case .chunked: count = -1
        }
        return unsafe curl.set(libcurl_UPLOAD, to: 1, of: easy)
            && curl.set(libcurl_INFILESIZE_LARGE, to: count, of: easy)
            && curl.set(libcurl_CUSTOMREQUEST, to: request.question.method, of: easy)
    }

    private func setHeaders(
        _ request: GatewayRequest, _ authorization: borrowing SecretBytes, _ proof: String?
    ) -> Bool {
        var headers = request.headers + [HTTPHeader(name: "Connection", value: "close")]
        if let proof { headers.append(HTTPHeader(name: "DPoP", value: proof)) }
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

    /// Has libcurl tell this of the answer, and ask it for the request's body.
    private func connect() -> Bool {
        let give: libcurl_receive = { bytes, size, count, receiver in
            let transfer = unsafe Unmanaged<GatewayTransfer>.fromOpaque(receiver).takeUnretainedValue()
            return unsafe transfer.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        let source = unsafe Unmanaged.passUnretained(self).toOpaque()
        return unsafe hear(easy, of: curl) && libcurl_set_source(curl.functions, easy, give, source) != 0
    }

    override func takeHead(_ line: RawSpan) -> Bool {
        if head.take(line) { return true }
        headFault = .connection(.notHTTP)
        return false
    }

    override func takeBody(_ part: RawSpan) -> Int {
        if isHeld || incoming.count > Self.window {
            isReceivingPaused = true
            return libcurl_WRITEFUNC_PAUSE
        }
        incoming.append(part)
        return part.byteCount
    }

    private func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let part = outgoing.take(atMost: room.count)
        if part.isEmpty, !isOutgoingWhole {
            isSendingPaused = true
            return libcurl_READFUNC_PAUSE
        }
        unsafe room.copyBytes(from: part)
        return part.count
    }
}
