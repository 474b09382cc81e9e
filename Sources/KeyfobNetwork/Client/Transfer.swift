internal import CLibcurl
internal import KeyfobOAuth
internal import KeyfobSodium
internal import Synchronization

/// One request on its way through libcurl.
///
/// It waits on a thread of its own, which ends when the answer is there, the time is up, or ``cancel()`` is called.
@safe
final class Transfer: Sendable {
    /// What became of it.
    enum Outcome: ~Copyable, Sendable {
        case answered(HTTPResponse)
        case tooLarge(status: Int)
        case failed(TransportFault, isRequestSent: Bool)
    }

    private let curl: Libcurl
    @safe private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    private let isCancelled = Atomic(false)

    /// How long a connection may take to be there, TLS included, in seconds.
    static let connectLimit: Int64 = 10

    /// A transfer that has not begun; nil where the system has no more descriptors.
    init?(_ curl: Libcurl) {
        guard let multi = curl.functions.pointee.curl_multi_init() else { return nil }
        self.curl = curl
        unsafe self.multi = multi
    }

    deinit { _ = unsafe curl.functions.pointee.curl_multi_cleanup(multi) }

    /// Has ``run(_:_:seconds:)`` end soon; may be called from any thread.
    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        _ = unsafe curl.functions.pointee.curl_multi_wakeup(multi)
    }

    /// Sends the request once and waits for the whole answer; blocks its thread.
    func run(_ request: borrowing HTTPRequest, _ setup: TransferSetup, seconds: Int64) -> Outcome {
        let deadline = ContinuousClock.now + .seconds(seconds)
        guard seconds > 0 else { return .failed(.connection(.late), isRequestSent: false) }
        guard let easy = curl.functions.pointee.curl_easy_init() else {
            return .failed(.connection(.unsendable), isRequestSent: false)
        }
        defer { unsafe curl.functions.pointee.curl_easy_cleanup(easy) }
        let reception = Reception(
            hasBody: request.method != .head, limit: request.answerLimit, lines: request.answerLines)
        let fault = unsafe setup.apply(to: easy, of: curl, for: request, seconds: min(Self.connectLimit, seconds)) {
            unsafe reception.hear(easy, of: curl)
                ? unsafe perform(easy, reception, hasProxy: setup.proxy != nil, until: deadline)
                : .connection(.unsendable)
        }
        if reception.refusal == .tooLarge { return .tooLarge(status: reception.head.status) }
        if let fault, reception.refusal != .whole {
            return .failed(fault, isRequestSent: reception.isRequestSent)
        }
        guard reception.head.isFinal,
            let response = try? HTTPResponse(
                status: reception.head.status, headers: reception.head.headers, body: reception.body,
                limit: request.answerLimit)
        else { return .failed(.connection(.cutOff), isRequestSent: reception.isRequestSent) }
        return .answered(response)
    }

    /// Waits for the transfer's end; nil where all came.
    private func perform(
        _ easy: UnsafeMutableRawPointer, _ reception: Reception, hasProxy: Bool, until deadline: ContinuousClock.Instant
    ) -> TransportFault? {
        let functions = curl.functions.pointee
        guard unsafe functions.curl_multi_add_handle(multi, easy) == 0 else { return .connection(.unsendable) }
        // Whatever the connection is doing then, it is closed.
        defer { _ = unsafe functions.curl_multi_remove_handle(multi, easy) }
        while true {
            var count: CInt = 0
            guard unsafe functions.curl_multi_perform(multi, &count) == 0 else { return .connection(.broken) }
            if count == 0 { break }
            if isCancelled.load(ordering: .acquiring) { return .connection(.givenUp) }
            let left = deadline - .now
            guard left > .zero else { return .connection(.late) }
            let milliseconds = min(
                60_000, left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000)
            guard unsafe functions.curl_multi_poll(multi, nil, 0, CInt(milliseconds) + 1, nil) == 0 else {
                return .connection(.broken)
            }
        }
        var rest: CInt = 0
        guard let message = unsafe functions.curl_multi_info_read(multi, &rest) else { return .connection(.broken) }
        let code = unsafe Int(message.pointee.data.result)
        if reception.refusal == .notHTTP { return .connection(.notHTTP) }
        return code == 0
            ? nil
            : TransportFault(code, isRequestSent: reception.isRequestSent, hasProxy: hasProxy) {
                unsafe libcurl_number(curl.functions, easy, $0)
            }
    }
}
