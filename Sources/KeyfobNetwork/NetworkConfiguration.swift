/// How the system's network is used.
public struct NetworkConfiguration: Sendable {
    /// What is sent as `User-Agent`, such as `Keyfob/1.0.0`.
    public var userAgent: String
    /// A PEM file with certificates that are trusted together with the system's.
    public var certificateFile: String?
    /// Whether the certificates of that file are trusted alone, and none of the system's.
    package var trustsFileAlone = false
    /// Whether a provider's own file counts in place of ``certificateFile`` in the requests to that provider.
    public var usesProvidersCertificates: Bool
    /// The environment, of which the variables for proxies are read.
    public var environment: [String: String]
    /// Takes a line about every request: the status of its answer, or why there was none.
    ///
    /// A line has the method, the address without its query, and that: no header, no body, no token. It is called on
    /// any thread.
    public var log: @Sendable (String) -> Void

    /// A configuration.
    public init(
        userAgent: String, certificateFile: String? = nil, usesProvidersCertificates: Bool = true,
        environment: [String: String] = [:], log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.userAgent = userAgent
        self.certificateFile = certificateFile
        self.usesProvidersCertificates = usesProvidersCertificates
        self.environment = environment
        self.log = log
    }
}
