package import KeyfobSodium

/// A request that the shell sends as it is.
///
/// What is secret in it is in guarded memory; it becomes ordinary bytes only where the HTTP client writes it.
package struct HTTPRequest: ~Copyable, Sendable {
    /// The method.
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// The method.
    package let method: Method
    /// Where it goes; the client follows no redirection of it.
    package let url: EndpointURL
    /// The headers that are not secret.
    package let headers: [HTTPHeader]
    /// The value of the `Authorization` header.
    package let authorization: SecretBytes?
    /// The body.
    package let body: SecretBytes?

    /// A request for a document.
    package init(getting url: EndpointURL) {
        self.method = .get
        self.url = url
        self.headers = [HTTPHeader(name: "Accept", value: "application/json")]
        self.authorization = nil
        self.body = nil
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
}
