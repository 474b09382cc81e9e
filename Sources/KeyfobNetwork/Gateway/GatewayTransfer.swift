internal import CLibcurl
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// A request on its way to a service and its answer on its way back, piece by piece.
///
/// libcurl takes from ``outgoing`` and puts into ``incoming``; it waits where the one is empty, or the other full.
@safe
final class GatewayTransfer: ServiceTransfer {
    /// How far ahead of a slow reader it goes, in bytes.
    static let window = 256 << 10
    /// What has come of the answer's body.
    var incoming = ByteQueue()
    private var outgoing = ByteQueue()
    private var isOutgoingWhole: Bool
    private var isReceivingPaused = false
    private var isSendingPaused = false
    /// Whether the answer waits for somebody to say whether it counts.
    var isHeld = false
    /// Whether the request proved that it has the key of its token.
    let hasProof: Bool

    /// Begins; nil where libcurl takes no more.
    ///
    /// - Parameters:
    ///   - authorization: The value of the header, which libcurl has in its own memory until the transfer goes.
    ///   - proof: The value of the `DPoP` header, where there is one.
    init?(
        _ request: GatewayRequest, authorization: borrowing SecretBytes, proof: String?, _ setup: TransferSetup,
        _ pool: TransferPool
    ) {
        hasProof = proof != nil
        isOutgoingWhole = request.framing == .none || request.framing == .length(0)
        super.init(to: request.address, setup, pool)
        var headers = request.headers + [HTTPHeader(name: "Connection", value: "close")]
        if let proof { headers.append(HTTPHeader(name: "DPoP", value: proof)) }
        guard setBody(request), setHeaders(headers, authorization: authorization), connect(), begin() else {
            return nil
        }
    }

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

    private func setBody(_ request: GatewayRequest) -> Bool {
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

    /// Has libcurl tell this of the answer, and ask it for the request's body.
    private func connect() -> Bool {
        let give: libcurl_receive = { bytes, size, count, receiver in
            let transfer = unsafe Unmanaged<GatewayTransfer>.fromOpaque(receiver).takeUnretainedValue()
            return unsafe transfer.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        let source = unsafe Unmanaged.passUnretained(self).toOpaque()
        return unsafe hear(easy, of: curl) && libcurl_set_source(curl.functions, easy, give, source) != 0
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
