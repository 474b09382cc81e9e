internal import KeyfobOAuth
package import KeyfobSodium

/// What a program asks of a service, as somebody has to judge it who knows whose token may go there.
package struct GatewayQuestion: Hashable, Sendable {
    /// The method.
    package let method: String
    /// The host in small letters, with `:port` where that is not the port of https.
    package let host: String
    let path: RequestPath
    /// Headers that may change what is asked for: in small letters, with `-` for `_`.
    package let specialHeaders: Set<String>
    /// The schemes of the challenges with which the service has refused what was granted before, in small letters; nil where
    /// it is asked for the first time.
    package internal(set) var refusal: [String]?
    /// Whether it was refused for the nonce that the proof lacked.
    package internal(set) var wantsNonce = false
    /// What the service wants to find in the next proof of a key (RFC 9449, section 9); nil where it has not said.
    package internal(set) var nonce: String?
    /// The challenges with which the service has refused what only a person can give; empty for another question.
    ///
    /// Nothing is asked for again, and the answer says what to do.
    package internal(set) var challenges: [String] = []
    /// The claims that the service wants a token to be asked for with, where it has refused one for lack of them.
    package internal(set) var claims: String?

    /// Host and path, without the query.
    package var place: String { host + path.text }
    /// The path.
    package var pathText: String { path.text }
}

/// What is granted.
package enum GatewayAnswer: ~Copyable {
    /// The value of `Authorization`, that of `DPoP` where there is one, and the file of certificates that are trusted for it; nil for
    /// the usual ones.
    case granted(SecretBytes, proof: String?, certificateFile: String?)
    /// What the program is told instead.
    case refused(GatewayRefusal)
}

/// Who judges, one question after the other.
package struct GatewayJudge {
    /// Says at once why something is refused, or nil where ``hear`` will answer.
    let ask: (GatewayQuestion) -> GatewayRefusal?
    /// Can be read when there is an answer.
    let descriptor: CInt
    /// The answer; nil where nobody is there any more.
    let hear: () -> GatewayAnswer?

    package init(
        descriptor: CInt, ask: @escaping (GatewayQuestion) -> GatewayRefusal?,
        hear: @escaping () -> GatewayAnswer?
    ) {
        (self.descriptor, self.ask, self.hear) = (descriptor, ask, hear)
    }
}

/// Why a request is not passed on.
package struct GatewayRefusal: Error, Hashable, Sendable {
    let status: Int
    let reason: String

    /// A status, and a line that says why.
    package init(status: Int, reason: String) { (self.status, self.reason) = (status, reason) }

    static let malformed = GatewayRefusal(status: 400, reason: "the request is not HTTP/1.1 as RFC 9112 has it")
    static let tooLong = GatewayRefusal(status: 431, reason: "the head of the request is longer than 16 KiB")
    static let slow = GatewayRefusal(status: 408, reason: "the request did not come in time")
    static let longPath = GatewayRefusal(
        status: 414, reason: "host and path are longer than \(EndpointURL.maximumCount - 8) bytes")
    static let withExtension = GatewayRefusal(
        status: 501,
        reason: "extensions of chunks are not passed on (RFC 9112, section 7.1.1); send the body without them")
    static let withTrailer = GatewayRefusal(
        status: 501,
        reason: "fields behind the body are not passed on (RFC 9112, section 7.1.2); send the body without them")
    static let otherHost = GatewayRefusal(status: 403, reason: "the request is meant for another host (Host)")
    static let page = GatewayRefusal(status: 403, reason: "a page in a browser has no access (Origin, Sec-Fetch-Site)")
    /// A program asks this as a proxy, by a method or by an address with `http://`.
    static func proxy(status: Int, _ method: String) -> GatewayRefusal {
        GatewayRefusal(
            status: status,
            reason: "this is no proxy to be named in \(method == "CONNECT" ? "https_proxy" : "http_proxy"); "
                + "its address stands in the place of https://, before host and path")
    }
    /// Nobody answers who has tokens.
    package static let alone = GatewayRefusal(status: 503, reason: "nobody is there any more who has tokens")
    static let unknown = GatewayRefusal(status: 404, reason: "there is nothing here")
    static let ambiguous = GatewayRefusal(
        status: 400,
        reason: "the path holds '.', '..', an empty part or an encoding that servers read in different ways")
    static let badPlace = GatewayRefusal(
        status: 400, reason: "behind the address of the proxy stand host and path, encoded: …/api.example.com/path")
    static let withScheme = GatewayRefusal(
        status: 400, reason: "leave out https:// behind the address of the proxy, which stands in its place")
    static let otherMethod = GatewayRefusal(
        status: 403, reason: "a header that stands for another method or another address is not passed on")

    init(_ refusal: LoopbackRequest.Refusal) { self = refusal == .tooLong ? .tooLong : .malformed }
}
