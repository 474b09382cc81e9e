internal import CLibcurl
internal import KeyfobOAuth
internal import KeyfobSodium

/// A request of a bridge on its way, and what has come of its answer.
///
/// Its connection may serve the next one.
@safe
final class BridgeTransfer: ServiceTransfer {
    /// What is sent.
    struct Request {
        var method: HTTPRequest.Method
        var address: String
        var headers: [HTTPHeader]
        var body: [UInt8]?
        /// Whether it may be written a second time where the connection that was to carry it is gone.
        var isRepeatable: Bool
    }

    private let isRepeatable: Bool
    private let room: BridgeRoom
    private var isPaused = false

    /// What has come of the body and was not taken.
    private var incoming: [UInt8] = []

    /// Begins; nil where libcurl takes no more.
    ///
    /// - Parameter authorization: libcurl has it in its own memory, which it wipes, until the transfer goes.
    init?(
        _ request: Request, authorization: borrowing SecretBytes, _ setup: TransferSetup, _ pool: TransferPool,
        room: BridgeRoom
    ) {
        (isRepeatable, self.room) = (request.isRepeatable, room)
        super.init(to: request.address, setup, pool)
        guard keepConnection(), setMethod(request),
            setHeaders(request.headers, authorization: authorization), unsafe hear(easy, of: curl), begin()
        else { return nil }
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

    /// For how many seconds a connection may be idle and serve another request: servers close theirs after five or more, and of
    /// a call that is on its way then nobody knows whether it was done.
    private static let idleLimit = 3

    /// One connection for several requests; of one that stays open for hours, the system looks whether it is there.
    private func keepConnection() -> Bool {
        let numbers = [
            (libcurl_FRESH_CONNECT, 0), (libcurl_FORBID_REUSE, 0), (libcurl_TCP_KEEPALIVE, 1),
            (libcurl_MAXAGE_CONN, Self.idleLimit),
        ]
        return numbers.allSatisfy { unsafe curl.set($0.0, to: $0.1, of: easy) }
    }

    private func setMethod(_ request: Request) -> Bool {
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

    override func mayBeWritten() -> Bool { !isRequestSent || isRepeatable }

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
