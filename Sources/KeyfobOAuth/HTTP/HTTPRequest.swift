internal import KeyfobModel
package import KeyfobSodium

/// A request that the shell sends as it is.
///
/// What is secret in it is in guarded memory; it becomes ordinary bytes only where the HTTP client writes it.
package struct HTTPRequest: ~Copyable, Sendable {
    /// The method.
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// The method.
    package let method: Method
    /// Where it goes; the client follows no redirection of it.
    package let url: EndpointURL
    /// The headers that are not secret.
    package private(set) var headers: [HTTPHeader]
    /// The value of the `Authorization` header.
    package let authorization: SecretBytes?
    /// The body.
    package let body: SecretBytes?
    /// The longest answer that is taken, in bytes.
    package let answerLimit: Int
    /// After how many lines the answer counts as whole, for a service that goes on telling; nil for an answer that ends.
    package private(set) var answerLines: Int?
    /// The certificate that is shown where TLS is agreed on; nil for none.
    package private(set) var identity: ClientIdentity?

    /// Any request, to a service that an access token opens (RFC 6750, section 2.1).
    package init(
        _ method: Method, _ url: EndpointURL, headers: [HTTPHeader], body: consuming SecretBytes?,
        bearer token: borrowing SecretBytes, isBound: Bool = false, answerLimit: Int
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.authorization = Self.authorization(isBound ? "DPoP" : "Bearer", token)
        self.body = body
        self.answerLimit = answerLimit
    }

    /// A request for a document.
    package init(getting url: EndpointURL) {
        self.method = .get
        self.url = url
        self.headers = [HTTPHeader(name: "Accept", value: "application/json")]
        self.authorization = nil
        self.body = nil
        self.answerLimit = HTTPResponse.bodyLimit
    }

    /// A request for a document that an access token opens (RFC 6750, section 2.1).
    package init(getting url: EndpointURL, bearer token: borrowing SecretBytes, isBound: Bool = false) {
        self.method = .get
        self.url = url
        self.headers = [HTTPHeader(name: "Accept", value: "application/json")]
        self.authorization = Self.authorization(isBound ? "DPoP" : "Bearer", token)
        self.body = nil
        self.answerLimit = HTTPResponse.bodyLimit
    }

    /// The value of `Authorization` for a token (RFC 6750, section 2.1).
    package static func bearer(_ token: borrowing SecretBytes) -> SecretBytes { authorization("Bearer", token) }

    /// A token behind its scheme.
    package static func authorization(_ scheme: String, _ token: borrowing SecretBytes) -> SecretBytes {
        var header = SecretBuffer(capacity: scheme.utf8.count + 1 + token.count)
        Array((scheme + " ").utf8).withBytes { header.append($0) }
        token.withBytes { header.append($0) }
        return header.withBytes { SecretBytes(copying: $0, placement: .recycled) }
    }

    /// A request that posts a form.
    package init(posting form: consuming FormBody, to url: EndpointURL, authorization: consuming SecretBytes? = nil) {
        self.method = .post
        self.url = url
        self.headers = [
            HTTPHeader(name: "Accept", value: "application/json"),
            HTTPHeader(name: "Content-Type", value: FormBody.contentType),
        ]
        self.authorization = authorization
        self.body = form.encoded()
        self.answerLimit = HTTPResponse.bodyLimit
    }

    /// A request that posts a document in JSON.
    ///
    /// - Parameter answerLines: After how many lines an answer that would go on is whole.
    package init(
        posting json: consuming SecretBytes?, to url: EndpointURL, headers: [HTTPHeader] = [],
        authorization: consuming SecretBytes? = nil, answerLimit: Int, answerLines: Int? = nil
    ) {
        self.method = .post
        self.url = url
        self.headers =
            [
                HTTPHeader(name: "Accept", value: "application/json"),
                HTTPHeader(name: "Content-Type", value: "application/json"),
            ] + headers
        self.authorization = authorization
        self.body = json
        self.answerLimit = answerLimit
        self.answerLines = answerLines
    }

    /// The same with another header.
    package consuming func adding(_ header: HTTPHeader) -> HTTPRequest {
        headers.append(header)
        return self
    }

    /// The same with a certificate to show; it is sent over https alone.
    package consuming func showing(_ identity: ClientIdentity?) -> HTTPRequest {
        self.identity = identity
        return self
    }

    /// What a log may show: the method, and the address without its query.
    package var redactedDescription: String { "\(method.rawValue) \(url)" }
}

/// A header that is not secret.
package struct HTTPHeader: Hashable, Sendable {
    /// The name, compared without regard to case.
    package let name: String
    /// The value.
    package let value: String

    /// A header.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
    /// Whether a text can be the name of a header: a token (RFC 9110, section 5.6.2).
    package static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    /// Whether a text can be the value of a header: no control characters but tabs (RFC 9110, section 5.5).
    package static func isValue(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// A value without the white space around it.
    package static func trimmed(_ value: Substring) -> String {
        let start = value.drop { $0 == " " || $0 == "\t" }
        guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(start[...last])
    }
}
