internal import CLibcurl
internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// How requests are made: everything that libcurl would otherwise take from its defaults or the environment.
struct TransferSetup: Sendable {
    let userAgent: String
    /// The file with certificates that are trusted together with those in the system's folder.
    let certificateFile: String?
    let proxy: ProxySettings.Proxy?
    /// Whether the file's certificates are trusted alone, and none of the system's.
    var trustsFileAlone = false

    /// What holds for every request.
    private static let numbers = [
        (libcurl_HTTP_VERSION, libcurl_HTTP_VERSION_1_1), (libcurl_HTTP09_ALLOWED, 0), (libcurl_FOLLOWLOCATION, 0),
        // A connection that is kept for the next request can be closed by the server while that one is on its way; nobody
        // could tell then whether a refresh token arrived, and libcurl would send it again.
        (libcurl_FRESH_CONNECT, 1), (libcurl_FORBID_REUSE, 1),
        (libcurl_SSLVERSION, libcurl_SSLVERSION_TLSv1_2), (libcurl_SSL_VERIFYPEER, 1), (libcurl_SSL_VERIFYHOST, 2),
        (libcurl_SSL_SESSIONID_CACHE, 0),
        (libcurl_NETRC, 0), (libcurl_PATH_AS_IS, 1), (libcurl_NOSIGNAL, 1),
        // A thread that still asks for an address is left behind, not waited for.
        (libcurl_QUICK_EXIT, 1),
        // No header of ours is for the proxy, and none of its for us.
        (libcurl_HEADEROPT, libcurl_HEADER_SEPARATE), (libcurl_SUPPRESS_CONNECT_HEADERS, 1),
        (libcurl_PROXYAUTH, libcurl_AUTH_BASIC), (libcurl_SOCKS5_AUTH, libcurl_AUTH_BASIC),
    ]

    /// Sets all that is needed and calls `body`, after which nothing of the request may be used any more.
    ///
    /// The body and the `Authorization` header are not copied here: libcurl reads them where they lie, in guarded memory.
    ///
    /// - Returns: `unsendable` for what libcurl refuses, `noLibrary` where it shows no certificates, or what `body` says.
    func apply(
        to easy: UnsafeMutableRawPointer, of curl: Libcurl, for request: borrowing HTTPRequest, seconds: Int64,
        _ body: () -> TransportFault?
    ) -> TransportFault? {
        let count = request.body?.withBytes { $0.byteCount } ?? 0
        guard unsafe setDefaults(easy, curl, seconds), unsafe setMethod(request.method, easy, curl, bodyCount: count),
            unsafe curl.set(libcurl_URL, to: request.url.text, of: easy), let lines = lines(request)
        else { return .connection(.unsendable) }
        if let identity = request.identity {
            // To nobody else than whoever is asked, who has shown whose it is by then.
            guard request.url.isSecure else { return .connection(.unsendable) }
            guard unsafe Self.setIdentity(identity, easy, curl) else { return .noLibrary }
        }
        var list: UnsafeMutablePointer<curl_slist>?
        defer { unsafe curl.functions.pointee.curl_slist_free_all(list) }
        for line in lines {
            guard let longer = unsafe curl.functions.pointee.curl_slist_append(list, line) else {
                return .connection(.unsendable)
            }
            unsafe list = longer
        }
        guard let list = unsafe list else { return .connection(.unsendable) }
        return unsafe Self.withAuthorization(request, before: list) { headers in
            guard unsafe libcurl_set_pointer(curl.functions, easy, libcurl_HTTPHEADER, headers) != 0 else {
                return .connection(.unsendable)
            }
            return unsafe Self.withBody(request) { start in
                if let start = unsafe start,
                    unsafe libcurl_set_pointer(curl.functions, easy, libcurl_POSTFIELDS, start) == 0
                {
                    return .connection(.unsendable)
                }
                return body()
            }
        }
    }

    /// Sets what holds for every request, with so many seconds for the connection.
    func setDefaults(_ easy: UnsafeMutableRawPointer, _ curl: Libcurl, _ seconds: Int64) -> Bool {
        var texts = [
            (libcurl_PROTOCOLS_STR, "http,https"), (libcurl_NOPROXY, ""), (libcurl_PROXY, proxy?.address ?? ""),
        ]
        if let user = proxy?.user {
            texts += [(libcurl_PROXYUSERNAME, user), (libcurl_PROXYPASSWORD, proxy?.password ?? "")]
        }
        // In place of the system's file; its folder is read all the same, unless that is taken away too.
        if let certificateFile { texts.append((libcurl_CAINFO, certificateFile)) }
        if trustsFileAlone {
            guard certificateFile != nil, unsafe libcurl_clear(curl.functions, easy, libcurl_CAPATH) != 0 else {
                return false
            }
        }
        let numbers =
            Self.numbers + [
                (libcurl_CONNECTTIMEOUT_MS, Int(seconds) * 1_000),
                (libcurl_HTTPPROXYTUNNEL, proxy?.kind == .http ? 1 : 0),
            ]
        return numbers.allSatisfy { unsafe curl.set($0.0, to: $0.1, of: easy) }
            && texts.allSatisfy { unsafe curl.set($0.0, to: $0.1, of: easy) }
    }

    /// Has libcurl show a certificate, of which it wipes what it copies; false where it cannot.
    private static func setIdentity(
        _ identity: ClientIdentity, _ easy: UnsafeMutableRawPointer, _ curl: Libcurl
    ) -> Bool {
        identity.pem.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return false }
                return unsafe libcurl_set_identity(curl.functions, easy, start, bytes.count) != 0
            }
        }
    }

    private func setMethod(
        _ method: HTTPRequest.Method, _ easy: UnsafeMutableRawPointer, _ curl: Libcurl, bodyCount: Int
    ) -> Bool {
        // Without a body, those of its methods say that it is empty.
        let hasBody = bodyCount > 0 || [.post, .put, .patch].contains(method)
        if method == .head { return unsafe curl.set(libcurl_NOBODY, to: 1, of: easy) }
        if hasBody {
            guard unsafe curl.set(libcurl_POST, to: 1, of: easy),
                unsafe curl.set(libcurl_POSTFIELDSIZE, to: bodyCount, of: easy)
            else { return false }
        }
        return unsafe curl.set(libcurl_CUSTOMREQUEST, to: method.rawValue, of: easy)
    }

    /// The headers that are not secret; nil where one cannot be sent.
    private func lines(_ request: borrowing HTTPRequest) -> [String]? {
        let ours = [("User-Agent", userAgent), ("Accept-Encoding", "identity"), ("Connection", "close")]
        let names = Set(ours.map { Identifier.folded($0.0) })
        let headers =
            request.headers.filter { !names.contains(Identifier.folded($0.name)) }
            + ours.map { HTTPHeader(name: $0.0, value: $0.1) }
        return Self.lines(headers)
    }

    /// Headers as libcurl takes them; nil where one cannot be sent.
    static func lines(_ headers: [HTTPHeader]) -> [String]? {
        guard headers.allSatisfy({ HTTPHeader.isName($0.name) && HTTPHeader.isValue($0.value) }) else { return nil }
        let given = Set(headers.map { Identifier.folded($0.name) })
        // libcurl's way to write an empty header, and to leave out one that it would add.
        return headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
            + ["Accept", "Content-Type", "Expect"].filter { !given.contains(Identifier.folded($0)) }.map { "\($0):" }
    }

    private static func withAuthorization(
        _ request: borrowing HTTPRequest, before list: UnsafeMutablePointer<curl_slist>,
        _ body: (UnsafePointer<curl_slist>) -> TransportFault?
    ) -> TransportFault? {
        guard let line = request.authorization?.withBytes({ authorizationLine($0) }) else { return unsafe body(list) }
        return line.withBytes { line in
            guard (0..<line.byteCount - 1).allSatisfy({ line.byte(at: $0) >= 0x20 && line.byte(at: $0) != 0x7F }) else {
                return .connection(.unsendable)
            }
            return unsafe line.withUnsafeBytes { line in
                let text = unsafe line.assumingMemoryBound(to: CChar.self).baseAddress
                var first = unsafe curl_slist(data: UnsafeMutablePointer(mutating: text), next: list)
                return unsafe withUnsafePointer(to: &first) { unsafe body($0) }
            }
        }
    }

    /// The `Authorization` header as a C string.
    static func authorizationLine(_ value: RawSpan) -> SecretBuffer {
        let name = Array("Authorization: ".utf8)
        var line = SecretBuffer(capacity: name.count + value.byteCount + 1)
        name.withBytes { line.append($0) }
        line.append(value)
        [0].withBytes { line.append($0) }
        return line
    }

    private static func withBody(
        _ request: borrowing HTTPRequest, _ body: (UnsafeRawPointer?) -> TransportFault?
    ) -> TransportFault? {
        var fault: TransportFault?
        let done: Void? = request.body?.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { fault = unsafe body($0.baseAddress) }
        }
        if done == nil { fault = body(nil) }
        return fault
    }
}

extension ProxySettings.Proxy {
    /// As libcurl takes it, without credentials; names are looked up by the proxy.
    fileprivate var address: String {
        (kind == .http ? "http://" : "socks5h://") + (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}
