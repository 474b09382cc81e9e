internal import KeyfobModel
internal import KeyfobOAuth

/// Which headers go from one side to the other.
package enum GatewayHeaders {
    /// Those of one connection (RFC 9110, section 7.6.1), and how long a body is, which both sides say anew.
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings", "content-length",
    ]
    /// What says who asks, which is not for the program to say, and what tells of the gateway.
    private static let ofProgram: Set<String> = [
        "authorization", "dpop", "cookie", "cookie2", "host", "expect", "referer",
    ]
    /// What a service would have a browser keep: sessions, and other ways to reach it.
    private static let ofBrowser: Set<String> = [
        "set-cookie", "set-cookie2", "alt-svc", "strict-transport-security", "clear-site-data", "public-key-pins",
    ]
    /// What services take in the place of the method or the address.
    private static let detours: Set<String> = [
        "x-http-method-override", "x-http-method", "x-method-override", "x-original-method", "x-forwarded-method",
        "x-original-url", "x-rewrite-url", "x-original-uri", "x-forwarded-uri", "x-forwarded-path",
        "x-forwarded-prefix",
        "forwarded", "x-forwarded-host", "x-original-host", "x-host",
    ]

    /// What leaves method, address and caller as they are, so that a rule about these needs no word about it: how an answer is
    /// to look, what a body is, conditions and ranges (RFC 9110), and what clients of known services say of themselves.
    private static let plain: Set<String> = [
        "accept", "accept-charset", "accept-datetime", "accept-encoding", "accept-language", "cache-control", "pragma",
        "content-digest", "content-encoding", "content-language", "content-md5", "content-range", "content-type",
        "date", "digest", "repr-digest", "want-digest", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "range", "prefer", "priority", "user-agent", "x-requested-with",
        "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "dnt",
        "client-request-id", "idempotency-key", "return-client-request-id", "traceparent", "tracestate",
        "x-correlation-id", "x-request-id",
        "git-protocol", "x-github-api-version", "last-event-id", "mcp-protocol-version", "mcp-session-id",
        "anthropic-beta", "anthropic-version", "openai-beta", "odata-maxversion", "odata-version",
        "kubectl-command", "kubectl-session", "amz-sdk-invocation-id", "amz-sdk-request", "x-amz-content-sha256",
        "x-amz-date", "x-amz-user-agent", "x-goog-api-client", "x-ms-client-request-id", "x-ms-date", "x-ms-version",
    ]

    /// The names, as services see them, of those that may change what a request does: all that are not known not to.
    static func special(among headers: [HTTPHeader]) -> Set<String> {
        Set(headers.map { folded($0.name) }.filter { !plain.contains($0) && !$0.hasPrefix("x-stainless-") })
    }

    /// Whether a header is one of those that stand for another method or another address.
    static func isDetour(_ name: String) -> Bool { detours.contains(folded(name)) }

    /// Whether a header never goes along, or always, whoever allows it.
    package static func isDecided(_ name: String) -> Bool {
        isDetour(name) || special(among: forService([HTTPHeader(name: name, value: "")])).isEmpty
    }

    /// A name as services see it: to CGI (RFC 3875, section 4.1.18) and its like `_` is `-`.
    package static func folded(_ name: String) -> String {
        String(Identifier.folded(name).map { $0 == "_" ? "-" : $0 })
    }

    /// What goes along to the service.
    static func forService(_ headers: [HTTPHeader]) -> [HTTPHeader] { kept(headers, without: ofProgram) }

    /// What goes back to the program.
    static func forProgram(_ headers: [HTTPHeader]) -> [HTTPHeader] { kept(headers, without: ofBrowser) }

    /// What `Connection` names, in small letters.
    static func named(_ headers: [HTTPHeader]) -> [String] {
        headers.filter { Identifier.folded($0.name) == "connection" }.flatMap { header in
            header.value.split(separator: ",").map { Identifier.folded(HTTPHeader.trimmed($0)) }
        }
    }

    private static func kept(_ headers: [HTTPHeader], without others: Set<String>) -> [HTTPHeader] {
        let dropped = ofConnection.union(others).union(named(headers))
        return headers.filter { header in
            let name = folded(header.name)
            return !dropped.contains(name) && !name.hasPrefix("proxy-")
        }
    }
}
